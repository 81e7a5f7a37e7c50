"""The papers' own privacy formulas, as printed. Each call warns: we know a sounder one.

The printed sums put (1 - W_y) where W_y belongs and disagree with each other unless W_y is
one half; the printed recoverability is 1 for any coherent rules in scenario I, and in
scenario II only says how often a report is true.
"""

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from frankly.errors import DesignError, FaithfulWarning
from frankly.mechanism import Table

__all__ = ["READINGS", "printed_pse", "printed_recoverability"]


def components(a: float, y: float, t: float) -> float:
    """Zhan and Matwin 2007, section 4.1: the sum of the four components."""
    one, zero = t + (1 - t) * y, t + (1 - t) * (1 - y)
    lie_one, lie_zero = (1 - t) * y, (1 - t) * (1 - y)
    first = a * one * lie_zero * (1 - a) / (one * a + lie_zero * (1 - a))
    third = (1 - a) * lie_one * one * a / (one * a + lie_one * (1 - a))
    return first + third + last_two(a, y, t, zero)


def last_two(a: float, y: float, t: float, zero: float) -> float:
    """Give the second and fourth components, which are equal, and right."""
    lie_zero = (1 - t) * (1 - y)
    return 2 * a * lie_zero * zero * (1 - a) / (zero * (1 - a) + lie_zero * a)


def simplified(a: float, y: float, t: float) -> float:
    """Zhan and Matwin 2007, the last line of section 4.1."""
    one, zero = t + (1 - t) * y, t + (1 - t) * (1 - y)
    first = (1 - a) * a * (1 - t) * one / (one * a + (1 - t) * y * (1 - a))
    return first + last_two(a, y, t, zero)


def zhan(a: float, y: float, t: float) -> float:
    """Zhan 2007, the last line: it may exceed 1."""
    one, zero = t + (1 - t) * y, t + (1 - t) * (1 - y)
    first = (1 - a) * a * (1 - t) * zero / (one * a + (1 - t) * y * (1 - a))
    return first + last_two(a, y, t, zero)


def short(a: float, y: float, t: float) -> float:
    """Zhan and Matwin 2004, equation 2."""
    one, zero = t + (1 - t) * y, t + (1 - t) * (1 - y)
    first = (1 - a) * a * (1 - t) * one / (one * a + (1 - t) * (1 - y) * (1 - a))
    return first + last_two(a, y, t, zero)


READINGS: Mapping[str, Callable[[float, float, float], float]] = {
    "components": components,
    "simplified": simplified,
    "zhan": zhan,
    "short": short,
}
"""Where each printed formula stands: two in Zhan and Matwin 2007, Zhan 2007, and 2004."""


def warn_faithful(what: str) -> None:
    """Say that a number is a paper's own, not ours."""
    warnings.warn(
        f"{what} as printed in the paper is wrong unless the cover is one half; it is here to "
        "compare with the paper. Leave faithful out for the sound measure",
        FaithfulWarning,
        stacklevel=3,
    )


def printed_pse(theta: float, prior: float, cover: float, reading: str = "components") -> float:
    """Give a printed PSE of one yes-or-no question behind an unrelated one.

    Parameters
    ----------
    theta, prior, cover
        Probability of the truth; W_a and W_y, the shares of yes among truths and substitutes.
    reading
        Which of the printed formulas: one of `READINGS`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     round(printed_pse(0.5, 0.3, 0.3), 4)
    0.3553
    """
    warn_faithful("PSE")
    if reading not in READINGS:
        raise DesignError(f"reading {reading!r} is none of {', '.join(READINGS)}")
    if theta == 1 or prior in (0, 1):
        return 0.0
    return READINGS[reading](prior, cover, theta)


def printed_recoverability(
    precondition: Table, confidence: Table, right: Table | None = None
) -> tuple[float, float]:
    """Give the printed REC, and its largest single term.

    Parameters
    ----------
    precondition
        Share of each precondition; scenario II ignores it.
    confidence
        Confidence of each rule: one row a precondition, one column a conclusion.
    right
        Scenario II: how often each report of the conclusion is true. None is scenario I.

    Examples
    --------
    The paper's example; 1.05 shows that its confidences are no distribution.

    >>> import warnings
    >>> rules = np.array([[0.3, 0.4], [0.6, 0.8]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     round(printed_recoverability(np.array([0.5, 0.5]), rules)[0], 4)
    1.05
    """
    warn_faithful("REC")
    weight = np.asarray(precondition)[:, None] if right is None else np.asarray(right)[None]
    terms = weight * confidence
    return float(terms.sum()), float(terms.max())
