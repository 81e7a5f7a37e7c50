"""Where chance comes from: the operating system, or a seed in tests and simulations.

The stream is AES-256 in counter mode, read as little-endian 32-bit words. Its key comes
from the operating system, so nobody can foretell it; a seeded tape is the same stream
under a key made from the seed, and is for tests and simulations only.
"""

import hashlib
import os
from collections.abc import Callable, Sequence

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from frankly import mechanism
from frankly.errors import FranklyError
from frankly.mechanism import Words

__all__ = ["Tape"]

WORDS = 2**32
BLANK = memoryview(bytes(2**18))
"""What is enciphered: zeros, so that the cipher's own stream comes out."""


class Tape(mechanism.Tape):
    """A stream of 32-bit words, read as whole numbers below some q.

    Examples
    --------
    >>> Tape.secure()
    <Tape: secure>
    >>> Tape.recorded([0, 2**31, 2**32 - 1]).below(2, 3)
    array([0, 1, 1], dtype=uint32)
    >>> Tape.seeded(7).toss(7, 10, 4)
    array([ True,  True,  True,  True])
    """

    def __init__(self, read: Callable[[int], Words], kind: str = "own") -> None:
        self.read = read
        self.kind = kind

    def __repr__(self) -> str:
        """Say where the chance comes from, and nothing of what is on the tape."""
        return f"<Tape: {self.kind}>"

    @classmethod
    def secure(cls) -> "Tape":
        """Open a tape that nobody can foretell; a new one each time."""
        return cls(Stream(os.urandom(32)).read, "secure")

    @classmethod
    def seeded(cls, seed: int | str) -> "Tape":
        """Open the tape that belongs to a seed: for tests and simulations, never for people."""
        key = hashlib.sha256(f"frankly simulation {seed}".encode()).digest()
        return cls(Stream(key).read, "seeded")

    @classmethod
    def recorded(cls, words: Sequence[int]) -> "Tape":
        """Open a tape with these words on it: for tests."""
        return cls(Recording(np.asarray(words, dtype=np.uint32)).read, "recorded")

    def below(self, q: int, n: int) -> Words:
        """Read ``n`` whole numbers, each uniform in 0 .. q-1.

        A word stands for ``word // (2**32 // q)``; words that would stand for q or more
        are thrown away, so no number is favoured.
        """
        width = WORDS // q
        return self.accepted(width * q, n) // np.uint32(width) if q > 1 else self.zeros(n)

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        """Read ``n`` tosses, each true with probability p/q: the same as ``below(q) < p``."""
        width = WORDS // q
        words = self.accepted(width * q, n)
        edge = width * p
        return words < np.uint32(edge) if edge < WORDS else np.ones(n, dtype=np.bool_)

    def zeros(self, n: int) -> Words:
        """Read ``n`` words that can only stand for 0."""
        return np.zeros_like(self.read(n))

    def accepted(self, limit: int, n: int) -> Words:
        """Read words until ``n`` of them lie below ``limit``."""
        words = self.read(n)
        if limit == WORDS or not n or words.max() < limit:
            return words
        words = words[words < limit]
        while len(words) < n:
            more = self.read(n - len(words))
            words = np.concatenate([words, more[more < limit]])
        return words


class Stream:
    """AES-256 in counter mode as a stream of words."""

    def __init__(self, key: bytes) -> None:
        self.cipher: CipherContext = Cipher(
            algorithms.AES256(key), modes.CTR(bytes(16))
        ).encryptor()

    def read(self, n: int) -> Words:
        """Give the next ``n`` words, made in place."""
        words = np.empty(n, dtype="<u4")
        raw = words.data.cast("B")
        for start in range(0, len(raw), len(BLANK)):
            part = raw[start : start + len(BLANK)]
            self.cipher.update_into(BLANK[: len(part)], part)
        return words


class Recording:
    """Words that were written down before."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def read(self, n: int) -> Words:
        """Give the next ``n`` words, or refuse when the tape is at its end."""
        if n > len(self.words):
            raise FranklyError(f"the recorded tape ends: {n} words wanted, {len(self.words)} left")
        part, self.words = self.words[:n], self.words[n:]
        return part
