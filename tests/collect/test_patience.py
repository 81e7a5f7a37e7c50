"""Patience: no connection takes much memory, none is waited for without end; odd names are 404."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from uvicorn.server import ServerState

from frankly.collect import create_app, serve
from frankly.collect.serve import PatientProtocol
from frankly.store import Store, Survey
from tests.live import Live, in_loop, running, survey_in
from tests.promises.test_p17_the_service_stays_up import memory

MIB = 1 << 20
WORD = b"canary"
POST = b"POST /ward/reports HTTP/1.1\r\nhost: x\r\n"
PIECES = POST + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"

FLOODS = {
    "lines": (b"GET / HTTP/1.1\r\n", b"a: b\r\n" + WORD + b": b\r\n"),
    "one value": (b"GET / HTTP/1.1\r\nx: ", WORD),
    "one name": (b"GET / HTTP/1.1\r\n", WORD),
    "one address": (b"GET /", WORD),
    "lines after a body": (PIECES, b"a: b\r\n" + WORD + b": b\r\n"),
    "one value after a body": (PIECES + b"x: ", WORD),
}
"""What a head, or what follows a body, begins with, and what comes again and again."""

ASK = b"GET /healthz HTTP/1.1\r\n\r\n"
ANSWERED = b"HTTP/1.1 204"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One worker for all floods."""
    folder: Path = tmp_path_factory.mktemp("patience")
    survey_in(str(folder / "s.sqlite"), 0)
    with running(str(folder / "s.sqlite"), log=folder / "log") as live:
        yield live


def well(live: Live) -> bool:
    """Tell whether an honest request is answered."""
    return httpx.get(f"{live.base}/ward/design.json", timeout=20).status_code == 200


@pytest.mark.parametrize("kind", FLOODS)
def test_whoever_sends_too_large_a_head_is_cut_off(live: Live, kind: str) -> None:
    first, again = FLOODS[kind]
    assert well(live)
    before, cut, grown = memory(live.processes[0].pid), False, 0.0
    with socket.create_connection(live.door.getsockname(), timeout=20) as one:
        try:
            one.sendall(first)
            for _ in range(20):
                one.sendall(again * (MIB // len(again)))
                grown = max(grown, memory(live.processes[0].pid) - before)
        except ConnectionError:
            cut = True
        grown = max(grown, memory(live.processes[0].pid) - before)
        assert well(live)
    assert (cut, grown < 10) == (True, True), grown
    assert live.log is not None
    assert WORD not in live.log.read_bytes()


@pytest.mark.parametrize("pause", [0.0, 0.05])
@pytest.mark.parametrize(("size", "kept"), [(60_000, True), (70_000, False)])
def test_a_head_is_measured_alike_at_once_and_line_by_line(
    live: Live, size: int, kept: bool, pause: float
) -> None:
    parts = [POST, *[b"x: " + b"a" * (size // 4 - 5) + b"\r\n"] * 4, b"\r\n"]
    found = b""
    with socket.create_connection(live.door.getsockname(), timeout=20) as one:
        for part in parts if pause else [b"".join(parts)]:
            with suppress(ConnectionError):
                one.sendall(part)
            time.sleep(pause)
        with suppress(ConnectionError):
            found = one.recv(4096)
    assert found.startswith(b"HTTP/1.1 415") == kept


def test_requests_that_are_asked_one_after_another_are_counted_each_for_itself(live: Live) -> None:
    with socket.create_connection(live.door.getsockname(), timeout=20) as one:
        for _ in range(4000):
            one.sendall(ASK)
            found = b""
            while not found.endswith(b"\r\n\r\n"):
                found += (more := one.recv(4096))
                assert more
            assert found.startswith(ANSWERED)


class Pipeline:
    """Somebody who asks without waiting, and reads all answers meanwhile."""

    def __init__(self, live: Live) -> None:
        self.line = socket.create_connection(live.door.getsockname(), timeout=1)
        self.found = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        """Read until both sides are done; keep only what may hold half an answer."""
        self.answers: dict[bytes, int] = {}
        with self.line.dup() as line:
            line.settimeout(3)
            while more := self.some(line):
                *whole, self.found = (self.found + more).split(b"HTTP/1.1 ")
                for answer in whole:
                    self.answers[answer[:3]] = self.answers.get(answer[:3], 0) + 1
        self.answers[self.found[:3]] = self.answers.get(self.found[:3], 0) + 1

    @staticmethod
    def some(line: socket.socket) -> bytes:
        """Read a little, nothing once the other side is silent or gone."""
        try:
            return line.recv(MIB)
        except OSError:
            return b""

    def end(self) -> dict[bytes, int]:
        """Wait for the last answer; count them by status."""
        self.reader.join()
        self.line.close()
        self.answers.pop(b"", None)
        return self.answers


def test_requests_that_are_asked_at_once_are_counted_each_for_itself(live: Live) -> None:
    all_at_once = Pipeline(live)
    all_at_once.line.settimeout(30)
    large = POST + b"content-length: 30000\r\n\r\n" + b"{" * 30_000
    all_at_once.line.sendall(ASK * 20_000 + large * 50 + ASK * 100)
    assert all_at_once.end() == {b"204": 20_100, b"415": 50}


def test_a_queue_of_requests_does_not_fill_the_memory(live: Live) -> None:
    assert well(live)
    before, endless = memory(live.processes[0].pid), Pipeline(live)
    end = time.monotonic() + 4
    while time.monotonic() < end:
        try:
            endless.line.sendall(ASK * 1000)
        except TimeoutError:
            break
    grown = memory(live.processes[0].pid) - before
    endless.line.shutdown(socket.SHUT_RDWR)
    endless.end()
    assert grown < 60
    assert well(live)


class Line(asyncio.Transport):
    """Stands for a connection: remembers what was done to it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def close(self) -> None:
        self.done.append("closed")

    def abort(self) -> None:
        self.done.append("cut")

    def is_closing(self) -> bool:
        return bool(self.done)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep nothing."""


async def asked(tmp_path: Path) -> tuple[PatientProtocol, Line]:
    """Connect somebody to an app, without a wire."""
    with Store(str(tmp_path / "s.sqlite")) as store:
        config = uvicorn.Config(create_app(store), http=PatientProtocol, log_config=None)
    protocol, line = PatientProtocol(config, ServerState(), {}), Line()
    protocol.connection_made(line)
    return protocol, line


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the clocks short."""
    monkeypatch.setattr(serve, "HEADER_SECONDS", 0.2)
    monkeypatch.setattr(serve, "READ_SECONDS", 0.4)


@pytest.mark.usefixtures("quick")
def test_half_a_head_is_not_waited_for_once_its_sender_reads_again(tmp_path: Path) -> None:
    async def half() -> list[str]:
        protocol, line = await asked(tmp_path)
        protocol.pause_writing()
        protocol.data_received(b"GET / HTTP/1.1\r\n")
        protocol.resume_writing()
        await asyncio.sleep(0.3)
        return line.done

    assert in_loop(half()) == ["closed"]


@pytest.mark.usefixtures("quick")
def test_a_request_does_not_stop_the_clock_of_whoever_does_not_read(tmp_path: Path) -> None:
    async def one_more() -> list[str]:
        protocol, line = await asked(tmp_path)
        protocol.pause_writing()
        protocol.data_received(ASK)
        await asyncio.sleep(0.5)
        protocol.connection_lost(OSError())  # or the answer waits for ever
        return line.done

    assert "cut" in in_loop(one_more())


@pytest.mark.usefixtures("quick")
def test_who_reads_a_little_on_a_closing_line_is_still_cut_off(tmp_path: Path) -> None:
    async def little() -> list[str]:
        protocol, line = await asked(tmp_path)
        protocol.pause_writing()
        protocol.let_go()
        protocol.resume_writing()
        await asyncio.sleep(0.5)
        return line.done

    assert in_loop(little()) == ["closed", "cut"]


@pytest.mark.parametrize("path", ["/%00/", "/%00/design.json", "/a%00b/paper", "/Ward/", "/-a/"])
def test_what_cannot_be_a_name_is_missing_and_the_store_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    names: list[str] = []

    def noted(_: Store, name: str) -> Survey:
        names.append(name)
        raise AssertionError

    async def get(store: Store) -> httpx.Response:
        transport = httpx.ASGITransport(create_app(store))
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return await client.get(path)

    monkeypatch.setattr(Store, "survey", noted)
    with Store(str(tmp_path / "s.sqlite")) as store:
        told = in_loop(get(store))
    assert (told.status_code, told.json()["type"], names) == (404, "missing", [])
