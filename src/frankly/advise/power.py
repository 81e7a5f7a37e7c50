"""Power: how likely a survey is to notice that a share is not what was supposed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from frankly.advise.line import Line
from frankly.errors import CannotBeToldError, DesignError

__all__ = ["Difference", "People", "approximate_power", "exact_power", "people_for_power"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What is to be noticed: a share that differs from a supposed one.

    Attributes
    ----------
    share, null
        The share expected, and the one supposed until proved wrong.
    alpha
        How often a right supposition may be called wrong.
    sides
        1 when only a difference in the expected direction counts, else 2.
    """

    share: float
    null: float = 0.0
    alpha: float = 0.05
    sides: int = 1

    def __post_init__(self) -> None:
        if not (0 <= self.share <= 1 and 0 <= self.null <= 1):
            raise DesignError(
                "shares are between 0 and 1, such as 0.1 for 10 in 100 people; these are "
                f"{self.share:g} and {self.null:g}"
            )
        if self.share == self.null:
            raise DesignError(
                "a power needs a share that differs from the one supposed; both are "
                f"{self.share:g}, and no number of people tells equal shares apart"
            )


@dataclass(frozen=True)
class People:
    """How many people a power takes: by the normal approximation, and exactly.

    Attributes
    ----------
    approximate
        The smallest number by the normal approximation.
    first, always
        Exactly: the smallest number that reaches the power, and the one from which on every
        number does. Counts are whole, so the power goes up and down like a saw.
    """

    approximate: int
    first: int
    always: int


def approximate_power(
    line: Line, n: int | NDArray[np.int64], wish: Difference
) -> NDArray[np.float64]:
    """Tell the power by the normal approximation, its spread taken under both shares.

    Examples
    --------
    >>> from frankly import Attribute, Design, Forced, Group
    >>> from frankly.advise.line import lines_of
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> forced = Group(["ill"], Forced({"yes": 1 / 6, "no": 1 / 6}))
    >>> (line,) = lines_of(Design([ill], groups=[forced]), ["ill"], cell=[1])
    >>> float(approximate_power(line, 212, Difference(share=0.1)).round(4))
    0.8011
    """
    under, over = line.seen(wish.null), line.seen(wish.share)
    supposed = np.sqrt(under * (1 - under) / n)
    real = np.sqrt(over * (1 - over) / n)
    edge = norm.isf(wish.alpha / wish.sides) * supposed
    away = abs(over - under)
    power = norm.sf((edge - away) / real)
    if wish.sides == 2:
        power = power + norm.cdf((-edge - away) / real)
    return np.asarray(power)


def exact_power(line: Line, n: int | NDArray[np.int64], wish: Difference) -> NDArray[np.float64]:
    """Tell the power of the exact binomial test on the sightings.

    Examples
    --------
    >>> from frankly import Attribute, Design, Forced, Group
    >>> from frankly.advise.line import lines_of
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> forced = Group(["ill"], Forced({"yes": 1 / 6, "no": 1 / 6}))
    >>> (line,) = lines_of(Design([ill], groups=[forced]), ["ill"], cell=[1])
    >>> exact_power(line, np.array([222, 223, 240, 241]), Difference(share=0.1)) >= 0.8
    array([False,  True, False,  True])
    """
    under, over = line.seen(wish.null), line.seen(wish.share)
    tail = wish.alpha / wish.sides
    power = np.zeros(np.shape(n))
    if over > under or wish.sides == 2:
        power = power + binom.sf(binom.isf(tail, n, under), n, over)
    if over < under or wish.sides == 2:
        power = power + binom.cdf(binom.ppf(tail, n, under) - 1, n, over)
    return np.asarray(power)


def people_for_power(line: Line, power: float, wish: Difference) -> People:
    """Tell how many people a power takes."""
    if not line.counts:
        raise CannotBeToldError(
            "the exact power is known for devices whose sightings are one binomial; this one's "
            "reports carry more than two scores"
        )
    most = 2**22
    ahead = 64
    while approximate_power(line, ahead, wish) < power:
        ahead *= 2
        if ahead > most:
            raise CannotBeToldError(
                f"a power of {power:g} takes more than {most:,} people here. Look for a larger "
                "difference, or raise theta"
            )
    some = np.arange(1, ahead + 1)
    close = int(some[approximate_power(line, some, wish) >= power][0])
    every = np.arange(1, 2 * close + 200)
    enough = exact_power(line, every, wish) >= power
    while not enough[-close // 2 - 50 :].all():
        every = np.arange(1, 2 * len(every))
        enough = exact_power(line, every, wish) >= power
    short = every[~enough]
    return People(close, int(every[enough][0]), int(short[-1]) + 1 if len(short) else 1)
