"""EM errors: what whole reports tell about the numbers of a mixture that was fitted to them.

Every report has a slope of its log-likelihood by each number of the model; the spread of those
slopes over reports is the information, and its inverse the covariance. Pairs know less: one coin
over many answers betrays itself in a whole report, not in a pair.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frankly.estimate.branches import View
from frankly.estimate.mixture import Mixture
from frankly.mechanism import Table

__all__ = ["covariance", "information", "places_of"]

WIDEST = 2 * 10**7
"""More slopes than this are not looked at."""


def covariance(views: Sequence[View], model: Mixture) -> Table | None:
    """Give the covariance of `Mixture.logs`, or None where that would take too long."""
    if model.logs().size * max(len(view.counts) for view in views) > WIDEST:
        return None
    return np.asarray(np.linalg.pinv(information(views, model), rcond=1e-9, hermitian=True))


def information(views: Sequence[View], model: Mixture) -> Table:
    """Give the information of reports about `Mixture.logs`."""
    width = model.logs().size
    told = np.zeros((width, width))
    for view in views:
        slopes = report_slopes(view, model)
        told += (slopes * view.counts[:, np.newaxis]).T @ slopes
    return told


def places_of(model: Mixture) -> dict[str, int]:
    """Tell where the numbers of each attribute begin in `Mixture.logs`."""
    names = [name for name in model.tables if name != model.target]
    sizes = [model.k, *(model.tables[name].size for name in names[:-1])]
    return dict(zip(names, np.cumsum(sizes).tolist(), strict=True))


def report_slopes(view: View, model: Mixture) -> Table:
    """Give the slope of every report's log-likelihood by the logarithm of every share."""
    places = places_of(model)
    branches, groups, joint = view.chances(model)
    mass = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    slopes = np.zeros((len(view.counts), model.logs().size))
    slopes[:, : model.k] = mass - model.weights
    for parts, chance, group in zip(branches, groups, view.groups, strict=True):
        share = np.divide(mass, chance, out=np.zeros_like(mass), where=chance > 0)
        for part, branch in zip(parts, group, strict=True):
            for block in branch.blocks:
                codes = np.unravel_index(block.cells, block.sizes)
                for name, code in zip(block.names, codes, strict=True):
                    if name != model.target:
                        add(slopes, places[name], model.tables[name], (part * share, code))
    return slopes


def add(slopes: Table, place: int, table: Table, told: tuple[Table, NDArray[np.intp]]) -> None:
    """Add what a branch tells about one attribute: its value against what was expected."""
    mass, code = told
    k, size = table.shape
    rows = np.arange(len(code))
    for one in range(k):
        start = place + one * size
        slopes[:, start : start + size] -= mass[:, [one]] * table[one]
        slopes[rows, start + code] += mass[:, one]
