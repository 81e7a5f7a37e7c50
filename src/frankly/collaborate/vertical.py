"""Vertical: parties that hold different questions about the same people.

All know the class of the training rows. Each learns its own tables at home, and for every row to
be classified adds up, over its own questions, minus the log of each answer's chance. The sums
over all parties are secure sums of whole numbers; the smallest names the class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.collaborate.circle import Asked, SecureSum
from frankly.collaborate.masks import Vector
from frankly.collaborate.message import digest
from frankly.count import Engine, Query
from frankly.design import Design
from frankly.errors import CannotBeToldError, DesignError
from frankly.mine import NaiveBayes

__all__ = ["Classified", "classify", "surprise"]

BITS = 32
"""Logs are rounded to this many binary places."""

MOST = 2**44
"""The largest surprise one party may add to one row."""


@dataclass(frozen=True)
class Classified:
    """The class of every row, and whether rounding could have changed it.

    Attributes
    ----------
    classes
        Positions of the classes.
    margin
        By how much the best class leads, in logs.
    rounding
        What rounding can shift at most; a row with a smaller margin is not sure.
    """

    classes: NDArray[np.intp]
    margin: NDArray[np.float64]
    rounding: float

    def to_dict(self, values: Sequence[str]) -> dict[str, Any]:
        """Give the result as plain values."""
        return {
            "classes": [values[code] for code in self.classes],
            "sure": [bool(lead > self.rounding) for lead in self.margin],
            "rounding": self.rounding,
        }


def surprise(
    home: Engine, rows: Mapping[str, NDArray[Any]], target: str, alpha: float, *, prior: bool
) -> Vector:
    """Add up this party's part: one row a person, one column a class.

    All parties know which classes nobody has, and give them the largest surprise there is.

    Parameters
    ----------
    home
        Counts this party's training rows: its own questions and the class.
    rows
        Codes of its own questions for the rows to be classified.
    target, alpha
        The class, and the people added to every cell.
    prior
        Whether this party adds the classes' own shares; exactly one does.
    """
    if not alpha > 0:
        raise DesignError("alpha must be above 0: a value never seen would have the log of 0")
    model = NaiveBayes(design=home.design, target=target, alpha=alpha)
    names = list(rows)
    tables = home.count([Query([target]), *(Query([target, name]) for name in names)])
    classes, *pairs = (counts.table.astype(np.float64) for counts in tables)
    total = np.zeros((len(rows[names[0]]), len(classes)), dtype=np.int64)
    for name, people in zip(names, pairs, strict=True):
        total += rounded(model.within_classes(people)).T[rows[name]]
    held = classes > 0
    if held.sum() < 2:
        raise CannotBeToldError(
            "the training rows have fewer than two classes, so nothing can be learned about how "
            "they differ. Agree on other training rows, or on another target"
        )
    if prior:
        total[:, held] += rounded(np.log(classes[held]) - np.log(classes.sum()))
    total[:, ~held] = MOST
    return refuse_too_surprising(total, held)


def refuse_too_surprising(total: Vector, held: NDArray[np.bool_]) -> Vector:
    """Refuse answers as surprising as a class that nobody has."""
    if total.size and total[:, held].max() >= MOST:
        raise DesignError(
            "one party's answers to one row are less likely than exp(-4096), which has no room in "
            "the agreed numbers. Agree on a larger alpha, or let more parties hold the questions"
        )
    return total


def rounded(logs: NDArray[np.float64]) -> Vector:
    """Write minus a log as a whole number of 2**-BITS."""
    return np.rint(-logs * 2.0**BITS).astype(np.int64)


def classify(
    adding: SecureSum, design: Design, target: str, n: int, part: Vector | None
) -> Classified:
    """Add up all parties' surprise and name the least surprising class of every row.

    Parameters
    ----------
    adding
        How numbers are added.
    design, target
        The questions of all parties, and the class.
    n
        How many rows there are.
    part
        This party's `surprise`; None for whoever only listens.
    """
    classes = design[target].size
    about = digest(b"vertical", target.encode(), n.to_bytes(8, "big"))
    asked = Asked(about, n * classes, most=MOST)

    def own() -> Vector:
        if part is None:
            raise TypeError("whoever only listens adds nothing")
        return part.ravel()

    total = adding.total(own, asked).reshape(n, classes)
    ordered = np.sort(total, axis=1)
    margin = (ordered[:, 1] - ordered[:, 0]) / 2.0**BITS
    # Every question, and the prior, is off by at most half a place in either class.
    return Classified(total.argmin(axis=1), margin, len(design.names) * 2.0**-BITS)
