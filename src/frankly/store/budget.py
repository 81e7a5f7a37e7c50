"""Budget: a panel's surveys together reveal no more than was promised."""

import json
import math
from typing import Any

from sqlalchemy import Connection, select

from frankly.design import Design, Panel
from frankly.store.survey import SurveyError
from frankly.store.tables import survey

__all__ = ["refuse_overspending", "spent_by"]


def surveys_of(connection: Connection, panel: str) -> list[dict[str, Any]]:
    """Give the documents of a panel's surveys."""
    found = [json.loads(text) for text in connection.scalars(select(survey.c.document))]
    return [one for one in found if (one.get("panel") or {}).get("name") == panel]


def spent_by(connection: Connection, panel: str) -> float:
    """Add up what the surveys of a panel may have revealed about one person."""
    return math.fsum(
        Design.from_document({**one, "accept_infinite_epsilon": True}).epsilon
        for one in surveys_of(connection, panel)
    )


def promised_to(connection: Connection, panel: Panel) -> float:
    """Give the least budget that a panel was ever promised: no later survey can raise it."""
    earlier = [one["panel"]["budget"] for one in surveys_of(connection, panel.name)]
    return float(min([panel.budget, *earlier]))


def refuse_overspending(connection: Connection, design: Design) -> None:
    """Refuse to open a survey with which its panel would reveal more than its budget."""
    if design.panel is None:
        return
    spent = spent_by(connection, design.panel.name)
    budget = promised_to(connection, design.panel)
    if spent + design.epsilon > budget + 1e-9:
        raise SurveyError(
            f"the panel {design.panel.name!r} has a budget of epsilon {budget:.2f} for one person. "
            f"Its surveys have spent {spent:.2f}, and this one costs {design.epsilon:.2f}: "
            f"{spent + design.epsilon:.2f} together. Protect this survey better, ask fewer "
            "questions, or ask other people"
        )
