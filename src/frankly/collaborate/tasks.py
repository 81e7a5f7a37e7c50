"""Tasks: what a session can compute. Every party runs the same task over its own circle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from numpy.typing import NDArray

from frankly.collaborate.circle import Circle, SecureSum
from frankly.collaborate.judged import judge_together
from frankly.collaborate.session import Session
from frankly.collaborate.vertical import OPENED, check_vertical, classify, surprise
from frankly.count import Engine, Query
from frankly.design import Design
from frankly.errors import FranklyError, PartyError
from frankly.estimate.auto import choose
from frankly.mine import MINERS
from frankly.mine.miner import Learner, Miner
from frankly.mine.saved import document

__all__ = ["Home", "check_task", "perform", "remarks"]

VERTICAL = "vertical-naive-bayes"

SUMMED = {kind: miner for kind, miner in MINERS.items() if miner.learn is not Learner.learn}
"""Miners that learn from tables; whoever needs whole reports cannot learn from sums."""

METHODS = ("auto", "inverse", "shrink")
"""Ways to make shares of the truth from sums of tables."""


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
        return {"tables": tables(circle, task["tables"])}
    if kind == VERTICAL:
        return vertical(session, design, adding, home, me)
    judged = task.pop("accuracy", False)
    model = SUMMED[kind](design=design, **task)
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


def tables(circle: Circle, wanted: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Count the reports in some tables, one for every form that asks all the names."""
    queries = [Query(names, form) for names in wanted for form in circle.design.asking(names)]
    return [
        {"form": query.form, "names": list(query.names), "counts": counts.table.tolist()}
        for query, counts in zip(queries, circle.count(queries), strict=True)
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
    task = dict(session.task) if isinstance(session.task, Mapping) else {}
    kind = task.pop("kind", None)
    if kind == "tables":
        check_tables(task, design)
    elif kind == VERTICAL:
        check_vertical(session, design)
    elif kind in list(SUMMED):
        check_model(kind, task, design)
    else:
        raise PartyError(
            f"a session's task is tables, {VERTICAL} or one of {sorted(SUMMED)}, with its "
            "settings, such as "
            f'{{"kind": "naive-bayes", "target": "{design.names[0]}"}}'
        )


def check_tables(task: Mapping[str, Any], design: Design) -> None:
    """Refuse tables that are none, or that the survey does not ask."""
    wanted = task.get("tables")
    lists = isinstance(wanted, list) and all(isinstance(names, list) for names in wanted)
    if set(task) != {"tables"} or not wanted or not lists:
        raise PartyError(
            "a task of kind tables lists them by the questions they cross, and nothing else: "
            f'{{"kind": "tables", "tables": [["{design.names[0]}"]]}}'
        )
    for names in wanted:
        if not all(isinstance(name, str) for name in names):
            raise PartyError("a table is a list of questions' names")
        Query(names, design.asking(names)[0]).check(design)


def check_model(kind: str, task: dict[str, Any], design: Design) -> None:
    """Refuse settings that the miner has not, and values that it refuses."""
    judged = task.pop("accuracy", False)
    known = [name for name in signature(SUMMED[kind]).parameters if name != "design"]
    unknown = sorted(name for name, value in task.items() if name not in known or value is None)
    if unknown:
        raise PartyError(
            f"a task of kind {kind} has no such settings, or no value for them: {unknown}; it "
            f"has {known}"
        )
    if task.get("method", "auto") not in METHODS or not isinstance(judged, bool):
        raise PartyError(
            f"in a session method is one of {', '.join(METHODS)}, because others need whole "
            "reports, and accuracy is true or false"
        )
    try:
        model = SUMMED[kind](design=design, **task)
        model.known_target()
        model.check()
    except FranklyError as error:
        raise PartyError(f"the session's task cannot be done: {error}") from None
    if judged and not isinstance(model, Miner):
        raise PartyError(f"{kind} predicts no attribute, so it has no accuracy: leave it out")
    if kind == "tan" and method_of(model, design)[0] == "shrink":
        raise PartyError(
            "TAN asks which answers go together within a class. With method shrink, which is what "
            "a session's auto takes for randomized reports, none do: its arcs would be noise. Take "
            'naive-bayes, or give the task "method": "inverse"'
        )


def method_of(model: Any, design: Design, *, histograms: bool = False) -> tuple[str, str]:
    """Tell how a model's shares are made from sums, or from whole reports, and why."""
    if model.method != "auto":
        return model.method, "the task says so"
    return choose(design, model.known_target(), model.wants, histograms=histograms)


def remarks(session: Session, design: Design) -> list[str]:
    """Say what a session opens or does that its parties might not expect.

    Parameters
    ----------
    session, design
        What is agreed on; the task has been checked.
    """
    task = dict(session.task)
    kind = task.pop("kind")
    if kind == VERTICAL:
        return [f"{OPENED}. The task says that all parties agree to this"]
    if kind == "tables":
        plain = "the tables count reports as they came, form by form; nothing is corrected"
        return [plain] if design.hides else []
    task.pop("accuracy", None)
    model = SUMMED[kind](design=design, **task)
    (here, why), (piled, _) = (method_of(model, design, histograms=h) for h in (False, True))
    if here == piled:
        return []
    said = f"this session estimates by {here}: {why}. With all rows on one pile auto would take"
    return [f"{said} {piled}, so that model can differ from this one"]
