"""The owner's port stays up: whoever stalls is let go, and honest people are served meanwhile."""

import socket
import sys

import httpx

from tests.live import Live, running
from tests.promises.test_p17_the_service_stays_up import close, closed_within
from tests.studio.people import Studio

QUICK = """
import runpy
from frankly.collect import serve
from frankly.studio import app
assert (serve.HEADER_SECONDS, app.SECONDS) == (10, 30)
serve.HEADER_SECONDS, app.SECONDS = 2, 4
runpy.run_module("frankly.studio", run_name="__main__")
"""
"""The studio with shorter clocks."""

PLAIN = """
import os, socket, sys
import uvicorn
from frankly.store import Store
from frankly.studio.app import create_app
app = create_app(Store(os.environ["FRANKLY_DB"], upgrade=False))
config = uvicorn.Config(app, access_log=False, log_level="warning", timeout_graceful_shutdown=1)
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""
"""The mutant is the library's own server."""

HALF = b"POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n"
SAID = [b"", HALF, HALF + b"content-length: 500\r\n\r\nname="]
"""Nothing, half a header, half a body."""


def few_files(code: str) -> tuple[str, ...]:
    """Run a program that may open few files until it asks for more."""
    return ("sh", "-c", 'ulimit -Sn 64; exec "$0" "$@"', sys.executable, "-c", code)


def stalled(live: Live, n: int) -> list[socket.socket]:
    """Open sockets on which nothing more will come."""
    found = [socket.create_connection(live.door.getsockname(), timeout=10) for _ in range(n)]
    for i, one in enumerate(found):
        one.sendall(SAID[i % 3])
    return found


def test_silent_sockets_are_closed_and_honest_people_are_served(studio: Studio) -> None:
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=few_files(QUICK)) as live:
        sockets = stalled(live, 120)
        assert httpx.get(f"{live.base}/sign-in", timeout=20).status_code == 200
        gone, _ = closed_within(sockets, 20)
        close(sockets)
    assert gone == 120


def test_a_studio_that_waits_for_ever_is_caught(studio: Studio) -> None:
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=(sys.executable, "-c", PLAIN)) as live:
        sockets = stalled(live, 6)
        gone, _ = closed_within(sockets, 6)
        close(sockets)
    assert gone < 6


def test_a_body_that_does_not_come_is_answered_in_words(studio: Studio) -> None:
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=(sys.executable, "-c", QUICK)) as live:
        (one,) = sockets = [socket.create_connection(live.door.getsockname(), timeout=20)]
        one.sendall(SAID[2])
        told = b""
        while part := one.recv(4096):
            told += part
        close(sockets)
    assert told.startswith(b"HTTP/1.1 408")
    assert b"took too long to arrive" in told
