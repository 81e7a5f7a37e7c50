"""The most likely shares among those that are possible.

For one drawn device the answer is exact. Otherwise EM, which stops only when its
certificate closes: at the best table no cell's gradient exceeds one, and by how much it
does bounds what the log-likelihood still lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from frankly.design import Form
from frankly.errors import ConvergenceError
from frankly.estimate.project import project
from frankly.mechanism import Mechanism, Table, Unrelated
from frankly.mechanism.cover import spread

__all__ = ["Evidence", "Seen", "climb", "exact_draw", "lack", "likeliest", "one_draw", "people_in"]

STEPS = 20_000
NEWTON, CLOSE = 60, 1e-9
"""Steps to the best level of a certificate, and how near the sum must come to one."""


class Evidence(Protocol):
    """Reports that say something about a table of shares."""

    @property
    def counts(self) -> Table:
        """The counts of the reports."""

    def gradient(self, share: Table) -> Table:
        """Give the gradient of their log-likelihood."""


@dataclass(frozen=True)
class Seen:
    """What one form saw: how it hides these names, and the counts of its reports."""

    form: Form
    names: tuple[str, ...]
    counts: Table

    def gradient(self, share: Table) -> Table:
        """Give the gradient of this form's log-likelihood."""
        expected = self.form.push(share, self.names)
        ratio = np.divide(self.counts, expected, out=np.zeros_like(expected), where=self.counts > 0)
        return self.form.push_score(ratio, self.names)


def likeliest(forms: Sequence[Seen], start: Table, tolerance: float = 1e-8) -> tuple[Table, float]:
    """Find the most likely shares and the certificate: what they may lack per report.

    Parameters
    ----------
    forms
        What each form saw.
    start
        A first guess such as the inverse; it may leave [0, 1].
    """
    device = one_draw(forms)
    if device is not None:
        share = exact_draw(device, forms[0].counts)
        return share, lack(forms, share)
    return climb(forms, project(start), tolerance)


def one_draw(forms: Sequence[Seen]) -> Unrelated | None:
    """Give the drawn device that hides all these names together, if there is just one."""
    if len(forms) != 1:
        return None
    devices: list[tuple[Mechanism, tuple[int, ...]]] = list(forms[0].form.devices(forms[0].names))
    if len(devices) != 1:
        return None
    device, axes = devices[0]
    whole = axes == tuple(range(len(forms[0].names)))
    return device if whole and isinstance(device, Unrelated) else None


def behind_cover(device: Unrelated, shape: tuple[int, ...]) -> Table:
    """Give (1 - theta) / theta times the cover, cell by cell."""
    theta = float(device.theta)
    cover = spread(device.cover, shape, tuple(range(len(shape))))
    return np.asarray(np.broadcast_to((1 - theta) / theta * cover, shape))


def exact_draw(device: Unrelated, counts: Table) -> Table:
    """Solve one drawn device: the level at which the cells left over add up to one.

    Each cell is max(0, C / mu - (1 - theta) / theta * cover). Sorted by C / cover, the
    cells that stay are the first ones, and mu follows from their sums.
    """
    share = counts / counts.sum()
    flat, behind = share.ravel(), behind_cover(device, share.shape).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.nan_to_num(flat / behind, nan=0.0, posinf=np.inf), kind="stable")
    level = np.cumsum(flat[order]) / (1 + np.cumsum(behind[order]))
    stays = flat[order] > level * behind[order]
    mu = level[np.flatnonzero(stays)[-1]]
    left: Table = np.maximum(0.0, flat / mu - behind).reshape(share.shape)
    left /= left.sum()  # one but for the last bit, and no cell may be above it
    return left


def climb(
    forms: Sequence[Evidence], start: Table, tolerance: float, pseudo: Table | None = None
) -> tuple[Table, float]:
    """Climb by EM with extrapolated steps until the certificate closes.

    ``pseudo`` are made-up people, added to those expected in every cell: a prior.
    """
    share = 0.999 * start + 0.001 / start.size
    gradient, people = slope(forms, share), people_in(forms)
    for _ in range(STEPS):
        once = better(share, gradient, pseudo)
        twice = better(once, slope(forms, once), pseudo)
        far = leap(share, once, twice)
        share = better(far, slope(forms, far), pseudo)
        gradient = slope(forms, share)
        left = lacking(gradient, share, people, pseudo)
        if left <= tolerance:
            return share, left
    raise ConvergenceError(
        f"the most likely shares were not reached: the certificate stands at {left:.2g} where "
        f"{tolerance:.2g} was wanted. Ask for fewer names at once, or use method='project'"
    )


def slope(forms: Sequence[Evidence], share: Table) -> Table:
    """Give the gradient of the log-likelihood of all reports."""
    first, *others = (seen.gradient(share) for seen in forms)
    return sum(others, start=first)


def people_in(forms: Sequence[Evidence]) -> float:
    """Tell how many reports there are."""
    return float(sum(seen.counts.sum() for seen in forms))


def better(share: Table, gradient: Table, pseudo: Table | None) -> Table:
    """Do one EM step: weigh every cell by its gradient."""
    weighed: Table = share * gradient
    if pseudo is not None:
        weighed += pseudo
    weighed /= weighed.sum()
    return weighed


def leap(share: Table, once: Table, twice: Table) -> Table:
    """Extrapolate two steps (squared extrapolation), staying inside the simplex."""
    change, bend = once - share, twice - 2 * once + share
    size = np.linalg.norm(bend)
    if size == 0:
        return twice
    length = max(1.0, float(np.linalg.norm(change) / size))
    while length > 1:
        far = share + 2 * length * change + length**2 * bend
        if far.min() > 0:
            return np.asarray(far / far.sum())
        length = (length + 1) / 2 if length > 1.01 else 1.0
    return twice


def lack(forms: Sequence[Evidence], share: Table, pseudo: Table | None = None) -> float:
    """Bound the log-likelihood a report may still lack: the largest gradient less one."""
    return lacking(slope(forms, share), share, people_in(forms), pseudo)


def lacking(gradient: Table, share: Table, people: float, pseudo: Table | None) -> float:
    """Bound the same from a gradient that is known."""
    if pseudo is not None:
        return posterior_lack(gradient, share, pseudo) / people
    return float(max(gradient.max() / people - 1.0, 0.0))


def posterior_lack(gradient: Table, share: Table, pseudo: Table) -> float:
    """Bound the log-posterior that shares still lack.

    Elsewhere the likelihood is at most its tangent, the prior is what it is, and the highest
    sum of both has a dual: any level above every gradient gives a bound, and the best one is
    where pseudo / (level - gradient) adds up to one.
    """
    within = pseudo > 0
    at, prior = gradient[within], pseudo[within]
    level = best_level(at, prior, float(gradient.max()))
    ratio = prior / ((level - at) * share[within])
    bound = level - float((gradient * share).sum()) - float(prior.sum())
    return max(bound + float((prior * np.log(ratio)).sum()), 0.0)


def best_level(slopes: Table, prior: Table, least: float) -> float:
    """Find where prior / (level - slopes) adds up to one, or the least level if that is above.

    One over the sum is concave and rises, and at the first level one cell alone has one: Newton's
    steps come from below and never go too far.
    """
    level = max(float(np.nextafter((slopes + prior).max(), np.inf)), least)
    for _ in range(NEWTON):
        parts = prior / (level - slopes)
        total = float(parts.sum())
        if total <= 1.0 + CLOSE:
            break
        higher = level + total * (total - 1.0) / float((parts / (level - slopes)).sum())
        if higher == level:  # no number lies between
            break
        level = higher
    return level
