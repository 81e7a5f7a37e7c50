"""The frame that every page of the studio stands in."""

import httpx

from frankly import Design
from frankly.studio.view import HEADERS
from tests.studio.people import DESIGN, DOCUMENT, Studio


def test_the_document_of_the_tests_is_their_design() -> None:
    assert Design.from_document(DOCUMENT).fingerprint == DESIGN.fingerprint


def test_everybody_finds_their_own_surveys_only(
    studio: Studio, ann: httpx.Client, bob: httpx.Client, carl: httpx.Client
) -> None:
    studio.draft("plans")
    studio.opened(3)
    assert [one["name"] for one in ann.get("/api/v1/surveys").json()] == ["plans", "ward"]
    assert ann.get("/api/v1/surveys").json()[0]["state"] == "draft"
    assert bob.get("/api/v1/surveys").json() == []
    assert [one["name"] for one in carl.get("/api/v1/surveys").json()] == ["ward"]
    assert "Nights on the ward" in ann.get("/").text
    assert "Nights on the ward" not in bob.get("/").text


def test_who_is_signed_in_stays_so_on_a_page_that_says_no(
    studio: Studio, ann: httpx.Client, carl: httpx.Client, nobody: httpx.Client
) -> None:
    studio.draft("plans")
    studio.opened()
    for refused, name in (
        (ann.get("/nowhere"), "ann"), (ann.get("/surveys/other/results"), "ann"),
        (carl.get("/surveys/ward/questions"), "carl"),
    ):  # fmt: skip
        assert refused.status_code in (403, 404)
        assert f'<a href="/account">{name}</a>' in refused.text
        assert "Sign out" in refused.text
    assert "Sign out" not in nobody.get("/nowhere").text


def test_an_analyst_without_surveys_is_not_asked_to_write_one(carl: httpx.Client) -> None:
    home = carl.get("/").text
    assert "No surveys to look at yet" in home
    assert "Ask your first question" not in home


def test_every_response_carries_the_strict_headers(ann: httpx.Client, nobody: httpx.Client) -> None:
    for response in (
        ann.get("/"), ann.get("/api/v1/surveys"), nobody.get("/sign-in"), nobody.get("/nowhere"),
        nobody.get("/static/studio.css"), nobody.get("/api/v1/nowhere"), nobody.post("/sign-in"),
    ):  # fmt: skip
        for name, value in HEADERS.items():
            assert response.headers[name] == value
        assert response.status_code < 500
