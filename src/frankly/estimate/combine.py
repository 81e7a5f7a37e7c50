"""Combine: one table of shares from several forms, by general least squares.

The variances come from one common table of shares, pushed through each form's devices;
then the combination is the best linear one, and never worse than the better form. Shares,
errors and intervals all follow from the same weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from frankly.errors import TooWideError
from frankly.estimate.interval import common_share
from frankly.estimate.mle import Seen
from frankly.estimate.moments import Moments, moments
from frankly.estimate.project import project
from frankly.mechanism import Table

__all__ = ["WIDE", "Combination", "covariance_of", "expected", "least_squares", "possible"]

WIDE = 1000
"""Above this many cells forms are weighed as wholes instead of cell against cell."""

WIDEST = 5000
"""Above this many cells no covariance matrix is built."""


def pulling_matrix(seen: Seen) -> Table:
    """Give what each report (column) adds to the estimate of each cell (row)."""
    sizes = seen.form.sizes(seen.names)
    cells = math.prod(sizes)
    if cells > WIDEST:
        raise TooWideError(
            f"the covariance of {cells:,} cells would have {cells**2:,} entries. Ask for fewer "
            "names at once; standard errors and intervals do not need it"
        )
    score: Table = np.eye(cells).reshape(*sizes, cells)
    for device, axes in seen.form.devices(seen.names):
        score = device.pull_score(score, axes)
    return score.reshape(-1, cells).T


def covariance_of(seen: Seen) -> Table:
    """Give the covariance of one report's scores."""
    matrix = pulling_matrix(seen)
    reports = (seen.counts / seen.counts.sum()).ravel()
    mean = matrix @ reports
    covariance: Table = (matrix * reports) @ matrix.T - np.outer(mean, mean)
    return covariance


def possible(share: Table, n: float) -> Table:
    """Turn a table of shares into one that can be pushed: no cell below half a person."""
    floor: Table = np.maximum(project(share / share.sum()), 0.5 / n)
    floor /= floor.sum()
    return floor


def expected(seen: Seen, share: Table) -> Seen:
    """Give what a form would see on average if these were the shares."""
    pushed = seen.form.push(share, seen.names)
    return Seen(seen.form, seen.names, pushed * seen.counts.sum())


def least_squares(forms: Sequence[Seen]) -> tuple[list[Table], Table]:
    """Give the matrix that weighs each form's cells, and the covariance of the weighed sum.

    The last cell is what the others leave of one, in every form; its column weighs nothing.
    """
    spreads = [covariance_of(seen) / seen.counts.sum() for seen in forms]
    keep = len(spreads[0]) - 1
    precisions = [np.linalg.inv(spread[:keep, :keep]) for spread in spreads]
    inner = np.linalg.inv(np.sum(precisions, axis=0))
    whole = np.vstack([np.eye(keep), -np.ones((1, keep))])
    weights = [np.pad(whole @ inner @ sure, ((0, 0), (0, 1))) for sure in precisions]
    return weights, whole @ inner @ whole.T


@dataclass(frozen=True)
class Combination:
    """What several forms saw of the same names, put together; or what one form saw, as it is.

    The weights are fixed numbers: those of least squares at one common table of shares. So
    every cell is a sum over forms of the mean of a weighed score, and its variance and third
    moment are sums too. They are taken at the common table, as the weights are: a direct
    question that met no "yes" has no variance of its own, and the interval would trust it.
    """

    forms: tuple[Seen, ...]

    @property
    def n(self) -> float:
        """How many reports there are."""
        return float(sum(seen.counts.sum() for seen in self.forms))

    @cached_property
    def own(self) -> tuple[Moments, ...]:
        """The moments of every cell's score in each form."""
        return tuple(moments(seen.form, seen.names, seen.counts) for seen in self.forms)

    @property
    def wide(self) -> bool:
        """Whether the cells are too many to be weighed against each other."""
        return self.own[0].mean.size > WIDE

    @cached_property
    def expected(self) -> tuple[Seen, ...]:
        """What each form would see if the common table were true; one form: what it saw."""
        if len(self.forms) == 1:
            return self.forms
        common = possible(common_share(self.own), self.n)
        return tuple(expected(seen, common) for seen in self.forms)

    @cached_property
    def weighed(self) -> tuple[list[Table], Table]:
        """The weights of least squares, and the covariance they lead to."""
        return least_squares(self.expected)

    @cached_property
    def wholes(self) -> tuple[Table, list[Moments]]:
        """One weight a form, for wide tables, and the moments expected in each."""
        own = [moments(seen.form, seen.names, seen.counts) for seen in self.expected]
        sure = np.array([form.n / form.variance.sum() for form in own])
        return sure / sure.sum(), own

    @cached_property
    def share(self) -> Table:
        """The unbiased shares."""
        means = [form.mean for form in self.own]
        if len(means) == 1:
            return means[0]
        if self.wide:
            weights, _ = self.wholes
            return np.asarray(np.einsum("f,f...->...", weights, np.stack(means)))
        pulled = [w @ mean.ravel() for w, mean in zip(self.weighed[0], means, strict=True)]
        share: Table = np.sum(pulled, axis=0)
        share[-1] += 1
        return share.reshape(means[0].shape)

    @cached_property
    def covariance(self) -> Table:
        """The covariance of all cells, flattened in the order of ``share.ravel()``."""
        if len(self.forms) == 1:
            return covariance_of(self.forms[0]) / self.n
        if not self.wide:
            return self.weighed[1]
        spreads = [covariance_of(seen) / seen.counts.sum() for seen in self.expected]
        return np.asarray(np.einsum("f,fij->ij", self.wholes[0] ** 2, np.stack(spreads)))

    @cached_property
    def moments(self) -> Moments:
        """The moments of every cell's score, as if all reports came from one form.

        In every form the share is the mean of a score, so none can lie beyond its range.
        """
        if len(self.forms) == 1:
            return self.own[0]
        variance, third = self.of_wholes() if self.wide else self.of_cells()
        slope = self.n * third / variance
        ends = [seen.form.pull_range(seen.names) for seen in self.forms]
        least = np.max([low for low, _ in ends], axis=0)
        most = np.min([high for _, high in ends], axis=0)
        n, variance = np.asarray(self.n), self.n * variance
        return Moments(n, self.share, variance, slope, slope, least, most)

    def of_wholes(self) -> tuple[Table, Table]:
        """Give the variance and the third moment of every cell of a wide table."""
        weights, own = self.wholes
        variance = [w**2 * f.variance / f.n for w, f in zip(weights, own, strict=True)]
        thirds = [w**3 * f.up * f.variance / f.n**2 for w, f in zip(weights, own, strict=True)]
        return np.sum(variance, axis=0), np.sum(thirds, axis=0)

    def of_cells(self) -> tuple[Table, Table]:
        """Give the variance and the third moment of every cell."""
        weights, covariance = self.weighed
        third = np.zeros(len(covariance))
        for weight, seen in zip(weights, self.expected, strict=True):
            n, score = seen.counts.sum(), weight @ pulling_matrix(seen)
            reports = seen.counts.ravel() / n
            away = score - (score @ reports)[:, np.newaxis]
            third += away**3 @ reports / n**2
        shape = self.share.shape
        return np.diag(covariance).reshape(shape), third.reshape(shape)

    def variance_along(self, gradient: Table) -> float:
        """Give the variance of the sum of gradient times share."""
        if len(self.forms) > 1 and not self.wide:
            flat = gradient.ravel()
            return max(float(flat @ self.covariance @ flat), 0.0)
        weights = [1.0] if len(self.forms) == 1 else self.wholes[0]
        parts = zip(weights, self.expected, strict=True)
        return float(sum(w**2 * score_variance(seen, gradient) for w, seen in parts))


def score_variance(seen: Seen, gradient: Table) -> float:
    """Give the variance of the mean of a pulled score in one form."""
    n = seen.counts.sum()
    score = seen.form.pull_score(np.asarray(gradient, dtype=np.float64), seen.names)
    mean = float((seen.counts * score).sum() / n)
    square = float((seen.counts * score**2).sum() / n)
    return float(max(square - mean**2, 0.0) / n)
