"""Shrink: naive Bayes from pairs, with differences between classes no larger than they must be.

Each yes-or-no question is looked at with a yes-or-no class through the device: a grid over the
share among the first class and the difference to the second (both as log-odds), the exact
likelihood of the counts, and a prior that expects some questions to matter and others hardly at
all. How large differences are in general is learned from all questions together. The class's
own share comes from everybody who was asked it. Wider tables are clipped at 0 instead: there
shrinking was measured to be no gain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, logsumexp

from frankly.errors import CannotBeToldError
from frankly.estimate.mixture import Mixture
from frankly.estimate.mle import Seen
from frankly.estimate.pulled import Asked, Inverse
from frankly.mechanism import Table

__all__ = ["shrunken", "shrunken_pairs"]

TYPICAL = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Sizes of a difference that matters, in log-odds; averaged by how well each explains all."""

HARDLY = 8.0
"""A question that hardly matters differs so many times less."""

COMMON = 2.0
"""Log-odds of the share itself: the prior's standard deviation."""


@dataclass(frozen=True)
class Grid:
    """Points at which one question is looked at: shares in both classes, and log priors.

    The priors have one row for each typical size of a difference.
    """

    first: Table
    second: Table
    priors: Table

    @classmethod
    def around(cls, ends: Table) -> "Grid":
        """Lay points where the two shares may be: ``ends[class]`` are low and high."""
        (low, high), (other_low, other_high) = apart_by(logit(np.clip(ends, 0.0025, 0.9975)), 1e-6)
        base = np.linspace(low, high, 41)
        apart = differences(other_low - high, other_high - low)
        step = np.log(np.gradient(apart)) - base[:, np.newaxis] ** 2 / (2 * COMMON**2)
        sizes = np.array([TYPICAL, [size / HARDLY for size in TYPICAL]])[..., np.newaxis]
        both = -0.5 * (apart / sizes) ** 2 - np.log(sizes)
        priors = np.logaddexp(*both)[:, np.newaxis, :] + step
        second = expit(base[:, np.newaxis] + apart)
        first = np.broadcast_to(expit(base)[:, np.newaxis], second.shape)
        return cls(first.ravel(), second.ravel(), priors.reshape(len(TYPICAL), -1))


def apart_by(ends: Table, least: float) -> Table:
    """Keep two ends apart: where everybody answers alike they fall together.

    Examples
    --------
    >>> apart_by(np.array([[1.0, 1.0], [0.0, 2.0]]), 0.5)
    array([[0.75, 1.25],
           [0.  , 2.  ]])
    """
    middle, half = ends.mean(axis=1), np.maximum(np.ptp(ends, axis=1), least) / 2
    return np.stack([middle - half, middle + half], axis=1)


def differences(low: float, high: float) -> Table:
    """Lay differences between two ends; close together at 0, where most of them may be."""
    if low > 0 or high < 0:
        return np.linspace(low, high, 65)
    wide = max(-low, high)
    bend = 4.0 if wide > 1 else 1.0
    return np.asarray(wide * np.sinh(np.linspace(-bend, bend, 65)) / np.sinh(bend))


def shrunken_pairs(
    classes: Table, questions: Sequence[Sequence[Seen]], ends: Sequence[Table]
) -> list[Table]:
    """Give for each question the posterior mean of its shares within both classes.

    Parameters
    ----------
    classes
        The shares of the two classes.
    questions
        For each question what every form saw of (class, question), a table of two by two.
    ends
        For each question and class, between which ends the share of *yes* may be.
    """
    means, evidence = [], []
    for forms, where in zip(questions, ends, strict=True):
        grid = Grid.around(where)
        truths = np.array([[1 - grid.first, grid.first], [1 - grid.second, grid.second]])
        truths *= classes[:, np.newaxis, np.newaxis]
        joint = log_likelihoods(forms, truths) + grid.priors  # typical size, point
        total = logsumexp(joint, axis=1)
        inside = np.exp(joint - total[:, np.newaxis])
        means.append(np.stack([inside @ grid.first, inside @ grid.second], axis=1))
        evidence.append(total)
    every = np.sum(evidence, axis=0)
    weight = np.exp(every - logsumexp(every))
    return [np.stack([1 - weight @ mean, weight @ mean], axis=1) for mean in means]


def possible_shares(pulled: Inverse, asked: Asked, classes: Table) -> Table:
    """Give low and high ends for the share of *yes* within each class, five errors wide."""
    (pair,) = pulled.tables([asked])
    errors = [pulled.spread(asked, np.outer(unit, [0.0, 1.0])) for unit in np.eye(2)]
    people = np.maximum(classes, 1e-3)
    middle, wide = pair[:, 1] / people, 5 * np.array(errors) / people
    return np.stack([middle - wide, middle + wide], axis=1)


def log_likelihoods(forms: Sequence[Seen], truths: Table) -> Table:
    """Give the log-likelihood of what the forms saw at every point of the grid."""
    total = np.zeros(truths.shape[-1])
    for seen in forms:
        expected = seen.form.push(truths, seen.names)
        total += np.einsum("ij,ijg->g", seen.counts, np.log(np.maximum(expected, 1e-300)))
    return total


def shrunken(pulled: Inverse, target: str) -> Mixture:
    """Fit naive Bayes to the tables of every attribute with the target."""
    others = [name for name in pulled.design.names if name != target]
    pairs = [Asked((target, name)) for name in others]
    pulled.counted([Asked((target,)), *pairs])
    classes = clipped(pulled.tables([Asked((target,))])[0])
    small = [a for a in pairs if pulled.design.sizes(a.names) == (2, 2) and is_hidden(pulled, a)]
    tables: dict[str, Table] = {}
    if small:
        seen = [counted.seen for counted in pulled.counted(small)]
        ends = [possible_shares(pulled, asked, classes) for asked in small]
        means = shrunken_pairs(classes, seen, ends)
        tables = {asked.names[1]: mean for asked, mean in zip(small, means, strict=True)}
    wide = [asked for asked in pairs if asked.names[1] not in tables]
    tables |= within(wide, pulled.people(wide))
    return Mixture(classes, {name: tables[name] for name in others}, target)


def is_hidden(pulled: Inverse, asked: Asked) -> bool:
    """Tell whether a device stands before any of these names."""
    (counted,) = pulled.counted([asked])
    return any(list(seen.form.devices(asked.names)) for seen in counted.seen)


def within(pairs: Sequence[Asked], people: Sequence[Table]) -> Mapping[str, Table]:
    """Give the shares within each class, clipped at 0; a class without people knows nothing."""
    tables = {}
    for asked, table in zip(pairs, people, strict=True):
        kept = np.maximum(table, 0.0)
        kept = np.where(kept.sum(axis=1, keepdims=True) > 0, kept, 1.0)
        tables[asked.names[1]] = kept / kept.sum(axis=1, keepdims=True)
    return tables


def clipped(classes: Table) -> Table:
    """Give possible shares of the classes."""
    kept: Table = np.maximum(classes, 0.0)
    if not kept.sum() > 0:
        raise CannotBeToldError("there are no reports to tell the classes' shares from")
    kept /= kept.sum()
    return kept
