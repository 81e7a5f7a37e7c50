"""Fitted: the model of the truth that an attacker, or a statement after mining, goes by."""

import numpy as np

from frankly.design import Design
from frankly.estimate.branches import View
from frankly.estimate.em import Fit, fit_mixture
from frankly.estimate.mixture import Mixture

__all__ = ["CLASSES", "fit", "fitted_classes", "grown"]

CLASSES = 8
TOLERANCE, SETTLED = 1e-6, 1e-2
"""When a fit stops climbing; ten times finer moves no figure by a thousandth."""


def fit(views: list[View], start: Mixture) -> Fit:
    """Fit one model as finely as an audit needs."""
    return fit_mixture(views, start, tolerance=TOLERANCE, settled=SETTLED)


def fitted_classes(
    design: Design, views: list[View], classes: int = CLASSES, seed: int = 0
) -> tuple[Fit, Fit]:
    """Fit one class that everybody is in, and from there several hidden ones."""
    alone = fit(views, Mixture.drawn(design, 1, seed))
    return alone, fit(views, grown(alone.model, classes, seed))


def grown(alone: Mixture, classes: int, seed: int) -> Mixture:
    """Start several classes around the one that fits everybody.

    A group that is turned round together would otherwise be read class by class, some
    classes straight and some turned, which fits nearly as well and restores nobody.
    """
    chance = np.random.default_rng(seed)
    tables = {}
    for name, table in alone.tables.items():
        shaken = np.repeat(table, classes, axis=0)
        shaken = shaken * chance.uniform(0.7, 1.3, shaken.shape)
        tables[name] = shaken / shaken.sum(axis=1, keepdims=True)
    return Mixture(np.full(classes, 1 / classes), tables)
