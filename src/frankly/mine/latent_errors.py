"""Errors of a mixture: how far chance may have moved its shares.

Every report adds to the slope of the log-likelihood; the spread of those slopes over reports is
the information about the shares, and its inverse their covariance.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frankly.estimate import Mixture, View

__all__ = ["errors"]

Floats = NDArray[np.float64]


def errors(views: Sequence[View], model: Mixture) -> tuple[Floats, dict[str, Floats]]:
    """Give the standard errors of the weights and of every attribute's shares within classes."""
    names = [name for name in model.tables if name != model.target]
    sizes = [model.k, *(model.tables[name].size for name in names)]
    places = dict(zip(("", *names), np.cumsum([0, *sizes[:-1]]), strict=True))
    information = np.zeros((sum(sizes), sum(sizes)))
    for view in views:
        slopes = report_slopes(view, model, names, places)
        information += (slopes * view.counts[:, np.newaxis]).T @ slopes
    moves = moved_by(model, names, places)
    spread = np.sqrt(np.maximum(np.diag(moves @ np.linalg.pinv(information) @ moves.T), 0.0))
    tables = {
        name: spread[places[name] : places[name] + model.tables[name].size].reshape(
            model.tables[name].shape
        )
        for name in names
    }
    return spread[: model.k], tables


def report_slopes(
    view: View, model: Mixture, names: Sequence[str], places: dict[str, int]
) -> Floats:
    """Give the slope of every report's log-likelihood by the logarithm of every share."""
    branches, groups, joint = view.chances(model)
    mass = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    width = model.k + sum(model.tables[name].size for name in names)
    slopes = np.zeros((len(view.counts), width))
    slopes[:, : model.k] = mass - model.weights
    for parts, chance, group in zip(branches, groups, view.groups, strict=True):
        share = np.divide(mass, chance, out=np.zeros_like(mass), where=chance > 0)
        for part, branch in zip(parts, group, strict=True):
            for block in branch.blocks:
                codes = np.unravel_index(block.cells, block.sizes)
                for name, code in zip(block.names, codes, strict=True):
                    add(slopes, places[name], model.tables[name], (part * share, code))
    return slopes


def add(slopes: Floats, place: int, table: Floats, told: tuple[Floats, NDArray[np.intp]]) -> None:
    """Add what a branch tells about one attribute: its value against what was expected."""
    mass, code = told
    k, size = table.shape
    rows = np.arange(len(code))
    for one in range(k):
        start = place + one * size
        slopes[:, start : start + size] -= mass[:, [one]] * table[one]
        slopes[rows, start + code] += mass[:, one]


def moved_by(model: Mixture, names: Sequence[str], places: dict[str, int]) -> Floats:
    """Give how every share moves with the logarithm of every share of the same row."""
    rows = [(0, model.weights)]
    for name in names:
        table = model.tables[name]
        rows += [(places[name] + i * table.shape[1], row) for i, row in enumerate(table)]
    width = sum(len(row) for _, row in rows)
    moves = np.zeros((width, width))
    for place, row in rows:
        span = slice(place, place + len(row))
        moves[span, span] = np.diag(row) - np.outer(row, row)
    return moves
