"""Judged: how often a pooled model is right, on everybody's test rows, in one round.

Each party scores its own test rows at home, corrected for the devices, and only sums leave: how
many rows, the sum of their scores, and of their squares.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankly.collaborate.circle import Asked, SecureSum
from frankly.collaborate.masks import Vector
from frankly.collaborate.message import digest
from frankly.count import Engine, Query
from frankly.errors import CannotBeToldError
from frankly.estimate import pulled_scores
from frankly.mine import Miner

__all__ = ["Judged", "judge_together"]

PLACES = 16
MOST = 2**52


@dataclass(frozen=True)
class Judged:
    """Accuracy on everybody's test rows.

    Attributes
    ----------
    n
        How many test rows there are in all.
    share, stderr
        The accuracy on true answers and its standard error.
    """

    n: int
    share: float
    stderr: float

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain values."""
        return {"n": self.n, "accuracy": self.share, "stderr": self.stderr}


def judge_together(model: Miner, adding: SecureSum, tests: Engine | None) -> Judged:
    """Judge a model on the test rows of all parties.

    Parameters
    ----------
    model
        The pooled model; every party has the same.
    adding
        How numbers are added.
    tests
        Counts this party's test rows; None for whoever only listens.
    """
    asked = Asked(digest(b"accuracy", model.kind.encode()), 4, most=MOST)

    def own() -> Vector:
        if tests is None:
            raise TypeError("whoever only listens has no test rows")
        return scored(model, tests)

    n, above, below, squares = (float(one) for one in adding.total(own, asked))
    if not n:
        raise CannotBeToldError("no party has brought test rows, so nothing can be judged")
    mean = (above - below) / 2**PLACES / n
    variance = max(squares / 2**PLACES / n - mean**2, 0.0)
    return Judged(int(n), mean, float(np.sqrt(variance / n)))


def scored(model: Miner, tests: Engine) -> Vector:
    """Sum the scores of one party's test rows: none of the four numbers is below 0."""
    names = (*model.features_, model.target_)
    design = tests.design
    total = np.zeros(4)
    for form in design.asking(names):
        (counts,) = tests.count([Query(names, form)])
        if not counts.n:
            continue
        rows, numbers = counts.cells()
        score = pulled_scores(design.forms[form], names, rows, model.predict_codes).scores[:, 0]
        sums = [numbers @ part for part in (np.maximum(score, 0), np.maximum(-score, 0), score**2)]
        total += [counts.n, *(2**PLACES * one for one in sums)]
    return np.rint(total).astype(np.int64)
