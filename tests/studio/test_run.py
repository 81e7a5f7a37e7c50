"""A survey's life: begun, opened, answered, closed, deleted; by a page and by a program."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from frankly.store import Answer, Rows, Store, SurveyError, hashed, ingest
from frankly.store.drafts import find_draft, members
from frankly.store.people import add_account
from frankly.studio.app import create_app
from tests.live import Postgres
from tests.studio.people import DESIGN, DOCUMENT, Studio

API = "/api/v1/surveys"


def said(response: httpx.Response) -> str:
    return str(response.json()["error"]["message"])


def test_a_program_takes_a_survey_from_draft_to_deletion(studio: Studio) -> None:
    with studio.by_key("ann", "read", "design", "run", "members") as ann:
        made = ann.post(API, json={"name": "ward", "document": DOCUMENT, "plan": {"people": 500}})
        assert made.status_code == 201
        assert made.json()["state"] == "draft"
        assert made.json()["fingerprint"] == DESIGN.fingerprint
        assert made.json()["epsilon"] == pytest.approx(DESIGN.epsilon)
        half = {**DOCUMENT, "attributes": []}
        kept = ann.put(f"{API}/ward", json={"document": half}).json()
        assert "at least one attribute" in kept["why_not"]
        assert kept["plan"] == {"people": 500}
        refused = ann.post(f"{API}/ward/open", json={})
        assert refused.status_code == 400
        assert "at least one attribute" in said(refused)
        ann.put(f"{API}/ward", json={"document": DOCUMENT})
        opened = ann.post(f"{API}/ward/open", json={"mode": "invited"}).json()
        assert (opened["state"], opened["mode"]) == ("open", "invited")
        assert ann.put(f"{API}/ward", json={"document": DOCUMENT}).status_code == 409
        links = ann.post(f"{API}/ward/invitations", json={"count": 3}).json()["links"]
        assert all(link.startswith("https://ask.example/ward/#") for link in links)
        row = Rows(DESIGN).pack(0, [0, 0, 0])
        ingest(studio.store, [Answer("ward", hashed(links[1].split("#")[1]), hashed("r"), row)])
        left = ann.post(f"{API}/ward/unused", json={"links": [*links, "x#unknown"]}).json()["links"]
        assert left == [links[0], links[2]]
        assert ann.post(f"{API}/ward/close").json()["state"] == "closed"
        assert ann.post(f"{API}/ward/close").status_code == 409
        assert ann.post(f"{API}/ward/invitations", json={"count": 1}).status_code == 409
        copy = ann.post(f"{API}/ward/duplicate", json={}).json()
        assert (copy["name"], copy["state"]) == ("ward-2", "draft")
        assert copy["fingerprint"] == DESIGN.fingerprint
        assert ann.delete(f"{API}/ward", params={"confirm": "wart"}).status_code == 409
        assert ann.delete(f"{API}/ward", params={"confirm": "ward"}).status_code == 204
        assert ann.get(f"{API}/ward").status_code == 404
        assert [one["name"] for one in ann.get(API).json()] == ["ward-2"]


def test_an_owner_does_the_same_on_pages(studio: Studio, ann: httpx.Client) -> None:
    gone = ann.post("/new", data={"title": "Nights on the ward"})
    assert gone.headers["location"] == "/surveys/nights-on-the-ward/questions"
    at = "/surveys/nights-on-the-ward"
    for tab in ("invite", "privacy"):
        told = ann.get(f"{at}/{tab}").text
        assert "There is no question yet." in told
        assert "Write the first question" in told
        assert "attribute" not in told
    for tab in ("results", "model", "export"):
        told = ann.get(f"{at}/{tab}").text
        assert "Not open yet" in told
        assert f'href="{at}/invite"' in told
        assert "frankly open" not in told
    refused = ann.post(f"{at}/open", data={"mode": "invited"})
    assert refused.status_code == 400
    assert "<p>A design needs" in refused.text, "an error on a page begins as a sentence does"
    ann.put(f"{API}/nights-on-the-ward", json={"document": DOCUMENT})
    before = ann.get(f"{at}/invite").text
    assert "This cannot be undone" in before
    assert DESIGN.fingerprint[:16] in before
    assert ann.post(f"{at}/open", data={"mode": "invited"}).status_code == 303
    shown = ann.get(f"{at}/invite").text
    assert "No answers yet" in shown
    assert re.search(r"At 200 answers .*±&nbsp;\d+\.\d&nbsp;points", shown)
    saved = ann.post(f"{at}/links", data={"count": "5"})
    assert saved.headers["content-type"].startswith("text/csv")
    assert "nights-on-the-ward-links.csv" in saved.headers["content-disposition"]
    links = saved.text.split()[1:]
    assert len(set(links)) == 5
    row = Rows(DESIGN).pack(0, [0, 0, 0])
    ingest(
        studio.store,
        [Answer("nights-on-the-ward", hashed(links[0].split("#")[1]), hashed("r"), row)],
    )
    file = {"file": ("links.csv", saved.content)}
    assert ann.post(f"{at}/unused", files=file).text.split()[1:] == links[1:]
    assert "Nobody to remind" in ann.post(f"{at}/unused", data={"earlier": links[0]}).text
    rubbish = ann.post(f"{at}/unused", data={"earlier": "my notes of yesterday"}).text
    assert "There is no link in this text" in rubbish
    assert ">my notes of yesterday</textarea>" in rubbish, "what was pasted is not lost"
    assert ann.post(f"{at}/close", data={}).status_code == 400
    assert ann.post(f"{at}/close", data={"sure": "yes"}).status_code == 303
    assert "This survey is closed" in ann.get(f"{at}/invite").text
    assert ann.post(f"{at}/delete", data={"typed": "ward"}).status_code == 400
    gone = ann.post(f"{at}/delete", data={"typed": "nights-on-the-ward"})
    assert "The survey is deleted." in ann.get(gone.headers["location"]).text
    assert ann.get(f"{at}/invite").status_code == 404


def test_certainty_is_refused_unless_it_is_accepted_by_name(
    studio: Studio, ann: httpx.Client
) -> None:
    clear = {**DOCUMENT, "groups": [{"names": ["ill"],
             "mechanism": {"kind": "unrelated", "theta": "1"}}]}  # fmt: skip
    studio.draft("ward", document=clear)
    assert ann.get(f"{API}/ward").json()["epsilon"] is None
    assert "accept it by name" in ann.get("/surveys/ward/invite").text
    for body in ({}, {"accept_infinite_epsilon": "yes"}):
        refused = ann.post(f"{API}/ward/open", json=body)
        assert refused.status_code == 409
        assert "infinite epsilon" in said(refused)
    assert ann.post("/surveys/ward/open", data={"mode": "invited"}).status_code == 400
    assert find_draft(studio.store, "ward") is not None
    body = {"accept_infinite_epsilon": "ward"}
    opened = ann.post(f"{API}/ward/open", json=body).json()
    assert opened["document"]["accept_infinite_epsilon"] is True


def test_a_survey_that_anyone_may_answer_has_one_link_and_a_warning(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft("ward")
    ann.post("/surveys/ward/open", data={"mode": "anyone"})
    shown = ann.get("/surveys/ward/invite").text
    assert "https://ask.example/ward/<" in shown
    assert "as often as they like" in shown
    refused = ann.post(f"{API}/ward/invitations", json={"count": 3})
    assert refused.status_code == 409
    assert "https://ask.example/ward/" in said(refused)


def test_deleted_bytes_are_gone(studio: Studio, ann: httpx.Client, tmp_path: Path) -> None:
    marked = {**DOCUMENT, "title": "a title nobody else has"}
    studio.draft("ward", document=marked)
    studio.draft("other", document=marked)
    ann.post(f"{API}/other/open", json={})

    def bytes_left() -> bool:
        files = [file.read_bytes() for file in tmp_path.glob("studio.sqlite*")]
        return any(b"a title nobody else has" in one for one in files)

    assert bytes_left()
    ann.delete(f"{API}/ward", params={"confirm": "ward"})
    ann.delete(f"{API}/other", params={"confirm": "other"})
    assert not bytes_left()


def test_an_owner_lets_an_analyst_in_and_out(
    studio: Studio, ann: httpx.Client, carl: httpx.Client
) -> None:
    studio.draft("ward")
    assert carl.get(f"{API}/ward").status_code == 404
    let_in = ann.post("/surveys/ward/members", data={"account": "carl", "role": "analyst"})
    assert let_in.status_code == 303
    assert carl.get(f"{API}/ward").status_code == 200
    assert carl.put(f"{API}/ward", json={"document": {}}).status_code == 403
    assert ann.get(f"{API}/ward/members").json() == {"ann": "owner", "carl": "analyst"}
    assert ann.post("/surveys/ward/members/carl/remove").status_code == 303
    assert carl.get(f"{API}/ward").status_code == 404


def test_a_survey_always_has_an_owner_who_can_close_it(studio: Studio, ann: httpx.Client) -> None:
    studio.draft("ward")
    for refused in (
        ann.delete(f"{API}/ward/members/ann"),
        ann.put(f"{API}/ward/members/ann", json={"role": "analyst"}),
        ann.put(f"{API}/ward/members/carl", json={"role": "owner"}),
        ann.put(f"{API}/ward/members/dora", json={}),
        ann.delete(f"{API}/ward/members/dora"),
    ):
        assert refused.status_code == 409
    assert members(studio.store, "ward") == {"ann": "owner"}
    assert ann.put(f"{API}/ward/members/bob", json={"role": "owner"}).status_code == 200
    assert ann.delete(f"{API}/ward/members/ann").json() == {"bob": "owner"}
    assert ann.get(f"{API}/ward").status_code == 404


def test_a_name_is_made_from_the_title_and_never_taken_twice(
    ann: httpx.Client, bob: httpx.Client
) -> None:
    body = {"document": {"title": {"de": "Müdigkeit & Fehler"}}}
    names = [who.post(API, json=body).json()["name"] for who in (ann, bob, ann)]
    assert names == ["mudigkeit-fehler", "mudigkeit-fehler-2", "mudigkeit-fehler-3"]
    assert ann.post(API, json={**body, "name": names[1]}).status_code == 409
    assert ann.post(API, json={"name": "No Good"}).status_code == 409


@pytest.mark.parametrize(
    "body",
    ['{"document": {"title": NaN}}', '{"document": {"title": "\\ud800"}}', '{"document": [1]}',
     '{"name": 7}', "[", '{"document": ' + '{"a":' * 3000 + "1" + "}" * 3001],
)  # fmt: skip
def test_what_json_cannot_hold_is_refused_in_words(ann: httpx.Client, body: str) -> None:
    refused = ann.post(API, content=body, headers={"content-type": "application/json"})
    assert refused.status_code in {400, 422}
    assert refused.json()["error"]["message"]


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_survey_begins_from_a_file(ann: httpx.Client, tmp_path: Path, suffix: str) -> None:
    DESIGN.save(tmp_path / f"ward.{suffix}")
    file: Any = {"file": (f"ward.{suffix}", (tmp_path / f"ward.{suffix}").read_bytes())}
    assert ann.post("/new", data={"title": ""}, files=file).status_code == 303
    kept = ann.get(f"{API}/nights-on-the-ward").json()
    assert kept["fingerprint"] == DESIGN.fingerprint
    broken: Any = {"file": ("ward.json", b"{")}
    assert ann.post("/new", files=broken).status_code == 400


def test_the_same_life_in_postgresql_with_its_warning(
    postgres: Postgres, kept_password: str
) -> None:
    with Store(postgres.database()) as store:
        add_account(store, "ann", kept_password, "owner")
        add_account(store, "carl", kept_password, "analyst")
        studio = Studio(store, create_app(store))
        with studio.signed_in("ann") as ann:
            studio.draft("ward")
            assert "This survey rests in PostgreSQL" in ann.get("/surveys/ward/invite").text
            assert ann.post(f"{API}/ward/open", json={}).status_code == 200
            assert ann.get("/surveys/a%00b/invite").status_code == 404
            studio.answer(120)
            assert "120 answers so far" in ann.get("/surveys/ward/invite").text
            assert ann.post(f"{API}/ward/close").status_code == 200
            assert ann.put(f"{API}/ward/members/a%00b", json={}).status_code == 409
            assert ann.delete(f"{API}/ward", params={"confirm": "ward"}).status_code == 204
            assert store.surveys() == []


def test_a_draft_whose_name_a_command_took_says_so(studio: Studio, ann: httpx.Client) -> None:
    studio.draft("ward")
    studio.store.open_survey("ward", DESIGN, "invited")
    refused = ann.post(f"{API}/ward/open", json={})
    assert refused.status_code == 409
    assert "opened elsewhere" in said(refused)
    assert find_draft(studio.store, "ward") is not None
    assert ann.post(f"{API}/ward/duplicate", json={}).status_code == 201


def test_two_who_open_at_once_open_it_once(studio: Studio, ann: httpx.Client) -> None:
    studio.draft("ward")
    studio.store.dialect.tidy(studio.store.engine)
    first = ann.post(f"{API}/ward/open", json={})
    again = ann.post(f"{API}/ward/open", json={"mode": "anyone"})
    assert (first.status_code, again.status_code) == (200, 409)
    assert studio.store.survey("ward").mode == "invited"
    with pytest.raises(SurveyError):
        studio.draft("ward")
