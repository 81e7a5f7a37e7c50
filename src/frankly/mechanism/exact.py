"""Exact chances: fractions and integer weights that a tape of 32-bit words can draw."""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from frankly.errors import CoverError, ThetaError

__all__ = [
    "LARGEST",
    "Chance",
    "Rows",
    "exact",
    "fraction",
    "integers",
    "share_out",
    "weights",
]

LARGEST = 2**32 - 1
"""The largest denominator a chance may have: one 32-bit word must be able to draw it."""

WRITTEN = re.compile(r"\s*[-+]?[0-9./]{1,40}([eE][-+]?[0-9]{1,2})?\s*")
"""A number as people write it: ten characters more could stand for a thousand million digits."""

UNLIKE = 2**2200
"""Beyond this no common denominator of floats leads to weights that one word could draw."""

Chance = Fraction | float | str
"""A probability as people give it: a decimal, a text such as ``"2/3"``, or a fraction."""

Rows = Sequence[Sequence[Fraction | float]] | NDArray[Any]
"""Rows of chances as people give them."""


def fraction(chance: Chance, name: str = "theta") -> Fraction:
    """Read a probability as the exact fraction that will be drawn.

    Parameters
    ----------
    chance
        A decimal (0.7 is 7/10), a text ``"p/q"``, or a fraction, in [0, 1].
    name
        What to call it in an error.

    Examples
    --------
    >>> fraction(0.7), fraction("2/3"), fraction(1 / 3)
    (Fraction(7, 10), Fraction(2, 3), Fraction(1, 3))
    """
    try:
        number = written(chance) if isinstance(chance, str) else exact(chance)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
        raise ThetaError(
            f"{name} = {str(chance)[:50]!r} is not a number. Give a decimal such as 0.7, "
            'or a fraction as text such as "2/3", in at most 40 characters'
        ) from error
    number = number.limit_denominator(LARGEST)
    if not 0 <= number <= 1:
        raise ThetaError(
            f"{name} = {chance} lies outside [0, 1]. It is the probability that the "
            "truth is told: give a decimal between 0 and 1"
        )
    return number


def written(text: str) -> Fraction:
    """Read a number that somebody wrote, if it is as short as people write them."""
    if not WRITTEN.fullmatch(text):
        raise ValueError("no short number")
    return Fraction(text)


def exact(weight: Fraction | float) -> Fraction:
    """Read a decimal as the fraction meant: 0.7 is 7/10. What is not zero stays so."""
    number = weight if isinstance(weight, Fraction) else Fraction(float(weight))
    return number.limit_denominator(LARGEST) or number


def weights(given: Iterable[Fraction | float], name: str) -> tuple[int, ...]:
    """Turn weights of a cover into the smallest integers with the same proportions.

    Proportions that no 32-bit word could draw exactly are rounded to ones that it can;
    the rounded weights are the ones shown, drawn and used in every estimate.

    Examples
    --------
    >>> weights([0.45, 0.15, 0.3, 0.1], "cover")
    (9, 3, 6, 2)
    """
    values = [exact(weight) for weight in finite(given, name)]
    if min(values, default=Fraction(0)) < 0 or not any(values):
        raise CoverError(
            f"the weights of {name} must not be negative and must not all be zero: "
            "they say how often each substitute answer is drawn"
        )
    whole = integers(values)
    if whole is None or sum(whole) > LARGEST:
        whole = lowest(share_out(values, 2**31))
    return tuple(whole)


def integers(values: Sequence[Fraction]) -> list[int] | None:
    """Give the smallest integers with the same proportions, unless they are far too large.

    Examples
    --------
    >>> integers([Fraction(1, 2), Fraction(1, 3), Fraction(0)])
    [3, 2, 0]
    """
    scale = 1
    for value in values:
        scale = math.lcm(scale, value.denominator)
        if scale > UNLIKE:
            return None
    return lowest([int(value * scale) for value in values])


def lowest(whole: Sequence[int]) -> list[int]:
    """Divide integers by what they share."""
    divisor = math.gcd(*whole)
    return [weight // divisor for weight in whole]


def finite(given: Iterable[Fraction | float], name: str) -> list[Fraction | float]:
    """Refuse weights that are not numbers."""
    numbers = list(given)
    try:
        sound = all(isinstance(w, Fraction) or math.isfinite(w) for w in numbers)
    except OverflowError:  # a whole number that no float can hold
        sound = False
    if not sound:
        raise CoverError(f"the weights of {name} must be finite numbers, one for each value")
    return numbers


def share_out(values: Sequence[Fraction], total: int) -> list[int]:
    """Share ``total`` out in proportion to ``values``, by largest remainder.

    A positive value never gets nothing: a substitute that could be drawn stays drawable.

    Examples
    --------
    >>> share_out([Fraction(1, 3), Fraction(2, 3)], 10)
    [3, 7]
    """
    high, low = max(values).as_integer_ratio()
    # Parts of the largest, to 96 bits: exact sums of many fractions take minutes.
    parts = [(value.numerator * low << 96) // (value.denominator * high) for value in values]
    whole = sum(parts)
    floors = [
        max(part * total // whole, int(value > 0))
        for part, value in zip(parts, values, strict=True)
    ]
    short = total - sum(floors)
    order = sorted(range(len(parts)), key=lambda i: floors[i] * whole - parts[i] * total)
    for i in order[: max(short, 0)]:
        floors[i] += 1
    if short < 0:
        floors[floors.index(max(floors))] += short
    return floors
