"""Measure: what a report tells about a truth, as several people would put it in numbers."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from frankly.errors import DesignError
from frankly.mechanism import Table

__all__ = ["Measure", "miss"]


def miss(joint: Table) -> float:
    """Tell how often a guess drawn from the posterior misses the truth.

    The first axis is the truth, all others are what the collector holds. Zhan and Matwin's
    PSE is this number, taken by its definition: 1 - sum of joint² / P(what is held).

    Examples
    --------
    Nothing is held, so the guess follows the shares of 90 % and 10 %:

    >>> round(miss(np.array([0.9, 0.1])), 3)
    0.18
    """
    held = joint.sum(axis=0)
    hits = np.divide((joint**2).sum(axis=0), held, out=np.zeros_like(held), where=held > 0)
    return float(max(joint.sum() - hits.sum(), 0.0))


@dataclass(frozen=True, eq=False)
class Measure:
    """What one report says about one truth.

    Parameters
    ----------
    channel
        Chances of each report (column) given each truth (row).
    prior
        How common each truth is held to be before the report is seen.

    Examples
    --------
    >>> seen = Measure(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.9, 0.1]))
    >>> round(seen.pse, 4), round(seen.relative, 4), round(seen.epsilon, 4)
    (0.1607, 0.8929, 1.0986)
    >>> seen.posterior
    array([[0.964, 0.036],
           [0.75 , 0.25 ]])
    """

    channel: Table
    prior: Table

    @cached_property
    def joint(self) -> Table:
        """Chances of truth (row) and report (column) together."""
        return self.prior[:, None] * self.channel

    @cached_property
    def seen(self) -> Table:
        """How common each report is."""
        return np.asarray(self.joint.sum(axis=0))

    @cached_property
    def posterior(self) -> Table:
        """For each report (row) how likely each truth (column) is; reports nobody sends: prior."""
        seen = self.seen[:, None]
        known = np.broadcast_to(self.prior, self.joint.T.shape).copy()
        return np.divide(self.joint.T, seen, out=known, where=seen > 0)

    @cached_property
    def pse(self) -> float:
        """How often a guess drawn from the posterior misses."""
        return miss(self.joint)

    @property
    def pse_without_report(self) -> float:
        """How often such a guess misses when there is no report at all."""
        return float(1 - (self.prior**2).sum())

    @property
    def relative(self) -> float:
        """The share of that uncertainty which the report leaves."""
        before = self.pse_without_report
        return self.pse / before if before > 0 else 1.0

    @property
    def bayes_risk(self) -> float:
        """How often the best guess misses."""
        return float(1 - self.joint.max(axis=0).sum())

    @property
    def information(self) -> float:
        """What a report tells about the truth on average, in bits."""
        apart = self.prior[:, None] * self.seen
        ratio = np.divide(self.joint, apart, out=np.ones_like(apart), where=self.joint > 0)
        return float(max((self.joint * np.log2(ratio)).sum(), 0.0))

    @property
    def change(self) -> float:
        """The largest move of a guess: a posterior less its prior."""
        sent = self.seen > 0
        return float(np.abs(self.posterior[sent] - self.prior).max(initial=0.0))

    @property
    def highest(self) -> float:
        """The largest posterior of any truth after any report."""
        return float(self.posterior[self.seen > 0].max(initial=0.0))

    def most_moved(self) -> tuple[int, int]:
        """Find the report and the truth where a guess rises most."""
        rise = np.where(self.seen[:, None] > 0, self.posterior - self.prior, -1.0)
        report, truth = np.unravel_index(int(rise.argmax()), rise.shape)
        return int(report), int(truth)

    @property
    def epsilon(self) -> float:
        """The largest log-odds between two truths, read off the channel."""
        return log_odds(self.channel)


def log_odds(channel: Table) -> float:
    """Tell the largest log-ratio of two truths' chances of one report; rows are truths."""
    sent = channel[:, channel.max(axis=0) > 0]
    if sent.min(initial=1.0) <= 0:
        return math.inf
    return float(np.log(sent.max(axis=0) / sent.min(axis=0)).max(initial=0.0))


def shares_of(given: float | Table | list[float], size: int, name: str) -> Table:
    """Read a prior: one share of the last of two values, or a share of each value."""
    shares = np.asarray(given, dtype=np.float64)
    if shares.ndim == 0:
        shares = np.array([1 - float(shares), float(shares)])
    if shares.shape != (size,) or not shares.min() >= 0 or not abs(shares.sum() - 1) <= 1e-6:
        raise DesignError(
            f"the prior of {name!r} must be {size} shares that add up to 1, in the order of its "
            "values; for two values the share of the second is enough"
        )
    return np.asarray(shares / shares.sum())
