"""Errors of a mixture: how far chance may have moved its shares, and whether they can be told.

Every report has a slope of its log-likelihood; the spread of those slopes over reports is the
information about the shares, and its inverse their covariance. It is weighed against what the
truths and classes of these people would tell if they were seen: where nothing of that is left,
several models fit the reports equally well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from frankly.count import Counts
from frankly.estimate import Mixture, View
from frankly.estimate.branches import view as laid_out
from frankly.estimate.em_errors import information, places_of

__all__ = ["Errors", "errors", "seen_by"]

Floats = NDArray[np.float64]

MANY = 4096
"""So many different reports are all looked at, also those that nobody sent."""

NOTHING = 1e-10
"""So little of what truths and classes would tell is nothing but rounding."""

MOVED = 1e-6
"""A share moves with a direction if so much of its own spread does."""


@dataclass(frozen=True)
class Errors:
    """Standard errors of a mixture; infinite for what the reports do not tell.

    Attributes
    ----------
    weights
        Those of the classes' shares.
    tables
        Those of every attribute's shares within classes.
    told
        Whether only this model fits so well, and none beside it.
    """

    weights: Floats
    tables: dict[str, Floats]
    told: bool


def seen_by(views: Sequence[View]) -> dict[str, float]:
    """Tell how many reports answer each attribute that is answered at all."""
    asked: dict[str, float] = {}
    for view in views:
        blocks = (block for group in view.groups for branch in group for block in branch.blocks)
        for name in {name for block in blocks for name in block.names}:
            asked[name] = asked.get(name, 0.0) + float(view.counts.sum())
    return asked


def errors(views: Sequence[View], model: Mixture) -> Errors:
    """Give the standard errors of the weights and of every attribute's shares within classes."""
    names, places = list(model.tables), places_of(model)
    told_by = information([expected(view, model) for view in views], model)
    inward, outward = whitened(views, model, names)
    left, ways = np.linalg.eigh(inward.T @ told_by @ inward)
    moves = (outward @ ways) ** 2
    told = left > NOTHING
    variance = moves[:, told] @ (1 / left[told])
    lost = moves[:, ~told].sum(axis=1) > MOVED * moves.sum(axis=1)
    spread = np.where(lost, np.inf, np.sqrt(variance))
    tables = {
        name: spread[places[name] : places[name] + model.tables[name].size].reshape(
            model.tables[name].shape
        )
        for name in names
    }
    return Errors(spread[: model.k], tables, bool(told.all()))


def expected(view: View, model: Mixture) -> View:
    """Give every report that a form allows, as often as the model expects it.

    Where there are too many to look at, those that came must do.
    """
    names, form = view.form.names, view.form
    sizes = tuple(len(form.reported(name)) for name in names)
    if prod(sizes) > MANY:
        return view
    counts = Counts.from_table(names, form.fingerprint, np.ones(sizes))
    every = laid_out(view.number, form, counts)
    chance = every.chances(model)[2].sum(axis=1)
    return replace(every, counts=view.counts.sum() * chance)


def whitened(views: Sequence[View], model: Mixture, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Give free directions, in each of which seen truths and classes would tell just as much.

    First as logarithms of shares, by which slopes are taken, then as the shares they move.
    """
    asked, everybody = seen_by(views), float(sum(view.counts.sum() for view in views))
    rows = [(model.weights, everybody)]
    for name in names:
        pairs = zip(model.tables[name], model.weights, strict=True)
        rows += [(row, asked[name] * weight) for row, weight in pairs]
    width, free = sum(len(row) for row, _ in rows), sum(len(row) - 1 for row, _ in rows)
    inward, outward = np.zeros((width, free)), np.zeros((width, free))
    place = column = 0
    for row, people in rows:
        root = np.sqrt(np.maximum(row, 1e-12))
        across = np.linalg.svd(root[np.newaxis])[2][1:].T / np.sqrt(max(people, 1e-12))
        here = slice(place, place + len(row)), slice(column, column + len(row) - 1)
        inward[here], outward[here] = across / root[:, np.newaxis], across * root[:, np.newaxis]
        place, column = place + len(row), column + len(row) - 1
    return inward, outward
