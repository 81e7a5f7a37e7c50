"""Sheet: one row of the database that holds many reports, in places that tell nothing.

An ordinary table tells the order of arrival even under random keys: a page is filled from its end,
row after row. A sheet has all its places from the beginning; a report takes a blank one at random,
byte for byte. When too few are left, its reports are dealt out over it and new ones, so that the
newest reports always lie among hundreds of others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frankly.store.batch import by_chance, random_keys

__all__ = ["PLACES", "Sheet", "dealt", "in_places"]

PLACES = 1024
"""How many reports a sheet can hold."""


@dataclass(frozen=True)
class Sheet:
    """Places for reports of one design.

    Attributes
    ----------
    key
        Its random key.
    codes
        All places, one behind the other.
    size
        How many bytes a place has.
    free
        Which places are blank, in the order in which they will be taken: a random one.

    Examples
    --------
    >>> sheet = Sheet.new(size=2).with_reports([b"ab", b"cd"])
    >>> len(sheet.codes), len(sheet.free)
    (2048, 1022)
    >>> sheet.codes.count(b"ab"), sheet.codes.count(b"cd")
    (1, 1)
    """

    key: bytes
    codes: bytes
    size: int
    free: Sequence[int]

    @classmethod
    def new(cls, size: int) -> "Sheet":
        """Make a blank sheet."""
        return cls.read(random_keys(1)[0], b"\xff" * size * PLACES, size)

    @classmethod
    def read(cls, key: bytes, codes: bytes, size: int) -> "Sheet":
        """Read a stored sheet, and find its blank places."""
        blank = np.flatnonzero((in_places(codes, size) == 0xFF).all(axis=1))
        return cls(key, codes, size, blank[by_chance(len(blank))].tolist())

    def with_reports(self, reports: Sequence[bytes]) -> "Sheet":
        """Put reports into blank places chosen by chance; there must be enough of them."""
        return self.with_codes(b"".join(reports))

    def with_codes(self, codes: bytes) -> "Sheet":
        """Put reports that are written one behind the other into blank places."""
        reports, places = in_places(codes, self.size), in_places(self.codes, self.size).copy()
        if len(reports) > len(self.free):
            raise ValueError("the reports are longer than the blank places")
        places[self.free[: len(reports)]] = reports
        return replace(self, codes=places.tobytes(), free=self.free[len(reports) :])

    def spread(self, codes: bytes) -> list["Sheet"]:
        """Put in reports for which the blank places may be too few.

        Then all are dealt out anew, old and new ones mixed, over this sheet and as many others as
        they need, each as full as the rest.
        """
        new = in_places(codes, self.size)
        if len(new) <= len(self.free):
            return [self.with_codes(codes)]
        reports = np.concatenate([np.delete(in_places(self.codes, self.size), self.free, 0), new])
        parts = np.array_split(reports[by_chance(len(reports))], -(-len(reports) // PLACES))
        keys = (self.key, *random_keys(len(parts) - 1))
        blank = b"\xff" * self.size * PLACES
        return [Sheet.read(key, blank, self.size).with_codes(part.tobytes())
                for key, part in zip(keys, parts, strict=True)]  # fmt: skip


def in_places(codes: bytes, size: int) -> NDArray[np.uint8]:
    """See codes as places, one a row."""
    return np.frombuffer(codes, dtype=np.uint8).reshape(-1, size)


def dealt(reports: NDArray[np.uint16]) -> Iterator[tuple[bytes, bytes]]:
    """Deal all reports of a survey out over full sheets, by chance; give their keys and codes."""
    order, starts = by_chance(len(reports)), range(0, len(reports), PLACES)
    for key, start in zip(sorted(random_keys(len(starts))), starts, strict=True):
        yield key, reports[order[start : start + PLACES]].tobytes()
