"""Shrink: naive Bayes from pairs, with differences between classes no larger than they must be.

Each yes-or-no question is looked at with a yes-or-no class through the device: a grid over the
share among the first class and the difference to the second (both as log-odds), the exact
likelihood of the counts, and a prior that expects some questions to matter and others hardly at
all. How large differences are in general is learned from all questions together. The class's
own share comes from everybody who was asked it. Wider tables are clipped at 0 instead: there
shrinking was measured to be no gain.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from scipy.special import expit, logsumexp

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


@cache
def grid() -> tuple[Table, Table, Table]:
    """Give shares in class 0 and class 1 at the points of the grid, and the log priors.

    The priors have one row for each typical size of a difference.
    """
    base = np.linspace(-5, 5, 41)
    apart = 6 * np.sinh(np.linspace(-4, 4, 65)) / np.sinh(4)
    step = np.log(np.gradient(apart)) - base[:, np.newaxis] ** 2 / (2 * COMMON**2)
    first, second = expit(base)[:, np.newaxis], expit(base[:, np.newaxis] + apart)
    priors = []
    for size in TYPICAL:
        both = [-0.5 * (apart / s) ** 2 - np.log(s) for s in (size, size / HARDLY)]
        prior = np.logaddexp(*both) + step
        priors.append((prior - logsumexp(prior)).ravel())
    return np.broadcast_to(first, second.shape).ravel(), second.ravel(), np.stack(priors)


def shrunken_pairs(classes: Table, questions: Sequence[Sequence[Seen]]) -> list[Table]:
    """Give for each question the posterior mean of its shares within both classes.

    Parameters
    ----------
    classes
        The shares of the two classes.
    questions
        For each question what every form saw of (class, question), a table of two by two.
    """
    first, second, priors = grid()
    truths = np.array([[1 - first, first], [1 - second, second]])
    truths *= classes[:, np.newaxis, np.newaxis]
    heights = np.stack([log_likelihoods(forms, truths) for forms in questions])
    joint = heights[:, np.newaxis, :] + priors  # question, typical size, point
    evidence = logsumexp(joint, axis=2)
    total = evidence.sum(axis=0)
    weight = np.exp(total - logsumexp(total))
    inside = np.exp(joint - evidence[:, :, np.newaxis])
    means = np.stack([inside @ first, inside @ second], axis=2)
    yes = np.einsum("qtc,t->qc", means, weight)
    return [np.stack([1 - share, share], axis=1) for share in yes]


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
        means = shrunken_pairs(classes, seen)
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
