"""Width: how wide an interval will be, expected or assured, and how many people make it narrow.

The interval is ours: Wilson's on the sightings, mapped through the device. Its half-width is a
number for every possible count, so both its mean and the chance that it keeps within a wish
are sums over a binomial; of many people every so-many-th count is enough for as many digits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from frankly.advise.line import Line, Share, ends
from frankly.errors import CannotBeToldError, DesignError
from frankly.estimate.interval import z_value
from frankly.mechanism import Table

__all__ = ["ASSURANCE", "Plan", "half_width", "people_for", "width_at"]

ASSURANCE = 0.95
"""How often an assured half-width is kept."""

MOST = 2**31
"""More people than this are called impossible."""

COUNTS = 2**12
"""So many counts are looked at, however many people there are; all, up to 260,000 people."""


@dataclass(frozen=True)
class Plan:
    """What is wanted of an interval.

    Attributes
    ----------
    level
        How sure the interval is.
    assured
        True when the half-width is to be kept in 95 % of surveys, False when on average.
    share
        The share expected of the cell looked at, or the range in which it lies: then the worst
        of the range counts; None for the worst case.
    """

    level: float = 0.95
    assured: bool = False
    share: Share = None

    def __post_init__(self) -> None:
        low, high = ends(self.share)
        if not 0 <= low <= high <= 1:
            raise DesignError(
                "a share is between 0 and 1, such as 0.1 for 10 in 100 people; this is "
                f"{self.share!r}. Leave it out to plan for the worst case"
            )


def half_width(sighted: Table, n: float, slope: float, level: float) -> Table:
    """Tell the half-width of the interval when this many of n reports are sightings.

    Examples
    --------
    >>> half_width(np.array([300.0]), 1000, 0.5, 0.95)
    array([0.057])
    """
    z, seen = z_value(level), sighted / n
    spread = np.sqrt(seen * (1 - seen) / n + z * z / (4 * n * n))
    return np.asarray(z * spread / (1 + z * z / n) / abs(slope))


def width_at(lines: Sequence[Line], n: float, plan: Plan) -> float:
    """Tell the half-width to expect from n people, or the one that 95 % of surveys keep to."""
    line = pooled(lines)
    if line is None:
        return approximate(lines, n, plan)
    people = n * line.weight
    if plan.assured and line.weight < 1:
        # Who gets which form is chance too: 1 % is kept for that, 4 % for the sightings.
        people = float(binom.ppf(0.01, int(n), line.weight))
    if people < 1:
        return math.inf
    chance, slope = line.seen(plan.share), line.slope or 1.0
    people = int(people)
    if plan.assured:
        tail = (1 - ASSURANCE) if line.weight == 1 else (0.8 * (1 - ASSURANCE))
        return assured_width(people, chance, slope, plan.level, tail)
    sighted = likely(people, chance)
    widths = half_width(sighted.astype(float), people, slope, plan.level)
    weights = binom.pmf(sighted, people, chance)
    return float(weights @ widths / weights.sum())


def likely(people: int, chance: float) -> NDArray[np.int64]:
    """List the counts of sightings; what lies beyond them has less than 1e-14 of all chance."""
    middle, spread = people * chance, math.sqrt(people * chance * (1 - chance))
    low, high = max(middle - 8 * spread - 40, 0), min(middle + 8 * spread + 40, people)
    return np.arange(int(low), int(high) + 1, 1 + int(high - low) // COUNTS)


def assured_width(people: int, chance: float, slope: float, level: float, tail: float) -> float:
    """Tell the half-width that all but a tail of surveys keep to.

    It grows towards a seen share of one half, so the surveys that exceed it are those whose
    count is nearest to half of the people.
    """
    sighted = likely(people, chance)
    order = np.argsort(np.abs(sighted - people / 2), kind="stable")
    weights = binom.pmf(sighted[order], people, chance)
    beyond = np.cumsum(weights) / weights.sum()
    place = int(np.searchsorted(beyond, tail))
    first = sighted[order][min(place, len(order) - 1)]
    return float(half_width(np.array([float(first)]), people, slope, level)[0])


def pooled(lines: Sequence[Line]) -> Line | None:
    """Give all forms as one binomial, when their lines are the same."""
    first = lines[0]
    same = all(one.base == first.base and one.slope == first.slope for one in lines)
    if not first.counts or not same:
        return None
    weight = math.fsum(one.weight for one in lines)
    weight = 1.0 if weight > 1 - 1e-12 else weight
    return Line(weight, first.base, first.slope, first.own, first.other)


def approximate(lines: Sequence[Line], n: float, plan: Plan) -> float:
    """Tell the half-width from exact variances, the forms weighed by their information."""
    information = math.fsum(n * one.weight / one.variance(plan.share) for one in lines)
    if information <= 0:
        return math.inf
    slack = 1.1 if plan.assured else 1.0
    return slack * z_value(plan.level) / math.sqrt(information)


def people_for(lines: Sequence[Line], width: float, plan: Plan) -> int:
    """Tell the smallest number of people whose half-width is within a wish.

    Examples
    --------
    >>> from frankly import Attribute, Design, Group, Uniform
    >>> from frankly.advise.line import lines_of
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Uniform(theta=0.5))])
    >>> lines = lines_of(design, ["ill"])
    >>> people_for(lines, 0.05, Plan()), people_for(lines, 0.05, Plan(assured=True))
    (1532, 1533)
    """

    def fits(n: int) -> bool:
        return width_at(lines, n, plan) <= width

    found = first_true(fits, 2)
    if found is None:
        raise CannotBeToldError(
            f"no number of people makes the interval as narrow as ± {100 * width:.3g} points here"
        )
    return found


def first_true(holds: Callable[[int], bool], start: int) -> int | None:
    """Find where something that turns true stays so, by doubling and halving.

    Counts make a saw of every curve; a tooth is at most a step or two, so the last few
    numbers before the find are looked at too.
    """
    high = start
    while not holds(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    while not all(holds(high + ahead) for ahead in (1, 2, 3, 5)):
        high += 1
    return high
