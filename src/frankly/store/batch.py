"""Batch: what is new in one survey, taken apart so that its parts cannot be matched."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Batch", "Look", "random_keys", "shuffled"]

KEY = 16
T = TypeVar("T")


@dataclass(frozen=True)
class Look:
    """What a batch is judged by.

    Attributes
    ----------
    survey
        Its state, mode, fingerprint and document, if there is one.
    used
        The receipts beside invitations.
    counts
        The counters of each form to which this process adds.
    """

    survey: tuple[str, str, str, str] | None
    used: dict[bytes, bytes]
    counts: dict[int, bytes]


@dataclass(frozen=True)
class Batch:
    """New answers to one survey, on their way into one transaction.

    Attributes
    ----------
    survey
        Its name.
    used
        Invitations and the receipts that now stand beside them, in the order of the former.
    alone
        Receipts of answers without an invitation, in order.
    rows
        The reports, shuffled.
    counts
        Those counters of each form that changes, now with these reports.
    first
        The forms among them of which there were none.
    """

    survey: str
    used: Sequence[tuple[bytes, bytes]]
    alone: Sequence[bytes]
    rows: Sequence[bytes]
    counts: Mapping[int, bytes]
    first: Collection[int]


def random_keys(n: int) -> list[bytes]:
    """Draw keys of 128 bits, all with one call to the system's source.

    Examples
    --------
    >>> [len(key) for key in random_keys(3)]
    [16, 16, 16]
    """
    drawn = os.urandom(KEY * n)
    return [drawn[at : at + KEY] for at in range(0, len(drawn), KEY)]


def shuffled(values: Sequence[T]) -> list[T]:
    """Put values in the order of random keys, which are then forgotten.

    Examples
    --------
    >>> sorted(shuffled([3, 1, 2]))
    [1, 2, 3]
    """
    keys = random_keys(len(values))
    return [values[i] for i in sorted(range(len(values)), key=keys.__getitem__)]
