"""Devices by the names people know: thin constructors of the three mechanisms."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from frankly.errors import DesignError, ThetaError
from frankly.mechanism.base import Domains, Mechanism
from frankly.mechanism.exact import Chance, fraction
from frankly.mechanism.matrix import Matrix
from frankly.mechanism.unrelated import Unrelated

__all__ = ["Crosswise", "Forced", "Kuk", "Mangat", "Triangular", "Uniform", "Wish"]


class Wish(ABC):
    """A device that is fixed only when the questions of its group are known."""

    @abstractmethod
    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Make the device for these questions."""


@dataclass(frozen=True)
class WishedEpsilon(Wish):
    """A uniform device with the largest theta that keeps epsilon within a wish."""

    epsilon: float

    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Round theta down, so that the real epsilon never exceeds the wish."""
        sizes = [len(domain) for domain in domains]
        cells = math.prod(sizes)
        gain = math.expm1(min(self.epsilon, 700))  # what a float can hold
        theta = gain / (gain + cells)
        parts = 10**6 if theta >= 1e-3 else 10**9
        told = int(theta * parts)
        while told and Unrelated(Fraction(told, parts)).epsilon(sizes) > self.epsilon:
            told -= 1
        return Unrelated(Fraction(told, parts)).settle(names, domains)


@dataclass(frozen=True)
class ForcedAnswers(Wish):
    """A forced response by the labels of the answers."""

    forced: Mapping[str, Fraction]

    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Make the cover in the order of the question's values."""
        if len(names) != 1:
            raise DesignError(
                f"Forced names values of one question, the group asks {len(names)}. "
                "Give each question its own group, or use Unrelated with a joint cover"
            )
        unknown = [value for value in self.forced if value not in domains[0]]
        if unknown:
            raise DesignError(
                f"Forced names {unknown}, but {names[0]!r} has the values {list(domains[0])}"
            )
        told = 1 - sum(self.forced.values(), Fraction(0))
        weights = [self.forced.get(value, Fraction(0)) for value in domains[0]]
        return Unrelated(told, {names[0]: weights}).settle(names, domains)


def Uniform(theta: Chance | None = None, *, epsilon: float | None = None) -> Unrelated | Wish:  # noqa: N802
    """Tell the truth with probability ``theta``, otherwise anything at all.

    Parameters
    ----------
    theta
        Probability of the truth.
    epsilon
        Instead of theta: the largest epsilon the group may have. Theta is then rounded
        down to a fraction once the group's questions are known.

    Examples
    --------
    >>> Uniform(0.5).push(np.array([1.0, 0.0]), axes=(0,))
    array([0.75, 0.25])
    >>> Uniform(epsilon=1).settle(["ill"], [["no", "yes"]]).theta
    Fraction(462117, 1000000)
    """
    if theta is not None and epsilon is None:
        return Unrelated(theta)
    if theta is not None or epsilon is None:
        raise ThetaError("Uniform takes either theta or epsilon, one of the two")
    if not 0 < epsilon < math.inf:
        raise ThetaError(f"epsilon = {epsilon} must be positive and finite: 1 or 2 are usual")
    return WishedEpsilon(float(epsilon))


def Forced(forced: Mapping[str, Chance]) -> Wish:  # noqa: N802
    """Force an answer with stated, unconditional probabilities; otherwise the truth.

    Parameters
    ----------
    forced
        For each forced value its probability. What is left to 1 is theta.

    Examples
    --------
    A die: 1 says "yes", 6 says "no", anything else the truth.

    >>> Forced({"yes": "1/6", "no": "1/6"}).settle(["ill"], [["no", "yes"]])
    Unrelated(theta=Fraction(2, 3), cover={'ill': (1, 1)}, asked=False)
    """
    exact = {str(value): fraction(p, f"the chance of {value!r}") for value, p in forced.items()}
    if not 0 < sum(exact.values()) < 1:
        raise ThetaError(
            "the forced answers must leave room for the truth: their probabilities must add up "
            f"to more than 0 and less than 1, not to {float(sum(exact.values())):g}"
        )
    return ForcedAnswers(exact)


def Kuk(yes: Chance, no: Chance, draws: int = 1) -> Matrix:  # noqa: N802
    """Report how many of ``draws`` cards were red, from a pack chosen by the truth.

    Parameters
    ----------
    yes, no
        Share of red cards in the pack of those who would say yes (the question's second
        value) and in the pack of those who would say no.
    draws
        How many cards each person draws. The report is the number of red ones.

    Examples
    --------
    >>> Kuk(0.8, 0.2).push(np.array([0.9, 0.1]), axes=(0,))
    array([0.74, 0.26])
    """
    if draws < 1 or draws % 1:
        raise DesignError(f"everybody draws a whole number of cards, at least 1, not {draws}")
    high, low = fraction(yes, "the share of red cards for yes"), fraction(no, "the other share")
    if draws == 1:
        return Matrix([[1 - low, low], [1 - high, high]], reports=["black", "red"])
    from scipy.stats import binom  # noqa: PLC0415 - heavy, and rarely needed

    seen = np.arange(draws + 1)
    rows = np.stack([binom.pmf(seen, draws, float(p)) for p in (low, high)])
    told = (seen / draws - float(low)) / float(high - low) if high != low else None
    scores = None if told is None else [1 - told, told]
    return Matrix(rows, reports=[str(red) for red in seen], scores=scores)


def Mangat(theta: Chance) -> Matrix:  # noqa: N802
    """Say yes when it is true; otherwise the truth only with probability ``theta``.

    A "no" proves that the sender would say no: epsilon is infinite.
    """
    told = fraction(theta)
    return Matrix([[told, 1 - told], [0.0, 1.0]])


def Crosswise(p: Chance) -> Matrix:  # noqa: N802
    """Report whether the answer agrees with an innocent one that is yes with chance ``p``.

    The report is "same" with probability p for a yes and 1 - p for a no.
    """
    chance = fraction(p, "p")
    return Matrix(
        [[chance, 1 - chance], [1 - chance, chance]],
        reports=["different", "same"],
    )


def Triangular(p: Chance) -> Matrix:  # noqa: N802
    """Report "neither" only when both the answer and an innocent one (chance ``p``) are no.

    "Neither" proves a no: epsilon is infinite.
    """
    chance = fraction(p, "p")
    return Matrix([[1 - chance, chance], [0.0, 1.0]], reports=["neither", "some"])
