"""Failures: a mistake of ours is owned up to, and its words go nowhere."""

import logging

import httpx
import pytest

from frankly.studio import acts, surveys
from tests.live import in_loop
from tests.studio.people import DOCUMENT, Studio

CANARY = "what somebody answered"


def fails(*_: object, **__: object) -> None:
    raise KeyError(CANARY)


@pytest.mark.parametrize("path", ["/api/v1/surveys", "/"])
def test_a_failure_ends_in_the_studio_and_its_words_are_not_logged(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    monkeypatch.setattr(acts, "begin", fails)
    monkeypatch.setattr(surveys, "page", fails)
    caplog.set_level(logging.DEBUG)
    with studio.signed_in("ann") as ann:
        sent = dict(ann.headers) | {"Cookie": f"frankly={ann.cookies['frankly']}"}
    method, body = ("POST", {"document": DOCUMENT}) if "api" in path else ("GET", None)

    async def ask() -> httpx.Response:
        strict = httpx.ASGITransport(studio.app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=strict, base_url="http://studio") as client:
            return await client.request(method, path, headers=sent, json=body)

    answer = in_loop(ask())  # what passes the studio would be raised here, and logged in earnest
    assert answer.status_code == 500
    assert "Something is wrong on our side" in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "KeyError" in caplog.text
    assert CANARY not in caplog.text + answer.text
