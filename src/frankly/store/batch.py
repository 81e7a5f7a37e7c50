"""Batch: what is new in one survey, taken apart so that its parts cannot be matched."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frankly.store.counters import Vector
from frankly.store.tables import UNUSED

__all__ = [
    "SILENCE",
    "Batch",
    "Left",
    "Look",
    "Seen",
    "Wait",
    "by_chance",
    "random_keys",
    "shuffled",
]

KEY = 16

REMEMBERED = 256
"""So many surveys are remembered by a worker."""

T = TypeVar("T")

Wait = tuple[int, bool]
"""A socket that must become readable before a batch can go on; or writable, where that is true."""

SILENCE = 10.0
"""Seconds after which a database that says nothing is taken for gone: a new line may find it."""


class Seen(NamedTuple):
    """What a batch must know of its survey."""

    state: str
    mode: str
    fingerprint: str
    document: str
    mark: bytes


@dataclass(frozen=True)
class Look:
    """What a batch is judged by.

    Attributes
    ----------
    survey
        What there is under that name, if anything.
    used
        The receipts beside invitations.
    """

    survey: Seen | None
    used: dict[bytes, bytes]


class Left:
    """Surveys as one worker left them: those that are answered at present.

    Beside each stand the counters of its forms to which this worker adds, if it has any of its own.
    """

    def __init__(self) -> None:
        self.known: dict[str, tuple[Seen, dict[int, bytes]]] = {}

    def assume(self, survey: str, secrets: Sequence[bytes]) -> Look | None:
        """Assume a survey as we left it, and that nobody has used these; `keep` checks it."""
        if survey not in self.known:
            return None
        seen, _ = self.known[survey]
        return Look(seen, {} if seen.mode == "anyone" else dict.fromkeys(secrets, UNUSED))

    def counts(self, survey: str) -> dict[int, bytes]:
        """Give our own counters of a survey."""
        return self.known[survey][1] if survey in self.known else {}

    def remember(self, survey: str, seen: Seen | None, counts: dict[int, bytes]) -> None:
        """Remember how we leave a survey; None if there is none of that name."""
        self.known.pop(survey, None)
        if len(self.known) >= REMEMBERED:
            self.known.clear()
        if seen is not None:
            self.known[survey] = seen, counts

    def forget(self) -> None:
        """Assume nothing next time."""
        self.known.clear()


@dataclass(frozen=True)
class Batch:
    """New answers to one survey, on their way into one transaction.

    Attributes
    ----------
    survey
        Its name.
    seen
        What it was judged by; if that has changed, nothing may be stored.
    pairs
        Invitations and the receipts that now stand beside them, in the order of the former; where
        anyone may answer, a receipt stands beside itself.
    codes
        The reports, shuffled, one behind the other.
    more
        What they add to the counters of each form.
    """

    survey: str
    seen: Seen
    pairs: Sequence[tuple[bytes, bytes]]
    codes: bytes
    more: Mapping[int, Vector]


def random_keys(n: int) -> list[bytes]:
    """Draw keys of 128 bits, all with one call to the system's source.

    Examples
    --------
    >>> [len(key) for key in random_keys(3)]
    [16, 16, 16]
    """
    drawn = os.urandom(KEY * n)
    return [drawn[at : at + KEY] for at in range(0, len(drawn), KEY)]


def by_chance(n: int) -> NDArray[np.intp]:
    """Draw an order of so many things, by random keys that are then forgotten.

    Examples
    --------
    >>> sorted(by_chance(3).tolist())
    [0, 1, 2]
    """
    return np.argsort(np.frombuffer(os.urandom(8 * n), dtype=np.uint64))


def shuffled(values: Sequence[T]) -> list[T]:
    """Put values in an order drawn by chance.

    Examples
    --------
    >>> sorted(shuffled([3, 1, 2]))
    [1, 2, 3]
    """
    keys = iter(random_keys(len(values)))
    return sorted(values, key=lambda _: next(keys))
