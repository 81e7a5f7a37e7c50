"""A task that nobody could do is refused before anything is sent."""

from pathlib import Path
from typing import Any

import pytest

import frankly as fk
from frankly.collaborate.tasks import check_task, remarks
from frankly.collaborate.vertical import CONSENT
from frankly.errors import FranklyError
from tests.collaborate.rooms import DESIGN, agreed, hospitals

HOLDERS = {"party-0": ["smokes"], "party-1": ["age"], "party-2": ["ward"]}
VERTICAL = {"kind": "vertical-naive-bayes", "target": "ill", "alpha": 1.0, "rows": 3, CONSENT: True}


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"kind": "magic"}, "a session's task is tables"),
        ({}, "a session's task is tables"),
        ([], "a session's task is tables"),
        ("id3", "a session's task is tables"),
        ({"kind": ["id3"]}, "a session's task is tables"),
        ({"kind": "clusters"}, "a session's task is tables"),
        ({"kind": "tables"}, "lists them"),
        ({"kind": "tables", "tables": []}, "lists them"),
        ({"kind": "tables", "tables": ["ill"]}, "lists them"),
        ({"kind": "tables", "tables": [["ill"]], "target": "ill"}, "lists them"),
        ({"kind": "tables", "tables": [[["ill"]]]}, "questions' names"),
        ({"kind": "id3", "target": None}, "no value"),
        ({"kind": "id3", "max_dept": 3}, "it has .*max_depth"),
        ({"kind": "id3", "max_depth": "x"}, "cannot be done: max_depth is a whole number"),
        ({"kind": "id3", "method": "map"}, "whole reports"),
        ({"kind": "id3", "accuracy": "yes"}, "true or false"),
        ({"kind": "rules", "accuracy": True}, "predicts no attribute"),
        ({"kind": "id3", "colour": 3}, "no such settings"),
        ({"kind": "id3", "target": "colour"}, "cannot be done"),
        ({"kind": "tables", "tables": [["colour"]]}, "does not ask"),
        ({**VERTICAL, "holders": {**HOLDERS, "party-2": ["age"]}}, "each question once"),
        ({**VERTICAL, "holders": {"party-0": ["smokes", "age", "ward"]}}, "each question once"),
        (
            {**VERTICAL, "holders": {**HOLDERS, "party-1": [], "party-2": ["age", "ward"]}},
            "at least",
        ),
        ({**VERTICAL, "holders": HOLDERS, "rows": 0}, "each question once"),
        ({**VERTICAL, "holders": HOLDERS, "rows": "x"}, "each question once"),
        ({**VERTICAL, "holders": HOLDERS, "alpha": 0}, "alpha above 0"),
        ({**VERTICAL, "holders": HOLDERS, "colour": 0}, "each question once"),
        ({**VERTICAL, "holders": ["smokes", "age", "ward"]}, "each question once"),
        ({**VERTICAL, "holders": {**HOLDERS, "party-2": 3}}, "each question once"),
        ({**VERTICAL, "holders": HOLDERS, CONSENT: "yes"}, "answers to every row"),
        ({**VERTICAL, "holders": HOLDERS, CONSENT: 1}, f'"{CONSENT}": true'),
        ({"kind": "tan", "method": "shrink"}, "arcs would be noise"),
        ({**VERTICAL, "target": "x", "holders": {**HOLDERS, "party-2": ["ward", "ill"]}}, "once"),
    ],
)
def test_impossible_tasks_are_refused(tmp_path: Path, task: Any, sentence: str) -> None:
    with pytest.raises(FranklyError, match=sentence):
        check_task(agreed(hospitals(tmp_path), task=task), DESIGN)


def test_possible_tasks_are_not(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    tasks: list[Any] = [
        {"kind": "naive-bayes", "alpha": 0.5, "accuracy": True},
        {"kind": "cart", "max_depth": 2, "method": "inverse"},
        {"kind": "tan"},
        {"kind": "rules", "min_support": 0.2},
        {"kind": "tables", "tables": [["ill"], []]},
        {**VERTICAL, "holders": HOLDERS},
    ]
    for task in tasks:
        check_task(agreed(parties, task=task), DESIGN)


def test_a_vertical_task_needs_consent_and_promises_no_smallest_cell(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    unread = {name: value for name, value in VERTICAL.items() if name != CONSENT}
    with pytest.raises(FranklyError, match="any single party, and the relay, can work out"):
        check_task(agreed(parties, task={**unread, "holders": HOLDERS}), DESIGN)
    task = {**VERTICAL, "holders": HOLDERS}
    with pytest.raises(FranklyError, match="would protect nobody"):
        check_task(agreed(parties, task=task, minimum_cell=5), DESIGN)
    (said,) = remarks(agreed(parties, task=task), DESIGN)
    assert "their training tables" in said


def protected() -> fk.Design:
    """Ask what the hospitals ask, some of it hidden."""
    one = fk.Form([fk.Group(["ill", "age"], fk.Unrelated(0.6))], ["smokes", "ward"])
    return fk.Design(
        DESIGN.attributes,
        forms=[one],
        target="ill",
        accept_infinite_epsilon=True,
    )


def test_reports_are_never_taken_for_truths(tmp_path: Path) -> None:
    """Vertical parties correct nothing, TAN knows nothing, and a pile would be mined otherwise."""
    parties, design = hospitals(tmp_path), protected()
    clear = [fk.Form([], DESIGN.names), fk.Form([], ["ill", "age"])]
    several = fk.Design(DESIGN.attributes, forms=clear, target="ill")
    vertical = agreed(parties, task={**VERTICAL, "holders": HOLDERS})
    for survey in (design, several):
        with pytest.raises(FranklyError, match="devices or several forms"):
            check_task(vertical, survey)
    with pytest.raises(FranklyError, match="arcs would be noise"):
        check_task(agreed(parties, task={"kind": "tan"}), design)
    check_task(agreed(parties, task={"kind": "tan", "method": "inverse"}), design)
    (said,) = remarks(agreed(parties, task={"kind": "id3", "accuracy": True}), design)
    assert "estimates by shrink: whole reports cannot be counted" in said
    assert "auto would take map" in said
    (said,) = remarks(agreed(parties, task={"kind": "tables", "tables": [["ill"]]}), design)
    assert "nothing is corrected" in said
    plain: list[dict[str, Any]] = [{"kind": "naive-bayes"}, {"kind": "rules"}]
    for task in [*plain, {"kind": "id3", "method": "inverse"}]:
        assert not remarks(agreed(parties, task=task), design)
    for task in [*plain, {"kind": "id3"}, {"kind": "tables", "tables": [["ill"]]}]:
        assert not remarks(agreed(parties, task=task), DESIGN)
