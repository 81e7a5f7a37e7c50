"""What an audit found: who is exposed, how surely, by which attack."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankly.design import Speaks
from frankly.judge.exposure import LEVELS
from frankly.judge.text import percent, table_text
from frankly.mechanism import Table

__all__ = ["Attack", "Audit", "Figures", "GroupAudit", "figures"]


@dataclass(frozen=True)
class Figures:
    """How well coins are marked.

    Attributes
    ----------
    exposed
        Share of truth-tellers marked above each posterior level; 0 where nobody told the truth.
        A flip below one half tells by turning: there it is the share of those who were turned.
    precision
        Share of the marks that are right; None where nobody is marked.
    auc
        Chance that a truth-teller ranks above somebody whose answers were substituted; a flip
        below one half is read the other way round.
    restored
        Flips only: share of people whose whole answers to the group were turned back right.
    straight, marked, right
        How many could be found out (told the truth, or were turned below one half), were
        marked, and were marked rightly, by level.
    """

    exposed: Mapping[float, float]
    precision: Mapping[float, float | None]
    auc: float
    restored: float | None
    straight: float
    marked: Mapping[float, float]
    right: Mapping[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Give the figures as plain values."""
        return {
            "exposed": {f"{level:g}": share for level, share in self.exposed.items()},
            "precision": {f"{level:g}": share for level, share in self.precision.items()},
            "auc": self.auc,
            "restored": self.restored,
        }


def figures(
    posterior: Table, people: Table, straight: Table, restored: float | None = None
) -> Figures:
    """Count who is marked among different reports.

    Parameters
    ----------
    posterior
        How likely each report was told straight; below one half, how likely it was turned.
    people, straight
        How many sent it, and how many of them told it straight, or turned it.
    restored
        For flips: how many whole answers were turned back right.
    """
    marked = {level: float(people[posterior > level].sum()) for level in LEVELS}
    right = {level: float(straight[posterior > level].sum()) for level in LEVELS}
    return Figures(
        exposed={level: part(right[level], float(straight.sum())) for level in LEVELS},
        precision={
            level: right[level] / marked[level] if marked[level] else None for level in LEVELS
        },
        auc=area(posterior, straight, people - straight),
        restored=restored,
        straight=float(straight.sum()),
        marked=marked,
        right=right,
    )


def part(some: float, whole: float) -> float:
    """Give a share of people; of nobody, none are exposed."""
    return some / whole if whole else 0.0


def area(score: Table, yes: Table, no: Table) -> float:
    """Tell how often a yes scores above a no; ties count half.

    Examples
    --------
    >>> area(np.array([0.2, 0.8]), np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    0.75
    """
    _, place = np.unique(score, return_inverse=True)
    above, below = np.bincount(place, yes), np.bincount(place, no)
    pairs = above @ (np.cumsum(below) - below / 2)
    return float(pairs / max(float(yes.sum() * no.sum()), 1e-300))


@dataclass(frozen=True)
class GroupAudit:
    """One group of one form: what the posteriors say of themselves, and what is so.

    ``turned`` says that the group's flip tells the truth in less than half of the cases: then
    its reports are read as their opposite, and the people found out are those it turned.
    """

    form: int
    names: tuple[str, ...]
    theta: float
    people: int
    stated: Figures
    real: Figures | None = None
    turned: bool = False

    @property
    def best(self) -> Figures:
        """The real figures where truths were given, the stated ones elsewhere."""
        return self.real or self.stated

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "form": self.form,
            "names": list(self.names),
            "theta": self.theta,
            "people": self.people,
            "turned": self.turned,
            "stated": self.stated.to_dict(),
            "real": None if self.real is None else self.real.to_dict(),
        }


@dataclass(frozen=True)
class Attack:
    """One model of the truth, and what it marks."""

    model: str
    log_likelihood: float
    groups: tuple[GroupAudit, ...]

    def exposed(self, level: float, *, real: bool = True) -> float:
        """Tell the share of truth-tellers marked, over all groups."""
        found = parts(self.groups, real=real)
        right, straight = (
            math.fsum(one.right[level] for one in found),
            math.fsum(one.straight for one in found),
        )
        return part(right, straight)

    def precision(self, level: float, *, real: bool = True) -> float | None:
        """Tell the share of right marks, over all groups; None where nobody is marked."""
        found = parts(self.groups, real=real)
        marked = sum(one.marked[level] for one in found)
        return sum(one.right[level] for one in found) / marked if marked else None

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "model": self.model,
            "log_likelihood": self.log_likelihood,
            "exposed": {f"{level:g}": self.exposed(level) for level in LEVELS},
            "precision": {f"{level:g}": self.precision(level) for level in LEVELS},
            "groups": [group.to_dict() for group in self.groups],
        }


def parts(groups: Sequence[GroupAudit], *, real: bool) -> list[Figures]:
    """Give the figures of every group: real ones if wanted and known."""
    return [group.best if real else group.stated for group in groups]


@dataclass(frozen=True, repr=False)
class Audit(Speaks):
    """What attackers found in reports; the last attack is the likeliest model.

    Examples
    --------
    ``exposed[0.9]`` is the share of truth-tellers marked with a posterior above 0.9,
    ``precision[0.9]`` the share of those marks that are right.
    """

    fingerprint: str
    people: int
    attacks: tuple[Attack, ...]

    @property
    def strongest(self) -> Attack:
        """The attack with the likeliest model of the truth."""
        return self.attacks[-1]

    @property
    def groups(self) -> tuple[GroupAudit, ...]:
        """What the strongest attack found, group by group."""
        return self.strongest.groups

    @property
    def exposed(self) -> dict[float, float]:
        """Share of truth-tellers marked at each level, over all groups."""
        return {level: self.strongest.exposed(level) for level in LEVELS}

    @property
    def precision(self) -> dict[float, float | None]:
        """Share of right marks at each level, over all groups."""
        return {level: self.strongest.precision(level) for level in LEVELS}

    @property
    def checked(self) -> bool:
        """Whether truths were given to check the marks with."""
        return all(group.real is not None for group in self.groups)

    @property
    def worst(self) -> GroupAudit:
        """The group in which the strongest attack exposes the largest share of people.

        Where many groups hide well, the share over all of them says nothing about this one.
        """
        return max(self.groups, key=lambda group: group.best.exposed[0.9])

    def verdict(self) -> str:
        """Say in a sentence who is found out, in the group that is hidden worst."""
        figures, several = self.worst.best, len(self.groups) > 1
        exposed, precision = figures.exposed[0.9], figures.precision[0.9]
        where = f" about {short_names(self.worst)}" if several and exposed else ""
        said = "nobody" if not exposed else f"{percent(exposed)} of {who(self.worst)}{where}"
        sure = "" if precision is None else f", and {percent(precision)} of these marks are right"
        return f"A collector with nothing but the reports marks {said} at more than 90%{sure}."

    def summary(self) -> str:
        """Say it on one screen."""
        return audit_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "fingerprint": self.fingerprint,
            "people": self.people,
            "checked": self.checked,
            "strongest": self.strongest.model,
            "worst": {"form": self.worst.form, "names": list(self.worst.names)},
            "attacks": [attack.to_dict() for attack in self.attacks],
        }


MANY = 14


def audit_text(found: Audit) -> str:
    """Say an audit on one screen."""
    how = "checked against the truths" if found.checked else "by the posteriors themselves"
    lines = [f"Audit of {found.people:,} reports, {how}", found.verdict(), ""]
    head = ("attack", "group", "> 50%", "> 80%", "> 90%", "> 95%", "right > 90%", "AUC", "restored")
    rows = [group_row(attack, one) for attack in found.attacks for one in most_exposed(attack)]
    told = [column for column in zip(head, *rows, strict=True) if any(column[1:]) or not rows]
    head, *rows = zip(*told, strict=True)
    left = len(found.groups) - MANY
    more = [f"and in each attack {left} groups that are exposed no more"] if left > 0 else []
    return "\n".join([*lines, *table_text(head, rows), *more])


def most_exposed(attack: Attack) -> list[GroupAudit]:
    """Give as many groups as a screen holds, those that are exposed most, in their order."""
    ranked = sorted(attack.groups, key=lambda group: -group.best.exposed[0.9])[:MANY]
    return [group for group in attack.groups if any(group is one for one in ranked)]


def who(group: GroupAudit) -> str:
    """Say who is found out: truth-tellers, and behind a flip below one half the turned ones."""
    return "those whose answers were turned" if group.turned else "the truth-tellers"


def short_names(group: GroupAudit) -> str:
    """Name a group by its first questions."""
    more = f" + {len(group.names) - 2}" if group.names[2:] else ""
    return ", ".join(group.names[:2]) + more


def group_row(attack: Attack, group: GroupAudit) -> tuple[str, ...]:
    """Say what one attack found in one group."""
    best = group.best
    right = best.precision[0.9]
    return (
        attack.model,
        short_names(group),
        *(f"{100 * best.exposed[level]:.1f}%" for level in LEVELS),
        "" if right is None else f"{100 * right:.1f}%",
        f"{best.auc:.3f}",
        "" if best.restored is None else f"{100 * best.restored:.1f}%",
    )
