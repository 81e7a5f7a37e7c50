"""Together: how often answers are given by the same people, and what one says about another."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, fields
from itertools import combinations
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from frankly.estimate import Asked, Combination, Moments, Shares, fieller, score_interval
from frankly.estimate.interval import z_value

__all__ = ["AssociationRule", "Items", "Itemset", "Together", "intervals", "said"]

Floats = NDArray[np.float64]

Items = tuple[tuple[str, str], ...]
"""Attributes and the label each has."""


@dataclass(frozen=True)
class Itemset:
    """Answers that go together, and the estimated share of people who give them all."""

    items: Items
    support: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True)
class AssociationRule:
    """Whoever gives these answers often gives that one too.

    Attributes
    ----------
    given, then
        The answers that are known, and the one that is expected.
    support, support_stderr
        The share of people who give all of them.
    confidence, low, high
        The share of ``then`` among those with ``given``, and its interval: Fieller's, and at least
        as wide as if so many people had answered in clear.
    lift, lift_stderr
        How many times as common ``then`` is among them as among all people.
    chance
        How often a rule looks at least as telling where the answers have nothing to do with each
        other.
    """

    given: Items
    then: tuple[str, str]
    support: float
    support_stderr: float
    confidence: float
    low: float
    high: float
    lift: float
    lift_stderr: float
    chance: float

    def __str__(self) -> str:
        """Say the rule."""
        return f"{said(self.given)} → {said([self.then])}"


def said(items: Sequence[tuple[str, str]]) -> str:
    """Say some answers.

    Examples
    --------
    >>> said([("smokes", "yes"), ("sex", "f")])
    'smokes is yes, sex is f'
    """
    return ", ".join(f"{name} is {label}" for name, label in items)


@dataclass(frozen=True)
class Together:
    """The joint shares of some attributes, and what follows from them."""

    shares: Shares
    asked: Asked
    table: Floats
    ends: tuple[Floats, Floats]
    level: float
    people: float

    @property
    def questions(self) -> int:
        """How many rules can be asked about: of two answers one, either way; of more one each."""
        size = self.table.ndim
        return self.table.size * {1: 0, 2: 1}.get(size, size)

    def items(self, cell: Sequence[int]) -> Items:
        """Give the answers of a cell."""
        design = self.shares.design
        pairs = zip(self.asked.names, cell, strict=True)
        return tuple((name, design[name].values[code]) for name, code in pairs)

    def inside(self, cell: Sequence[int], axes: Sequence[int]) -> Floats:
        """Give 1 for the cells that have the codes of this one on some axes, and 0 elsewhere."""
        kept = tuple(cell[i] if i in axes else slice(None) for i in range(self.table.ndim))
        holds = np.zeros_like(self.table)
        holds[kept] = 1.0
        return holds

    def itemsets(self, alive: Set[Items], least: float) -> Iterator[Itemset]:
        """Give the cells whose parts are alive and whose support may reach the least one."""
        low, high = self.ends
        for cell in np.ndindex(self.table.shape):
            items = self.items(cell)
            parts = combinations(items, len(items) - 1)
            if high[cell] < least or (len(items) > 1 and not all(p in alive for p in parts)):
                continue
            error = self.shares.spread(self.asked, self.inside(cell, range(self.table.ndim)))
            support = float(self.table[cell])
            yield Itemset(items, support, error, float(low[cell]), float(high[cell]))

    def rules(self, itemset: Itemset) -> Iterator[AssociationRule]:
        """Give the rules that expect one answer of an itemset from the others.

        None where those with the others may be nobody: the confidence cannot be told.
        """
        design = self.shares.design
        cell = tuple(design[name].values.index(label) for name, label in itemset.items)
        every = range(len(cell))
        for then in every:
            given = [axis for axis in every if axis != then]
            rule = self.rule(itemset, cell, given, then)
            if rule is not None:
                yield rule

    def rule(
        self, itemset: Itemset, cell: Sequence[int], given: Sequence[int], then: int
    ) -> AssociationRule | None:
        """Divide the support of all answers by that of the given ones."""
        all_of_them = self.inside(cell, range(len(cell)))
        known, expected = self.inside(cell, given), self.inside(cell, [then])
        part = itemset.support
        whole, alone = float((known * self.table).sum()), float((expected * self.table).sum())
        above, below = np.asarray(part), np.asarray(whole)
        low, high = fieller(above, below, self.spreads(all_of_them, known), self.level)
        if not np.isfinite(low) or alone <= 0:
            return None
        least, most = wilson(part / whole, whole * self.people, self.level)
        lift = part / whole / alone
        slope = all_of_them / (whole * alone) - lift * (known / whole + expected / alone)
        return AssociationRule(
            given=tuple(itemset.items[axis] for axis in given),
            then=itemset.items[then],
            support=part,
            support_stderr=itemset.stderr,
            confidence=part / whole,
            low=min(float(low), least),
            high=max(float(high), most),
            lift=lift,
            lift_stderr=self.shares.spread(self.asked, slope),
            chance=self.chance(
                all_of_them - alone * known - whole * expected, part, (whole, alone)
            ),
        )

    def chance(self, slope: Floats, part: float, margins: tuple[float, float]) -> float:
        """Tell how often chance alone brings such an excess over independent answers.

        The excess itself is judged, not the lift: a difference is closer to a normal distribution
        than a ratio is, also far out, where many rules are looked at. Independent answers vary at
        least as those of so many people in clear, however little these reports seem to.
        """
        whole, alone = (min(max(share, 0.0), 1.0) for share in margins)
        clear = sqrt(whole * (1 - whole) * alone * (1 - alone) / self.people)
        error = max(self.shares.spread(self.asked, slope), clear)
        excess = part - margins[0] * margins[1]
        return erfc(abs(excess) / error / sqrt(2)) if error > 0 else 1.0

    def spreads(self, part: Floats, whole: Floats) -> tuple[Floats, Floats, Floats]:
        """Give the variances of two sums of cells, their covariance between them."""
        one, both, other = (
            self.shares.spread(self.asked, score) ** 2 for score in (part, part + whole, whole)
        )
        return np.asarray(one), np.asarray((both - one - other) / 2), np.asarray(other)


def wilson(share: float, people: float, level: float) -> tuple[float, float]:
    """Give the ends between which a share of so many people lies, had they answered in clear.

    Examples
    --------
    >>> [round(end, 2) for end in wilson(1.0, 6, 0.95)]
    [0.61, 1.0]
    """
    share, z = min(max(share, 0.0), 1.0), z_value(level)
    middle = (share + z**2 / (2 * people)) / (1 + z**2 / people)
    half = z / (1 + z**2 / people) * sqrt(share * (1 - share) / people + (z / (2 * people)) ** 2)
    return middle - half, min(middle + half, 1.0)


def intervals(shares: Shares, wanted: Sequence[Asked], level: float) -> list[tuple[Floats, Floats]]:
    """Give the interval of every cell of many tables, all in one go."""
    tables = [Combination(one.seen).moments for one in shares.pulled.counted(wanted)]
    if not tables:
        return []
    low, high = score_interval([flat(tables)], level)
    stops = np.cumsum([one.mean.size for one in tables])[:-1]
    ends = zip(tables, np.split(low, stops), np.split(high, stops), strict=True)
    return [(a.reshape(one.mean.shape), b.reshape(one.mean.shape)) for one, a, b in ends]


def flat(tables: Sequence[Moments]) -> Moments:
    """Put the cells of several tables into one row."""
    parts = {
        one.name: [
            np.broadcast_to(getattr(own, one.name), own.mean.shape).ravel() for own in tables
        ]
        for one in fields(Moments)
    }
    return Moments(**{name: np.concatenate(rows) for name, rows in parts.items()})
