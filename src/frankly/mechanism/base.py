"""What every device can do: push truths to reports, pull reports back, draw."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from frankly.errors import ThetaError
from frankly.mechanism.tape import Tape

__all__ = ["Axes", "Codes", "Coin", "Domains", "Mechanism", "Table"]

Table = NDArray[np.float64]
"""Probabilities, counts or scores; one axis an attribute."""

Codes = NDArray[np.integer[Any]]
"""Answers of many people to one question, as positions among its values."""

Axes = tuple[int, ...]
"""The axes of a table that belong to one group, in the order of the group's questions."""

Domains = Sequence[Sequence[str]]
"""The values of each question of a group."""


class Mechanism(ABC):
    """A device that turns the true answers of one group into a report.

    A table holds one axis an attribute; ``axes`` names those of this group, in the order
    of its questions. Everything else in the table is left alone, so a table may mix
    groups, clear attributes and a class.
    """

    kind: ClassVar[str]
    Document: ClassVar[type[msgspec.Struct]]

    @abstractmethod
    def push(self, table: Table, axes: Axes) -> Table:
        """Turn a table of truths into the table of reports to expect."""

    @abstractmethod
    def push_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of reports into its expectation given the truth (push transposed)."""

    @abstractmethod
    def pull(self, table: Table, axes: Axes, power: int = 1) -> Table:
        """Turn a table of reports into the table of truths behind it.

        With ``power`` 2 or 3 every entry of the pulling matrix is raised to that power
        first: applied to the seen proportions, that gives the raw moments of the score
        whose mean is the estimate.
        """

    @abstractmethod
    def pull_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of truths into a score of reports with the same mean (pull transposed)."""

    @abstractmethod
    def pull_range(self, sizes: Sequence[int]) -> tuple[Table, Table]:
        """Tell the smallest and the largest score that one report adds to each cell."""

    @abstractmethod
    def epsilon(self, sizes: Sequence[int]) -> float:
        """Tell the largest log-odds that one report can shift between two truths."""

    @abstractmethod
    def draw(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> list[Codes]:
        """Draw the reports of many people: substitutes first, then the toss."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Write the device as plain JSON values."""

    @classmethod
    @abstractmethod
    def read(cls, document: Any) -> Self:
        """Make the device from its validated document."""

    def settle(self, names: Sequence[str], domains: Domains) -> "Mechanism":
        """Fit the device to the questions of its group, or refuse in a sentence that helps."""
        del names, domains
        return self

    def seen_through(self, kept: Sequence[int]) -> "Mechanism":
        """Give the device as it acts on some of its questions, the others not looked at."""
        del kept
        return self

    def reported(self, domain: Sequence[str]) -> tuple[str, ...]:
        """Tell the values a report can have for a question with these values."""
        return tuple(domain)


@dataclass(frozen=True, init=False)
class Coin(Mechanism):
    """Tell the truth with probability ``theta``, otherwise a substitute.

    A subclass says what the substitute does to a table (`substitute`), and which two
    weights undo it (`undo`); push and everything transposed follow.
    """

    theta: Fraction

    @abstractmethod
    def substitute(self, table: Table, axes: Axes) -> Table:
        """Give the table of reports if nobody told the truth."""

    @abstractmethod
    def substitute_score(self, score: Table, axes: Axes) -> Table:
        """Give the expected score if nobody told the truth."""

    @abstractmethod
    def undo(self) -> tuple[float, float]:
        """Give a and b such that pull(T) = a T + b S(T)."""

    @abstractmethod
    def stand_in(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> Sequence[Codes]:
        """Draw the substitutes of many people."""

    def push(self, table: Table, axes: Axes) -> Table:
        """Turn a table of truths into the table of reports to expect."""
        theta = float(self.theta)
        return theta * table + (1 - theta) * self.substitute(table, axes)

    def push_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of reports into its expectation given the truth."""
        theta = float(self.theta)
        return theta * score + (1 - theta) * self.substitute_score(score, axes)

    def pull_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of truths into a score of reports with the same mean."""
        straight, other = self.undo()
        return straight * score + other * self.substitute_score(score, axes)

    def draw(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> list[Codes]:
        """Draw the reports of many people: substitutes first, then the toss."""
        others = self.stand_in(truth, sizes, tape)
        straight = tape.toss(self.theta.numerator, self.theta.denominator, len(truth[0]))
        # where(straight, own, other) in the codes' own arithmetic, which is five times as fast.
        return [other + straight * (own - other) for own, other in zip(truth, others, strict=True)]

    def refuse_silence(self, theta: Fraction, why: str) -> None:
        """Refuse a theta at which the reports tell nothing about the truth."""
        if self.theta == theta:
            raise ThetaError(f"theta = {float(theta):g} {why}")
