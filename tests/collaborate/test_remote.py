"""A relay that lies or babbles gets a sentence, and nothing of it onto the screen."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from frankly.cli import main
from frankly.collaborate import Identity, Session, remote
from frankly.collaborate.remote import RelayPost
from frankly.errors import PartyError
from tests.collaborate.processes import Village

LOUD = "\x1b]0;owned\x07\x1b[2J"


async def long() -> AsyncIterator[bytes]:
    """Say something sound, four times as long as three parties' messages of 1 MiB can be."""
    yield b'{"steps": []'
    for _ in range(256):
        yield b" " * 2**16
        await asyncio.sleep(0)
    yield b"}"


BABBLE: dict[str, Callable[[], Response]] = {
    "rubbish": lambda: Response(b"\xff\xfe{"),
    "list": lambda: Response(b"[]"),
    "deep": lambda: Response(b'{"steps": [], "x": ' + b"[" * 10**5),
    "stranger": lambda: JSONResponse({"steps": [{"step": 1, "from": [LOUD]}]}),
    "loud": lambda: Response(LOUD, 500),
    "redirect": lambda: RedirectResponse("https://localhost/"),
    "long": lambda: StreamingResponse(long()),
}


class Liar:
    """A relay with the right certificate and the wrong answers."""

    says = "rubbish"

    async def answer(self, _: Request) -> Response:
        return BABBLE[self.says]()


@pytest.fixture(scope="module")
def liar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Liar, Village]]:
    village, found = Village(tmp_path_factory.mktemp("liar")), Liar()
    app = Starlette(routes=[Route("/{path:path}", found.answer, methods=["GET", "PUT"])])
    config = uvicorn.Config(app, host="127.0.0.1", port=village.port, log_config=None)
    config.load()
    session = Session.load(village.session)
    relay = Identity(village.folder / "relay")
    config.ssl = relay.server_context(list(session.parties.values()))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield found, village
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("says", BABBLE)
def test_a_lying_relay_is_refused_in_words(
    liar: tuple[Liar, Village], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MOST", 2**20)
    relay, village = liar
    relay.says = says
    words = ["party", "status", str(village.session), "-i", str(village.party(1))]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2, refused.output
    assert "the relay refuses" in refused.stderr or "answer is damaged" in refused.stderr
    assert "\x1b" not in refused.output
    session, party = Session.load(village.session), Identity(village.party(1))
    with RelayPost(session, party, 5) as post, pytest.raises(PartyError, match="the relay"):
        post.get(0, -1)


def test_a_relay_certificate_that_is_none_is_named(tmp_path: Path) -> None:
    village = Village(tmp_path)
    whole = village.session.read_text()
    pem = (village.folder / "relay" / "certificate.pem").read_text()
    village.session.write_text(whole.replace(pem, "rubbish"))
    words = ["party", "status", str(village.session), "-i", str(village.party(1))]
    refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, "is no certificate" in refused.stderr) == (2, True), refused.output
