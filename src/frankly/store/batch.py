"""Batch: what is new in one survey, taken apart so that its parts cannot be matched."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "Look", "Seen", "Wait", "by_chance", "random_keys", "shuffled"]

KEY = 16
T = TypeVar("T")

Wait = tuple[int, bool]
"""A socket that must become readable before a batch can go on; or writable, where that is true."""


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
    counts
        The counters of each form to which this process adds.
    """

    survey: Seen | None
    used: dict[bytes, bytes]
    counts: dict[int, bytes]


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
    counts
        The counters of each form that changes: as they were, if there were any, and with these
        reports.
    """

    survey: str
    seen: Seen
    pairs: Sequence[tuple[bytes, bytes]]
    codes: bytes
    counts: Mapping[int, tuple[bytes | None, bytes]]


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
    return [values[i] for i in by_chance(len(values)).tolist()]
