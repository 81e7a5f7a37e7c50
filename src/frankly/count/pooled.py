"""Pooled: the reports of several holders as one engine.

Reports of one design add up as counts. Reports of several designs never do; there each design's
forms become forms of one wider design, so that every estimate is corrected per design and the
designs are combined by how sure each is.
"""

from collections.abc import Mapping, Sequence

from frankly.count.counts import Counts
from frankly.count.engine import Engine
from frankly.count.query import Query
from frankly.design import Attribute, Design, Form
from frankly.errors import DesignError, FingerprintError

__all__ = ["PooledEngine"]


class PooledEngine:
    """Count the reports of several sources together.

    Parameters
    ----------
    sources
        An engine for each source, by name; they may be of different kinds.
    mixed
        Whether the sources may have been randomized under different designs, as long as these
        ask the same questions with the same values.

    Examples
    --------
    >>> from frankly.count import ArrayEngine
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> shop = ArrayEngine(design, {"ill": ["yes", "no"]})
    >>> bank = ArrayEngine(design, {"ill": ["no"]})
    >>> pooled = PooledEngine({"shop": shop, "bank": bank})
    >>> pooled.count([Query("ill")])[0].table.tolist(), pooled.numbers()
    ([2, 1], {'shop': 2, 'bank': 1})
    """

    def __init__(self, sources: Mapping[str, Engine], *, mixed: bool = False) -> None:
        if not sources:
            raise DesignError("there is nothing to pool: name at least one source")
        self.sources = dict(sources)
        designs = [engine.design for engine in self.sources.values()]
        self.design = together(designs) if mixed else the_same(self.sources)
        self.places = {
            name: alike(self.design, engine.design) if mixed else each(self.design)
            for name, engine in self.sources.items()
        }

    @property
    def histograms(self) -> bool:
        """Whether all sources can count whole reports."""
        return all(engine.histograms for engine in self.sources.values())

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries: one call a source, and a sum."""
        sums: dict[int, Counts] = {}
        for query in queries:
            query.check(self.design)
        for name, engine in self.sources.items():
            asked = [
                (i, Query(query.names, own, query.where))
                for i, query in enumerate(queries)
                for own in self.places[name].get(query.form, ())
            ]
            found = engine.count([query for _, query in asked]) if asked else []
            for (i, _), counts in zip(asked, found, strict=True):
                sums[i] = sums[i] + counts if i in sums else counts
        return [sums[i] for i in range(len(queries))]

    def numbers(self) -> dict[str, int]:
        """Tell how many reports each source has: rows without its questions are none."""
        found = {}
        for name, engine in self.sources.items():
            queries = [Query(form.names[0], i) for i, form in enumerate(engine.design.forms)]
            found[name] = sum(counts.n for counts in engine.count(queries))
        return found


def each(design: Design) -> dict[int, list[int]]:
    """Let every form of the one design stand for itself."""
    return {form: [form] for form in range(len(design.forms))}


def alike(design: Design, own: Design) -> dict[int, list[int]]:
    """Tell which forms of a source are each form of the wider design; a source may have twins."""
    marks = [form.fingerprint for form in design.forms]
    places: dict[int, list[int]] = {}
    for i, form in enumerate(own.forms):
        places.setdefault(marks.index(form.fingerprint), []).append(i)
    return places


def the_same(sources: Mapping[str, Engine]) -> Design:
    """Refuse sources of different designs; weights of forms may differ."""
    (first, engine), *others = sources.items()
    marks = [form.fingerprint for form in engine.design.forms]
    for name, other in others:
        if [form.fingerprint for form in other.design.forms] != marks:
            raise FingerprintError(
                f"{name} was randomized under design {other.design.fingerprint[:12]}, but {first} "
                f"under {engine.design.fingerprint[:12]}. Their reports never add up. Randomize "
                "both under one design, or let designs differ (frankly pool --mixed; in Python "
                "mixed=True): each is then corrected by its own, and the estimates are combined "
                "by how sure each is"
            )
    return engine.design


def together(designs: Sequence[Design]) -> Design:
    """Make one design whose forms are those of all."""
    attributes: dict[str, Attribute] = {}
    forms: dict[str, Form] = {}
    for design in designs:
        for attribute in design.attributes:
            known = attributes.setdefault(attribute.name, attribute)
            if (known.values, known.bins) != (attribute.values, attribute.bins):
                raise DesignError(
                    f"the designs ask {attribute.name!r} with different values or cuts. Their "
                    "shares are not of the same thing, so they cannot be combined"
                )
        for form in design.forms:
            forms.setdefault(form.fingerprint, form)
    targets = {design.target for design in designs}
    return Design(
        list(attributes.values()),
        forms=list(forms.values()),
        target=targets.pop() if len(targets) == 1 else None,
        accept_infinite_epsilon=True,
    )
