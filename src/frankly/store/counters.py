"""Counters: small tables of reports, kept up to date in each report's own transaction.

All tables of a form lie behind one another in one vector, so that a batch rewrites one row of the
database however many questions a survey asks.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design, Form
from frankly.store.rows import Rows

__all__ = [
    "LARGEST",
    "Counters",
    "Vector",
    "read_vector",
    "summed",
    "write_vector",
    "write_vectors",
]

HEAD = struct.Struct("<HII")
"""Before what a batch counts in one form: which it is, how many cells it has, how many follow."""

LARGEST = 1024
"""Cells of the largest table that is counted live; for a larger one all reports are read."""

Vector = NDArray[np.int64]
"""How many reports fell into each cell of a form's tables."""


@dataclass(frozen=True)
class Part:
    """One table: its names, their sizes, and where its cells begin in the vector."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    begins: int

    @property
    def ends(self) -> int:
        """Where the next table begins."""
        return self.begins + prod(self.sizes)


@dataclass(frozen=True)
class Plan:
    """How the reports of one form fall into all its tables at once.

    Attributes
    ----------
    steps
        By how many cells each code moves a report, in each table.
    begins
        Where the cells of each table begin in the vector.
    size
        How long the vector is.
    """

    steps: Vector
    begins: Vector
    size: int

    def count(self, rows: NDArray[np.uint16]) -> Vector:
        """Count reports, one a row, the form first."""
        cells = rows.astype(np.int64) @ self.steps + self.begins
        return np.bincount(cells.ravel(), minlength=self.size)


@dataclass(frozen=True)
class Counters:
    """What is counted live of a design: every attribute, and every attribute with the target.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> counters = Counters(design)
    >>> tally = counters.tally(np.array([[0, 1]], dtype=np.uint16))
    >>> [(names, table.tolist()) for names, table in counters.tables(0, tally[0])]
    [((), 1), (('ill',), [0, 1])]
    """

    design: Design

    @cached_property
    def rows(self) -> Rows:
        """How reports are written."""
        return Rows(self.design)

    @cached_property
    def parts(self) -> tuple[tuple[Part, ...], ...]:
        """The tables of each form, the number of its reports first."""
        return tuple(tuple(self.of_form(index)) for index in range(len(self.design.forms)))

    def of_form(self, index: int) -> Iterator[Part]:
        """Lay the tables of one form behind one another."""
        form, begins = self.design.forms[index], 0
        for names in wanted(form, self.design.target):
            part = Part(names, tuple(len(form.reported(name)) for name in names), begins)
            if prod(part.sizes) <= LARGEST:
                yield part
                begins = part.ends

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """How the reports of each form are counted."""
        return tuple(self.plan(parts) for parts in self.parts)

    def plan(self, parts: tuple[Part, ...]) -> Plan:
        """Work out once by how many cells each code moves a report, table by table."""
        steps = np.zeros((1 + len(self.design.names), len(parts)), dtype=np.int64)
        for table, part in enumerate(parts):
            for axis, name in enumerate(part.names):
                steps[1 + self.design.names.index(name), table] = prod(part.sizes[axis + 1 :])
        return Plan(steps, np.array([part.begins for part in parts]), parts[-1].ends)

    def tally(self, rows: NDArray[np.uint16]) -> dict[int, Vector]:
        """Count some reports, form by form."""
        forms = sorted(set(rows[:, 0].tolist()))
        if len(forms) == 1:
            return {forms[0]: self.plans[forms[0]].count(rows)}
        return {form: self.plans[form].count(rows[rows[:, 0] == form]) for form in forms}

    def tables(self, form: int, vector: Vector) -> Iterator[tuple[tuple[str, ...], Vector]]:
        """Cut a form's vector into its tables, each with its names."""
        for part in self.parts[form]:
            yield part.names, vector[part.begins : part.ends].reshape(part.sizes)


def wanted(form: Form, target: str | None) -> Iterator[tuple[str, ...]]:
    """Name the tables that most questions are answered from."""
    yield ()
    for name in form.names:
        yield (name,)
        if target is not None and target in form.names and name != target:
            yield name, target


def write_vector(vector: Vector) -> bytes:
    """Write a vector as it is kept.

    Examples
    --------
    >>> read_vector(write_vector(np.array([3, 1]))).tolist()
    [3, 1]
    """
    return vector.astype("<i8").tobytes()


def read_vector(kept: bytes) -> Vector:
    """Read a vector back."""
    return np.frombuffer(kept, dtype="<i8").astype(np.int64)


def write_vectors(more: Mapping[int, Vector]) -> bytes:
    """Write what a batch counts, form by form: the cells that it counts in, and how often."""
    parts = list[bytes]()
    for form, vector in more.items():
        cells = vector.nonzero()[0]
        parts += [HEAD.pack(form, len(vector), len(cells))]
        parts += [part.astype("<u4").tobytes() for part in (cells, vector[cells])]
    return b"".join(parts)


def summed(sums: Mapping[int, Vector], batches: Iterable[bytes]) -> dict[int, Vector]:
    """Add what some batches count to the counters of a survey, form by form.

    Examples
    --------
    >>> batch = write_vectors({0: np.array([2, 1])})
    >>> summed({0: np.array([10, 5])}, [batch, batch])
    {0: array([14,  7])}
    """
    sums = {form: vector.copy() for form, vector in sums.items()}
    for batch in batches:
        at = 0
        while at < len(batch):
            form, size, n = HEAD.unpack_from(batch, at)
            found = np.frombuffer(batch, "<u4", 2 * n, at + HEAD.size)
            sums.setdefault(form, np.zeros(size, np.int64))[found[:n]] += found[n:]
            at += HEAD.size + found.nbytes
    return sums
