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


def test_every_response_carries_the_strict_headers(ann: httpx.Client, nobody: httpx.Client) -> None:
    for response in (
        ann.get("/"), ann.get("/api/v1/surveys"), nobody.get("/sign-in"), nobody.get("/nowhere"),
        nobody.get("/static/studio.css"), nobody.get("/api/v1/nowhere"), nobody.post("/sign-in"),
    ):  # fmt: skip
        for name, value in HEADERS.items():
            assert response.headers[name] == value
        assert response.status_code < 500
