"""Joint: the shares of all combinations of answers, by penalised EM over forms or groups.

Reports say little about a single one of thousands of combinations. So made-up people are added,
spread out as naive Bayes would have them: one for every ten reports at most, and fewer where a
half of the reports, fitted with fewer, foretells the other half better. Naive Bayes so helps where
it is right or reports are few, and fades where they know better. The problem is concave, and the
fit ends when its certificate closes.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frankly.count import Engine, Query
from frankly.errors import TooWideError
from frankly.estimate.mixture import Mixture
from frankly.estimate.mle import Evidence, Seen, behind_cover, climb, lack, one_draw, people_in
from frankly.mechanism import Table, Unrelated

__all__ = ["CELLS", "MOST", "Joint", "fit_joint"]

CELLS = 2**20
"""More combinations than this are not laid out."""

MOST = 0.1
"""The most made-up people for every report."""

FEWER = 10**0.5
"""Each try has so many times fewer of them than the one before; the last has one in all."""

MISSING = 0.1
"""How much log-posterior a fit may lack in all: far less than chance moves it by."""

HALVES = 1
"""The seed by which reports are dealt to two halves: the same reports give the same model."""


@dataclass(frozen=True)
class Joint:
    """Shares of all combinations of some names.

    ``certificate`` bounds the log-posterior that is still missing, per report; ``pseudo`` tells
    how many people were made up for every report.
    """

    names: tuple[str, ...]
    share: Table
    certificate: float
    pseudo: float

    def margin(self, names: Sequence[str]) -> Table:
        """Give the joint shares over some of the names, one axis each."""
        axes = [self.names.index(name) for name in names]
        others = tuple(axis for axis in range(len(self.names)) if axis not in axes)
        kept = sorted(axes)
        margin = np.asarray(self.share.sum(axis=others))
        return margin.transpose([kept.index(axis) for axis in axes])


@dataclass(frozen=True)
class Part:
    """What a form saw that asks some of the names only: it knows about a margin."""

    seen: Seen
    others: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def counts(self) -> Table:
        """The counts of the reports."""
        return self.seen.counts

    def gradient(self, share: Table) -> Table:
        """Give the gradient of the log-likelihood, the same for all cells of one margin."""
        margin = share.sum(axis=self.others).transpose(self.order)
        slope = self.seen.gradient(margin).transpose(np.argsort(self.order))
        return np.broadcast_to(np.expand_dims(slope, self.others), share.shape)


def fit_joint(
    engine: Engine, model: Mixture, *, pseudo: float | None = None, missing: float = MISSING
) -> Joint:
    """Fit the joint shares of everything the design asks.

    Parameters
    ----------
    engine
        Counts whole reports.
    model
        Naive Bayes, from which the made-up people come.
    pseudo
        How many made-up people for every report; None chooses by what foretells reports best.
    missing
        How much log-posterior may be missing in all.
    """
    design = engine.design
    # In the order of the first form a group's axes lie side by side, which is far faster.
    names = tuple(dict.fromkeys((*design.forms[0].names, *design.names)))
    refuse_wide(math.prod(design.sizes(names)))
    queries = [Query(form.names, i) for i, form in enumerate(design.forms)]
    answers = [counts.table.astype(np.float64) for counts in engine.count(queries)]
    pairs = zip(design.forms, answers, strict=True)
    seen = [Seen(form, form.names, table) for form, table in pairs if table.any()]
    naive = Joint(names, model.margin(names), np.inf, MOST if pseudo is None else pseudo)
    # Halves are fitted only to be compared, so ten times as much may be missing from them.
    start = foretelling(seen, naive, 10 * missing) if pseudo is None else naive
    return fit(seen, start, naive.share, missing)


def foretelling(seen: Sequence[Seen], naive: Joint, missing: float) -> Joint:
    """Find how many made-up people make half of the reports foretell the others best.

    Tries fewer and fewer as long as that foretells better.
    """
    learn, check = halved(seen)
    best, height = naive, -np.inf
    for pseudo in tries(people_in(learn)):
        tried = fit(learn, replace(best, pseudo=pseudo), naive.share, missing)
        reached = log_likelihood(check, tried)
        if reached <= height:
            break
        best, height = tried, reached
    return best


def tries(people: float) -> Iterator[float]:
    """Give numbers of made-up people for every report, as long as there is one in all."""
    pseudo = MOST
    while pseudo * people >= 1:
        yield pseudo
        pseudo /= FEWER


def halved(seen: Sequence[Seen]) -> tuple[list[Seen], list[Seen]]:
    """Deal the reports of every form to two halves, each report by a coin of its own."""
    chance = np.random.default_rng(HALVES)
    first = [chance.binomial(one.counts.astype(np.int64), 0.5) for one in seen]
    return (
        [
            replace(one, counts=half.astype(np.float64))
            for one, half in zip(seen, first, strict=True)
        ],
        [replace(one, counts=one.counts - half) for one, half in zip(seen, first, strict=True)],
    )


def log_likelihood(seen: Sequence[Seen], joint: Joint) -> float:
    """Tell how well a joint foretells reports."""
    total = 0.0
    for one in seen:
        expected = one.form.push(joint.margin(one.names), one.names)
        total += float((one.counts * np.log(np.maximum(expected, 1e-300))).sum())
    return total


def fit(seen: Sequence[Seen], start: Joint, naive: Table, missing: float) -> Joint:
    """Fit a joint to what the forms saw, with as many made-up people as it starts with."""
    people = people_in(seen)
    prior = naive * (start.pseudo * people)
    device = one_draw(seen)
    if device is not None and seen[0].names == start.names:
        share = exact_map(device, seen[0].counts, prior)
        return replace(start, share=share, certificate=lack(seen, share, prior))
    parts = [one if one.names == start.names else part_of(one, start.names) for one in seen]
    share, certificate = climb(parts, start.share, missing / people, prior)
    return replace(start, share=share, certificate=certificate)


def part_of(seen: Seen, names: Sequence[str]) -> Evidence:
    """Give what a form saw as evidence on the table over all names."""
    axes = [names.index(name) for name in seen.names]
    others = tuple(axis for axis in range(len(names)) if axis not in axes)
    kept = sorted(axes)
    return Part(seen, others, tuple(kept.index(axis) for axis in axes))


def exact_map(device: Unrelated, counts: Table, prior: Table) -> Table:
    """Solve one drawn device over everything: a quadratic equation a cell, and one level for all.

    A cell with C reports, R made-up people and b = (1 - theta) / theta * cover has the share s
    with C / (s + b) + R / s = mu; the shares add up to one at one mu.
    """
    behind = behind_cover(device, counts.shape)

    def shares(level: float) -> Table:
        half = (counts + prior - level * behind) / (2 * level)
        root = np.sqrt(half**2 + prior * behind / level)
        # Written so that no digits are lost when half is far below 0.
        other = np.divide(prior * behind / level, root - half, out=root + half, where=half < 0)
        return np.asarray(other)

    total = float(counts.sum() + prior.sum())
    low, high = total / (1 + float(behind.sum())) / 2, total
    for _ in range(60):  # then low and high are neighbours
        level = (low + high) / 2
        low, high = (level, high) if shares(level).sum() > 1 else (low, level)
    share = shares(high)
    return np.asarray(share / share.sum())


def refuse_wide(cells: int) -> None:
    """Refuse more combinations than can be laid out."""
    if cells > CELLS:
        raise TooWideError(
            f"all attributes together have {cells:,} combinations, more than {CELLS:,}. Use "
            "method='em' or 'shrink', which need no joint table, or leave attributes out"
        )
