"""Unrelated: otherwise, answers drawn from a cover that has nothing to do with the person."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from frankly.errors import CoverError
from frankly.mechanism import cover as covers
from frankly.mechanism.base import Axes, Codes, Coin, Domains, Mechanism, Table
from frankly.mechanism.exact import Chance, fraction
from frankly.mechanism.tape import Tape

__all__ = ["Unrelated"]


class UnrelatedDocument(
    msgspec.Struct, tag_field="kind", tag="unrelated", forbid_unknown_fields=True, frozen=True
):
    """An unrelated question in the survey document."""

    theta: str | float
    cover: dict[str, list[float]] | list[Any] | None = None
    asked: bool = False


@dataclass(frozen=True, init=False)
class Unrelated(Coin):
    """Tell the truth with probability ``theta``, otherwise answers drawn from a cover.

    One toss decides for the whole group. Zhan and Matwin's equation 1 and Lu's equations
    1 to 5 are its `push`; with no cover given it is Lu's uniform replacement.

    Parameters
    ----------
    theta
        Probability of the truth. 0 tells nothing and is refused in a design.
    cover
        Distribution of the substitutes: None for all combinations alike,
        ``{attribute: weights}``, or a joint array with one axis a question.
    asked
        True when people give their own answers to innocent questions instead of having
        the page draw them. Whoever knows those answers can tell the truths apart.

    Examples
    --------
    Half are old, half are young, and one answer in three is made up:

    >>> Unrelated(theta=2 / 3).push(np.array([0.5, 0.0, 0.5]), axes=(0,))
    array([0.444, 0.111, 0.444])
    """

    kind: ClassVar[str] = "unrelated"
    Document: ClassVar[type[msgspec.Struct]] = UnrelatedDocument

    cover: covers.Cover
    asked: bool

    def __init__(
        self,
        theta: Chance,
        cover: Mapping[str, Sequence[Fraction | float]] | ArrayLike | None = None,
        *,
        asked: bool = False,
    ) -> None:
        object.__setattr__(self, "theta", fraction(theta))
        object.__setattr__(self, "cover", covers.exact_cover(cover))
        object.__setattr__(self, "asked", asked)

    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Fit the cover to the group's questions, and refuse theta 0, which tells nothing."""
        self.refuse_silence(
            Fraction(0),
            "never tells the truth, so the reports say nothing about it and no share can be "
            "estimated. Give a theta above 0",
        )
        sizes = [len(domain) for domain in domains]
        if isinstance(self.cover, Mapping):
            return self.with_cover(in_order(self.cover, names, sizes))
        if self.cover is not None and list(self.cover[0]) != sizes:
            raise CoverError(
                f"the joint cover has the shape {self.cover[0]}, but the questions of the group "
                f"have {tuple(sizes)} values. Give one axis for each question, in their order"
            )
        return self

    def with_cover(self, cover: covers.Cover) -> "Unrelated":
        """Give the same device with another cover, already exact."""
        other = object.__new__(Unrelated)
        object.__setattr__(other, "theta", self.theta)
        object.__setattr__(other, "cover", cover)
        object.__setattr__(other, "asked", self.asked)
        return other

    def seen_through(self, kept: Sequence[int]) -> Mechanism:
        """Give the device with the cover's margin over the questions looked at."""
        return self.with_cover(covers.margin(self.cover, kept))

    def substitute(self, table: Table, axes: Axes) -> Table:
        """Replace the group's axes by the cover times the table's margin."""
        everyone = table.sum(axis=axes, keepdims=True)
        cover = covers.spread(self.cover, table.shape, axes)
        return np.broadcast_to(everyone * cover, table.shape)

    def substitute_score(self, score: Table, axes: Axes) -> Table:
        """Average the score over the cover."""
        cover = covers.spread(self.cover, score.shape, axes)
        return np.broadcast_to((score * cover).sum(axis=axes, keepdims=True), score.shape)

    def undo(self) -> tuple[float, float]:
        """Give 1 / theta and (theta - 1) / theta."""
        return float(1 / self.theta), float((self.theta - 1) / self.theta)

    def pull(self, table: Table, axes: Axes, power: int = 1) -> Table:
        """Turn a table of reports into the table of truths behind it."""
        straight, other = self.undo()
        beside = other * covers.spread(self.cover, table.shape, axes)
        own = (straight + beside) ** power - beside**power
        pulled: Table = own * table + beside**power * table.sum(axis=axes, keepdims=True)
        return pulled

    def pull_range(self, sizes: Sequence[int]) -> tuple[Table, Table]:
        """Tell the smallest and the largest score that one report adds to each cell."""
        straight, other = self.undo()
        cover = covers.spread(self.cover, sizes, tuple(range(len(sizes))))
        beside = np.broadcast_to(other * cover, tuple(sizes))
        return beside, straight + beside

    def epsilon(self, sizes: Sequence[int]) -> float:
        """Tell the largest log-odds that one report can shift between two truths."""
        least = covers.smallest(self.cover, sizes)
        if self.theta == 0:
            return 0.0
        if self.theta == 1 or least == 0:
            return math.inf
        odds = self.theta / ((1 - self.theta) * least)
        return (
            math.log1p(odds)
            if odds < 1e300
            else math.log(odds.numerator) - math.log(odds.denominator)
        )

    def stand_in(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> Sequence[Codes]:
        """Draw the substitutes from the cover."""
        drawn = covers.draw(self.cover, sizes, len(truth[0]), tape)
        return [part.astype(own.dtype) for part, own in zip(drawn, truth, strict=True)]

    def document(self) -> dict[str, Any]:
        """Write the device as plain JSON values."""
        document: dict[str, Any] = {"kind": self.kind, "theta": str(self.theta)}
        if isinstance(self.cover, Mapping):
            document["cover"] = {name: list(part) for name, part in self.cover.items()}
        elif self.cover is not None:
            document["cover"] = np.array(self.cover[1]).reshape(self.cover[0]).tolist()
        if self.asked:
            document["asked"] = True
        return document

    @classmethod
    def read(cls, document: UnrelatedDocument) -> Self:
        """Make the device from its validated document."""
        return cls(document.theta, document.cover, asked=document.asked)


def in_order(
    cover: Mapping[str, tuple[int, ...]], names: Sequence[str], sizes: Sequence[int]
) -> Mapping[str, tuple[int, ...]]:
    """Put a cover by attribute into the order of the group, or refuse it."""
    if set(cover) != set(names):
        raise CoverError(
            f"the cover speaks of {sorted(cover)}, the group asks {sorted(names)}. "
            "Give weights for exactly the questions of the group, or none for a uniform cover"
        )
    for name, size in zip(names, sizes, strict=True):
        if len(cover[name]) != size:
            raise CoverError(
                f"the cover of {name!r} has {len(cover[name])} weights for {size} values. "
                "Give one weight for each value, in the order of the attribute's values"
            )
    return {name: cover[name] for name in names}
