"""Simulated surveys: what a design's intervals do when people really answer."""

import numpy as np
from numpy.typing import NDArray

import frankly as fk
from frankly.estimate import moments, score_interval
from frankly.estimate.interval import common_share

__all__ = ["simulated"]

Numbers = NDArray[np.float64]


def simulated(
    design: fk.Design, names: tuple[str, ...], truth: Numbers, n: int, surveys: int, seed: int
) -> tuple[Numbers, Numbers]:
    """Run many surveys; give the error and the half-width of every cell in each of them."""
    chance = np.random.default_rng(seed)
    weights = np.array([form.weight for form in design.forms], dtype=float)
    people = chance.multinomial(n, weights / weights.sum(), size=surveys)
    forms = []
    for index in design.asking(names):
        form = design.forms[index]
        reports = form.push(truth, list(names))
        drawn = chance.multinomial(people[:, index], reports.ravel() / reports.sum())
        seen = drawn.T.reshape(*reports.shape, surveys).astype(float)
        forms.append(moments(form, list(names), seen))
    low, high = score_interval(forms)
    return common_share(forms) - truth[..., None], (high - low) / 2
