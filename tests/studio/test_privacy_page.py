"""Privacy: the statement before and after mining, the audit, and the report to print."""

import re
import time
from html import unescape
from typing import Any

import httpx
import pytest

import frankly as fk
from frankly.judge import audit, privacy
from frankly.report import respondent_text
from frankly.report.privacy_pages import finding, sections
from frankly.studio.snapshot import snapshot
from tests.studio.people import DESIGN, DOCUMENT, Studio

API = "/api/v1/surveys/ward"


def audited(client: httpx.Client) -> Any:
    started = client.post(f"{API}/audit")
    assert started.status_code == 202, started.text
    end = time.monotonic() + 60
    while time.monotonic() < end:
        now = client.get(f"{API}/audit").json()
        if now["state"] not in ("waiting", "running"):
            return now
        time.sleep(0.05)
    raise AssertionError("the audit did not end")


@pytest.mark.parametrize("page", ["privacy", "report"])
def test_page_and_report_say_what_privacy_says(
    studio: Studio, ann: httpx.Client, page: str
) -> None:
    studio.opened(20)
    shown = unescape(ann.get(f"/surveys/ward/{page}").text)
    statement = privacy(DESIGN)
    assert finding(statement) in shown
    for line in respondent_text(DESIGN).splitlines():
        assert line in shown
    for section in sections(statement):
        for row in section.rows:
            for cell in row[1:]:
                assert f"<td>{cell}</td>" in shown
    assert DESIGN.fingerprint in shown
    assert "style=" not in shown
    assert "<style" not in shown


def test_a_draft_has_a_report_before_anybody_is_asked(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    shown = unescape(ann.get("/surveys/draft/report").text)
    assert "nobody has been asked yet" in shown
    assert '"theta": "7/10"' in shown
    told = ann.get("/api/v1/surveys/draft/privacy").json()
    assert told["before"] == privacy(DESIGN).to_dict()
    assert told["audit"]["state"] == "none"


def test_an_unfinished_draft_says_what_is_missing(studio: Studio, ann: httpx.Client) -> None:
    studio.draft(document={"title": "Nothing yet", "attributes": []})
    assert "Finish the questions first" in ann.get("/surveys/draft/privacy").text
    assert ann.get("/surveys/draft/report").status_code == 400
    assert ann.get("/api/v1/surveys/draft/privacy").status_code == 400


def test_an_audit_says_what_audit_says(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(400)
    told = audited(ann)
    engine = snapshot(studio.store, "ward").engine
    assert (told["state"], told["n"]) == ("done", 400)
    assert told["audit"] == audit(DESIGN, engine).to_dict()
    assert told["after"] == privacy(DESIGN, reports=engine).to_dict()
    for page in ("privacy", "report"):
        shown = ann.get(f"/surveys/ward/{page}").text
        assert "What an attacker finds" in shown
        assert "after mining" in shown
        for head in re.findall(r'<th scope="col">([^<]*)</th>', shown):
            assert head not in {"theta", "surest coin", "form", "how found"}
            if head in {"own sent", "surest", "AUC", "PSE", "restored"}:
                assert f"<dt>{head}</dt>" in shown
    tables = ann.get("/surveys/ward/privacy").text.split('<section class="stated">')[1:]
    assert [one.count("What is this?") for one in tables] == [1] * 6
    assert [one["name"] for one in ann.get(f"{API}/models").json()] == []
    assert ann.get(f"{API}/models/audit").status_code == 404


def test_questions_that_nobody_shown_was_asked_do_not_stop_an_audit(
    studio: Studio, ann: httpx.Client
) -> None:
    groups = {one.names[0]: one for one in DESIGN.groups}
    forms = [fk.Form([groups["ill"]], weight=100), fk.Form([groups["drinks"]])]
    studio.opened(200, design=fk.Design(DESIGN.attributes[:2], forms=forms))
    assert ann.get(f"{API}/results").json()["untold"] == ["drinks"]
    told = audited(ann)
    assert (told["state"], told["why_not"]) == ("done", "")
    assert {group["form"] for one in told["audit"]["attacks"] for group in one["groups"]} == {0}
    assert told["after"]["basis"] == (
        "estimated from the reports, all answers alike where there are none"
    )


def test_few_answers_are_not_audited(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(60)
    assert ann.post(f"{API}/audit").status_code == 400
    assert ann.post("/surveys/ward/privacy/audit").status_code == 400
    assert "takes at least 100 answers" in ann.get("/surveys/ward/privacy").text


def test_a_survey_without_a_coin_says_why_there_is_no_attack(
    studio: Studio, ann: httpx.Client
) -> None:
    chances = [[0.8, 0.2], [0.2, 0.8]]
    group = fk.Group(["ill"], fk.Matrix(chances))
    studio.opened(150, design=fk.Design(DESIGN.attributes[:1], groups=[group]))
    told = audited(ann)
    assert (told["state"], told["audit"]) == ("done", None)
    assert "no coin to find out" in told["why_not"]
    assert "No attack was tried" in ann.get("/surveys/ward/privacy").text


def test_the_report_lists_every_question_and_how_it_is_sent(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened()
    shown = unescape(ann.get("/surveys/ward/report").text)
    for one in DOCUMENT["attributes"]:
        assert one["prompt"] in shown
    assert "Of 100 people like you, 70 send their own answer and 30 one drawn by chance." in shown
    assert "Asked in clear: sent as it is answered." in shown
    assert "frankly check survey.json" in shown


def test_an_analyst_reads_and_a_stranger_does_not(
    studio: Studio, carl: httpx.Client, bob: httpx.Client
) -> None:
    studio.opened(10)
    for page in ("privacy", "report"):
        assert carl.get(f"/surveys/ward/{page}").status_code == 200
        assert bob.get(f"/surveys/ward/{page}").status_code == 404
