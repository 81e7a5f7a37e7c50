"""A line to PostgreSQL that falls silent, as after a failover: people are served over a new one."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from frankly.collect import writer
from frankly.collect.writer import Writer
from frankly.store import Answer, Rows, Store, hashed
from tests.live import DESIGN, Postgres, in_loop

ROW = Rows(DESIGN).pack(0, [0, 1, 1])


@dataclass
class Go:
    """A go-between that can stop to pass on what the lines say that it has by now."""

    server: int
    door: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    speaking: list[threading.Event] = field(default_factory=list)

    def serve(self) -> None:
        """Connect whoever comes with the server."""
        while True:
            try:
                ours, _ = self.door.accept()
            except OSError:
                return
            theirs, speaks = socket.create_connection(("127.0.0.1", self.server)), threading.Event()
            speaks.set()
            self.speaking.append(speaks)
            for ways in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=pass_on, args=(*ways, speaks), daemon=True).start()

    def fall_silent(self) -> None:
        """Let the lines that there are hang; new ones work."""
        for speaks in self.speaking:
            speaks.clear()

    def end(self) -> None:
        """Let everybody go."""
        self.door.close()
        for speaks in self.speaking:
            speaks.set()


def pass_on(one: socket.socket, other: socket.socket, speaks: threading.Event) -> None:
    """Pass on what one side says."""
    with suppress(OSError), one, other:
        while said := one.recv(65536):
            speaks.wait(60)
            other.sendall(said)


@contextmanager
def between(postgres: Postgres) -> Iterator[tuple[str, Go]]:
    """Give the address of a new database by way of a go-between."""
    url = postgres.database()
    go = Go(int(url.rpartition(":")[2].partition("/")[0]))
    threading.Thread(target=go.serve, daemon=True).start()
    try:
        yield url.replace(f":{go.server}/", f":{go.door.getsockname()[1]}/"), go
    finally:
        go.end()


@pytest.mark.parametrize("light", [True, False], ids=["from the loop", "from the thread"])
def test_an_answer_goes_over_a_new_line_when_the_old_one_falls_silent(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, *, light: bool
) -> None:
    monkeypatch.setattr(writer, "SILENCE", 0.5)
    monkeypatch.setattr(sys.modules["frankly.store.ingest"], "SILENCE", 0.5)

    async def answered(store: Store, go: Go) -> None:
        one = Writer(store)
        one.start()
        for receipt in ("first", "second"):
            answer = Answer("ward", None, hashed(receipt), ROW)
            assert await one.store_one(answer) == "stored"
            go.fall_silent()
        assert await one.store_one(answer) == "again"
        await one.stop()

    with between(postgres) as (url, go), Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        if not light:
            monkeypatch.setattr(store.dialect, "light", lambda _: False)
        in_loop(answered(store, go))
        store.engine.dispose()
        assert store.size("ward") == 2
