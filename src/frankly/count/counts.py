"""Counts: how many reports there are of each kind. They add up, and that is all we need."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from frankly.count.tally import Cells, Tallied, cells_of, distinct_rows
from frankly.errors import MixedFormsError, NotAskedError, TooWideError

__all__ = ["CELLS", "Counts"]

CELLS = 10**7
"""More stored cells than this are refused."""

SMALL = 2**16
"""Tables up to this many cells are stored whole, however few reports there are."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Reports of one form, counted by some of their attributes.

    A table with more cells than reports is stored as its non-empty cells; both kinds
    answer the same questions.

    Parameters
    ----------
    names
        The attributes, one axis each.
    form
        Fingerprint of the form. Counts of different forms never add: their devices differ.
    sizes
        How many values reports have on each axis.
    rows, counts
        The cells that are not empty, in order, and how many reports are in each. A whole
        table has ``rows`` None and its counts in the shape of the table.

    Examples
    --------
    >>> monday = Counts.from_table(["ill"], "a form", [70, 30])
    >>> tuesday = Counts.from_table(["ill"], "a form", [65, 35])
    >>> (monday + tuesday).table
    array([135,  65])
    """

    names: tuple[str, ...]
    form: str
    sizes: tuple[int, ...]
    rows: Cells | None
    counts: Tallied

    @classmethod
    def from_table(cls, names: Sequence[str], form: str, table: ArrayLike) -> "Counts":
        """Make counts from a whole table, one axis a name."""
        whole = np.asarray(table, dtype=np.int64)
        if whole.ndim != len(names):
            raise MixedFormsError(
                f"a table over {list(names)} has {len(names)} axes, this one has {whole.ndim}"
            )
        return cls(tuple(names), form, whole.shape, None, whole)

    @classmethod
    def from_cells(
        cls, names: Sequence[str], form: str, sizes: Sequence[int], cells: tuple[Cells, Tallied]
    ) -> "Counts":
        """Make counts from some cells, in any order and perhaps repeated, and their counts."""
        rows, counts = distinct_rows(list(cells[0].T), sizes, cells[1])
        if is_small(sizes, int(counts.sum())):
            table = np.zeros(tuple(sizes), dtype=np.int64)
            table[tuple(rows.T)] = counts
            return cls.from_table(names, form, table)
        refuse_wide(len(counts), "the different reports")
        return cls(tuple(names), form, tuple(sizes), rows, counts)

    @cached_property
    def n(self) -> int:
        """How many reports were counted."""
        return int(self.counts.sum())

    @cached_property
    def table(self) -> Tallied:
        """The whole table, one axis a name; refused above ten million cells."""
        if self.rows is None:
            return self.counts
        refuse_wide(math.prod(self.sizes), f"a whole table over {len(self.names)} attributes")
        table = np.zeros(self.sizes, dtype=np.int64)
        table[tuple(self.rows.T)] = self.counts
        return table

    def cells(self) -> tuple[Cells, Tallied]:
        """Give the codes of every cell that is not empty (a row each), and the counts."""
        return cells_of(self.counts) if self.rows is None else (self.rows, self.counts)

    def margin(self, names: Sequence[str]) -> "Counts":
        """Count by fewer names, in the order given."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise NotAskedError(f"these counts are over {list(self.names)}, not over {missing}")
        axes = [self.names.index(name) for name in names]
        if self.rows is None:
            return Counts.from_table(names, self.form, margin_of(self.counts, axes))
        sizes = [self.sizes[axis] for axis in axes]
        return Counts.from_cells(names, self.form, sizes, (self.rows[:, axes], self.counts))

    def only(self, where: Sequence[tuple[str, int]]) -> "Counts":
        """Keep the reports with these codes, one of those named for each attribute."""
        rows, counts = self.rows, self.counts
        for name in dict(where):
            axis = self.names.index(name)
            kept = np.zeros(self.sizes[axis], dtype=np.bool_)
            kept[[code for other, code in where if other == name]] = True
            if rows is None:
                counts = counts * kept.reshape(kept.shape + (1,) * (counts.ndim - axis - 1))
            else:
                holds = kept[rows[:, axis]]
                rows, counts = rows[holds], counts[holds]
        return Counts(self.names, self.form, self.sizes, rows, counts)

    def __add__(self, other: "Counts") -> "Counts":
        """Add the counts of other people who got the same form."""
        if (self.names, self.form, self.sizes) != (other.names, other.form, other.sizes):
            raise MixedFormsError(
                f"counts over {list(self.names)} of form {self.form[:8]} do not add to counts over "
                f"{list(other.names)} of form {other.form[:8]}. Only counts of the same names and "
                "the same form add; estimate each form, then combine the estimates"
            )
        if self.rows is None or other.rows is None:
            return Counts.from_table(self.names, self.form, self.table + other.table)
        (rows, counts), (more, others) = self.cells(), other.cells()
        both = np.concatenate([rows, more]), np.concatenate([counts, others])
        return Counts.from_cells(self.names, self.form, self.sizes, both)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        same = (self.names, self.form, self.sizes) == (other.names, other.form, other.sizes)
        pairs = zip(self.cells(), other.cells(), strict=True)
        return same and all(np.array_equal(mine, yours) for mine, yours in pairs)

    __hash__ = None  # type: ignore[assignment]


def is_small(sizes: Sequence[int], n: int) -> bool:
    """Tell whether a table is stored whole: small, or with no more cells than reports."""
    return math.prod(sizes) <= max(SMALL, min(n, CELLS))


def margin_of(table: Tallied, axes: Sequence[int]) -> Tallied:
    """Sum a table over all axes but these, and put these in order."""
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    kept = sorted(axes)
    summed = np.asarray(table.sum(axis=others))
    return summed.transpose([kept.index(axis) for axis in axes])


def refuse_wide(cells: int, what: str) -> None:
    """Refuse more cells than anybody can store or estimate."""
    if cells > CELLS:
        raise TooWideError(
            f"{what} would take {cells:,} cells, more than {CELLS:,}. Nobody could estimate so "
            "many shares from one survey: ask for fewer names at a time, or merge values"
        )
