"""Cross-tables and published tables: whole or not at all, and one set for good."""

import itertools
import json
from typing import Any

import httpx
import numpy as np
import pytest

import frankly as fk
from frankly.store.export import report_table
from frankly.studio.charts import chart_of, crossed_chart
from frankly.studio.crossed import Crossed, may_follow
from frankly.studio.snapshot import choose_tables, snapshot
from tests.studio.people import DESIGN, Studio

TABLES = {"tables": [["ill", "sex"], ["ill", "drinks"]]}


def choose(client: httpx.Client, tables: Any = TABLES) -> Any:
    response = client.put("/api/v1/surveys/ward/tables", json=tables)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_table_is_counted_among_the_reports_that_are_shown(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(400)
    before = ann.get("/api/v1/surveys/ward/results").json()
    studio.answer(9, seed=5)
    told = choose(ann)
    assert told["shares"] == before["shares"]
    assert [one["shares"]["n"] for one in told["tables"]] == [400, 400]


def test_a_table_says_what_estimate_says(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(400)
    told = choose(ann)
    table = report_table(studio.store, "ward")
    for one, by in zip(told["tables"], ("sex", "drinks"), strict=True):
        assert one["shares"]["rows"] == fk.estimate_by(DESIGN, table, "ill", by).to_dict()["rows"]


def test_a_table_with_a_small_cell_is_refused_whole(studio: Studio, ann: httpx.Client) -> None:
    rare = fk.Attribute("village", [f"v{i}" for i in range(8)])
    design = fk.Design([*DESIGN.attributes, rare], groups=DESIGN.groups)
    studio.opened(140, design=design)
    told = choose(ann, {"tables": [["ill", "village"], ["ill", "sex"]]})
    (counted,) = (
        Crossed(("ill", "village")).counted(design, snapshot(studio.store, "ward").engine).values()
    )
    assert 0 < np.min(counted) < 10 < np.max(counted)
    assert [(one["told"], one["shares"] is None) for one in told["tables"]] == [
        (False, True),
        (True, False),
    ]
    page = ann.get("/surveys/ward/results").text
    assert "merge rare answers" in page


def test_a_table_follows_only_when_every_cell_of_the_difference_is_large(studio: Studio) -> None:
    studio.opened(400)
    choose_tables(studio.store, "ward", [("ill", "sex")])
    told = [snapshot(studio.store, "ward").crossed[0].cells[0]]
    for seed in range(2, 40):
        studio.answer(12, seed=seed)
        cells = snapshot(studio.store, "ward").crossed[0].cells[0]
        if cells != told[-1]:
            told.append(cells)
    assert len(told) > 2
    for before, after in itertools.pairwise(told):
        assert (np.array(after) - np.array(before)).min() >= 10


def test_a_table_that_was_removed_is_remembered(studio: Studio) -> None:
    studio.opened(400)
    (first,) = choose_tables(studio.store, "ward", [("ill", "sex")]).crossed
    choose_tables(studio.store, "ward", [])
    studio.answer(12, seed=2)
    (again,) = choose_tables(studio.store, "ward", [("ill", "sex")]).crossed
    assert (again.wanted, again.cells) == (True, first.cells)
    assert snapshot(studio.store, "ward").n == 412


def test_a_table_turned_round_tells_what_was_told_and_no_more(studio: Studio) -> None:
    studio.opened(400)
    (first,) = choose_tables(studio.store, "ward", [("ill", "sex")]).crossed
    for seed in range(2, 12):
        studio.answer(12, seed=seed)
        pairs = [[("sex", "ill")], [("ill", "sex"), ("sex", "ill")]][seed % 2]
        one, other = choose_tables(studio.store, "ward", pairs).crossed
        assert np.array_equal(np.transpose(one.cells[0]), other.cells[0])
    assert one.cells != first.cells  # in the end there was something new to tell


def test_reports_are_read_again_only_when_something_could_be_shown(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.opened(3000)
    assert snapshot(studio.store, "ward").n == 3000
    studio.answer(29, seed=2)
    with monkeypatch.context() as patch:
        patch.delattr(type(studio.store), "reports")
        assert snapshot(studio.store, "ward").n == 3000
    studio.answer(1, seed=3)
    assert snapshot(studio.store, "ward").n == 3030


def test_a_table_too_wide_to_be_told_is_not_counted(studio: Studio, ann: httpx.Client) -> None:
    wide = [fk.Attribute(name, [f"{i}" for i in range(4000)]) for name in ("street", "job")]
    studio.opened(design=fk.Design([*DESIGN.attributes, *wide], groups=DESIGN.groups))
    choose(ann, {"tables": [["street", "job"], ["ill", "sex"]]})
    studio.answer(150)
    told = ann.get("/api/v1/surveys/ward/results")
    assert told.status_code == 200
    assert [one["told"] for one in told.json()["tables"]] == [False, True]


@pytest.mark.parametrize("pair", [["ill", "ill"], ["ill", "nothing"]])
def test_what_is_no_table_is_refused(studio: Studio, ann: httpx.Client, pair: list[str]) -> None:
    studio.opened(120)
    refused = ann.put("/api/v1/surveys/ward/tables", json={"tables": [pair]})
    assert refused.status_code == 400
    typed = ann.post(
        "/surveys/ward/results/tables", data={"first": pair[0], "second": pair[1], "act": "add"}
    )
    assert typed.status_code == 400
    assert "There is a problem" in typed.text


def test_questions_that_no_form_asks_together_make_no_table(
    studio: Studio, ann: httpx.Client
) -> None:
    forms = [fk.Form([fk.Group(["ill"], fk.Unrelated(theta=0.7))], ["sex"]),
             fk.Form([fk.Group(["drinks"], fk.Unrelated(theta=0.5))], ["sex"])]  # fmt: skip
    studio.opened(300, design=fk.Design(DESIGN.attributes, forms=forms))
    refused = ann.put("/api/v1/surveys/ward/tables", json={"tables": [["ill", "drinks"]]})
    assert "Add a form that asks" in refused.json()["error"]["message"]
    told = choose(ann, {"tables": [["ill", "sex"]]})
    assert told["tables"][0]["told"]


def test_tables_chosen_early_appear_with_the_first_figures(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened()
    choose(ann, {"tables": [["ill", "sex"]]})
    assert "appears with the first figures" in ann.get("/surveys/ward/results").text
    studio.answer(300)
    told = ann.get("/api/v1/surveys/ward/results").json()
    assert (told["n"], told["tables"][0]["shares"]["n"]) == (300, 300)


def test_tables_are_published_once_when_the_survey_is_closed(
    studio: Studio, ann: httpx.Client, carl: httpx.Client
) -> None:
    studio.opened(400)
    choose(ann)
    early = ann.post("/api/v1/surveys/ward/published")
    assert (early.status_code, ann.get("/surveys/ward/published").status_code) == (409, 409)
    studio.store.close_survey("ward")
    assert carl.post("/api/v1/surveys/ward/published").status_code == 403
    made = ann.post("/api/v1/surveys/ward/published")
    assert made.status_code == 201
    assert ann.post("/api/v1/surveys/ward/published").status_code == 409
    choose(ann, {"tables": []})
    assert carl.get("/api/v1/surveys/ward/published").json() == made.json()
    document = made.json()
    live = ann.get("/api/v1/surveys/ward/results").json()
    assert document["shares"] == live["shares"]
    assert [one["by"] for one in document["tables"]] == [["sex"], ["drinks"]]
    page = carl.get("/surveys/ward/published").text
    assert page.count("<details") == page.count("open><summary>The numbers") == 5


def test_a_question_with_a_rare_answer_is_not_published(studio: Studio, ann: httpx.Client) -> None:
    rare = fk.Attribute("village", [f"v{i}" for i in range(40)])
    design = fk.Design([*DESIGN.attributes, rare], groups=DESIGN.groups)
    studio.opened(150, design=design)
    studio.store.close_survey("ward")
    made = ann.post("/api/v1/surveys/ward/published").json()
    assert made["refused"] == [["village"]]
    assert "village" not in json.dumps([made["shares"], made["tables"]])


def test_the_rule_for_tables() -> None:
    assert may_follow(None, [[10, 10]])
    assert not may_follow(None, [[0, 50]])
    assert may_follow([[10, 10]], [[10, 10]])
    assert not may_follow([[10, 10]], [[20, 19]])


@pytest.mark.parametrize(("yes", "strange"), [(95, False), (10, True)])
def test_a_share_that_chance_cannot_explain_is_doubted_beside_its_chart(
    *, yes: int, strange: bool
) -> None:
    # 400 reports of a fair coin: the cover alone makes 100 of them "yes", give or take 9.
    design = fk.Design(
        [fk.Attribute("ill", ["no", "yes"]), fk.Attribute("sex", ["f", "m"])],
        groups=[fk.Group(["ill"], fk.Unrelated(0.5))],
    )
    reports = {"ill": ["no"] * (400 - yes) + ["yes"] * yes, "sex": ["f", "m"] * 200}
    chart = chart_of(design, fk.estimate(design, reports, "ill"))
    crossed = crossed_chart(design, fk.estimate_by(design, reports, "ill", "sex"))
    for one in (chart, crossed):
        assert ("Chance hardly explains" in one.warning) == strange
        assert one.outside == (not strange)
