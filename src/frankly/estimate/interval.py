"""The score interval: the shares that the reports do not contradict.

For a share p every form i has a mean m, a number n and a variance V(p) of its score. The
interval holds the p at which the best combination of the m is within z of its own error:
for one form and two values that is Wilson's interval, mapped through the device.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from frankly.estimate.moments import Moments
from frankly.mechanism import Table

__all__ = ["common_share", "fieller", "score_interval", "z_value"]

STEPS = 80
"""Halvings of a bracket; 80 take any bracket of shares below the last bit."""


def z_value(level: float) -> float:
    """Give the normal quantile of a two-sided level; refuse a level that is none."""
    if not 0 < level < 1:
        raise ValueError(f"a level such as 0.95 lies between 0 and 1, not at {level}")
    return float(ndtri((1 + level) / 2))


def pooled(forms: Sequence[Moments], share: Table) -> tuple[Table, Table]:
    """Give how far the forms' best combination is from a share, and its variance there."""
    weights = [form.n / np.maximum(form.variance_at(share), 1e-300) for form in forms]
    information = np.sum(weights, axis=0)
    pull = np.sum([w * (f.mean - share) for w, f in zip(weights, forms, strict=True)], axis=0)
    return pull / information, 1 / information


def support(forms: Sequence[Moments]) -> tuple[Table, Table]:
    """Give the shares that every form allows."""
    ends = [form.bounds() for form in forms]
    low = np.max([low for low, _ in ends], axis=0)
    high = np.min([high for _, high in ends], axis=0)
    return np.minimum(low, high), np.maximum(low, high)


def halve(inside: Callable[[Table], NDArray[np.bool_]], low: Table, high: Table) -> Table:
    """Find where ``inside`` turns from true (at ``low``) to false, cell by cell."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        keep = inside(middle)
        low, high = np.where(keep, middle, low), np.where(keep, high, middle)
    return (low + high) / 2


def common_share(forms: Sequence[Moments]) -> Table:
    """Find the share at which the forms balance, each weighed by its variance *there*.

    A form's own estimated variance must not be its weight: one that happened to see no
    "yes" would claim to be certain.
    """
    if len(forms) == 1:
        return forms[0].mean
    low, high = support(forms)
    return halve(lambda share: pooled(forms, share)[0] > 0, low, high)


def score_interval(
    forms: Sequence[Moments], level: float = 0.95, *, sampled: bool = True
) -> tuple[Table, Table]:
    """Give the ends of the score interval of every cell.

    Parameters
    ----------
    forms
        The moments of each form.
    level
        The wanted coverage.
    sampled
        True when the people are a sample (sampling and coin), False when the question is
        about these very people (coin only).
    """
    z, people = z_value(level), sum(form.n for form in forms)
    centre = common_share(forms)
    low, high = support(forms)

    def inside(share: Table) -> NDArray[np.bool_]:
        away, variance = pooled(forms, share)
        if not sampled:
            variance = np.maximum(variance - np.maximum(share * (1 - share), 0) / people, 0)
        return np.asarray(away**2 <= z**2 * variance)

    return halve(inside, centre, low), halve(inside, centre, high)


def fieller(
    part: Table, whole: Table, spread: tuple[Table, Table, Table], level: float = 0.95
) -> tuple[Table, Table]:
    """Give the interval of a ratio of two estimates; NaN-free: endless where it is endless.

    Parameters
    ----------
    part, whole
        The estimates above and below the line.
    spread
        Variance of the part, covariance, variance of the whole.
    """
    z2 = z_value(level) ** 2
    part_variance, both, whole_variance = spread
    a = whole**2 - z2 * whole_variance
    b = part * whole - z2 * both
    c = part**2 - z2 * part_variance
    bounded = (a > 0) & (whole > 0)
    root = np.sqrt(np.maximum(b**2 - a * c, 0))
    safe = np.where(bounded, a, 1.0)
    return (
        np.where(bounded, (b - root) / safe, -np.inf),
        np.where(bounded, (b + root) / safe, np.inf),
    )
