"""Store: the reports of a survey where they were collected, counted live or by a full scan."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.query import Query
from frankly.design import Design
from frankly.errors import FingerprintError
from frankly.store import Counters, Store
from frankly.store.counters import Vector

__all__ = ["StoreEngine", "live_counts"]


class StoreEngine:
    """Count the reports of a survey in its store.

    Single attributes, and each one with the target, come from counters that are updated in
    every report's own transaction; anything else is a full scan.

    Parameters
    ----------
    design
        What the reports answer.
    store
        Where they are.
    name
        The survey's name there.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> from frankly.store import Answer, Rows, hashed, ingest
    >>> design = Design([Attribute("ill", ["no", "yes"])], accept_infinite_epsilon=True)
    >>> store = Store("sqlite://")
    >>> _ = store.open_survey("ward", design, "anyone")
    >>> ingest(store, [Answer("ward", None, hashed("a receipt"), Rows(design).pack(0, [1]))])
    ['stored']
    >>> StoreEngine(design, store, "ward").count([Query("ill")])[0].table
    array([0, 1])
    >>> store.close()
    """

    histograms = True

    def __init__(self, design: Design, store: Store, name: str) -> None:
        stored = store.survey(name).design
        if stored.fingerprint != design.fingerprint:
            raise FingerprintError(
                f"the survey {name!r} was opened with design {stored.fingerprint[:12]}, but this "
                f"design is {design.fingerprint[:12]}. Take the design from the store"
            )
        self.design, self.store, self.name = design, store, name

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer from the live counters where they suffice, else from all reports."""
        for query in queries:
            query.check(self.design)
        live = {
            (form, one.names): one
            for form, vector in self.store.counted(self.name).items()
            for one in live_counts(self.design, {form: vector})
        }
        found = [None if query.where else live.get((query.form, query.names)) for query in queries]
        rest = [query for query, one in zip(queries, found, strict=True) if one is None]
        scanned = iter(self.scan.count(rest) if rest else [])
        return [one if one is not None else next(scanned) for one in found]

    @cached_property
    def scan(self) -> ArrayEngine:
        """All reports, read once."""
        rows = self.store.reports(self.name)
        codes = {name: rows[:, 1 + i] for i, name in enumerate(self.design.names)}
        several = len(self.design.forms) > 1
        return ArrayEngine.from_codes(self.design, codes, rows[:, 0] if several else None)


def live_counts(design: Design, counted: Mapping[int, Vector]) -> list[Counts]:
    """Read live counters as counts; a form that has no report yet counts nothing."""
    return [
        Counts.from_table(names, design.forms[form].fingerprint, table)
        for form, vector in counted.items()
        for names, table in Counters(design).tables(form, vector)
    ]
