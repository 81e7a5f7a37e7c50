"""The relay keeps what it took, takes nothing else in its place, and knows nobody else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from starlette.applications import Starlette

from frankly.collaborate import Session
from frankly.collaborate.message import Message, write_message
from frankly.collaborate.relay import create_app
from tests.collaborate.rooms import Hospital, agreed, hospitals


class Client:
    """Speak to an app without a network."""

    def __init__(self, app: Starlette) -> None:
        self.app, self.runner = app, asyncio.Runner()

    def request(self, method: str, path: str, content: bytes = b"") -> httpx.Response:
        async def call() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="https://relay") as client:
                return await client.request(method, path, content=content)

        return self.runner.run(call())

    def put(self, path: str, content: bytes) -> httpx.Response:
        return self.request("PUT", path, content)

    def get(self, path: str) -> httpx.Response:
        return self.request("GET", path)


Room = tuple[Client, Session, list[Hospital]]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    parties = hospitals(tmp_path)
    session = agreed(parties)
    client = Client(create_app(session, tmp_path / "relay"))
    yield client, session, parties
    client.runner.close()


def said(session: Session, party: Hospital, sender: int, body: bytes, step: int = 0) -> bytes:
    message = Message(session.hash, step, "hello", sender, b"", b"", body)
    return write_message(message.signed(party.identity.key))


def place(session: Session, step: int, sender: int) -> str:
    return f"/sessions/{session.hash.hex()}/{step}/{sender}"


def test_a_message_is_taken_once_and_may_come_again(room: Room) -> None:
    client, session, parties = room
    message = said(session, parties[1], 1, b"one")
    assert client.put(place(session, 0, 1), content=message).status_code == 201
    assert client.put(place(session, 0, 1), content=message).status_code == 200
    other = said(session, parties[1], 1, b"two")
    assert client.put(place(session, 0, 1), content=other).status_code == 409
    found = client.get(f"/sessions/{session.hash.hex()}/0").content
    assert msgspec.msgpack.decode(found, type=dict[int, bytes]) == {1: message}


def test_a_restarted_relay_still_has_it(room: Room, tmp_path: Path) -> None:
    client, session, parties = room
    message = said(session, parties[2], 2, b"kept")
    client.put(place(session, 0, 2), content=message)
    again = Client(create_app(session, tmp_path / "relay"))
    found = again.get(f"/sessions/{session.hash.hex()}/0").content
    assert msgspec.msgpack.decode(found, type=dict[int, bytes]) == {2: message}
    told = again.get(f"/sessions/{session.hash.hex()}/status").json()
    assert told["steps"] == [{"step": 0, "from": ["party-2"]}]
    again.runner.close()


def test_what_is_not_signed_by_its_sender_is_refused(room: Room) -> None:
    client, session, parties = room
    good = said(session, parties[0], 0, b"body")
    forged = said(session, parties[1], 0, b"body")
    bad = [forged, good[:-1], good.replace(b"body", b"bodY"), b"", b"\xc1"]
    for message in bad:
        assert client.put(place(session, 0, 0), content=message).status_code == 422
    assert client.put(place(session, 0, 1), content=good).status_code == 422, "another's place"
    assert client.put(place(session, 3, 0), content=good).status_code == 422, "another step"
    found = client.get(f"/sessions/{session.hash.hex()}/0").content
    assert msgspec.msgpack.decode(found) == {}


def test_rubbish_in_an_address_is_answered_in_words(room: Room) -> None:
    client, session, parties = room
    here = f"/sessions/{session.hash.hex()}"
    for path in (f"{here}/0?have=abc", f"{here}/0?have=", f"{here}/{'9' * 5000}"):
        answer = client.get(path)
        assert (answer.status_code, "whole numbers" in answer.text) == (400, True)
    far = said(session, parties[0], 0, b"body", step=10_000)
    assert client.put(place(session, 10_000, 0), content=far).status_code == 422
    assert client.get(f"{here}/status").json()["steps"] == []


def test_another_session_is_not_here(room: Room) -> None:
    client, session, parties = room
    other = agreed(parties, id="other")
    assert client.put(place(other, 0, 0), content=b"").status_code == 404
    message = said(other, parties[0], 0, b"body")
    assert client.put(place(session, 0, 0), content=message).status_code == 422
