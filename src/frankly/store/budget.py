"""Budget: a panel's surveys together reveal no more than was promised."""

import json
import math
import unicodedata
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from frankly.design import Design, Panel
from frankly.store.survey import SurveyError
from frankly.store.tables import spent, survey

__all__ = ["refuse_overspending", "remember_spending", "spent_by"]


def plain(panel: str) -> str:
    r"""Give a panel's name as names are compared: in any spelling it is the same people.

    Case, spaces, letters without width and other forms of the same letter do not matter.

    Examples
    --------
    >>> plain(" Night\u200b  NURSES ") == plain("night nurses")
    True
    """
    shown = (one for one in panel if unicodedata.category(one) != "Cf")
    folded = unicodedata.normalize("NFKC", "".join(shown)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def surveys_of(connection: Connection, panel: str) -> list[tuple[Panel, Design]]:
    """Give the surveys of a panel, each with the panel as it spelled it."""
    found = [json.loads(text) for text in connection.scalars(select(survey.c.document))]
    designs = [
        Design.from_document({**one, "accept_infinite_epsilon": True})
        for one in found
        if one.get("panel") and plain(one["panel"]["name"]) == plain(panel)
    ]
    return [(one.panel, one) for one in designs if one.panel is not None]


def kept(connection: Connection, panel: str) -> list[Any]:
    """Give what was kept of a panel's deleted surveys."""
    rows = connection.execute(select(spent)).all()
    return [row for row in rows if plain(row.panel) == plain(panel)]


def before(connection: Connection, panel: str) -> tuple[float, float]:
    """Give what deleted surveys of a panel have spent, and the least budget they promised."""
    rows = kept(connection, panel)
    return math.fsum(row.epsilon for row in rows), min([math.inf, *(row.budget for row in rows)])


def spent_by(connection: Connection, panel: str) -> float:
    """Add up what the surveys of a panel may have revealed about one person."""
    there = [design.epsilon for _, design in surveys_of(connection, panel)]
    return math.fsum([before(connection, panel)[0], *there])


def promised_to(connection: Connection, panel: Panel) -> float:
    """Give the least budget that a panel was ever promised: no later survey can raise it."""
    there = [one.budget for one, _ in surveys_of(connection, panel.name)]
    return float(min([panel.budget, before(connection, panel.name)[1], *there]))


def remember_spending(connection: Connection, panel: Panel, epsilon: float) -> None:
    """Remember what a survey has revealed that is about to be deleted."""
    one_at_a_time(connection)
    earlier, least = before(connection, panel.name)
    spellings = [row.panel for row in kept(connection, panel.name)]
    connection.execute(delete(spent).where(spent.c.panel.in_(spellings)))
    now = {"epsilon": earlier + epsilon, "budget": min(least, panel.budget)}
    connection.execute(insert(spent).values(panel=panel.name, **now))


def refuse_overspending(connection: Connection, design: Design) -> None:
    """Refuse to open a survey with which its panel would reveal more than its budget."""
    if design.panel is None:
        return
    one_at_a_time(connection)
    refuse_clear(connection, design, design.panel)
    already = spent_by(connection, design.panel.name)
    budget = promised_to(connection, design.panel)
    if already + design.epsilon > budget + 1e-9:
        raise SurveyError(
            f"the panel {design.panel.name!r} has a budget of epsilon {budget:.2f} for one person. "
            f"Its surveys have spent {already:.2f}, and this one costs {design.epsilon:.2f}: "
            f"{already + design.epsilon:.2f} together. Protect this survey better, ask fewer "
            "questions, or ask other people"
        )


def refuse_clear(connection: Connection, design: Design, panel: Panel) -> None:
    """Refuse to ask a panel in clear what another of its surveys protects."""
    clear = {name for form in design.forms for name in form.clear}
    surveys = [other for _, other in surveys_of(connection, panel.name)]
    both = sorted(clear & {name for other in surveys for name in protected(other)})
    if both:
        raise SurveyError(
            f"the panel {panel.name!r} was promised protection for {both}, and this survey asks it "
            "in clear. What is sent as it is answered is certain, and no budget covers that. "
            "Protect it here too, or ask other people"
        )


def protected(design: Design) -> set[str]:
    """Name the questions that some form protects."""
    return {name for form in design.forms for group in form.groups for name in group.names}


def one_at_a_time(connection: Connection) -> None:
    """Let two who would spend the same budget wait for each other; SQLite always does."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("LOCK TABLE spent IN EXCLUSIVE MODE")
