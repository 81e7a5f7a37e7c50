"""Accumulate: blocks of codes in, counts out; memory does not grow with the number of rows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from frankly.count.counts import Counts, is_small
from frankly.count.plan import Job, Where, answer, plan
from frankly.count.query import Query
from frankly.count.tally import distinct_rows, fuse
from frankly.design import Column, Design
from frankly.mechanism import Codes

__all__ = ["BLOCK", "Block", "accumulate", "answers", "needed", "parted"]

BLOCK = 2**17
"""Rows counted together: their codes stay in the cache between one table and the next."""

Rows = NDArray[np.intp]

Block = tuple[int, Mapping[str, Codes], int]
"""Some rows of one form: the form, the codes of the names needed, how many rows."""


def accumulate(
    design: Design, queries: Sequence[Query], blocks: Iterable[Block], rows: int
) -> list[Counts]:
    """Answer all queries in one pass over blocks of codes.

    Parameters
    ----------
    design
        What the reports answer.
    queries
        The tables wanted.
    blocks
        Each block holds rows of one form, with a column for everything `needed` there.
    rows
        How many rows there are at most; wider tables are kept as their non-empty cells.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> block = (0, {"ill": np.array([0, 1, 1], dtype=np.uint8)}, 3)
    >>> accumulate(design, [Query("ill")], [block, block], 6)[0].table
    array([2, 4])
    """
    jobs = sorted(plan(design, queries), key=lambda job: (job.form, job.where))
    sums = [summing(design, job, rows) for job in jobs]
    spans = {
        key: list(span) for key, span in groupby(range(len(jobs)), key=lambda i: part(jobs[i]))
    }
    for form, columns, n in blocks:
        known: dict[Where, Rows] = {}
        for (asked, where), span in spans.items():
            if asked == form:
                names = {name for i in span for name in jobs[i].names}
                kept, m = narrowed(columns, where, names, known) if where else (columns, n)
                for i in span:
                    sums[i].add([kept[name] for name in jobs[i].names], m)
    return answers(design, queries, jobs, [one.counts() for one in sums])


def part(job: Job) -> tuple[int, Where]:
    """Tell which rows a job counts."""
    return job.form, job.where


def needed(queries: Sequence[Query]) -> dict[int, tuple[str, ...]]:
    """Tell which columns of which forms the queries read."""
    wanted: dict[int, dict[str, None]] = {}
    for query in queries:
        wanted.setdefault(query.form, {}).update(dict.fromkeys((*query.names, *dict(query.where))))
    return {form: tuple(names) for form, names in wanted.items()}


def narrowed(
    columns: Mapping[str, Codes], where: Where, names: Iterable[str], known: dict[Where, Rows]
) -> tuple[Mapping[str, Codes], int]:
    """Keep the rows where all conditions hold: every attribute has one of its codes."""
    rows = rows_where(columns, where, known)
    return {name: columns[name][rows] for name in names}, len(rows)


def rows_where(columns: Mapping[str, Codes], where: Where, known: dict[Where, Rows]) -> Rows:
    """Find the rows where all conditions hold, among those where all but the last name's do.

    The branches of a tree share their first conditions, so each is looked at only once.
    """
    if where not in known:
        name = where[-1][0]
        codes = [code for other, code in where if other == name]
        before = tuple(pair for pair in where if pair[0] != name)
        if before:
            rows = rows_where(columns, before, known)
            known[where] = rows[among(columns[name][rows], codes)]
        else:
            known[where] = np.flatnonzero(among(columns[name], codes))
    return known[where]


def among(column: Codes, codes: Sequence[int]) -> NDArray[np.bool_]:
    """Tell which rows have one of some codes."""
    if len(codes) == 1:
        return np.asarray(column == codes[0])
    lookup = np.zeros(max(*codes, int(column.max(initial=0))) + 1, dtype=np.bool_)
    lookup[list(codes)] = True
    return lookup[column]


def answers(
    design: Design, queries: Sequence[Query], jobs: Sequence[Job], counted: Sequence[Counts]
) -> list[Counts]:
    """Give every query its own part of the tables, in the order they were asked."""
    found: dict[int, Counts] = {}
    for job, counts in zip(jobs, counted, strict=True):
        for index in job.answers:
            query = queries[index]
            found[index] = answer(counts, query, () if job.where else query.codes(design))
    return [found[index] for index in range(len(queries))]


def summing(design: Design, job: Job, rows: int) -> "Whole | Scattered":
    """Choose how a job's table is kept while it grows."""
    form = design.forms[job.form]
    sizes = tuple(len(form.reported(name)) for name in job.names)
    kind = Whole if is_small(sizes, rows) else Scattered
    return kind(job.names, form.fingerprint, sizes)


class Whole:
    """A table that is kept whole."""

    def __init__(self, names: Sequence[str], form: str, sizes: tuple[int, ...]) -> None:
        self.names, self.form, self.sizes = names, form, sizes
        self.flat = np.zeros(math.prod(sizes), dtype=np.int64)

    def add(self, columns: Sequence[Codes], n: int) -> None:
        """Count one block."""
        np.add.at(self.flat, fuse(columns, self.sizes, n).astype(np.intp), 1)

    def counts(self) -> Counts:
        """Give what was counted."""
        return Counts.from_table(self.names, self.form, self.flat.reshape(self.sizes))


class Scattered:
    """A table that is kept as its non-empty cells."""

    def __init__(self, names: Sequence[str], form: str, sizes: tuple[int, ...]) -> None:
        self.names, self.form, self.sizes = names, form, sizes
        self.parts = [distinct_rows([np.empty(0, dtype=np.uint8)] * len(sizes), sizes, NONE)]

    def add(self, columns: Sequence[Codes], n: int) -> None:
        """Count one block; put the blocks together when they have doubled what is kept."""
        self.parts.append(distinct_rows(columns, self.sizes, np.ones(n, dtype=np.int64)))
        if sum(len(counts) for _, counts in self.parts[1:]) > max(len(self.parts[0][1]), 8 * BLOCK):
            self.parts = [self.counts().cells()]

    def counts(self) -> Counts:
        """Give what was counted."""
        rows, counts = zip(*self.parts, strict=True)
        cells = np.concatenate(rows), np.concatenate(counts)
        return Counts.from_cells(self.names, self.form, self.sizes, cells)


NONE = np.empty(0, dtype=np.int64)


def in_blocks(form: int, columns: Mapping[str, Codes], n: int) -> Iterator[Block]:
    """Cut the rows of one form into blocks."""
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        yield form, {name: codes[start:stop] for name, codes in columns.items()}, stop - start


def parted(
    design: Design, columns: Mapping[str, Column], wanted: Mapping[int, Sequence[str]], n: int
) -> Iterator[Block]:
    """Part some rows by form, and give the codes of what is wanted from each."""
    if len(design.forms) == 1:
        reported, names = design.forms[0].reported, wanted.get(0, ())
        yield 0, {name: columns[name].codes(reported(name)) for name in names}, n
        return
    form = columns["form"].codes([str(index) for index in range(len(design.forms))])
    for index, names in wanted.items():
        rows = np.flatnonzero(form == index)
        reported = design.forms[index].reported
        yield index, {name: columns[name].codes(reported(name), rows) for name in names}, len(rows)
