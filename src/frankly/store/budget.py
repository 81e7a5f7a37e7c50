"""Budget: a panel's surveys together reveal no more than was promised."""

import json
import math

from sqlalchemy import Connection, select

from frankly.design import Design
from frankly.store.survey import SurveyError
from frankly.store.tables import survey

__all__ = ["refuse_overspending", "spent_by"]


def spent_by(connection: Connection, panel: str) -> float:
    """Add up what the surveys of a panel may have revealed about one person."""
    found = [json.loads(text) for text in connection.scalars(select(survey.c.document))]
    mine = [one for one in found if one.get("panel", {}).get("name") == panel]
    return math.fsum(
        Design.from_document({**one, "accept_infinite_epsilon": True}).epsilon for one in mine
    )


def refuse_overspending(connection: Connection, design: Design) -> None:
    """Refuse to open a survey with which its panel would reveal more than its budget."""
    if design.panel is None:
        return
    spent, budget = spent_by(connection, design.panel.name), design.panel.budget
    if spent + design.epsilon > budget + 1e-9:
        raise SurveyError(
            f"the panel {design.panel.name!r} has a budget of epsilon {budget:.2f} for one person. "
            f"Its surveys have spent {spent:.2f}, and this one costs {design.epsilon:.2f}: "
            f"{spent + design.epsilon:.2f} together. Protect this survey better, ask fewer "
            "questions, or ask other people"
        )
