"""Crossed: two questions together, told whole or not at all."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from frankly.count import ArrayEngine, Counts, Query
from frankly.design import Design
from frankly.errors import DesignError
from frankly.estimate import Conditional, estimate_by

__all__ = ["STEP", "Crossed", "Pair"]

STEP = 10
"""No cell of a table holds fewer reports, and no two tables differ by fewer."""

Pair = tuple[str, str]
Cells = list[list[int]]


@dataclass(frozen=True)
class Crossed:
    """A cross-table: the first question within each answer to the second.

    Attributes
    ----------
    wanted
        Whether it is shown; what was told once is remembered either way.
    cells
        For each form that asks both, the counts as last told; empty when never.
    """

    names: Pair
    wanted: bool = True
    cells: Mapping[int, Cells] = field(default_factory=dict)

    @staticmethod
    def check(design: Design, pair: tuple[str, ...]) -> None:
        """Refuse what is no pair of questions that one person answers."""
        if len(pair) != 2 or pair[0] == pair[1]:
            raise DesignError("a cross-table is of two different questions")
        design.asking(pair)

    def chosen(self, *, wanted: bool) -> "Crossed":
        """Show it, or hide it."""
        return replace(self, wanted=wanted)

    def turned(self) -> "Crossed":
        """Give the same counts as the second question within the first.

        Examples
        --------
        >>> Crossed(("ill", "sex"), cells={0: [[10, 20], [30, 40]]}).turned().cells
        {0: [[10, 30], [20, 40]]}
        """
        first, second = self.names
        cells = {form: np.transpose(table).tolist() for form, table in self.cells.items()}
        return replace(self, names=(second, first), cells=cells)

    def fits(self, design: Design, engine: ArrayEngine) -> bool:
        """Tell whether there are enough reports for every cell; without counting a wide table."""
        forms = [(design.forms[i], engine.n[i]) for i in design.asking(self.names) if engine.n[i]]
        wide = [(math.prod(len(form.reported(one)) for one in self.names), n) for form, n in forms]
        return all(cells * STEP <= n for cells, n in wide)

    def counted(self, design: Design, engine: ArrayEngine) -> dict[int, Cells]:
        """Count both questions in every form that asks them and has reports."""
        forms = [form for form in design.asking(self.names) if engine.n[form]]
        tables = engine.count([Query(self.names, form) for form in forms])
        return {form: one.table.tolist() for form, one in zip(forms, tables, strict=True)}

    def next(self, design: Design, engine: ArrayEngine) -> "Crossed":
        """Tell the table anew if it may be told, else leave it as it was."""
        now = self.counted(design, engine) if self.fits(design, engine) else {}
        may = now and all(may_follow(self.cells.get(form), table) for form, table in now.items())
        return replace(self, cells=now) if may else self

    def estimated(self, design: Design) -> Conditional | None:
        """Estimate the first question within each answer to the second; None when not told."""
        if not self.cells:
            return None
        counts = [
            Counts.from_table(self.names, design.forms[form].fingerprint, table)
            for form, table in self.cells.items()
        ]
        return estimate_by(design, counts, self.names[0], self.names[1])

    def document(self) -> dict[str, Any]:
        """Write it as plain JSON values."""
        cells = [[form, table] for form, table in self.cells.items()]
        return {"names": list(self.names), "wanted": self.wanted, "cells": cells}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Crossed":
        """Read it back."""
        first, second = document["names"]
        return cls((first, second), document["wanted"], dict(document["cells"]))


def may_follow(last: Cells | None, now: Cells) -> bool:
    """Tell whether a table may be told after another of the same survey.

    Every cell holds `STEP` reports, and so does every cell of the difference, unless there is
    none.

    Examples
    --------
    >>> may_follow(None, [[10, 30], [25, 40]]), may_follow(None, [[9, 30], [25, 40]])
    (True, False)
    >>> may_follow([[10, 30], [25, 40]], [[20, 41], [36, 50]])
    True
    >>> may_follow([[10, 30], [25, 40]], [[11, 41], [36, 50]])
    False
    """
    table = np.asarray(now)
    change = table if last is None else table - np.asarray(last)
    return bool(table.min() >= STEP and (change.min() >= STEP or not change.any()))
