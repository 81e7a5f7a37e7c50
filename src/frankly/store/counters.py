"""Counters: small tables of reports, kept up to date in each report's own transaction."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from frankly.design import Design
from frankly.store.rows import Rows

__all__ = ["SHARD", "Counters", "Tally"]

SHARD = secrets.randbelow(2**31)
"""Each process adds to counters of its own, so that workers never wait for each other."""

Tally = Counter[tuple[int, str, int]]
"""How many reports fell into each cell: (form, names as JSON, cell)."""


@dataclass(frozen=True)
class Part:
    """One table that is kept: a form, some names, and where they stand in a row."""

    form: int
    names: str
    places: tuple[int, ...]
    sizes: tuple[int, ...]

    def cells(self, columns: Sequence[tuple[int, ...]], n: int) -> Counter[int]:
        """Count the cells of ``n`` reports, given column by column; the last name runs fastest."""
        if not self.places:
            return Counter({0: n})
        if len(self.places) == 1:
            return Counter(columns[self.places[0]])
        first, second = (columns[place] for place in self.places)
        size = self.sizes[1]
        pairs = Counter(zip(first, second, strict=True))
        return Counter({a * size + b: times for (a, b), times in pairs.items()})


@dataclass(frozen=True)
class Counters:
    """What is counted live of a design: every attribute, and every attribute with the target.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> counters = Counters(design)
    >>> dict(counters.tally([Rows(design).pack(0, [1])]))
    {(0, '[]', 0): 1, (0, '["ill"]', 1): 1}
    """

    design: Design

    @cached_property
    def parts(self) -> tuple[tuple[Part, ...], ...]:
        """The tables of each form."""
        return tuple(tuple(self.of_form(index)) for index in range(len(self.design.forms)))

    def of_form(self, index: int) -> Iterator[Part]:
        """List the tables of one form: the total, each attribute, each one with the target."""
        form, target = self.design.forms[index], self.design.target
        yield self.part(index, ())
        for name in form.names:
            yield self.part(index, (name,))
            if target in form.names and name != target:
                yield self.part(index, (name, str(target)))

    def part(self, index: int, names: tuple[str, ...]) -> Part:
        """Describe one table."""
        places = tuple(1 + self.design.names.index(name) for name in names)
        sizes = tuple(len(self.design.forms[index].reported(name)) for name in names)
        return Part(index, json.dumps(list(names)), places, sizes)

    def tally(self, packed: Iterable[bytes]) -> Tally:
        """Count some reports, form by form and column by column."""
        layout, counted = Rows(self.design).layout, Counter[tuple[int, str, int]]()
        rows = [layout.unpack(one) for one in packed]
        for form in {row[0] for row in rows}:
            mine = [row for row in rows if row[0] == form]
            columns = list(zip(*mine, strict=True))
            for part in self.parts[form]:
                for cell, n in part.cells(columns, len(mine)).items():
                    counted[form, part.names, cell] = n
        return counted
