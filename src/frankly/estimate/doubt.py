"""Doubt: whether chance can explain what a form saw, whatever the truths are."""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import bdtr, bdtrc

from frankly.estimate.mle import Seen
from frankly.mechanism import Axes, Mechanism, Table

__all__ = ["DOUBT", "doubtful"]

DOUBT = 1e-5
"""How often, at most, honest reports of a form are doubted."""

WIDE = 1000
"""The chances of the reports of a group with more combinations are not gone through."""


def doubtful(seen: Seen) -> bool:
    """Tell whether chance cannot explain what one form saw, however few reports there are.

    Half of the false alarms may come from single reports, half from the shares that they make.

    Examples
    --------
    The cover alone makes one in six say "c": 40 people without one may be, 100 may not.

    >>> from frankly.design import Attribute, Design, Group
    >>> from frankly.mechanism import Unrelated
    >>> design = Design([Attribute("q", ["a", "b", "c"])], groups=[Group(["q"], Unrelated(0.5))])
    >>> [doubtful(Seen(design.forms[0], ("q",), np.array([n, n, 0.0]))) for n in (20, 50)]
    [False, True]
    """
    devices = list(seen.form.devices(seen.names))
    tails = [tail for device, axes in devices for tail in unlikely(device, axes, seen)]
    tests = sum(tail.size for tail in tails)
    return strayed(seen, DOUBT / 2) or any((tail * tests < DOUBT / 2).any() for tail in tails)


def unlikely(device: Mechanism, axes: Axes, seen: Seen) -> Iterator[Table]:
    """Give the chances of at most, and of at least, so many of each report of one group.

    Among people who report the same to all other questions, each sends a report of this group
    with a chance that only their truth decides: never below the smallest that a truth gives it,
    never above the largest. Binomial tails at these two bound all others.
    """
    sizes = seen.form.sizes([seen.names[axis] for axis in axes])
    cells = math.prod(sizes)
    if cells > WIDE:
        return
    group = tuple(range(len(axes)))
    pushed = device.push(np.eye(cells).reshape(*sizes, cells), group).reshape(-1, cells)
    counts = np.moveaxis(seen.counts, axes, group).reshape(len(pushed), -1)
    people = counts.sum(axis=0).astype(np.intp)
    least, most = pushed.min(axis=1, keepdims=True), pushed.max(axis=1, keepdims=True)
    yield np.asarray(bdtr(counts, people, np.clip(least, 0.0, 1.0)))
    yield np.asarray(bdtrc(counts - 1, people, np.clip(most, 0.0, 1.0)))


def strayed(seen: Seen, chance: float) -> bool:
    """Tell whether a share strays further from [0, 1] than chance takes it.

    A cell's share is the mean of scores with known ends, and what it estimates lies in [0, 1].
    Hoeffding's inequality bounds how far such a mean strays.
    """
    n = seen.counts.sum()
    low, high = seen.form.pull_range(seen.names)
    share = seen.form.pull(seen.counts / n, seen.names)
    stray = (high - low) * np.sqrt(np.log(2 * share.size / chance) / (2 * n))
    return bool(((share < -stray) | (share > 1 + stray)).any())
