"""Serve: one worker on a socket that was opened for it; strangers who stall are let go."""

import asyncio
import gc
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from frankly.collect.app import create_app
from frankly.store import Store

__all__ = ["PatientProtocol", "run", "serve"]

HEADER_SECONDS = 10.0
READ_SECONDS = 30.0
CONNECTIONS = 8192
RARELY = 20_000
"""So many objects come before Python looks for garbage that holds on to itself. Answers leave
nearly none, and to look after every 700 costs a thirtieth of all answers a second."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP that waits only so long: for a request to say what it wants, for a reader to read.

    The library waits without end for the first line and the headers, after any byte that begins
    nothing, and for whoever does not read; a few thousand such sockets would shut the service.
    """

    deadline: "asyncio.TimerHandle | None" = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock when somebody connects."""
        super().connection_made(transport)
        self.arm()

    def data_received(self, data: bytes) -> None:
        """Start the clock for bytes that begin nothing, such as the end of a line.

        The library stops its own clock at any byte.
        """
        super().data_received(data)
        if self.transport.is_closing():
            self.let_go()
        elif self.deadline is None and (self.cycle is None or self.cycle.response_complete):
            self.arm()

    def on_message_begin(self) -> None:
        """Start the clock when the next request begins."""
        self.arm()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop the clock: from here on the app has its own."""
        self.disarm()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Start the clock when a reader falls behind."""
        super().pause_writing()
        self.arm(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the clock: the reader has caught up."""
        self.disarm()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """Let go of whoever wants no more."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.let_go()

    def timeout_keep_alive_handler(self) -> None:
        """Let go of whoever has nothing more to say."""
        self.let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self.disarm()
        super().connection_lost(exc)

    def let_go(self) -> None:
        """Close once all is read; cut off whoever does not read it."""
        self.transport.close()
        self.arm(READ_SECONDS, self.transport.abort)

    def arm(self, seconds: float = HEADER_SECONDS, then: Callable[[], None] | None = None) -> None:
        """Give the other side so long; ten seconds for a request to arrive."""
        self.disarm()
        self.deadline = self.loop.call_later(seconds, then or self.let_go)

    def disarm(self) -> None:
        """Stop waiting."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def serve(url: str, listening: socket.socket) -> None:
    """Run one worker until it is told to stop."""
    with Store(url, upgrade=False) as store:
        run(create_app(store), listening)


def run(app: ASGIApp, listening: socket.socket, *, behind_proxy: bool = False) -> None:
    """Serve an app until told to stop, with bounds on who waits and for how long.

    Parameters
    ----------
    behind_proxy
        Whether a proxy on this machine says where visitors come from. Nobody else is believed,
        and without a proxy anybody on this machine could say so.
    """
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1",
        limit_concurrency=CONNECTIONS,
        backlog=2048,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
    )
    gc.collect()
    gc.freeze()  # what is here now stays: to look through it again would halt everybody for long
    gc.set_threshold(RARELY)
    uvicorn.Server(config).run(sockets=[listening])
