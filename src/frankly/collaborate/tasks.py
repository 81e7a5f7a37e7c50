"""Tasks: what a session can compute. Every party runs the same task over its own circle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.collaborate.circle import Circle, SecureSum
from frankly.collaborate.judged import judge_together
from frankly.collaborate.session import Session
from frankly.collaborate.vertical import classify, surprise
from frankly.count import Engine, Query
from frankly.design import Design
from frankly.errors import FranklyError, PartyError
from frankly.mine import MINERS
from frankly.mine.miner import Miner
from frankly.mine.saved import document

__all__ = ["Home", "check_task", "perform"]

VERTICAL = "vertical-naive-bayes"


@dataclass(frozen=True)
class Home:
    """What a party has at home, and never shows.

    Attributes
    ----------
    reports
        Counts its own rows.
    tests
        Counts its own test rows, when the session judges its model.
    rows
        Codes of its own questions for the rows to be classified, for vertical parties.
    """

    reports: Engine
    tests: Engine | None = None
    rows: Mapping[str, NDArray[Any]] | None = None


def perform(
    session: Session, design: Design, adding: SecureSum, home: Home | None, me: str = ""
) -> dict[str, Any]:
    """Do the session's task; give the result as plain values, the same for every party.

    Parameters
    ----------
    session, design
        What was agreed on.
    adding
        How numbers are added.
    home
        What this party has; None for whoever replays a transcript.
    me
        This party's name.
    """
    task = dict(session.task)
    kind = task.pop("kind")
    circle = Circle(design, None if home is None else home.reports, adding)
    if kind == "tables":
        return {"tables": tables(circle, [Query(names) for names in task["tables"]])}
    if kind == VERTICAL:
        return vertical(session, design, adding, home, me)
    judged = task.pop("accuracy", False)
    model = MINERS[kind](design=design, **task)
    circle.count(first_questions(design, model))
    model.fit(circle)
    result: dict[str, Any] = {"model": document(model), "rounds": circle.rounds}
    if judged and isinstance(model, Miner):
        tests = None if home is None else home.tests
        result["accuracy"] = judge_together(model, adding, tests).to_dict()
    return result


def first_questions(design: Design, model: Any) -> list[Query]:
    """Name all pairs with the class: naive Bayes needs no more, and a tree begins with them."""
    target = model.known_target()
    return [
        Query([target, name], index)
        for index, form in enumerate(design.forms)
        for name in form.names
        if target in form.names and name != target
    ]


def tables(circle: Circle, queries: Sequence[Query]) -> list[dict[str, Any]]:
    """Count some tables."""
    return [
        {"names": list(counts.names), "counts": counts.table.tolist()}
        for counts in circle.count(queries)
    ]


def vertical(
    session: Session, design: Design, adding: SecureSum, home: Home | None, me: str
) -> dict[str, Any]:
    """Classify rows whose questions are held by different parties."""
    target, alpha, n = (session.task[name] for name in ("target", "alpha", "rows"))
    holders: Mapping[str, Sequence[str]] = session.task["holders"]
    part = None
    if home is not None:
        if home.rows is None or any(len(home.rows[name]) != n for name in holders[me]):
            raise PartyError(
                f"session {session.id} classifies {n} rows; give a file with this party's "
                f"questions for these rows, in the agreed order: --test rows.parquet"
            )
        mine = {name: home.rows[name] for name in holders[me]}
        first = me == session.names[0]
        part = surprise(home.reports, mine, target, alpha, prior=first)
    found = classify(adding, design, target, n, part)
    return found.to_dict(design[target].values)


def check_task(session: Session, design: Design) -> None:
    """Refuse a task that nobody could do, before anything is sent."""
    task = dict(session.task)
    kind = task.pop("kind", None)
    if kind == "tables":
        for names in task.get("tables", [[]]):
            Query(names).check(design)
        return
    if kind == VERTICAL:
        check_vertical(session, design)
        return
    task.pop("accuracy", None)
    if kind not in MINERS:
        raise PartyError(f"a session's task is tables, {VERTICAL} or one of {sorted(MINERS)}")
    try:
        MINERS[kind](design=design, **task).known_target()
    except TypeError:
        raise PartyError(f"a task of kind {kind} has no such settings: {sorted(task)}") from None
    except FranklyError as error:
        raise PartyError(f"the session's task cannot be done: {error}") from None


def check_vertical(session: Session, design: Design) -> None:
    """Refuse a vertical task in which some question is held by nobody, or twice."""
    task = session.task
    held = [name for names in task.get("holders", {}).values() for name in names]
    wanted = [name for name in design.names if name != task.get("target")]
    whole = set(task.get("holders", {})) == set(session.names) and sorted(held) == sorted(wanted)
    if not whole or not np.isfinite(task.get("alpha", np.nan)) or task.get("rows", 0) < 1:
        raise PartyError(
            "a vertical task needs target, alpha, rows, and holders: for every party the questions "
            "it holds, each question once"
        )
