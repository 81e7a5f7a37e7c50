"""Serve: one worker on a socket that was opened for it; strangers who stall are let go."""

import asyncio
import gc
import resource
import socket
from collections.abc import Sized
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from frankly.collect.app import create_app
from frankly.store import Store

__all__ = ["PatientProtocol", "run", "serve"]

HEADER_SECONDS = 10.0
READ_SECONDS = 30.0
CONNECTIONS = 8192
LARGEST_HEAD = 64 * 1024
"""Bytes of the largest head: the address, the headers, and what follows a body in pieces."""

RARELY = 20_000
"""So many objects come before Python looks for garbage that holds on to itself. Answers leave
nearly none, and to look after every 700 costs a thirtieth of all answers a second."""


class OneReadAhead(FlowControl):
    """Reads on only when nobody is queued.

    The library reads on after every answer, and one read holds thousands of small requests: whoever
    sends them without a pause would fill the memory with a queue.
    """

    def __init__(self, transport: Any, queue: Sized) -> None:
        super().__init__(transport)
        self.queue = queue

    def resume_reading(self) -> None:
        """Leave what comes next with the sender; whoever is not last in the queue came whole."""
        if not self.queue:
            super().resume_reading()


class PatientProtocol(HttpToolsProtocol):
    """HTTP with bounds: on the wait for a request and for a reader, on heads, on the queue.

    The library waits without end for the first line and the headers, after any byte that begins
    nothing, and for whoever does not read; a few thousand such sockets would shut the service.
    It keeps heads and trailers of any size, too; one socket could take all memory.
    """

    deadline: "asyncio.TimerHandle | None" = None
    patience: "asyncio.TimerHandle | None" = None
    head = 0
    loose = 0

    def connection_made(self, transport: Any) -> None:
        """Start the clock when somebody connects."""
        super().connection_made(transport)
        self.flow = OneReadAhead(transport, self.pipeline)
        self.arm()

    def data_received(self, data: bytes) -> None:
        """Start the clock for bytes that begin nothing, such as the end of a line.

        The library stops its own clock at any byte.
        """
        self.loose += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self.loose > LARGEST_HEAD:
            self.let_go()
        elif self.deadline is None and (self.cycle is None or self.cycle.response_complete):
            self.arm()

    def on_message_begin(self) -> None:
        """Start the clock when the next request begins."""
        self.arm()
        self.head = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Add a part of the address to the head."""
        self.grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a line to the head; those that follow a body come here, too."""
        self.grow(len(name) + len(value) + len(": \r\n"))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the clock: from here on the app has its own."""
        self.disarm()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Leave the size of bodies to the app."""
        self.loose = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Count the next request for itself."""
        self.loose = 0
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the clock when a reader falls behind."""
        super().pause_writing()
        self.watch()

    def resume_writing(self) -> None:
        """Stop the clock when the reader has caught up; on a closing line the rest is still due."""
        super().resume_writing()
        self.unwatch()
        if self.transport.is_closing():
            self.watch()

    def on_response_complete(self) -> None:
        """Let go of whoever wants no more."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.let_go()

    def timeout_keep_alive_handler(self) -> None:
        """Let go of whoever has nothing more to say."""
        self.let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        self.disarm()
        self.unwatch()
        super().connection_lost(exc)

    def let_go(self) -> None:
        """Close once all is read; cut off whoever does not read it."""
        self.transport.close()
        self.disarm()
        self.watch()

    def grow(self, size: int) -> None:
        """Refuse a head that is too large; the library answers any error here with a 400."""
        self.head += size
        if self.head > LARGEST_HEAD:
            raise ValueError("the head of a request is too large")

    def arm(self) -> None:
        """Give the other side ten seconds for a request to arrive."""
        self.disarm()
        self.deadline = self.loop.call_later(HEADER_SECONDS, self.let_go)

    def disarm(self) -> None:
        """Stop waiting for a request."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def watch(self) -> None:
        """Give the other side half a minute to read; a clock of its own, which no request stops."""
        self.unwatch()
        self.patience = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def unwatch(self) -> None:
        """Stop waiting for a reader."""
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None


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
