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
        ({"kind": "id3", "colour": 3}, "no such settings"),
        ({"kind": "id3", "target": "colour"}, "cannot be done"),
        ({"kind": "tables", "tables": [["colour"]]}, "does not ask"),
        ({**VERTICAL, "holders": {**HOLDERS, "party-2": ["age"]}}, "each question once"),
        ({**VERTICAL, "holders": {"party-0": ["smokes", "age", "ward"]}}, "each question once"),
        ({**VERTICAL, "holders": HOLDERS, "rows": 0}, "each question once"),
    ],
)
def test_impossible_tasks_are_refused(tmp_path: Path, task: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FranklyError, match=sentence):
        check_task(agreed(hospitals(tmp_path), task=task), DESIGN)


def test_possible_tasks_are_not(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    for task in (
        {"kind": "naive-bayes", "alpha": 0.5, "accuracy": True},
        {"kind": "cart", "max_depth": 2},
        {"kind": "tables", "tables": [["ill"], []]},
        {**VERTICAL, "holders": HOLDERS},
    ):
        check_task(agreed(parties, task=task), DESIGN)
