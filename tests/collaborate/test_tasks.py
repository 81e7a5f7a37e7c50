"""A task that nobody could do is refused before anything is sent."""

from pathlib import Path
from typing import Any

import pytest

from frankly.collaborate.tasks import check_task
from frankly.errors import FranklyError
from tests.collaborate.rooms import DESIGN, agreed, hospitals

HOLDERS = {"party-0": ["smokes"], "party-1": ["age"], "party-2": ["ward"]}
VERTICAL = {"kind": "vertical-naive-bayes", "target": "ill", "alpha": 1.0, "rows": 3}


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
