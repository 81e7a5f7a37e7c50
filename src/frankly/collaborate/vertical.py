"""Vertical: parties that hold different questions about the same people.

All know the class of the training rows. Each learns its own tables at home, and for every row to
be classified adds up, over its own questions, minus the log of each answer's chance. The sums
over all parties are secure sums of whole numbers; the smallest names the class.

The sums of single rows are opened, and they tell the answers: whoever takes its own part away can
split what is left into the others' tables. So nobody runs this without saying that it may.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.collaborate.circle import Asked, SecureSum
from frankly.collaborate.masks import Vector
from frankly.collaborate.message import digest
from frankly.collaborate.session import Session
from frankly.count import Engine, Query
from frankly.design import Design
from frankly.errors import CannotBeToldError, DesignError, PartyError
from frankly.mine import NaiveBayes

__all__ = ["CONSENT", "OPENED", "Classified", "check_vertical", "classify", "surprise"]

CONSENT = "all_parties_and_relay_may_learn_every_row"
"""What a vertical task must say, in so many words."""

OPENED = (
    "a vertical task opens the sum of all parties' scores for every row and class. From these any "
    "single party, and the relay, can work out the other parties' answers to every row and their "
    "training tables"
)
"""What a vertical task gives away."""

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


def check_vertical(session: Session, design: Design) -> None:
    """Refuse a vertical task where a question is held by nobody or twice, or a party has none."""
    names = ("target", "alpha", "rows", "holders")
    target, alpha, n, holders = (session.task.get(name) for name in names)
    numbers = isinstance(alpha, int | float) and 0 < alpha < inf and isinstance(n, int) and n >= 1
    wanted = [name for name in design.names if name != target]
    all_named = {*session.task} - {CONSENT} == {"kind", *names} and target in design.names
    if not all_named or not numbers or not held_once(holders, session.names, wanted):
        raise PartyError(
            "a vertical task needs target, an alpha above 0, rows, and holders: for every party "
            "the questions it holds, at least one, and each question once"
        )
    if len(design.forms) > 1 or design.forms[0].groups:
        raise PartyError(
            "a vertical task takes true answers, and this survey has devices or several forms: "
            "what people reported would be taken for what is true. Agree on a survey of one form "
            "without groups, or on another task"
        )
    refuse_unread(session)


def refuse_unread(session: Session) -> None:
    """Refuse a vertical task that nobody has agreed to, or that promises what it cannot keep."""
    if session.task.get(CONSENT) is not True:
        raise PartyError(
            f'{OPENED}. If all parties agree to this, the task says so: "{CONSENT}": true. '
            "Otherwise do not run it"
        )
    if session.minimum_cell:
        raise PartyError(
            "a vertical task opens scores of single rows, so minimum_cell would protect nobody. "
            "Leave it at 0, or choose another task"
        )


def held_once(holders: Any, parties: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether every question is held by exactly one of the parties, and no party has none."""
    if not isinstance(holders, Mapping) or set(holders) != set(parties):
        return False
    if not all(holders.values()):
        return False
    held = [str(name) for names in holders.values() if isinstance(names, list) for name in names]
    return sorted(held) == sorted(wanted)
