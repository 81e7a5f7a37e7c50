"""Auto: which way to the shares suits a design, and why."""

import math
from typing import Literal

import numpy as np

from frankly.design import Design, Form, Group
from frankly.errors import DesignError
from frankly.estimate.joint import CELLS
from frankly.mechanism import Coin, Flip, Matrix

__all__ = ["MINING", "Mining", "Wants", "choose"]

Wants = Literal["pairs", "joint"]
"""Tables of one attribute with the target, or of many attributes."""

Mining = Literal["inverse", "em", "shrink", "map"]
MINING: tuple[Mining, ...] = ("inverse", "em", "shrink", "map")


def choose(
    design: Design, target: str | None, wants: Wants, *, histograms: bool
) -> tuple[Mining, str]:
    """Choose a method and say why.

    Parameters
    ----------
    design
        How the reports were hidden.
    target
        The class, if there is one.
    wants
        What will be asked.
    histograms
        Whether whole reports can be counted.
    """
    if not any(hides(group) for form in design.forms for group in form.groups):
        return "inverse", "nothing is hidden, so the shares are the counts themselves"
    if target is None:
        return "inverse", "without a class to predict, shares are published: they stay unbiased"
    if wants == "joint" and has_joint(design, target):
        cells = math.prod(design.sizes(design.names))
        if histograms and cells <= CELLS:
            return "map", "a joint is fitted to whole reports, with naive Bayes where they thin out"
        lacking = "whole reports cannot be counted" if not histograms else f"{cells:,} combinations"
        method, why = naive(design, target, histograms=histograms)
        return method, f"{lacking}, so the joint is naive Bayes; {why}"
    return naive(design, target, histograms=histograms)


def naive(design: Design, target: str, *, histograms: bool) -> tuple[Mining, str]:
    """Choose how naive Bayes is fitted."""
    if not has_joint(design, target):
        return "shrink", "forms ask the class with one attribute at most, and pairs tell all of it"
    if not shares_a_coin(design, target):
        return (
            "shrink",
            "no one coin hides all of it, and EM might take the class for something else",
        )
    if not histograms:
        return "shrink", "EM needs whole reports, which this engine cannot count"
    return "em", "one coin hides the class and the attributes, so a whole report betrays its coin"


def hides(group: Group) -> bool:
    """Tell whether a group's device hides anything at all."""
    device = group.device
    if isinstance(device, Coin):
        return device.theta != 1
    if isinstance(device, Matrix):
        return not np.array_equal(device.chances, np.eye(len(device.chances)))
    raise DesignError(f"it is not known whether {type(device).__name__} hides anything")


def has_joint(design: Design, target: str) -> bool:
    """Tell whether some form asks more than one attribute together with the target."""
    return any(target in form.names and len(form.names) > 2 for form in design.forms)


def shares_a_coin(design: Design, target: str) -> bool:
    """Tell whether every form hides all it asks by the target's own coin, or only by flips.

    A class that another coin hides would drift, in EM, to whatever explains the attributes.
    """
    return all(one_coin(form, target) for form in design.forms) and has_joint(design, target)


def one_coin(form: Form, target: str) -> bool:
    """Tell whether one device hides all that a form asks, or flips turn it round together."""
    if form.clear or target not in form.names:
        return False
    flips = all(isinstance(g.device, Flip) and len(g.names) > 1 for g in form.groups)
    return len(form.groups) == 1 or flips
