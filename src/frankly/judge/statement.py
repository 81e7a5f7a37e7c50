"""The privacy statement: everything a design lets a collector know, before and after mining."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frankly.design import Speaks
from frankly.judge.measure import Measure
from frankly.judge.text import statement_text
from frankly.mechanism import Table

__all__ = [
    "AttributePrivacy",
    "FormPrivacy",
    "GroupPrivacy",
    "PrivacyStatement",
    "RecordPrivacy",
]


@dataclass(frozen=True, eq=False)
class AttributePrivacy:
    """What reports of one question tell about its truth, in the form that hides it least.

    Attributes
    ----------
    name, form
        The question, and the form looked at.
    values, reports
        What a truth and what a report can be.
    measure
        The channel and the prior, with all that follows from them.
    epsilon
        The largest log-odds that one report of this question shifts.
    pse
        Privacy before mining: how often a guess drawn from the posterior misses.
    after, recoverability
        The same given the whole report and the joint, and what was lost; None without a joint.
    highest
        The largest posterior of any truth after any report of the question; with a joint, after
        any whole report.
    poisoning
        How far 1 % of crafted reports can move a share of this question, all of them sent
        through the forms where they move it most.
    clear_in
        Forms that ask the same question in clear.
    """

    name: str
    form: int
    values: tuple[str, ...]
    reports: tuple[str, ...]
    measure: Measure
    epsilon: float
    pse: float
    after: float | None = None
    recoverability: float | None = None
    highest: float = 1.0
    poisoning: float = math.inf
    clear_in: tuple[int, ...] = ()

    @property
    def prior(self) -> Table:
        """How common each truth is held to be before the report is seen."""
        return self.measure.prior

    @property
    def posterior(self) -> Table:
        """For each report (row) how likely each truth (column) is."""
        return self.measure.posterior

    @property
    def relative(self) -> float:
        """PSE as a share of what it would be without any report."""
        before = self.measure.pse_without_report
        return self.pse / before if before > 0 else 1.0

    @property
    def bayes_risk(self) -> float:
        """How often the best guess misses."""
        return self.measure.bayes_risk

    @property
    def information(self) -> float:
        """What a report tells on average, in bits."""
        return self.measure.information

    @property
    def change(self) -> float:
        """The largest move of a guess."""
        return self.measure.change

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "name": self.name,
            "form": self.form,
            "values": list(self.values),
            "reports": list(self.reports),
            "prior": self.prior.tolist(),
            "posterior": self.posterior.tolist(),
            "pse": self.pse,
            "relative": self.relative,
            "pse_after": self.after,
            "recoverability": self.recoverability,
            "bayes_risk": self.bayes_risk,
            "information": self.information,
            "change": self.change,
            "highest": self.highest,
            "epsilon": plain(self.epsilon),
            "poisoning": plain(self.poisoning),
            "clear_in": list(self.clear_in),
        }


@dataclass(frozen=True)
class GroupPrivacy:
    """What one toss hides together, and what goes when one answer goes.

    Attributes
    ----------
    pse, relative, after
        The smallest among the group's questions; ``after`` is None without a joint.
    bound
        The largest posterior its coin can get, whatever people answer; None for a matrix of
        more than two values, which has no coin.
    leaks
        How surely the other answers were told straight once a known one agrees; 0 for a single
        question.
    exposed
        Share of truth-tellers marked at each posterior level; None where it takes a joint.
    turned
        True where reports tell by their opposite, as behind ``Flip(0.05)``: then ``exposed`` is
        the share of those whose answers were turned.
    exposed_by_cover
        Share of people found out for certain by whoever knows an asked cover.
    """

    form: int
    names: tuple[str, ...]
    kind: str
    theta: float | None
    epsilon: float
    pse: float
    relative: float
    after: float | None
    bound: float | None
    leaks: float
    exposed: Mapping[float, float | None]
    exposed_by_cover: float | None = None
    turned: bool = False

    @property
    def who(self) -> str:
        """Whom ``exposed`` is a share of."""
        if self.theta is None:
            return "those who gave their likelier report"
        return "those whose answers were turned" if self.turned else "truth-tellers"

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "form": self.form,
            "names": list(self.names),
            "kind": self.kind,
            "theta": self.theta,
            "epsilon": plain(self.epsilon),
            "pse": self.pse,
            "relative": self.relative,
            "pse_after": self.after,
            "bound": self.bound,
            "leaks": self.leaks,
            "exposed": {f"{level:g}": share for level, share in self.exposed.items()},
            "exposed_by_cover": self.exposed_by_cover,
            "turned": self.turned,
        }


@dataclass(frozen=True)
class FormPrivacy:
    """One form: what it asks, what of that in clear, and its epsilon."""

    names: tuple[str, ...]
    clear: tuple[str, ...]
    weight: int
    epsilon: float
    enumerated: float | None

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        tried = None if self.enumerated is None else plain(self.enumerated)
        return {
            "names": list(self.names),
            "clear": list(self.clear),
            "weight": self.weight,
            "epsilon": plain(self.epsilon),
            "enumerated": tried,
        }


@dataclass(frozen=True)
class RecordPrivacy:
    """Everything one person's report reveals about the protected questions.

    Attributes
    ----------
    epsilon
        The largest over the forms; groups of one form add up.
    enumerated
        True when it was also found by trying every truth and every report.
    """

    epsilon: float
    enumerated: bool

    @property
    def change(self) -> float:
        """The largest move of any guess under any prior: tanh(epsilon / 4)."""
        return math.tanh(self.epsilon / 4)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "epsilon": plain(self.epsilon),
            "enumerated": self.enumerated,
            "change": self.change,
        }


@dataclass(frozen=True, repr=False)
class PrivacyStatement(Speaks):
    """What a design, or a device by itself, lets a collector know.

    Attributes
    ----------
    attributes
        By name, each protected question in the form that hides it least.
    asked
        Each protected question in every form that protects it.
    groups, forms, record
        What hides together, what one person is asked, everything one person reveals.
    clear
        Questions that some form sends as they are.
    basis
        Where the priors come from, in words.
    title, fingerprint
        Whose statement this is; empty for a device by itself.
    """

    attributes: Mapping[str, AttributePrivacy]
    asked: tuple[AttributePrivacy, ...]
    groups: tuple[GroupPrivacy, ...]
    forms: tuple[FormPrivacy, ...]
    record: RecordPrivacy
    clear: tuple[str, ...]
    basis: str
    title: str = ""
    fingerprint: str = ""
    faithful: bool = False

    @property
    def pse(self) -> float:
        """The smallest PSE of any question in any form: the papers' privacy of the whole."""
        return min((one.pse for one in self.asked), default=0.0)

    @property
    def highest_posterior(self) -> float:
        """The largest posterior of any truth of any protected question, in any form.

        With a joint it is the largest that a whole report makes; without one, a single answer.
        """
        return max((one.highest for one in self.asked), default=0.0)

    @property
    def direct(self) -> dict[str, float]:
        """The share of people who send a question as it is, though another form protects it."""
        people = sum(form.weight for form in self.forms)
        return {
            name: sum(self.forms[form].weight for form in one.clear_in) / people
            for name, one in self.attributes.items()
            if one.clear_in
        }

    @property
    def exposed_by_cover(self) -> float:
        """The largest share of people that whoever knows an asked cover finds out in a group."""
        return max((group.exposed_by_cover or 0.0 for group in self.groups), default=0.0)

    def exposed(self, level: float = 0.9) -> float | None:
        """Tell the largest share of truth-tellers marked in any group; None if it takes a joint."""
        shares = [group.exposed.get(level) for group in self.groups if group.bound is not None]
        known = [share for share in shares if share is not None]
        return max(known, default=0.0) if len(known) == len(shares) else None

    def summary(self) -> str:
        """Say it on one screen."""
        return statement_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain JSON values; what has no end is called "infinite"."""
        return {
            "title": self.title,
            "fingerprint": self.fingerprint,
            "basis": self.basis,
            "faithful": self.faithful,
            "record": self.record.to_dict(),
            "attributes": [one.to_dict() for one in self.attributes.values()],
            "groups": [group.to_dict() for group in self.groups],
            "forms": [form.to_dict() for form in self.forms],
            "clear": list(self.clear),
            "direct": self.direct,
        }


def plain(number: float) -> float | str:
    """Write a number for JSON, which has no infinity."""
    return "infinite" if math.isinf(number) else float(number)
