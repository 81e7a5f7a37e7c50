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
        Which cell, as one code a name; by default the one that spreads most.
    """
    forms = [design.forms[index] for index in design.asking(names)]
    people = sum(form.weight for form in design.forms)
    if cell is None:
        cell = widest(forms[0], names)
    return [line_of(form, names, cell, form.weight / people) for form in forms]


def line_of(form: Form, names: Sequence[str], cell: Sequence[int], weight: float) -> Line:
    """Push every truth by itself, and read off what a cell's score does."""
    reports, squares = every_truth(form, names)
    wanted = int(np.ravel_multi_index(tuple(cell), form.sizes(names)))
    others = np.delete(squares[wanted], wanted)
    base, slope = straight_line(form, names, reports, wanted)
    return Line(weight, base, slope, float(squares[wanted, wanted]), float(others.max()))


def every_truth(form: Form, names: Sequence[str]) -> tuple[Table, Table]:
    """Give the reports of every truth (last axis), and the mean square of each cell's score."""
    sizes = form.sizes(names)
    cells = math.prod(sizes)
    if cells > CELLS:
        raise TooWideError(
            f"a table over {list(names)} has {cells:,} cells; advice is given for up to {CELLS:,}. "
            "Name fewer attributes, or merge values"
        )
    reports = form.push(np.eye(cells).reshape(*sizes, cells), names)
    return reports, form.pull(reports, names, 2).reshape(cells, cells)


def widest(form: Form, names: Sequence[str]) -> tuple[int, ...]:
    """Find the cell whose score spreads most in the worst case."""
    squares = every_truth(form, names)[1]
    own = np.diag(squares)
    other = np.where(np.eye(len(squares), dtype=bool), -np.inf, squares).max(axis=1)
    share = np.clip((own - other) / 2, 0, 1)
    cell = (share * own + (1 - share) * other - share**2).argmax()
    return tuple(int(code) for code in np.unravel_index(cell, form.sizes(names)))


def straight_line(
    form: Form, names: Sequence[str], reports: Table, wanted: int
) -> tuple[float | None, float | None]:
    """Find base and slope of a cell, where its score has two values: seen or not seen."""
    cells = reports.shape[-1]
    score = np.zeros(cells)
    score[wanted] = 1
    pulled = form.pull_score(score.reshape(form.sizes(names)), names).ravel()
    levels = np.unique(np.round(pulled, 9))
    if len(levels) != 2:
        return None, None
    sighted = np.abs(pulled - levels[1]) < 1e-8
    chances = reports.reshape(len(pulled), cells)[sighted].sum(axis=0)
    others = np.delete(chances, wanted)
    if len(others) and np.ptp(others) > 1e-9:
        return None, None
    return float(others[0]), float(chances[wanted] - others[0])
