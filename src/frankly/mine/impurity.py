"""Impurity: how mixed the classes of some people are, and how much a split sorts them.

Both measures are written as f(x), the impurity of a vector of class shares times its sum. Then
a gain is (f of the node - sum of f over its branches) / share of the node, and its gradient is
as short. Shares within the node are conditional on it: joint shares would choose another root.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ENTROPY", "GINI", "Floats", "Impurity", "gain", "gain_gradient"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Impurity:
    """A measure of how mixed classes are.

    ``whole`` gives f along the last axis, ``slope`` its derivative by every class.

    Examples
    --------
    >>> float(ENTROPY.whole(np.array([0.5, 0.5]))), float(GINI.whole(np.array([0.5, 0.5])))
    (1.0, 0.5)
    """

    name: str
    whole: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


def within(classes: Floats) -> Floats:
    """Give the classes' shares among these people; nobody has no shares."""
    total = classes.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(classes, total, out=np.zeros_like(classes), where=total > 0))


def bits(shares: Floats) -> Floats:
    """Give -log2, and 0 where there is nobody."""
    return np.asarray(-np.log2(shares, out=np.zeros_like(shares), where=shares > 0))


def squares(classes: Floats) -> Floats:
    """Give the sum of the squared shares."""
    return np.asarray((within(classes) ** 2).sum(axis=-1))


def entropy(classes: Floats) -> Floats:
    """Give the entropy in bits, times the sum."""
    return np.asarray((classes * bits(within(classes))).sum(axis=-1))


def gini(classes: Floats) -> Floats:
    """Give the chance that two people differ, times the sum."""
    return np.asarray(classes.sum(axis=-1) * (1 - squares(classes)))


def gini_slope(classes: Floats) -> Floats:
    """Derive `gini` by every class."""
    return np.asarray(1 - 2 * within(classes) + squares(classes)[..., np.newaxis])


ENTROPY = Impurity("entropy", entropy, lambda classes: bits(within(classes)))
GINI = Impurity("gini", gini, gini_slope)


def gain(impurity: Impurity, branches: Floats) -> float:
    """Tell how much dividing a node into these branches (rows of class shares) sorts it.

    Examples
    --------
    >>> gain(GINI, np.array([[0.2, 0.0], [0.0, 0.2]]))
    0.5
    """
    lost = impurity.whole(branches.sum(axis=0)) - impurity.whole(branches).sum()
    return float(lost / branches.sum())


def gain_gradient(impurity: Impurity, branches: Floats, floor: float) -> Floats:
    """Derive the gain by every cell of the branches.

    Parameters
    ----------
    impurity, branches
        As for `gain`.
    floor
        The smallest share a cell is taken to have: the slope of the entropy at 0 is endless.
    """
    there = np.maximum(branches, floor)
    slopes = impurity.slope(there.sum(axis=0)) - impurity.slope(there)
    return np.asarray((slopes - gain(impurity, there)) / there.sum())
