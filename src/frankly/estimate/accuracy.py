"""Accuracy on true answers, estimated from reports.

Whether a prediction is right is a score of the truth: 0 or 1. Pulled through the devices it
becomes a score of reports with the same mean, for any number of groups; with one group that is
Zhan and Matwin's equation for P(A(cc)). How often the *substitutes* are predicted right follows
from the known cover, and nobody is ever asked (it would give the coin away).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.count import Counts, Engine, Query
from frankly.design import Design, Form, Speaks
from frankly.errors import CannotBeToldError, NotAskedError, TooWideError
from frankly.estimate.estimate import Target
from frankly.estimate.interval import common_share, score_interval
from frankly.estimate.moments import NOISE, Moments
from frankly.estimate.text import impossible, percent
from frankly.mechanism import Codes, Table

__all__ = ["Accuracy", "Predict", "Scores", "accuracy_of", "pulled_scores"]

Predict = Callable[[Mapping[str, Codes]], NDArray[np.intp]]
"""Codes of true answers in, positions of predicted classes out."""

WIDEST = 10**7

TINY = 1e-200
"""Stands for a variance of zero where forms are weighed by what they know."""


BEYOND = (
    "What lies below 0% or above 100% is no mistake of the model: the unbiased estimate may\n"
    "overshoot by chance. More test reports tell it better."
)


@dataclass(frozen=True, repr=False)
class Accuracy(Speaks):
    """How often a model is right about true answers, estimated from reports.

    Attributes
    ----------
    share, stderr
        The accuracy and its standard error. Unbiased, so it may leave [0, 1] by chance.
    confusion, confusion_stderr
        The share of all people with each (predicted, true) pair of classes.
    agreement
        How often the model agrees with the *reports*: no accuracy, only what was observed. None
        where reports have other names than truths, such as the colour of a card.
    target
        What the error is about: the population, or these very people (coin only).
    """

    classes: tuple[str, ...]
    target: Target
    n: int
    agreement: float | None
    moments: tuple[Moments, ...]

    @cached_property
    def both(self) -> tuple[Table, Table]:
        """The accuracy and the confusion cells, in one row, and the variance of each.

        A form has one weight, that of the accuracy, for all of them: so the cells add up to
        one, and those on the diagonal to the accuracy.
        """
        common = common_share(self.moments)
        spreads = [np.maximum(f.variance_at(common), TINY) / f.n for f in self.moments]
        sure = np.array([1 / spread[0] for spread in spreads])
        weights = sure / sure.sum()
        share: Table = weights @ np.stack([form.mean for form in self.moments])
        variance: Table = weights**2 @ np.stack(spreads)
        if self.target == "people":
            variance = variance - np.maximum(share * (1 - share), 0) / self.n
        return share, np.maximum(variance, 0.0)

    @property
    def share(self) -> float:
        """The estimated accuracy."""
        return float(self.both[0][0])

    @property
    def stderr(self) -> float:
        """The standard error of the accuracy."""
        return float(np.sqrt(self.both[1][0]))

    @property
    def confusion(self) -> Table:
        """Shares of all people, ``confusion[predicted, true]``."""
        return self.both[0][1:].reshape(len(self.classes), -1)

    @property
    def confusion_stderr(self) -> Table:
        """The standard error of every cell of the confusion matrix."""
        return np.asarray(np.sqrt(self.both[1][1:])).reshape(len(self.classes), -1)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Give the score interval of the accuracy."""
        low, high = score_interval(self.moments, level, sampled=self.target == "population")
        return float(low[0]), float(high[0])

    def summary(self, level: float = 0.95) -> str:
        """Say the result in a small table for people."""
        low, high = self.interval(level)
        title = f"accuracy on true answers   from {self.n:,} reports"
        whose = "the population" if self.target == "population" else "these very people"
        told = (
            f"{percent(self.share)}  ± {percent(self.stderr)}   [{percent(low)}, {percent(high)}]"
        )
        lines = [title, "─" * len(title), f"accuracy  {told}   for {whose}"]
        if self.agreement is not None:
            seen = percent(self.agreement)
            lines.append(f"agreement with the reports, which is no accuracy: {seen}")
        width = max(map(len, self.classes))
        cells = zip(self.confusion, self.confusion_stderr, strict=True)
        for guess, (row, errors) in zip(self.classes, cells, strict=True):
            ends = [
                f"{label}: {percent(cell)} ± {percent(error)}"
                for label, cell, error in zip(self.classes, row, errors, strict=True)
            ]
            lines.append(f"predicted {guess:<{width}}   truly {', '.join(ends)}")
        if impossible(np.append(self.confusion, self.share)):
            lines.append(BEYOND)
        return "\n".join(lines)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Give the result as plain values."""
        low, high = self.interval(level)
        about = {"accuracy": self.share, "stderr": self.stderr, "low": low, "high": high}
        tables = {
            "confusion": self.confusion.tolist(),
            "confusion_stderr": self.confusion_stderr.tolist(),
        }
        more = {"level": level, "target": self.target, "n": self.n, "agreement": self.agreement}
        return {**about, **more, "classes": list(self.classes), **tables}


def accuracy_of(
    engine: Engine,
    features: Sequence[str],
    target: str,
    predict: Predict,
    *,
    about: Target = "population",
) -> Accuracy:
    """Estimate how often predictions are right, from the reports of every form that asks it all.

    Parameters
    ----------
    engine
        Counts test reports.
    features, target
        What is predicted from, and what is predicted.
    predict
        Gives predicted classes for codes of the features.
    about
        ``population`` when the people are a sample, ``people`` for these very people.
    """
    design, names = engine.design, (*features, target)
    answers = engine.count([Query(names, form) for form in asking_all(design, names)])
    marks = {form.fingerprint: form for form in design.forms}
    moments, agreed, compared, n = [], 0.0, 0, 0
    for counts in answers:
        if not counts.n:
            continue
        rows, numbers = counts.cells()
        form = marks[counts.form]
        scores = pulled_scores(form, names, rows, predict)
        moments.append(scores.moments(numbers.astype(np.float64)))
        n += counts.n
        if comparable(form, names):
            agreed, compared = agreed + agreement(form, counts, predict), compared + counts.n
    if not n:
        raise CannotBeToldError("there are no reports to judge the model by")
    values = design[target].values
    return Accuracy(values, about, n, agreed / compared if compared else None, tuple(moments))


def asking_all(design: Design, names: Sequence[str]) -> list[int]:
    """Tell which forms ask all of these, or say why nothing less will do."""
    try:
        return design.asking(names)
    except NotAskedError as error:
        raise NotAskedError(
            f"accuracy needs a form that asks every feature and the class of one person: "
            f"{list(names)}. Modules cannot tell it, however many people answer: models with the "
            "same tables of pairs can be right for almost everybody or for fewer than half. Add a "
            "small test form with all of them and judge the model on its reports"
        ) from error


def comparable(form: Form, names: Sequence[str]) -> bool:
    """Tell whether some reports of every name are called as truths are."""
    return all(set(form.reported(name)) & set(form.domains[name]) for name in names)


def agreement(form: Form, counts: Counts, predict: Predict) -> float:
    """Tell how many reports have the class that is predicted from their own features."""
    rows, numbers = counts.cells()
    truths = np.stack([as_truths(form, n, rows[:, i]) for i, n in enumerate(counts.names)])
    known = (truths >= 0).all(axis=0)
    codes = dict(zip(counts.names[:-1], truths[:-1, known], strict=True))
    return float(numbers[known][predict(codes) == truths[-1, known]].sum())


def as_truths(form: Form, name: str, reports: Codes) -> NDArray[np.intp]:
    """Read reports as truths; -1 where a device reports what no truth is called."""
    values = {value: code for code, value in enumerate(form.domains[name])}
    found = [values.get(label, -1) for label in form.reported(name)]
    return np.array(found, dtype=np.intp)[reports]


@dataclass(frozen=True)
class Scores:
    """What different reports score (rows), and the smallest and largest possible scores."""

    scores: Table
    low: Table
    high: Table

    def moments(self, counts: Table) -> Moments:
        """Give number, mean, variance and skewness when there are so many of each report."""
        n = np.asarray(counts.sum())
        first, second, third = ((counts @ self.scores**power) / n for power in (1, 2, 3))
        low, high = self.low - first, self.high - first
        variance = second - first**2
        alike = variance <= NOISE * (high - low) ** 2
        variance = np.where(alike, 0.0, variance)
        skew = third - 3 * first * second + 2 * first**3
        slope = np.divide(skew, variance, out=np.zeros_like(skew), where=~alike)
        slope = np.clip(slope, low, high)
        up, down = np.where(alike, high, slope), np.where(alike, low, slope)
        return Moments(n=n, mean=first, variance=variance, up=up, down=down)


def pulled_scores(form: Form, names: Sequence[str], rows: Codes, predict: Predict) -> Scores:
    """Give every report's scores: for being right, then for each (predicted, true) pair.

    Parameters
    ----------
    form
        How the reports were hidden.
    names
        The features, then the class.
    rows
        Codes of different reports, one row each, one column a name.
    predict
        Gives predicted classes for codes of the features.
    """
    hidden = [name for name in names if name not in form.clear]
    open_ = [i for i, name in enumerate(names) if name in form.clear]
    patterns, which = np.unique(rows[:, open_], axis=0, return_inverse=True)
    refuse_wide(len(patterns) * math.prod(form.sizes(hidden)))
    shown = {names[i]: patterns[:, k] for k, i in enumerate(open_)}
    guesses, classes = guessed(form, names, shown, predict)
    at = (which.ravel(), *(rows[:, i] for i, name in enumerate(names) if name in hidden))
    devices = [(device, tuple(axis + 1 for axis in axes)) for device, axes in form.devices(hidden)]

    def pulled(right: NDArray[np.bool_]) -> tuple[Table, float, float]:
        score: Table = right.astype(np.float64)
        for device, axes in devices:
            score = device.pull_score(score, axes)
        return score[at], min(float(score.min()), 0.0), max(float(score.max()), 1.0)

    labels = range(len(form.domains[names[-1]]))
    pairs = [(guesses == guess) & (classes == label) for guess in labels for label in labels]
    columns = [pulled(guesses == classes), *map(pulled, pairs)]
    scores, low, high = zip(*columns, strict=True)
    return Scores(np.stack(scores, axis=1), np.array(low), np.array(high))


def guessed(
    form: Form, names: Sequence[str], shown: Mapping[str, Codes], predict: Predict
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Predict for every truth: one axis of patterns in clear, then one a hidden name.

    Gives the predictions and the classes, ready to be compared.
    """
    target = names[-1]
    hidden = [name for name in names[:-1] if name not in form.clear]
    patterns = len(next(iter(shown.values()))) if shown else 1
    shape = (patterns, *form.sizes(hidden))
    grid = dict(zip(("", *hidden), np.indices(shape, sparse=True), strict=True))
    codes: dict[str, Codes] = {name: grid[name] for name in hidden}
    codes |= {name: shown[name][grid[""]] for name in shown if name != target}
    flat = {name: np.broadcast_to(codes[name], shape).ravel() for name in names[:-1]}
    guesses = predict(flat).reshape(shape)
    size = len(form.domains[target])
    if target in shown:
        classes = shown[target].astype(np.intp).reshape(patterns, *[1] * len(hidden))
        return guesses, classes
    return guesses[..., np.newaxis], np.arange(size)


def refuse_wide(cells: int) -> None:
    """Refuse more combinations of hidden answers than can be gone through."""
    if cells > WIDEST:
        raise TooWideError(
            f"{cells:,} combinations of hidden answers would have to be predicted to know how "
            "often substitutes are predicted right. Let the model look at fewer protected "
            "attributes, or merge their values"
        )
