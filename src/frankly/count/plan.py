"""Plan: answer many queries with few tables.

Counting a row costs the same whether the table has two cells or ten thousand, as long as the
table stays in the processor's cache. So queries of one form share joint tables up to that
size, and each takes its margin; a condition becomes one more axis, of which one place is taken.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from frankly.count.counts import Counts
from frankly.count.query import Query
from frankly.design import Design

__all__ = ["CACHED", "Job", "Where", "answer", "joined", "plan"]

CACHED = 2**14
"""Cells of a joint table: measured best between 2**13 and 2**16."""

Where = tuple[tuple[str, int], ...]


@dataclass
class Job:
    """One table to count, and the queries it answers."""

    form: int
    where: Where
    names: tuple[str, ...]
    answers: list[int] = field(default_factory=list)


def plan(design: Design, queries: Sequence[Query], limit: int | None = None) -> list[Job]:
    """Put the queries into as few jobs as fit into the cache, the widest first.

    Parameters
    ----------
    design, queries
        What the reports answer, and the tables wanted.
    limit
        Cells a joint table may have; what fits into the cache unless told otherwise.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute(name, ["no", "yes"]) for name in "abcd"])
    >>> [job.names for job in plan(design, [Query(["a", "d"]), Query(["b", "d"]), Query("c")])]
    [('a', 'd', 'b', 'c')]
    """
    for query in queries:
        query.check(design)
    most = CACHED if limit is None else limit
    sizes = [report_sizes(design, form) for form in range(len(design.forms))]
    alike: dict[tuple[int, Where], list[Job]] = {}
    widths = [cells(query.names, sizes[query.form]) for query in queries]
    for index in sorted(range(len(queries)), key=lambda i: -widths[i]):
        wanted = wished(design, queries[index], sizes[queries[index].form], most)
        jobs = alike.setdefault((wanted.form, wanted.where), [])
        job = best(jobs, wanted, sizes[wanted.form], most)
        if job is None:
            jobs.append(job := wanted)
        job.names = joined(job.names, wanted.names)
        job.answers.append(index)
    return [job for jobs in alike.values() for job in jobs]


def report_sizes(design: Design, form: int) -> dict[str, int]:
    """Tell how many values reports of each attribute can have."""
    asked = design.forms[form]
    return {name: len(asked.reported(name)) for name in asked.names}


def cells(names: Iterable[str], sizes: dict[str, int]) -> int:
    """Tell how many cells a table over these has."""
    return math.prod(sizes[name] for name in names)


def joined(names: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """Give all of these once, in order."""
    return tuple(dict.fromkeys((*names, *more)))


def wished(design: Design, query: Query, sizes: dict[str, int], most: int) -> Job:
    """Make the smallest job that answers one query: with its conditions as axes, if they fit."""
    where = query.codes(design)
    axes = joined(query.names, dict(where))
    if cells(axes, sizes) > most:
        return Job(query.form, where, query.names)
    return Job(query.form, (), axes)


def best(jobs: Sequence[Job], wanted: Job, sizes: dict[str, int], most: int) -> Job | None:
    """Find the job over the same rows that grows least by taking this one in, within the cache."""
    found, least = None, math.inf
    for job in jobs:
        before = cells(job.names, sizes)
        after = cells(joined(job.names, wanted.names), sizes)
        if (after <= most or after == before) and after / before < least:
            found, least = job, after / before
    return found


def answer(counted: Counts, query: Query, where: Where) -> Counts:
    """Take a query's part of the table that was counted for it."""
    if where:
        counted = counted.margin(joined(query.names, dict(where))).only(where)
    return counted if counted.names == query.names else counted.margin(query.names)
