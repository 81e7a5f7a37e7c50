"""Heterogeneity: whether the truths behind several sources differ by more than chance.

For each table every source has its own estimate. Their distances to the common one, weighed by
how sure each is, add up to a chi-square when all sources are alike. The weights come from the
common table, pushed through each source's devices, never from a source's own estimate; so
sources may be of different designs, and where nothing is hidden this is Pearson's test.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from frankly.count import Engine, Query
from frankly.design import Speaks
from frankly.errors import CannotBeToldError
from frankly.estimate.combine import WIDE, covariance_of, expected, possible
from frankly.estimate.interval import common_share
from frankly.estimate.mle import Seen
from frankly.estimate.moments import moments
from frankly.mechanism import Table

__all__ = ["Difference", "Heterogeneity", "difference", "heterogeneity"]

FEW = 5.0
"""Cells in which a source expects fewer people are put together with others."""

ENOUGH = 2 * FEW
"""With fewer reports of a form, a source has no two cells to compare."""

Sources = Sequence[tuple[Seen, ...]]


@dataclass(frozen=True)
class Difference:
    """How far the sources differ in one table.

    Attributes
    ----------
    names
        The attributes of the table.
    statistic, freedom, p
        The chi-square, its degrees of freedom, and the probability of as much by chance alone.
    """

    names: tuple[str, ...]
    statistic: float
    freedom: int
    p: float

    @property
    def excess(self) -> float:
        """The part of the differences that chance does not explain, from 0 to 1."""
        return max(0.0, 1 - self.freedom / self.statistic) if self.statistic > 0 else 0.0


@dataclass(frozen=True, repr=False)
class Heterogeneity(Speaks):
    """Whether the sources differ, table by table and in all.

    Attributes
    ----------
    tables
        One difference a table.
    sources
        The names of the sources that were compared.
    """

    tables: tuple[Difference, ...]
    sources: tuple[str, ...]

    @property
    def p(self) -> float:
        """The smallest p, corrected for having looked at several tables (Bonferroni)."""
        return min(1.0, len(self.tables) * min(table.p for table in self.tables))

    def summary(self, level: float = 0.05) -> str:
        """Say the result in a small table for people."""
        tables = "1 table" if len(self.tables) == 1 else f"{len(self.tables)} tables"
        title = f"do the sources differ?   {len(self.sources)} sources, {tables}"
        width = max(len(" x ".join(table.names)) for table in self.tables)
        lines = [title, "─" * len(title)]
        for table in sorted(self.tables, key=lambda table: table.p):
            name = " x ".join(table.names)
            lines.append(
                f"{name:<{width}}  chi-square {table.statistic:8.1f}  df {table.freedom:3d}  "
                f"p {shown(table.p)}  beyond chance {table.excess:4.0%}"
            )
        if self.p < level:
            verdict = (
                "they differ: a pooled model describes the mixture of the sources, and none of "
                "them alone"
            )
        else:
            verdict = "no difference beyond chance is seen, which does not prove that there is none"
        return "\n".join([*lines, f"p = {shown(self.p)} for all tables together: {verdict}"])

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain values."""
        tables = [
            {
                "names": list(table.names),
                "statistic": table.statistic,
                "freedom": table.freedom,
                "p": table.p,
                "beyond_chance": table.excess,
            }
            for table in self.tables
        ]
        return {"p": self.p, "tables": tables}


def shown(p: float) -> str:
    """Write a p-value as people read it."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def heterogeneity(sources: Mapping[str, Engine], tables: Sequence[Sequence[str]]) -> Heterogeneity:
    """Test whether the truths behind several sources differ.

    Parameters
    ----------
    sources
        An engine for each source, by name; every one knows its own design.
    tables
        Names that are looked at together. Tables that fewer than two sources can answer, and
        tables of more than a thousand cells, are left out; so are sources with fewer than ten
        reports.

    Raises
    ------
    CannotBeToldError
        No table is left.

    Examples
    --------
    >>> import frankly as fk
    >>> from frankly.count import ArrayEngine
    >>> ill = fk.Attribute("ill", ["no", "yes"])
    >>> design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    >>> shop = ArrayEngine(design, {"ill": ["yes"] * 320 + ["no"] * 680})
    >>> bank = ArrayEngine(design, {"ill": ["yes"] * 640 + ["no"] * 1360})
    >>> round(heterogeneity({"shop": shop, "bank": bank}, [["ill"]]).p, 3)
    1.0
    """
    wanted = [tuple(names) for names in tables]
    seen = {name: seen_of(engine, wanted) for name, engine in sources.items()}
    found = []
    for names in wanted:
        parts = [part[names] for part in seen.values() if part.get(names)]
        if len(parts) > 1 and parts[0][0].counts.size <= WIDE:
            found.append(difference(names, parts))
    if not found:
        raise CannotBeToldError(
            "whether the sources differ cannot be told: no table of up to a thousand cells was "
            f"asked by two of them, with {ENOUGH:.0f} reports each or more"
        )
    return Heterogeneity(tuple(found), tuple(name for name, tables in seen.items() if tables))


def seen_of(
    engine: Engine, tables: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], tuple[Seen, ...]]:
    """Count all tables of one source in one call; forms with too few reports are left out."""
    forms = engine.design.forms
    asked = [(names, i) for names in tables for i, form in enumerate(forms) if form.asks(names)]
    counted = engine.count([Query(names, form) for names, form in asked])
    found: dict[tuple[str, ...], tuple[Seen, ...]] = {}
    for (names, form), counts in zip(asked, counted, strict=True):
        if counts.n >= ENOUGH:
            one = Seen(forms[form], names, counts.table.astype(np.float64))
            found[names] = (*found.get(names, ()), one)
    return found


def difference(names: tuple[str, ...], sources: Sources) -> Difference:
    """Test one table."""
    every = [seen for part in sources for seen in part]
    own = [moments(seen.form, seen.names, seen.counts) for seen in every]
    n = sum(seen.counts.sum() for seen in every)
    common = possible(common_share(own), n)
    least = min(seen.counts.sum() for seen in every)
    lumps = lumped(common.ravel() * least)
    if len(lumps) == 1 and common.size > 1 and least >= ENOUGH:
        common, lumps = against_the_rest(common, FEW / least)
    estimates = [weighed(part, common, lumps) for part in sources]
    whole = np.sum([precision for precision, _ in estimates], axis=0)
    centre = np.linalg.solve(whole, np.sum([pull for _, pull in estimates], axis=0))
    statistic = 0.0
    for precision, pull in estimates:
        gap = np.linalg.solve(precision, pull) - centre
        statistic += float(gap @ precision @ gap)
    freedom = (len(sources) - 1) * (len(lumps) - 1)
    p = float(chdtrc(freedom, statistic)) if freedom else 1.0
    return Difference(names, statistic, freedom, p)


def lumped(expected: NDArray[np.float64]) -> Table:
    """Put rare cells together until enough people are expected in each: one row a lump."""
    order = np.argsort(expected, kind="stable")
    lumps, inside = [np.zeros(len(expected))], 0.0
    for cell in order:
        if inside >= FEW:
            lumps.append(np.zeros(len(expected)))
            inside = 0.0
        lumps[-1][cell] = 1.0
        inside += expected[cell]
    if inside < FEW and len(lumps) > 1:
        last = lumps.pop()
        lumps[-1] = lumps[-1] + last
    return np.stack(lumps)


def against_the_rest(common: Table, floor: float) -> tuple[Table, Table]:
    """Lump all but the commonest cell, and raise what they share to some floor.

    So a direct question to which hardly anybody said yes still meets what others say. Raised
    shares spread more than the true ones: the test then alarms more rarely than it may.
    """
    most = np.arange(common.size).reshape(common.shape) == common.argmax()
    rest = float(common[~most].sum())
    raised = np.where(most, 1 - max(rest, floor), common * max(rest, floor) / rest)
    return raised, np.stack([~most.ravel(), most.ravel()]).astype(np.float64)


def weighed(part: tuple[Seen, ...], common: Table, lumps: Table) -> tuple[Table, Table]:
    """Give one source's precision, and its estimate times that; the last lump follows."""
    keep = lumps[:-1]
    precision, pull = np.zeros((len(keep),) * 2), np.zeros(len(keep))
    for seen in part:
        n = seen.counts.sum()
        spread = keep @ (covariance_of(expected(seen, common)) / n) @ keep.T
        mean = keep @ moments(seen.form, seen.names, seen.counts).mean.ravel()
        sure = np.linalg.inv(spread)
        precision, pull = precision + sure, pull + sure @ mean
    return precision, pull
