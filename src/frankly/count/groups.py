"""Groups: for engines that group rows by their labels. The groups are few, and become counts."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frankly.count.accumulate import answers, needed
from frankly.count.counts import CELLS, Counts
from frankly.count.plan import Job, plan
from frankly.count.query import Query
from frankly.count.tally import Tallied
from frankly.design import Column, Design, smallest_type
from frankly.design.spreadsheet import instead
from frankly.errors import ReportError, ValueRefusedError
from frankly.mechanism import Codes

__all__ = ["EVERY", "GroupingEngine", "at_most", "conditions"]

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
        counted = [
            counts_of(self.design, job, table, self.place)
            for job, table in zip(every, self.groups(every) if every else [], strict=True)
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


def conditions(design: Design, job: Job) -> Iterator[tuple[str, list[str]]]:
    """Give what a row must hold to be counted: columns, and the texts that each may have.

    The form comes first, where there are several.
    """
    if job.form != EVERY and len(design.forms) > 1:
        yield "form", spellings(str(job.form), ())
    for name in dict(job.where):
        reported = values_of(design, job, name)
        labels = [reported[code] for other, code in job.where if other == name]
        yield name, [text for label in labels for text in spellings(label, reported)]


def spellings(label: str, values: Sequence[str]) -> list[str]:
    """Tell how databases may write a label whose column is of numbers or of truth values."""
    others = [f"{label}.0"] if label.lstrip("-").isdigit() else []
    others += [label.lower()] if label in ("True", "False") else []
    return [label, *(text for text in others if text not in values)]
