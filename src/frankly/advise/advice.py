"""Advice: what to do, what it costs, what else there is, and what to relax when nothing fits."""

import math
from dataclasses import dataclass
from typing import Any

from frankly.design import Design, Speaks
from frankly.judge.text import number, percent, table_text

__all__ = ["Advice", "Candidate", "Relaxed"]


NOTHING = 1.0
"""A half-width of ± 100 points, at which an interval says nothing at all."""


@dataclass(frozen=True)
class Candidate:
    """One design, its error, and its privacy by every notion.

    Attributes
    ----------
    error
        Half-width of the widest interval that counts.
    n
        How many people that takes.
    epsilon, posterior, exposed, pse
        Epsilon of a whole report; largest posterior; share of truth-tellers that may be exposed
        at 0.9 (1 when nothing bounds it without a joint); least PSE.
    """

    layout: str
    design: Design
    n: int
    error: float
    epsilon: float
    posterior: float
    exposed: float
    pse: float

    def cost(self, notion: str) -> float:
        """Tell how much privacy is given up, by one notion; less is better."""
        return -self.pse if notion == "pse" else float(getattr(self, notion))

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "layout": self.layout,
            "n": self.n,
            "error": self.error,
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else "infinite",
            "posterior": self.posterior,
            "exposed": self.exposed,
            "pse": self.pse,
            "design": self.design.document(),
        }


@dataclass(frozen=True)
class Relaxed:
    """One wish that, relaxed this far, would make the others possible."""

    wish: str
    asked: float
    needed: float

    @property
    def worthless(self) -> bool:
        """Whether nothing would be told: an interval of ± 100 points holds every share."""
        return self.wish == "precision" and self.needed >= NOTHING

    def sentence(self) -> str:
        """Say it as an offer."""
        if self.wish == "n":
            return f"ask {self.needed:,.0f} people instead of {self.asked:,.0f}"
        if self.wish == "precision":
            return f"accept ± {points(self.needed)} points instead of ± {100 * self.asked:g}"
        if self.wish == "min_privacy":
            return f"accept a privacy (PSE) of {self.needed:.3f} instead of {self.asked:.3f}"
        names = {
            "max_epsilon": "a record epsilon",
            "max_posterior": "a posterior",
            "max_exposed": "a share of exposed truth-tellers",
        }
        return f"allow {names[self.wish]} of {self.needed:.3g} instead of {self.asked:.3g}"


MANY = 10
"""So many candidates are shown on a screen."""


def points(width: float) -> str:
    """Write a half-width in percentage points, rounded up so that it is kept.

    Examples
    --------
    >>> points(0.0312), points(0.0001), points(0)
    ('3.2', '0.01', '0.0')
    """
    digits = max(1, -math.floor(math.log10(100 * width))) if width > 0 else 1
    return f"{math.ceil(100 * width * 10**digits - 1e-6) / 10**digits:.{digits}f}"


@dataclass(frozen=True, repr=False)
class Advice(Speaks):
    """What was asked for, the design that answers it, and the designs beside it.

    Attributes
    ----------
    best
        The candidate to take; None when the wishes cannot all be met.
    relaxed
        When there is none: each wish with how far it would have to give.
    candidates
        All layouts at several epsilons, for the Pareto picture.
    notes
        What else to know: pilots, coarser questions, fewer questions.
    """

    best: Candidate | None
    relaxed: tuple[Relaxed, ...]
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()
    level: float = 0.95
    assured: bool = False

    @property
    def possible(self) -> bool:
        """Whether all wishes can be met."""
        return self.best is not None

    @property
    def design(self) -> Design | None:
        """The advised design."""
        return None if self.best is None else self.best.design

    def front(self, notion: str = "epsilon") -> tuple[Candidate, ...]:
        """Give the candidates that nobody beats in both error and privacy.

        Parameters
        ----------
        notion
            ``epsilon``, ``posterior``, ``exposed`` or ``pse``.
        """
        ranked = sorted(self.candidates, key=lambda one: (one.cost(notion), one.error))
        kept: list[Candidate] = []
        for one in ranked:
            if math.isfinite(one.error) and (not kept or one.error < kept[-1].error):
                kept.append(one)
        return tuple(kept)

    def sentence(self) -> str:
        """Say the advice, or which wish to relax and by how much."""
        if self.best is None:
            return self.refusal()
        one = self.best
        if one.error >= NOTHING:
            return (
                f"{one.n:,} people are too few to tell anything at a record epsilon of "
                f"{number(one.epsilon)}: intervals would be ± 100 points or wider. Ask more "
                "people, or allow reports to tell more."
            )
        kind = "assured in 95% of surveys" if self.assured else "on average"
        return (
            f"{one.layout}: {one.n:,} people give intervals of ± {points(one.error)} points or "
            f"less, {kind}, at a record epsilon of {number(one.epsilon)}."
        )

    def refusal(self) -> str:
        """Say that the wishes cannot be met, and what to relax."""
        offers = [one.sentence() for one in self.relaxed if not one.worthless]
        nothing = (
            " To accept less precision does not help: with so few people at this privacy intervals "
            "would be ± 100 points or wider, and nothing would be told."
            if any(one.worthless for one in self.relaxed)
            else ""
        )
        if not offers:
            return f"These wishes cannot be met together, whatever is relaxed singly.{nothing}"
        said = f"These wishes cannot all be met. Relax one of them: {'; or '.join(offers)}."
        return f"{said}{nothing}"

    def summary(self) -> str:
        """Say it on one screen."""
        head = ("layout", "", "± points", "epsilon", "posterior", "exposed", "PSE", "forms")
        rows = [row(one) for one in self.front() if one.error < 0.5][:MANY]
        lines = [self.sentence(), ""]
        if rows:
            lines += ["The best that can be had, by epsilon of a whole report:"]
            lines += table_text(head, rows)
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "possible": self.possible,
            "sentence": self.sentence(),
            "best": None if self.best is None else self.best.to_dict(),
            "relaxed": [vars(one) for one in self.relaxed],
            "candidates": [one.to_dict() for one in self.candidates if math.isfinite(one.error)],
            "notes": list(self.notes),
            "level": self.level,
            "assured": self.assured,
        }


def row(one: Candidate) -> tuple[str, ...]:
    """Say one candidate."""
    return (
        one.layout,
        "",
        points(one.error),
        number(one.epsilon),
        percent(one.posterior),
        "none" if one.exposed == 0 else "not bounded" if one.exposed == 1 else percent(one.exposed),
        f"{one.pse:.3f}",
        str(len(one.design.forms)),
    )
