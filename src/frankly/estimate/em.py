"""EM through the device: fit a model of the truth to whole reports.

Where one coin hides many answers, a whole report tells much about its own coin, and a model of
the truth can use that; the inverse, which looks at one table at a time, cannot. Steps are
extrapolated; the fit ends when a plain step gains and moves next to nothing, and says how much.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frankly.errors import ConvergenceError
from frankly.estimate.branches import View
from frankly.estimate.mixture import Mixture
from frankly.mechanism import Flip

__all__ = ["Fit", "fit_mixture"]

STEPS = 5000


@dataclass(frozen=True)
class Fit:
    """A fitted model, and how sure it is to be at its summit.

    Attributes
    ----------
    model
        The fitted shares.
    log_likelihood
        Of all reports.
    gain
        What the last plain step gained in log-likelihood (with the prior), per report.
    residual
        The largest change of any share in the last plain step.
    steps
        How many plain steps were made.
    """

    model: Mixture
    log_likelihood: float
    gain: float
    residual: float
    steps: int


def fit_mixture(
    views: Sequence[View],
    start: Mixture,
    *,
    prior: float = 1.0,
    tolerance: float = 1e-9,
    settled: float = 1e-4,
) -> Fit:
    """Fit a mixture to whole reports by EM.

    Parameters
    ----------
    views
        The different reports of every form, and how each may have come about.
    start
        A first guess. Its ``target`` says whether the class is one of the attributes; without
        one there are as many hidden classes as it has weights.
    prior
        People added to every cell, so that no share ends at 0.
    tolerance, settled
        The fit ends when a plain step gains at most ``tolerance`` log-likelihood a report and
        moves no share by more than ``settled``.
    """
    best = climb(views, start, prior, (tolerance, settled))
    for names in turned_groups(views):
        # A group that is turned round together looks almost the same from the other side.
        other = climb(views, best.model.mirrored(names), prior, (tolerance, settled))
        best = max(best, other, key=lambda fit: fit.log_likelihood)
    return best


def turned_groups(views: Sequence[View]) -> list[tuple[str, ...]]:
    """List the groups of two or more that one flip turns round."""
    groups = [group for view in views for group in view.form.groups]
    turned = [g.names for g in groups if isinstance(g.device, Flip) and len(g.names) > 1]
    return list(dict.fromkeys(turned))


def climb(views: Sequence[View], start: Mixture, prior: float, ends: tuple[float, float]) -> Fit:
    """Climb from one start until the certificate closes."""
    people = sum(float(view.counts.sum()) for view in views)
    model, height = start.moved(start.logs()), -np.inf
    for count in range(0, STEPS, 3):
        once, at_start = step(views, model, prior)
        twice, at_once = step(views, once, prior)
        gain, residual = (at_once - at_start) / people, model.distance(once)
        if gain <= ends[0] and residual <= ends[1]:
            likelihood = sum(view.log_likelihood(twice) for view in views)
            return Fit(twice, likelihood, max(gain, 0.0), residual, count + 2)
        far = leap(model, once, twice)
        further, at_far = step(views, far, prior)
        model, height = (further, at_far) if at_far >= at_once else (twice, at_once)
    raise ConvergenceError(
        f"EM did not settle in {STEPS} steps: the last one gained {gain:.2g} per report and moved "
        f"a share by {residual:.2g}, at a height of {height / people:.4f}. Use method='inverse', "
        "fewer classes, or a larger tolerance"
    )


def step(views: Sequence[View], model: Mixture, prior: float) -> tuple[Mixture, float]:
    """Do one plain EM step; give the better model, and the height of the old one."""
    weights = np.zeros(model.k)
    tables = {name: np.full_like(table, prior) for name, table in model.tables.items()}
    height = prior * float(model.logs()[model.k :].sum())
    for view in views:
        height += view.expect(model, weights, tables)
    tables.pop(model.target or "", None)
    shares = {name: table / table.sum(axis=1, keepdims=True) for name, table in tables.items()}
    everybody = max(float(weights.sum()), 1e-300)  # a leap too far leaves nobody who told straight
    return Mixture(weights / everybody, shares, model.target), height


def leap(model: Mixture, once: Mixture, twice: Mixture) -> Mixture:
    """Extrapolate two steps (squared extrapolation), in logarithms so that shares stay shares."""
    start, middle, end = model.logs(), once.logs(), twice.logs()
    change, bend = middle - start, end - 2 * middle + start
    size = float(np.linalg.norm(bend))
    if size == 0:
        return twice
    length = max(1.0, float(np.linalg.norm(change)) / size)
    return model.moved(start + 2 * length * change + length**2 * bend)
