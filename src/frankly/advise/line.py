"""Line: how the seen share of one answer follows from its true share, and how much it spreads.

Behind most devices a cell is seen with chance ``base + slope * share``, whatever the others
answer; then the number of sightings is one binomial and everything about it can be
enumerated. Elsewhere the exact variance is enough for a normal approximation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frankly.design import Design, Form
from frankly.errors import TooWideError
from frankly.mechanism import Table

__all__ = ["Line", "Share", "ends", "lines_of"]

CELLS = 2**10

Share = float | tuple[float, float] | None
"""A share, the range in which it lies, or nothing: then it may be any."""


@dataclass(frozen=True)
class Line:
    """How one cell of a table over some names is seen through one form.

    Attributes
    ----------
    weight
        Which share of all people get this form.
    base, slope
        The cell is seen with chance base + slope * share; None when no such line exists.
    own, other
        Expected square of the score for people in the cell, and for the worst others.

    Examples
    --------
    >>> from frankly import Attribute, Design, Group, Uniform
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Uniform(theta=0.5))])
    >>> (line,) = lines_of(design, ["ill"])
    >>> line.base, line.slope, line.variance(None), round(line.variance(0.1), 2)
    (0.25, 0.5, 1.0, 0.84)
    """

    weight: float
    base: float | None
    slope: float | None
    own: float
    other: float

    @property
    def counts(self) -> bool:
        """Whether sightings are one binomial."""
        return self.base is not None

    def seen(self, share: Share) -> float:
        """Tell the chance of a sighting; in a range of shares the one that spreads most."""
        base, slope = self.base or 0.0, self.slope or 1.0
        low, high = sorted(base + slope * end for end in ends(share))
        return min(max(0.5, low), high)

    def variance(self, share: Share) -> float:
        """Tell the variance of one report's score at a share, or at the worst of a range."""
        low, high = ends(share)
        worst = min(max((self.own - self.other) / 2, low), high)
        return worst * self.own + (1 - worst) * self.other - worst**2


def ends(share: Share) -> tuple[float, float]:
    """Give the range of a share."""
    if share is None:
        return 0.0, 1.0
    return share if isinstance(share, tuple) else (share, share)


def lines_of(design: Design, names: Sequence[str], cell: Sequence[int] | None = None) -> list[Line]:
    """Give the lines of one cell over some names, one for each form that asks them all.

    Parameters
    ----------
    design
        The survey.
    names
        The attributes looked at together.
    cell
        Which cell, as one code a name; by default the one that all forms together know least
        of, whatever its share.
    """
    forms = [design.forms[index] for index in design.asking(names)]
    people = sum(form.weight for form in design.forms)
    weights = [form.weight / people for form in forms]
    spreads = [spread(form, names) for form in forms]
    if cell is None:
        wanted = least_known(weights, spreads)
    else:
        wanted = int(np.ravel_multi_index(tuple(cell), design.sizes(names)))
    return [
        Line(weight, *straight_line(form, names, wanted), float(own[wanted]), float(other[wanted]))
        for form, weight, (own, other) in zip(forms, weights, spreads, strict=True)
    ]


def spread(form: Form, names: Sequence[str]) -> tuple[Table, Table]:
    """Push every truth by itself; give what each cell's score squares to, own and worst other."""
    sizes = form.sizes(names)
    cells = math.prod(sizes)
    if cells > CELLS:
        raise TooWideError(
            f"a table over {list(names)} has {cells:,} cells; advice is given for up to {CELLS:,}. "
            "Name fewer attributes, or merge values"
        )
    alone = np.eye(cells)
    reports = form.push(alone.reshape(*sizes, cells), names)
    squares = form.pull(reports, names, 2).reshape(cells, cells)
    return np.diag(squares), np.where(alone == 1, -np.inf, squares).max(axis=1)


def least_known(weights: Sequence[float], spreads: Sequence[tuple[Table, Table]]) -> int:
    """Find the cell whose widest interval is the widest, the forms weighed by what they know."""
    known: Table = np.zeros(len(spreads[0][0]))
    for weight, (own, other) in zip(weights, spreads, strict=True):
        share = np.clip((own - other) / 2, 0, 1)
        known += weight / (share * own + (1 - share) * other - share**2)
    return int(known.argmin())


def straight_line(
    form: Form, names: Sequence[str], wanted: int
) -> tuple[float | None, float | None]:
    """Find base and slope of a cell, where its score has two values: seen or not seen.

    On average the score is 1 for people in the cell and 0 for all others, so the two values
    tell how often each are seen.
    """
    sizes = form.sizes(names)
    score = np.zeros(math.prod(sizes))
    score[wanted] = 1
    pulled = form.pull_score(score.reshape(sizes), names)
    low, high = float(pulled.min()), float(pulled.max())
    if np.minimum(pulled - low, high - pulled).max() > 1e-8:
        return None, None
    return -low / (high - low), 1 / (high - low)
