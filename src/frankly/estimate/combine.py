"""Combine: one table of shares from several forms, by general least squares.

The variances come from one common table of shares, pushed through each form's devices;
then the combination is the best linear one, and never worse than the better form.
"""

import math
from collections.abc import Sequence

import numpy as np

from frankly.errors import TooWideError
from frankly.estimate.mle import Seen
from frankly.estimate.moments import moments
from frankly.estimate.project import project
from frankly.mechanism import Table

__all__ = ["WIDE", "combine", "combine_wholes", "covariance_of"]

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


def covariance_of(seen: Seen, share: Table | None = None) -> Table:
    """Give the covariance of one report's scores, at the seen counts or at a pushed share."""
    matrix = pulling_matrix(seen)
    if share is None:
        reports = seen.counts / seen.counts.sum()
    else:
        reports = seen.form.push(share, seen.names)
    mean = matrix @ reports.ravel()
    covariance: Table = (matrix * reports.ravel()) @ matrix.T - np.outer(mean, mean)
    return covariance


def possible(share: Table, n: float) -> Table:
    """Turn a table of shares into one that can be pushed: no cell below half a person."""
    floor: Table = np.maximum(project(share / share.sum()), 0.5 / n)
    floor /= floor.sum()
    return floor


def combine(forms: Sequence[Seen], means: Sequence[Table], common: Table) -> tuple[Table, Table]:
    """Combine the forms' own estimates; give the shares and their covariance.

    Parameters
    ----------
    forms, means
        What each form saw, and the inverse estimate from it alone.
    common
        The table of shares from which all variances are pushed.
    """
    people = sum(seen.counts.sum() for seen in forms)
    pushed = possible(common, people)
    spreads = [covariance_of(seen, pushed) / seen.counts.sum() for seen in forms]
    shape, keep = common.shape, common.size - 1
    precisions = [np.linalg.inv(spread[:keep, :keep]) for spread in spreads]
    inner = np.linalg.inv(np.sum(precisions, axis=0))
    pulled = [p @ mean.ravel()[:keep] for p, mean in zip(precisions, means, strict=True)]
    free = inner @ np.sum(pulled, axis=0)
    whole = np.vstack([np.eye(keep), -np.ones((1, keep))])
    share = np.append(free, 1 - free.sum()).reshape(shape)
    return share, whole @ inner @ whole.T


def combine_wholes(
    forms: Sequence[Seen], means: Sequence[Table], common: Table
) -> tuple[Table, Table]:
    """Combine wide tables with one weight a form; give the shares and their variances."""
    pushed = possible(common, sum(seen.counts.sum() for seen in forms))
    spreads = []
    for seen in forms:
        n = seen.counts.sum()
        expected = seen.form.push(pushed, seen.names) * n
        spreads.append(moments(seen.form, seen.names, expected).variance / n)
    weights = np.array([1 / spread.sum() for spread in spreads])
    weights /= weights.sum()
    share: Table = np.sum([w * mean for w, mean in zip(weights, means, strict=True)], axis=0)
    variance: Table = np.sum([w**2 * s for w, s in zip(weights, spreads, strict=True)], axis=0)
    return share, variance
