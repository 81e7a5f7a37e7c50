"""Lu et al. 2009, Fig. 1: which observed shares leave an estimate within 0 and 1."""

from collections.abc import Mapping

import numpy as np
from scipy.stats import binom

from frankly.reproduce.figure import Cell, Column, Figure, Line, Note, Panel, Tone
from frankly.reproduce.lab import Lab

__all__ = ["figure", "leaves", "limits"]

THETAS = tuple(step / 20 for step in range(1, 21))
SHARE = 0.05
PEOPLE: Mapping[int, Tone] = {120: "brick", 1_200: "amber", 12_000: "teal"}


def limits(theta: float, t: float) -> tuple[float, float]:
    """Give the smallest and largest observed share that Eq. 5 turns into a share.

    Examples
    --------
    >>> [round(end, 4) for end in limits(0.7, 0.4 / 9)]
    [0.0133, 0.7133]
    """
    return (1 - theta) * t, theta + (1 - theta) * t


def leaves(theta: float, t: float, people: int, share: float = SHARE) -> float:
    """Tell how often the estimate of a share leaves [0, 1], exactly."""
    low, high = limits(theta, t)
    seen = theta * share + (1 - theta) * t
    under = binom.cdf(np.ceil(low * people - 1e-9) - 1, people, seen)
    return float(under + binom.sf(np.floor(high * people + 1e-9), people, seen))


def figure(lab: Lab) -> Figure:
    """Draw the range, and how often it is left."""
    del lab
    cell = 1 / 9
    rows: list[tuple[Cell, ...]] = [
        (theta, *limits(theta, cell), *(leaves(theta, cell, n) for n in PEOPLE)) for theta in THETAS
    ]
    often = leaves(0.3, cell, 120)
    return Figure(
        name="lu-range",
        title=f"At theta 0.3 and 120 people {often:.0%} of the estimates of a rare cell are no "
        "shares",
        source="Lu et al. 2009, Fig. 1 (section 3.1)",
        claim="The feasible range of the observed share x is (1-theta)t to theta + (1-theta)t: it "
        "grows with theta and is empty at 0; so theta is better close to 1.",
        found="The range is right (it is theta wide, whatever t). But an observed share outside "
        "it is no accident to be wished away: for a cell that 5% of people are in, chance alone "
        f"takes {leaves(0.7, cell, 120):.1%} of surveys of 120 people out of it at theta 0.7, "
        f"and {often:.0%} at 0.3.",
        better="The estimate is unbiased just because it may leave [0, 1]: we show it as it is, "
        "with its interval, and say why. Who needs a share asks for `method='mle'`, the best "
        "estimate inside.",
        caption=f"Exact. Two hidden questions of three values: t = 1/9. Below: a cell of true "
        f"share {SHARE:.0%}, binomial.",
        panels=(feasible(cell), outside(cell)),
        columns=(
            Column("theta", "g"),
            Column("smallest x"),
            Column("largest x"),
            *(Column(f"outside, {n:,} people") for n in PEOPLE),
        ),
        rows=rows,
    )


def feasible(cell: float) -> Panel:
    """Draw the range of x."""
    thetas = [0.0, *THETAS]
    low, high = zip(*(limits(theta, cell) for theta in thetas), strict=True)
    middle = [theta * SHARE + (1 - theta) * cell for theta in thetas]
    lines = (
        Line("", thetas, high, tone="grey", look="dashed"),
        Line("", thetas, low, tone="grey", look="dashed"),
        Line("", thetas, middle, low, high, tone="teal", look="dashed"),
    )
    notes = (
        Note(0.62, 0.42, "feasible x", "teal"),
        Note(0.06, 0.70, "would be more than 100%", "grey"),
        Note(0.98, 0.12, "what a 5% cell shows", "teal", "right"),
    )
    return Panel(
        "Observed shares that stand for a share",
        "theta",
        "observed share x",
        lines,
        (0, 1),
        (0, 1),
        notes=notes,
    )


def outside(cell: float) -> Panel:
    """Draw how often the range is left."""
    lines = [
        Line(f"{n:,} people", THETAS, [leaves(t, cell, n) for t in THETAS], tone=tone)
        for n, tone in PEOPLE.items()
    ]
    return Panel(
        "Surveys that put a 5% cell outside 0 to 100%",
        "theta",
        "share of surveys",
        lines,
        (0, 1),
        (0, 0.5),
    )
