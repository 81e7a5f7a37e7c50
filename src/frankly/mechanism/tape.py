"""The tape of chance: a stream of 32-bit words, read as whole numbers below some q.

A word w stands for ``w // (2**32 // q)``; the few words at the top that would favour the
small numbers are thrown away. So ``below(q) < p`` has probability exactly p/q, in Python
and in the browser, and nobody ever compares a float.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tape", "Words"]

Words = NDArray[np.uint32]


class Tape(Protocol):
    """Where a device gets its chance from; the sources are in `frankly.randomize`."""

    def below(self, q: int, n: int) -> Words:
        """Read ``n`` whole numbers, each uniform in 0 .. q-1."""

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        """Read ``n`` tosses, each true with probability p/q: ``below(q) < p``."""
