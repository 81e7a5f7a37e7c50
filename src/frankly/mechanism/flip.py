"""Flip: otherwise, the opposite of every answer of the group."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from frankly.errors import DesignError
from frankly.mechanism.base import Axes, Codes, Coin, Domains, Mechanism, Table
from frankly.mechanism.exact import Chance, fraction
from frankly.mechanism.tape import Tape

__all__ = ["Flip"]


class FlipDocument(
    msgspec.Struct, tag_field="kind", tag="flip", forbid_unknown_fields=True, frozen=True
):
    """A flip in the survey document."""

    theta: str | float


@dataclass(frozen=True, init=False)
class Flip(Coin):
    """Tell the truth with probability ``theta``, otherwise the opposite of every answer.

    One toss turns the whole group round: Warner's device, and Soni and Shrivastva's
    M1 to M4 when there are one to four groups. Two answers of one flipped group are
    turned together, so whether they agree is sent in clear: epsilon is then infinite.

    Parameters
    ----------
    theta
        Probability of the truth. 1/2 tells nothing and is refused in a design.

    Examples
    --------
    >>> Flip(theta=0.7).push(np.array([0.9, 0.1]), axes=(0,))
    array([0.66, 0.34])
    >>> Flip(theta=0.7).pull(np.array([0.66, 0.34]), axes=(0,))
    array([0.9, 0.1])
    """

    kind: ClassVar[str] = "flip"
    Document: ClassVar[type[msgspec.Struct]] = FlipDocument

    def __init__(self, theta: Chance) -> None:
        object.__setattr__(self, "theta", fraction(theta))

    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Refuse many-valued questions, and the theta at which a flip tells nothing."""
        for name, domain in zip(names, domains, strict=True):
            if len(domain) != 2:
                raise DesignError(
                    f"a flip sends the opposite answer, and {name!r} has {len(domain)} values, "
                    "which have no opposite. Use Uniform(theta), or merge its values into two"
                )
        self.refuse_silence(
            Fraction(1, 2),
            "makes a flip tell nothing: the truth and its opposite are sent equally often. "
            "Move theta away from 0.5, or use Unrelated, which works at any theta above 0",
        )
        return self

    def substitute(self, table: Table, axes: Axes) -> Table:
        """Turn every axis of the group round."""
        return np.flip(table, axes)

    def substitute_score(self, score: Table, axes: Axes) -> Table:
        """Turn every axis of the group round: a flip is its own transpose."""
        return np.flip(score, axes)

    def undo(self) -> tuple[float, float]:
        """Give theta / (2 theta - 1) and (theta - 1) / (2 theta - 1)."""
        spread = 2 * self.theta - 1
        return float(self.theta / spread), float((self.theta - 1) / spread)

    def pull(self, table: Table, axes: Axes, power: int = 1) -> Table:
        """Turn a table of reports into the table of truths behind it."""
        straight, other = self.undo()
        return straight**power * table + other**power * np.flip(table, axes)

    def pull_range(self, sizes: Sequence[int]) -> tuple[Table, Table]:
        """Tell the smallest and the largest score that one report adds to each cell."""
        straight, other = self.undo()
        shape = tuple(sizes)
        beside = [0.0] if len(shape) > 1 else []
        scores = [straight, other, *beside]
        return np.full(shape, min(scores)), np.full(shape, max(scores))

    def epsilon(self, sizes: Sequence[int]) -> float:
        """Tell the largest log-odds that one report can shift between two truths."""
        if len(sizes) > 1 or self.theta in (0, 1):
            return math.inf
        return abs(math.log(self.theta / (1 - self.theta)))

    def stand_in(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> Sequence[Codes]:
        """Turn every answer into its opposite; no chance is needed."""
        del sizes, tape
        return [1 - own for own in truth]

    def document(self) -> dict[str, Any]:
        """Write the device as plain JSON values."""
        return {"kind": self.kind, "theta": str(self.theta)}

    @classmethod
    def read(cls, document: FlipDocument) -> Self:
        """Make the device from its validated document."""
        return cls(document.theta)
