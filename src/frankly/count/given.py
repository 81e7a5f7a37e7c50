"""Given: counts that somebody has already made, as an engine."""

from collections.abc import Sequence

import numpy as np

from frankly.count.counts import Counts
from frankly.count.plan import answer
from frankly.count.query import Query
from frankly.design import Design, Form
from frankly.errors import FingerprintError, NotAskedError

__all__ = ["GivenCounts"]


class GivenCounts:
    """Answer from counts that are there: live counters, published tables, a secure sum.

    Parameters
    ----------
    design
        What the counted reports answer.
    counts
        Tables of any forms of the design; those over the same names add up, and a question
        is answered from the first that holds all its names. A form without any counts was
        drawn by nobody.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])
    >>> form = design.forms[0].fingerprint
    >>> counts = Counts.from_table(["ill", "sex"], form, [[30, 40], [20, 10]])
    >>> GivenCounts(design, [counts]).count([Query("sex", where=[("ill", "yes")])])[0].table
    array([20, 10])
    """

    def __init__(self, design: Design, counts: Sequence[Counts]) -> None:
        self.design = design
        self.given = together(counts)
        self.forms = [form.fingerprint for form in design.forms]
        for table in self.given:
            if table.form not in self.forms:
                raise FingerprintError(
                    f"these counts are of form {table.form[:12]}, which is none of the design's. "
                    "Counts can only be read with the design they were made under"
                )

    @property
    def histograms(self) -> bool:
        """Whether some table holds all names, for every form."""
        pairs = zip(self.design.forms, self.forms, strict=True)
        return all(
            any(table.form == mark and set(form.names) <= set(table.names) for table in self.given)
            for form, mark in pairs
        )

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries by margins of what is there."""
        return [self.one(query) for query in queries]

    def one(self, query: Query) -> Counts:
        """Answer one query, or say that no table holds its names."""
        query.check(self.design)
        names = {*query.names, *dict(query.where)}
        mark = self.forms[query.form]
        mine = [table for table in self.given if table.form == mark]
        if self.forms.index(mark) < query.form:
            mine = []  # a form like an earlier one, whose counts that one has
        for table in mine:
            if names <= set(table.names):
                return answer(table, query, query.codes(self.design))
        if not mine:
            return nobody(self.design.forms[query.form], query.names)
        raise NotAskedError(
            f"none of the given counts of form {query.form} is over all of {sorted(names)}. "
            f"There are tables over {[list(table.names) for table in self.given]}"
        )


def together(counts: Sequence[Counts]) -> tuple[Counts, ...]:
    """Add counts of the same form and names, such as two waves of one survey."""
    sums: dict[tuple[str, tuple[str, ...]], Counts] = {}
    for table in counts:
        key = (table.form, table.names)
        sums[key] = sums[key] + table if key in sums else table
    return tuple(sums.values())


def nobody(form: Form, names: Sequence[str]) -> Counts:
    """Give the counts of a form that nobody drew."""
    sizes = [len(form.reported(name)) for name in names]
    none = np.empty((0, len(sizes)), dtype=np.uint8), np.empty(0, dtype=np.int64)
    return Counts.from_cells(names, form.fingerprint, sizes, none)
