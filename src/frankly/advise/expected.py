"""Expected: which shares a cell may have, when something is known about some of them.

A share that somebody expects is the share of one answer. The other answers have what is left, and
with three or more values one of those may well be the one whose interval is widest.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from frankly.advise.width import Plan
from frankly.errors import DesignError

if TYPE_CHECKING:
    from frankly.design import Attribute

__all__ = ["Expectation", "Range", "check_expectation", "ranges_of"]

Expectation = float | Mapping[str, float | Sequence[float]] | None
"""The share expected of one answer, or the shares of every answer by question; None: nothing."""

Range = tuple[float, float]


def ranges_of(expected: Expectation, asked: Sequence["Attribute"]) -> list[Range]:
    """Give the ranges in which the shares of all cells over some questions lie.

    Parameters
    ----------
    expected
        One share: some cell has it, the others add up to what is left. By question: its own
        answers have these shares, and those of a question that is left out may be any.
    asked
        The questions looked at together.

    Examples
    --------
    >>> from frankly import Attribute
    >>> ill, ward = Attribute("ill", ["no", "yes"]), Attribute("ward", ["a", "b", "c"])
    >>> ranges_of(0.1, [ill])
    [(0.1, 0.1), (0.9, 0.9)]
    >>> ranges_of(0.1, [ward])
    [(0.1, 0.1), (0.0, 0.9)]
    >>> ranges_of({"ward": [0.5, 0.3, 0.2]}, [ward])
    [(0.5, 0.5), (0.3, 0.3), (0.2, 0.2)]
    """
    if expected is None:
        return [(0.0, 1.0)]
    if not isinstance(expected, Mapping):
        cells = int(np.prod([attribute.size for attribute in asked]))
        left = 1 - expected
        return [(expected, expected), (left, left) if cells == 2 else (0.0, left)]
    margins = [margin(expected, attribute) for attribute in asked]
    return widest([together(cell) for cell in product(*margins)])


def margin(expected: Mapping[str, float | Sequence[float]], attribute: "Attribute") -> list[Range]:
    """Give the ranges of one question's answers; one share is that of the second of two."""
    if attribute.name not in expected:
        return [(0.0, 1.0)]
    given = np.asarray(expected[attribute.name], dtype=np.float64)
    shares = np.array([1 - given, given]) if given.ndim == 0 else given
    if shares.shape != (attribute.size,) or shares.min() < 0 or abs(shares.sum() - 1) > 1e-6:
        raise DesignError(
            f"the shares expected of {attribute.name!r} must be {attribute.size}, in the order of "
            "its values, none below 0, and add up to 1; of two values the share of the second is "
            "enough. Leave the question out to plan for its worst case"
        )
    return [(float(share), float(share)) for share in shares]


def together(answers: Sequence[Range]) -> Range:
    """Bound the share of people who give all these answers, however the answers go together.

    Examples
    --------
    >>> together([(0.7, 0.7), (0.6, 0.6)])
    (0.3, 0.6)
    """
    lowest = sum(low for low, _ in answers) - (len(answers) - 1)
    return max(round(lowest, 12), 0.0), min(high for _, high in answers)


def widest(ranges: Sequence[Range]) -> list[Range]:
    """Leave out the ranges that lie within others."""
    kept = list(dict.fromkeys(ranges))
    return [
        one
        for one in kept
        if not any(other[0] <= one[0] and one[1] <= other[1] for other in kept if other != one)
    ]


def check_expectation(expected: Expectation, asked: Sequence["Attribute"]) -> None:
    """Refuse shares that are none, and shares of questions that are not asked."""
    if isinstance(expected, Mapping):
        names = [attribute.name for attribute in asked]
        unknown = [name for name in expected if name not in names]
        if unknown:
            raise DesignError(f"shares are expected of {unknown}, and the questions are {names}")
        for attribute in asked:
            margin(expected, attribute)
    else:
        Plan(share=expected)  # which refuses what is no share
