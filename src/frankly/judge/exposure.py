"""Exposure: which coins a whole report gives away, and what else a design lets through."""

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from frankly.design import Column, arrow_columns
from frankly.errors import DesignError
from frankly.judge.asking import Asking
from frankly.mechanism import Coin, Flip, Matrix, Mechanism, Table, Unrelated
from frankly.mechanism.cover import Cover, margin, spread

__all__ = [
    "LEVELS",
    "coin_bound",
    "coin_posterior",
    "exposed_by_cover",
    "exposed_share",
    "leaking",
    "told_by_both",
    "turned",
    "uniqueness",
]

LEVELS = (0.5, 0.8, 0.9, 0.95)
"""Posteriors of a coin above which a truth-teller counts as exposed."""


def told_by_both(device: Mechanism) -> bool:
    """Tell whether both sides of a device give the answer away: the other side is the opposite.

    So it is with a flip and with any matrix of two truths and two reports.

    Examples
    --------
    >>> (
    ...     told_by_both(Flip(0.3)),
    ...     told_by_both(Matrix([[2, 8], [9, 1]])),
    ...     told_by_both(Unrelated(0.3)),
    ... )
    (True, True, False)
    """
    if isinstance(device, Matrix):
        return device.chances.shape == (2, 2)
    return isinstance(device, Flip)


def turned(device: Mechanism) -> bool:
    """Tell whether a report says more when it is read as the opposite of the truth.

    ``Flip(0.05)`` tells every truth as surely as ``Flip(0.95)``: whoever turns its reports round
    holds the other device. So it is those whose answers were turned that are found out.

    Examples
    --------
    >>> turned(Flip(0.05)), turned(Flip(0.95)), turned(Matrix([[2, 8], [9, 1]]))
    (True, False, True)
    """
    return told_by_both(device) and float(np.trace(device.push(np.eye(2), (0,)))) < 1


def told(asking: Asking, joint: Table, group: int) -> Table:
    """Tell how common each whole report is among those who could be found out by it.

    These are the people who told the truth or, where reports are read turned, its opposite.
    """
    device, axes = asking.groups[group]
    truths = asking.push(joint, skip=group)
    if turned(device):
        truths = np.flip(truths, axes)
    if isinstance(device, Coin):
        return float(1 - device.theta if turned(device) else device.theta) * truths
    chances = device.push(np.eye(2), (0,))
    kept = np.diag(chances[:, ::-1] if turned(device) else chances)
    return truths * kept.reshape([-1 if axis == axes[0] else 1 for axis in range(truths.ndim)])


def coin_posterior(asking: Asking, joint: Table, group: int) -> Table:
    """Tell for every whole report how likely this group was told straight.

    Parameters
    ----------
    asking
        The form.
    joint
        How common every combination of true answers is: one axis a question of the form.
    group
        Which group's coin.
    """
    device = asking.groups[group][0]
    if not isinstance(device, Coin):
        raise DesignError(
            "only a device that tosses a coin has one to give away; a matrix has none"
        )
    straight = float(device.theta) * asking.push(joint, skip=group)
    reports = asking.push(joint)
    return np.divide(straight, reports, out=np.zeros_like(reports), where=reports > 0)


def exposed_share(
    asking: Asking, joint: Table, group: int, levels: Sequence[float] = LEVELS
) -> dict[float, float]:
    """Tell which share of the truth-tellers a collector marks, at each posterior level.

    Behind a device that is read turned, it is the share of those whose answers were turned. Of
    the two sides they are the one that is marked more, so nobody is left out of the larger figure.
    """
    found, reports = told(asking, joint, group), asking.push(joint)
    posterior = np.divide(found, reports, out=np.zeros_like(reports), where=reports > 0)
    whole = float(found.sum())
    return {
        level: float(found[posterior > level].sum()) / whole if whole else 0.0 for level in levels
    }


def coin_bound(asking: Asking, group: int) -> float | None:
    """Tell the largest posterior any coin of this group can get, whatever the joint.

    For a drawn substitute it is 1 - exp(-epsilon); a flip and a matrix of two truths and two
    reports have no bound below 1, and a larger matrix has no coin.

    Examples
    --------
    >>> from frankly.judge.asking import asking_device
    >>> round(coin_bound(asking_device(Unrelated(theta=0.5), None), 0), 4)
    0.6667
    """
    device = asking.groups[group][0]
    if told_by_both(device):
        return 1.0
    if not isinstance(device, Coin):
        return None
    return -math.expm1(-asking.epsilon(group))


def leaking(asking: Asking, group: int) -> float:
    """Tell how surely a group's other answers are true once one known answer agrees.

    Whoever learns one answer elsewhere and finds it in the report knows more about the coin,
    and the same coin hid the others. A flip gives them all away.
    """
    device, axes = asking.groups[group]
    if len(axes) == 1 or not isinstance(device, Coin):
        return 0.0
    if isinstance(device, Flip):
        return 1.0
    parts = [asking.seen_through(group, place) for place in range(len(axes))]
    sizes = asking.group_sizes(group)
    bounds = [-math.expm1(-part.epsilon([size])) for part, size in zip(parts, sizes, strict=True)]
    return max(bounds)


def exposed_by_cover(asking: Asking, group: int, truths: Sequence[Table]) -> float | None:
    """Tell who is found out for certain if the collector knows what the cover would have been.

    Only for covers that are asked of people: theta times the chance that truth and cover
    differ. None when the page draws the cover, which nobody can look up.

    Parameters
    ----------
    asking, group
        The form, and which of its groups.
    truths
        How common the group's answers are: one table over all of its questions, or one a
        question, which are then held to have nothing to do with each other.

    Examples
    --------
    >>> from frankly.judge.asking import asking_device
    >>> asked = Unrelated(theta=0.7, asked=True)
    >>> round(exposed_by_cover(asking_device(asked, None), 0, [np.array([0.9, 0.1])]), 3)
    0.35
    """
    device = asking.groups[group][0]
    if not isinstance(device, Unrelated) or not device.asked:
        return None
    if isinstance(device.cover, tuple):
        truths = [reduce(np.multiply.outer, truths)]
    whole = len(truths) == 1
    covers = [device.cover if whole else margin(device.cover, [i]) for i in range(len(truths))]
    same = math.prod(agreeing(cover, one) for cover, one in zip(covers, truths, strict=True))
    return float(device.theta) * (1 - same)


def agreeing(cover: Cover, truths: Table) -> float:
    """Tell how often a cover says the same as the truth."""
    return float((truths * spread(cover, truths.shape, tuple(range(truths.ndim)))).sum())


def uniqueness(table: Mapping[str, Any] | Any, names: Sequence[str]) -> float:
    """Tell which share of the rows nobody else shares, on columns that are sent in clear.

    Examples
    --------
    >>> uniqueness({"age": [30, 30, 31], "sex": ["f", "f", "f"]}, ["age", "sex"])
    0.3333333333333333
    """
    columns = arrow_columns(table, names)
    codes = [Column.read(name, column).index for name, column in columns.items()]
    if not codes or not len(codes[0]):
        return 0.0
    _, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    return float((counts == 1).sum() / len(codes[0]))
