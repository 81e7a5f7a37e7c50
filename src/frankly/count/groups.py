"""Groups: for engines that group rows by their labels. The groups are few, and become counts."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from frankly.count.accumulate import answers, needed
from frankly.count.counts import CELLS, Counts
from frankly.count.plan import Job, plan
from frankly.count.query import Query
from frankly.count.tally import Tallied
from frankly.design import Column, Design, smallest_type
from frankly.design.encode import position, positions
from frankly.design.spreadsheet import instead
from frankly.errors import ReportError, ValueRefusedError
from frankly.mechanism import Codes

__all__ = ["EVERY", "Condition", "GroupingEngine", "at_most", "conditions"]

EVERY = -1
"""In place of a form: the rows of every form."""


class GroupingEngine(ABC):
    """Count reports where they are: a database or a cluster groups them by their labels.

    A subclass says which `columns` there are, and gives the `groups` of many jobs in one call.

    Parameters
    ----------
    design
        What the reports answer.
    place
        What the reports are in, for messages.
    """

    histograms = True
    limit: ClassVar[int] = 256

    def __init__(self, design: Design, place: str) -> None:
        self.design = design
        self.place = place

    @abstractmethod
    def columns(self) -> Sequence[str]:
        """Tell the names of the columns."""

    @abstractmethod
    def groups(self, jobs: Sequence[Job]) -> Sequence[Any]:
        """Give an Arrow table a job: a column for each of its names, and ``n`` rows of each kind.

        The last column is the number; there are no more rows than `at_most` tells.
        """

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries in one call of the database."""
        jobs = plan(self.design, queries, self.limit)
        every = [*jobs, *checks(self.design, queries, jobs)] if jobs else []
        self.refuse_missing({name for job in every for name in job.names})
        tables = self.groups(every) if every else []
        refuse_incomparable(every, tables, self.place)
        counted = [
            counts_of(self.design, job, table, self.place)
            for job, table in zip(every, tables, strict=True)
        ]
        return answers(self.design, queries, jobs, counted[: len(jobs)])

    def refuse_missing(self, names: set[str]) -> None:
        """Refuse a source in which a column is missing, or is there twice."""
        there = list(self.columns())
        missing = sorted(name for name in names if there.count(name) != 1)
        if missing:
            raise ReportError(
                f"{self.place} needs exactly one column for each of {missing}; "
                f"{instead(self.design.names, there)}"
            )


def checks(design: Design, queries: Sequence[Query], jobs: Sequence[Job]) -> Iterator[Job]:
    """Look at every column that is needed but seen through a condition only.

    A database drops a row whose condition is missing without a word; here it shows.
    """
    if len(design.forms) > 1:
        yield Job(EVERY, (), ("form",))
    for form, names in needed(queries).items():
        whole = {name for job in jobs if (job.form, job.where) == (form, ()) for name in job.names}
        yield from (Job(form, (), (name,)) for name in names if name not in whole)


def values_of(design: Design, job: Job, name: str) -> tuple[str, ...]:
    """Tell the labels that a column of a job can hold."""
    if job.form == EVERY:
        return tuple(str(index) for index in range(len(design.forms)))
    return design.forms[job.form].reported(name)


def at_most(design: Design, job: Job) -> int:
    """Tell how many groups to fetch: with one more than there are cells, one is unknown."""
    return min(math.prod(len(values_of(design, job, name)) for name in job.names), CELLS) + 1


def counts_of(design: Design, job: Job, table: Any, place: str) -> Counts:
    """Turn the groups of one job into counts."""
    numbers = np.asarray(table.column(len(job.names)), dtype=np.int64)
    mark = "every form" if job.form == EVERY else design.forms[job.form].fingerprint
    if not job.names:
        return Counts.from_table((), mark, numbers.sum())
    sizes = [len(values_of(design, job, name)) for name in job.names]
    rows = np.empty((len(numbers), len(sizes)), dtype=smallest_type(max(sizes)))
    for i, name in enumerate(job.names):
        column = Column.read(name, table.column(i))
        groups = Grouped(name, column.labels, column.index, place, numbers=numbers)
        rows[:, i] = groups.codes(values_of(design, job, name))
    return Counts.from_cells(job.names, mark, sizes, (rows, numbers))


@dataclass(frozen=True, kw_only=True)
class Grouped(Column):
    """One column of groups: a refused label is told by column and number of rows."""

    numbers: Tallied

    def refuse_unknown(
        self, found: NDArray[np.int64], index: Codes, rows: Any, values: list[str]
    ) -> None:
        """Refuse labels that are unknown, without repeating them."""
        del rows
        wrong = found[index] < 0
        if not wrong.any():
            return
        n = int(self.numbers[wrong].sum())
        gone = all(is_gone(self.labels[label]) for label in set(index[wrong].tolist()))
        what = "missing, though it was asked" if gone else f"none of the {len(values)} known ones"
        shown = ", ".join(map(repr, values[:8])) + (" ..." if len(values) > 8 else "")
        raise ValueRefusedError(
            f'{self.place}, column "{self.name}": in {n:,} row(s) or more the value is {what}. '
            f"Expected one of {shown}. Correct the rows or leave them out; a guess would bias "
            "every estimate"
        )


def is_gone(label: Any) -> bool:
    """Tell whether a label stands for no value."""
    return label is None or label != label  # noqa: PLR0124 - NaN differs from itself


@dataclass(frozen=True)
class Condition:
    """What a row must hold to be counted: a column, and the values it may have.

    Parameters
    ----------
    name
        The column.
    texts
        The values, unless the column is of floats.
    numbers
        The values of a column of floats, whose texts differ from one database to the next.
    """

    name: str
    texts: tuple[str, ...]
    numbers: tuple[float, ...]


def conditions(design: Design, job: Job) -> Iterator[Condition]:
    """Give what a row must hold to be counted; the form comes first, where there are several."""
    if job.form != EVERY and len(design.forms) > 1:
        forms = values_of(design, Job(EVERY, (), ()), "form")
        yield condition("form", forms, [job.form])
    for name in dict(job.where):
        codes = [code for other, code in job.where if other == name]
        yield condition(name, values_of(design, job, name), codes)


def condition(name: str, values: Sequence[str], codes: Sequence[int]) -> Condition:
    """Write some codes as the values that are read as them."""
    texts = [text for code in codes for text in spellings(values[code], values)]
    numbers = {code: number_of(values[code]) for code in codes}
    places = positions(values)
    read = [n for code, n in numbers.items() if n is not None and position(n, places) == code]
    return Condition(name, tuple(texts), tuple(read))


def number_of(label: str) -> float | None:
    """Read a label as a number, if it is one."""
    try:
        return float(label)
    except ValueError:
        return None


def spellings(label: str, values: Sequence[str]) -> list[str]:
    """Tell how databases may write a label whose column is of truth values."""
    other = label.lower() if label in ("True", "False") else label
    return [label] if other in values else [label, other]


def refuse_incomparable(jobs: Sequence[Job], tables: Sequence[Any], place: str) -> None:
    """Refuse a condition on a column whose values a database writes in its own way.

    Its texts would match no label, and the rows would be dropped without a word.
    """
    tested = {(job.form, name) for job in jobs for name in dict(job.where)}
    for job, table in zip(jobs, tables, strict=True):
        for i, name in enumerate(job.names):
            if (job.form, name) in tested and not is_comparable(table.column(i).type):
                raise ReportError(
                    f'{place}, column "{name}": values of the type {table.column(i).type} cannot '
                    "be compared with labels everywhere alike, so rows could get lost. Store the "
                    "labels themselves, as text or as numbers"
                )


def is_comparable(kind: Any) -> bool:
    """Tell whether an Arrow type has one text for each value, or is of floats."""
    held = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_decimal(held):
        return bool(held.scale <= PLAIN)
    tests = "null", "string", "large_string", "string_view", "boolean", "integer", "floating"
    return any(getattr(pa.types, f"is_{test}")(held) for test in (*tests, "date"))


PLAIN = 6
"""Decimals with more places than this may be written with an exponent."""
