"""Models: trained beside the pages, kept, drawn, judged where that can be done, and taken home."""

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

import frankly as fk
from frankly.estimate.text import percent
from frankly.store import SurveyError
from frankly.store.drafts import keep_model, models, publish
from frankly.studio.jobs import AT_ONCE, Job, Jobs
from frankly.studio.training import KINDS
from tests.studio.people import DESIGN, Studio

PATH = "/api/v1/surveys/ward/models"
MODELS = "/surveys/ward/model"


def trained(client: httpx.Client, kind: str, target: str | None = None) -> Any:
    started = client.post(PATH, json={"kind": kind, "target": target})
    assert started.status_code == 202, started.text
    return finished(client, started.json()["name"])


def finished(client: httpx.Client, name: str) -> Any:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        now = client.get(f"{PATH}/{name}").json()
        if now["state"] not in ("waiting", "running"):
            return now
        time.sleep(0.05)
    raise AssertionError("the training did not end")


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_is_trained_shown_and_taken_home(
    studio: Studio, carl: httpx.Client, kind: str, tmp_path: Path
) -> None:
    studio.opened(300)
    made = trained(carl, kind)
    assert (made["state"], made["said"], made["n"]) == ("done", "", 300)
    page = carl.get(f"/surveys/ward/model/{made['name']}")
    assert page.status_code == 200
    assert KINDS[kind][0] in carl.get("/surveys/ward/model").text
    assert "style=" not in page.text
    assert "<style" not in page.text
    assert ('class="picture"' in page.text) == (kind in ("id3", "cart"))
    body = carl.get(f"{PATH}/{made['name']}/document")
    path = tmp_path / "model.json"
    path.write_bytes(body.content)
    model: Any = fk.load(path)
    assert model.summary() == made["summary"]
    assert model.n_reports_ == 300


def test_accuracy_comes_with_its_error_and_a_comparison(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(600)
    told = trained(ann, "naive-bayes", "ill")["accuracy"]
    assert told["n"] == 200
    assert told["low"] < told["accuracy"] < told["high"]
    page = ann.get("/surveys/ward/model/naive-bayes-0").text
    assert f"95% certainty {percent(told['low'])} to {percent(told['high'])}" in page
    # The truths are drawn without any pattern, so there is nothing to learn.
    assert (told["accuracy"] <= told["usual"]) == ("no better than always saying" in page)
    assert f"{percent(told['accuracy'])}, {100 * told['low']:.1f} to" in ann.get(MODELS).text
    assert "as was wanted" not in page
    assert "Judged by 200 answers that it had not seen, after learning from 400" in page


def test_titles_claim_no_more_than_the_errors_allow(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(600)  # drawn without any pattern
    for kind in ("id3", "naive-bayes", "clusters", "rules"):
        page = ann.get(f"/surveys/ward/model/{trained(ann, kind)['name']}").text
        titles = re.findall("<h[12]>(.*?)</h", page)
        assert not any("differs by" in one or one.startswith("0 rules") for one in titles), titles
        if kind == "id3":
            assert "Nothing clearly tells about ill" in titles
            assert "more than one standard error" in page
        if kind == "naive-bayes":
            assert "sex within each answer to ill" in titles


def test_where_the_forms_do_not_ask_it_all_the_reason_is_told(
    studio: Studio, ann: httpx.Client
) -> None:
    modules = fk.Design.modules(DESIGN.attributes, target="ill", mechanism=fk.Uniform(theta=0.7))
    studio.opened(600, design=modules)
    made = trained(ann, "naive-bayes")
    assert (made["state"], made["accuracy"]) == ("done", None)
    assert "form" in made["why_not"]
    page = ann.get(f"/surveys/ward/model/{made['name']}").text
    assert "How often it is right cannot be told." in page


def test_training_again_tells_the_same_and_takes_its_place(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(300)
    first, second = trained(ann, "id3"), trained(ann, "id3")
    assert first == second
    studio.answer(9, seed=8)
    assert trained(ann, "id3") == first  # the same reports as long as figures stand still
    assert list(models(studio.store, "ward")) == ["id3-0"]


def test_few_answers_and_unknown_questions_are_refused(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(90)
    refused = ann.post(PATH, json={"kind": "id3"})
    assert refused.status_code == 400
    assert "at least 100" in refused.json()["error"]["message"]
    assert "Models start at 100 answers" in ann.get("/surveys/ward/model").text
    studio.answer(60, seed=2)
    assert ann.post(PATH, json={"kind": "id3", "target": "wealth"}).status_code == 400
    assert ann.post(PATH, json={"kind": "magic"}).status_code == 422
    typed = ann.post("/surveys/ward/model", data={"kind": "id3", "target": "wealth"})
    assert typed.status_code == 400
    assert "There is a problem" in typed.text


def test_the_form_leads_to_the_model(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(200)
    sent = ann.post("/surveys/ward/model", data={"kind": "cart", "target": "drinks"})
    assert sent.headers["location"] == "/surveys/ward/model/cart-1"
    finished(ann, "cart-1")
    assert [one["name"] for one in ann.get(PATH).json()] == ["cart-1"]


def test_a_training_that_fails_says_why(studio: Studio, ann: httpx.Client) -> None:
    forms = [fk.Form([group]) for group in DESIGN.groups]
    studio.opened(300, design=fk.Design(DESIGN.attributes[:2], forms=forms))
    made = trained(ann, "naive-bayes", "ill")
    assert made["state"] == "failed"
    assert "Add a form that asks" in made["said"]
    page = ann.get("/surveys/ward/model/naive-bayes-0").text
    assert "Nothing could be learned" in page
    assert "Add a form that asks" in page
    assert ann.get(f"{PATH}/naive-bayes-0/document").status_code == 404


def test_a_model_of_an_earlier_version_is_to_be_trained_again(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(300)
    trained(ann, "id3")
    trained(ann, "rules")
    kept = models(studio.store, "ward")["rules"]
    kept["model"]["parameters"] = {"noise": 2.0}
    keep_model(studio.store, studio.store.survey("ward"), "rules", kept)
    assert [one["state"] for one in ann.get(PATH).json()] == ["done", "failed"]
    assert "Train it again" in ann.get("/surveys/ward/model/rules").text
    assert ann.get("/surveys/ward/model").status_code == 200
    assert trained(ann, "rules")["state"] == "done"


def test_jobs_run_a_few_at_once_stop_when_asked_and_tell_nothing_of_our_mistakes() -> None:
    jobs, gate = Jobs(), threading.Event()

    def slow(job: Job) -> None:
        for step in range(100_000):
            job.progress(step, 100_000)
            gate.wait(0.001)

    def broken(job: Job) -> None:
        raise ValueError(f"a secret of {job.survey}")

    made = [jobs.start("ward", f"slow-{i}", slow) for i in range(AT_ONCE + 1)]
    assert jobs.start("ward", "slow-0", slow) is made[0]
    until(lambda: sum(job.state == "running" for job in made) == AT_ONCE)
    assert made[-1].state == "waiting"
    for job in made:
        job.stop.set()
    until(lambda: {job.state for job in made} == {"stopped"})
    wrong = jobs.start("ward", "wrong", broken)
    until(lambda: wrong.state == "failed")
    assert "secret" not in wrong.said
    jobs.pool.shutdown()


def until(holds: Any) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_model_of_a_deleted_survey_is_not_kept(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(200)
    trained(ann, "rules")
    studio.store.delete_survey("ward")
    assert models(studio.store, "ward") == {}
    assert ann.get(PATH).status_code == 404


def test_a_stranger_finds_no_model(studio: Studio, ann: httpx.Client, bob: httpx.Client) -> None:
    studio.opened(200)
    made = trained(ann, "rules")
    for path in (PATH, f"{PATH}/{made['name']}", f"{PATH}/{made['name']}/document"):
        assert bob.get(path).status_code == 404
    assert json.loads(bob.get(PATH).text)["error"]["type"] == "not_yours"


def test_nothing_of_a_deleted_survey_is_left_for_the_next_of_its_name(
    studio: Studio, ann: httpx.Client, bob: httpx.Client
) -> None:
    studio.opened(300)
    trained(ann, "id3")
    assert ann.post("/api/v1/surveys/ward/audit").status_code == 202
    assert ann.delete("/api/v1/surveys/ward?confirm=ward").status_code == 204
    studio.opened(owner="bob", design=fk.Design(DESIGN.attributes[:1], groups=DESIGN.groups[:1]))
    assert bob.get(PATH).json() == []
    assert bob.get(f"{PATH}/id3-0").status_code == 404
    assert bob.get("/surveys/ward/model/id3-0").status_code == 404
    assert bob.get("/api/v1/surveys/ward/audit").json()["state"] == "none"


def test_work_that_ends_after_its_survey_was_deleted_is_not_kept(studio: Studio) -> None:
    studio.opened()
    last = studio.store.survey("ward")
    studio.store.delete_survey("ward")
    for _ in range(2):
        with pytest.raises(SurveyError, match="deleted meanwhile"):
            keep_model(studio.store, last, "id3-0", {"model": {}})
        with pytest.raises(SurveyError, match="deleted meanwhile"):
            publish(studio.store, last, {"tables": []})
        with pytest.raises(SurveyError, match="deleted meanwhile"):
            studio.store.show(last, 100, "{}")
        rows = studio.store.total_rows()
        assert rows["model"] == rows["published"] == rows["shown"] == 0
        if not studio.store.surveys():
            studio.opened(owner="bob")  # the very same survey under the same name, but another's
    keep_model(studio.store, studio.store.survey("ward"), "id3-0", {"model": {}})
    assert studio.store.total_rows()["model"] == 1


def test_a_model_too_wide_for_any_memory_says_so(studio: Studio, ann: httpx.Client) -> None:
    wide = [fk.Attribute(name, [f"{i}" for i in range(1500)]) for name in ("street", "job")]
    studio.opened(150, design=fk.Design([*DESIGN.attributes, *wide], groups=DESIGN.groups))
    made = trained(ann, "naive-bayes", "street")
    assert made["state"] == "failed"
    assert "merge values" in made["said"]
