"""Limits: what a design must keep to, and which of it a statement breaks."""

import math
from dataclasses import dataclass

from frankly.errors import DesignError
from frankly.judge.statement import AttributePrivacy, PrivacyStatement
from frankly.judge.text import direct_text

__all__ = ["Limits"]

LAST = 16
"""More digits than this tell nothing."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The threshold that is set before the survey: any of four notions of privacy.

    Parameters
    ----------
    max_epsilon
        Largest epsilon of a whole report.
    max_posterior
        Largest posterior of any truth of a protected question, under the statement's prior: after
        a report of that question, and where the statement knows a joint after any whole report.
    max_exposed
        Largest share of truth-tellers whose coin is marked with a posterior above 0.9; behind a
        flip or a binary matrix that tells by turning, of those it turns. A matrix of more
        values has no coin: ``max_posterior`` is the limit for it.
    min_privacy
        Smallest PSE of any question.

    Examples
    --------
    >>> from frankly import Unrelated, privacy
    >>> Limits(max_epsilon=1).broken(privacy(Unrelated(theta=0.5)))
    ['epsilon of a whole report is 1.10, more than 1.00']
    """

    max_epsilon: float | None = None
    max_posterior: float | None = None
    max_exposed: float | None = None
    min_privacy: float | None = None

    def __post_init__(self) -> None:
        for name, most in (("max_epsilon", math.inf), ("max_posterior", 1), ("max_exposed", 1),
                           ("min_privacy", math.inf)):  # fmt: skip
            found = getattr(self, name)
            if found is not None and not 0 <= found <= most:
                upto = "from 0 to 1" if most == 1 else "from 0 up"
                raise DesignError(
                    f"{name} is a number {upto}, and {found} is none: such a limit would never "
                    "be broken, or always. A share of 70 % is written 0.7"
                )

    @property
    def given(self) -> bool:
        """Whether there is any limit."""
        limits = (self.max_epsilon, self.max_posterior, self.max_exposed, self.min_privacy)
        return any(one is not None for one in limits)

    def broken(self, statement: PrivacyStatement) -> list[str]:
        """Say every limit that is broken, each in a sentence."""
        if not statement.attributes and self.given:
            return ["nothing is protected: every answer is sent as it is, which no limit allows"]
        if statement.direct and self.given:
            return [f"{direct_text(statement)}, which no limit allows"]
        checks = (
            self.broken_epsilon(statement),
            self.broken_posterior(statement),
            self.broken_exposed(statement),
            self.broken_privacy(statement),
        )
        return [sentence for sentence in checks if sentence]

    def broken_epsilon(self, statement: PrivacyStatement) -> str:
        """Say whether a whole report reveals too much."""
        if self.max_epsilon is None or statement.record.epsilon <= self.max_epsilon:
            return ""
        if math.isinf(statement.record.epsilon):
            return f"epsilon of a whole report is infinite, more than {self.max_epsilon:.2f}"
        found, limit = told_apart(statement.record.epsilon, self.max_epsilon, 2)
        return f"epsilon of a whole report is {found}, more than {limit}"

    def broken_posterior(self, statement: PrivacyStatement) -> str:
        """Say whether some report makes a truth too likely."""
        if self.max_posterior is None or statement.highest_posterior <= self.max_posterior:
            return ""
        worst = max(statement.asked, key=lambda one: one.highest)
        found, limit = told_apart(worst.highest, self.max_posterior, 3)
        return (
            f"a report of {worst.name!r}{of_form(statement, worst)} makes one answer "
            f"{found} likely, more than {limit}"
        )

    def broken_exposed(self, statement: PrivacyStatement) -> str:
        """Say whether too many coins are marked; unknown is not good enough."""
        if self.max_exposed is None:
            return ""
        share = statement.exposed()
        if share is None:
            return (
                "how many truth-tellers a whole report exposes cannot be bounded without knowing "
                "how the answers go together; give reports or a joint, or make groups smaller"
            )
        if share <= self.max_exposed:
            return ""
        worst = max(statement.groups, key=lambda group: group.exposed.get(0.9) or 0.0)
        found, limit = told_apart(share, self.max_exposed, 3)
        return f"{found} of {worst.who} are exposed, more than {limit}"

    def broken_privacy(self, statement: PrivacyStatement) -> str:
        """Say whether some question's PSE is too small."""
        if self.min_privacy is None or statement.pse >= self.min_privacy:
            return ""
        worst = min(statement.asked, key=lambda one: one.pse)
        found, limit = told_apart(statement.pse, self.min_privacy, 3)
        said = f"{worst.name!r}{of_form(statement, worst)} has privacy (PSE) {found}"
        return f"{said}, less than {limit}"


def told_apart(found: float, limit: float, digits: int) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to see that they differ.

    Examples
    --------
    >>> told_apart(1.1, 1.0, 2), told_apart(1.0004, 1.0, 2)
    (('1.10', '1.00'), ('1.0004', '1.0000'))
    """
    while f"{found:.{digits}f}" == f"{limit:.{digits}f}" and digits < LAST:
        digits += 1
    return f"{found:.{digits}f}", f"{limit:.{digits}f}"


def of_form(statement: PrivacyStatement, one: AttributePrivacy) -> str:
    """Name the form, where there are several, as reports number them."""
    return f" in form {one.form}" if len(statement.forms) > 1 else ""
