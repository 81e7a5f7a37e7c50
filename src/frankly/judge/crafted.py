"""Crafted: how far reports that somebody made up move a share."""

from collections.abc import Sequence

import numpy as np

from frankly.design import Form
from frankly.judge.asking import Asking
from frankly.mechanism import Mechanism

__all__ = ["crafted", "poisoning"]

CRAFTED = 0.01
"""The share of crafted reports that a statement speaks of."""


def poisoning(form: Form, names: Sequence[str], share: float = 0.01) -> float:
    """Bound how far crafted reports move any estimated share over some names.

    Parameters
    ----------
    form
        The form through which they come.
    names
        The attributes estimated together.
    share
        Which share of the form's reports is crafted.

    Examples
    --------
    >>> from frankly import Attribute, Design, Group, Uniform
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Uniform(theta=0.7))])
    >>> round(poisoning(design.forms[0], ["ill"]), 4)
    0.0121
    """
    low, high = form.pull_range(list(names))
    return share * float(max(high.max(), 1 - low.min()))


def crafted(askings: Sequence[Asking], name: str) -> float:
    """Bound how far 1 % of crafted reports move a share; endless where nothing is told.

    Whoever crafts a report chooses its form too. So all of them may come through the few forms
    that hide this question in one way, and be far more than 1 % of the reports there.
    """
    ways: list[tuple[Mechanism | None, float]] = []
    for asking in (one for one in askings if name in one.names):
        way = asking.device_of(name)
        alike = [weight for other, weight in ways if other == way]
        ways = [other for other in ways if other[0] != way] + [(way, sum(alike) + asking.weight)]
    people = sum(asking.weight for asking in askings)
    size = next(len(one.values[one.names.index(name)]) for one in askings if name in one.names)
    among = [CRAFTED / (CRAFTED + (1 - CRAFTED) * weight / people) for _, weight in ways]
    return max(share * reach(way, size) for share, (way, _) in zip(among, ways, strict=True))


def reach(device: Mechanism | None, size: int) -> float:
    """Tell how far a single report's score lies from the farthest share; a clear one's: 1."""
    if device is None:
        return 1.0
    try:
        low, high = device.pull_range([size])
    except (ZeroDivisionError, np.linalg.LinAlgError):
        return float("inf")
    return float(max(high.max(), 1 - low.min()))
