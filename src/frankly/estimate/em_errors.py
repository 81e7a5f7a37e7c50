"""EM errors: how far chance may have moved naive Bayes that was fitted to whole reports.

Every report has a slope of its log-likelihood by each number of the model; the spread of those
slopes over reports is the information, and its inverse the covariance. Pairs know less: one coin
over many answers betrays itself in a whole report, not in a pair.
"""

from collections.abc import Sequence

import numpy as np

from frankly.estimate.branches import View
from frankly.estimate.mixture import Mixture
from frankly.mechanism import Table

__all__ = ["covariance"]

WIDEST = 2 * 10**7
"""More slopes than this are not looked at."""

STEP = 1e-4


def covariance(views: Sequence[View], model: Mixture) -> Table | None:
    """Give the covariance of `Mixture.logs`, or None where that would take too long."""
    logs = model.logs()
    if logs.size * max(len(view.counts) for view in views) > WIDEST:
        return None
    information = np.zeros((logs.size, logs.size))
    for view in views:
        there = heights(view, model)
        moved = (model.moved(logs + STEP * one) for one in np.eye(logs.size))
        slopes = np.stack([(heights(view, other) - there) / STEP for other in moved])
        information += (slopes * view.counts) @ slopes.T
    return np.asarray(np.linalg.pinv(information, rcond=1e-9, hermitian=True))


def heights(view: View, model: Mixture) -> Table:
    """Give the log-likelihood of every different report."""
    return np.asarray(np.log(np.maximum(view.chances(model)[2].sum(axis=1), 1e-300)))
