"""Circle: several parties as one engine. Nobody shows a table; all learn the sum."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from frankly.collaborate.masks import Vector
from frankly.collaborate.message import digest
from frankly.count import Counts, Engine, GivenCounts, Query
from frankly.count.counts import refuse_wide
from frankly.design import Design, canonical

__all__ = ["Asked", "Circle", "SecureSum"]


@dataclass(frozen=True)
class Asked:
    """What is to be added.

    Parameters
    ----------
    about
        Hash of the question; all must ask the same.
    length
        How many numbers there are.
    most
        The largest number a party may bring, for other numbers than counts of rows.
    """

    about: bytes
    length: int
    most: int | None = None


class SecureSum(Protocol):
    """A way to add up the numbers of several parties without showing them."""

    def total(self, vector: Callable[[], Vector], asked: Asked) -> Vector:
        """Add everybody's vector.

        Parameters
        ----------
        vector
            Gives this party's numbers; called at most once, and not at all after a crash.
        asked
            What the numbers are.
        """


class Circle:
    """Count the reports of several parties: the secure sum of what each counts at home.

    Every party runs the same work over its own circle, so all ask the same questions at the
    same time. One call is one round, however many queries it has.

    Parameters
    ----------
    design
        What the reports of all parties answer.
    home
        Counts this party's own reports.
    adding
        How the counts are added.
    """

    histograms = False

    def __init__(self, design: Design, home: Engine | None, adding: SecureSum) -> None:
        self.design, self.home, self.adding = design, home, adding
        self.rounds = 0
        self.known: dict[Query, Counts] = {}

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries over everybody's reports, in one round or none.

        What follows from a table that was opened before is not asked again.
        """
        for query in queries:
            query.check(self.design)
        new = [query for query in dict.fromkeys(queries) if self.remembered(query) is None]
        if new:
            self.known |= zip(new, self.round(new), strict=True)
        found = [self.remembered(query) for query in queries]
        return [counts for counts in found if counts is not None]

    def remembered(self, query: Query) -> Counts | None:
        """Answer from a table that was opened before, if one holds all names."""
        if query in self.known:
            return self.known[query]
        names = {*query.names, *dict(query.where)}
        for asked, counts in self.known.items():
            if asked.form == query.form and not asked.where and names <= set(asked.names):
                return GivenCounts(self.design, [counts]).one(query)
        return None

    def round(self, queries: Sequence[Query]) -> list[Counts]:
        """Add up the tables of all parties."""
        self.rounds += 1
        shapes = [self.shape(query) for query in queries]
        lengths = [math.prod(shape) for shape in shapes]
        refuse_wide(sum(lengths), "the tables of one round")
        asked = Asked(question(queries), sum(lengths))
        total = self.adding.total(lambda: self.local(queries), asked)
        parts = np.split(total, np.cumsum(lengths)[:-1])
        return [
            Counts.from_table(q.names, self.design.forms[q.form].fingerprint, part.reshape(shape))
            for q, part, shape in zip(queries, parts, shapes, strict=True)
        ]

    def shape(self, query: Query) -> tuple[int, ...]:
        """Tell the shape of a query's table."""
        form = self.design.forms[query.form]
        return tuple(len(form.reported(name)) for name in query.names)

    def local(self, queries: Sequence[Query]) -> Vector:
        """Count at home, one long vector in the order of the queries."""
        if self.home is None:
            raise TypeError("whoever only listens has nothing to count")
        tables = [counts.table.ravel() for counts in self.home.count(queries)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *tables])


def question(queries: Sequence[Query]) -> bytes:
    """Hash what is asked."""
    asked = [[list(q.names), q.form, [list(pair) for pair in q.where]] for q in queries]
    return digest(b"count", canonical(asked))
