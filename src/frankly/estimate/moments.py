"""Moments: what one form says about each cell, as the mean of a score over its reports.

Every share is the mean of a score that one report adds (a row of `pull`). Its first three
moments are all that the standard error and the interval need, and they are pulled from the
seen proportions with the entries of the pulling matrix raised to the powers 1, 2 and 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frankly.design import Form
from frankly.mechanism import Table

__all__ = ["Moments", "moments"]

NOISE = 1e-13
"""A variance this small, in units of the score's range, is rounding and means zero."""


@dataclass(frozen=True)
class Moments:
    """Number of reports, and for each cell the moments of its score.

    ``up`` and ``down`` say how the score's variance changes when the share moves away
    from the mean, upwards or downwards: the third central moment over the variance or,
    when all reports were alike, the way to the largest and the smallest score. ``least``
    and ``most`` are ends beyond which no share can lie, where that is known.
    """

    n: Table
    mean: Table
    variance: Table
    up: Table
    down: Table
    least: Table | float = -np.inf
    most: Table | float = np.inf

    def variance_at(self, share: Table) -> Table:
        """Give the score's variance if the share were this."""
        away = share - self.mean
        slope = np.where(away > 0, self.up, self.down)
        return np.asarray(self.variance + slope * away - away**2)

    def bounds(self) -> tuple[Table, Table]:
        """Give the shares at which that variance vanishes: nothing beyond is possible.

        Never beyond ``least`` and ``most``, unless the mean itself is.
        """
        low = (self.down - np.sqrt(self.down**2 + 4 * self.variance)) / 2
        high = (self.up + np.sqrt(self.up**2 + 4 * self.variance)) / 2
        least, most = np.minimum(self.least, self.mean), np.maximum(self.most, self.mean)
        return np.maximum(self.mean + low, least), np.minimum(self.mean + high, most)


def moments(form: Form, names: Sequence[str], seen: Table) -> Moments:
    """Pull the moments of every cell's score from the counts of one form.

    Axes of ``seen`` behind those of the names are separate surveys, all treated alike.
    """
    axes = tuple(range(len(names)))
    n = seen.sum(axis=axes)
    first, second, third = (form.pull(seen / n, names, power) for power in (1, 2, 3))
    behind = tuple(range(len(names), seen.ndim))
    low, high = (np.expand_dims(end, behind) - first for end in form.pull_range(names))
    variance = second - first**2
    alike = variance <= NOISE * (high - low) ** 2
    variance = np.where(alike, 0.0, variance)
    skew = third - 3 * first * second + 2 * first**3
    slope = np.divide(skew, variance, out=np.zeros_like(skew), where=~alike)
    slope = np.clip(slope, low, high)
    return Moments(
        n=n,
        mean=first,
        variance=variance,
        up=np.where(alike, high, slope),
        down=np.where(alike, low, slope),
    )
