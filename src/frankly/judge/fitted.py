"""Fitted: the model of the truth that an attacker, or a statement after mining, goes by."""

import math

import numpy as np

from frankly.count import Engine
from frankly.design import Design
from frankly.errors import ConvergenceError
from frankly.estimate.branches import View
from frankly.estimate.em import Fit, fit_mixture
from frankly.estimate.joint import MOST, Joint, fit_joint
from frankly.estimate.mixture import Mixture

__all__ = ["CLASSES", "fit", "fitted_classes", "fitted_joint", "grown"]

COMBINATIONS = 2**16
"""More combinations of answers than this are not told apart one by one."""

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


def fitted_joint(engine: Engine, model: Mixture) -> Joint | None:
    """Fit the share of every combination of answers; None where classes foretell as well.

    A few classes blur answers that go together one by one, as a birth place and a language do.
    Whoever simply counts combinations sees them. But where classes are right, or reports are
    few, counting takes chance for a pattern: so half of the reports must foretell the others
    better with less of the classes' help.
    """
    if math.prod(engine.design.sizes(engine.design.names)) > COMBINATIONS:
        return None
    try:
        joint = fit_joint(engine, model)
    except ConvergenceError:
        return None
    return joint if joint.pseudo < MOST else None
