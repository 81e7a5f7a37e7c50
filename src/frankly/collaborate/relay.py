"""Relay: carries messages between the parties. It is not trusted, and holds no secret of theirs.

It checks signatures, so that nobody can fill a party's place with rubbish, and keeps every
message on disk before it says so. The same message may be handed in again; another one in
its place is refused.
"""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from frankly.collaborate.certificates import Identity, write_private
from frankly.collaborate.message import MOST
from frankly.collaborate.session import Session
from frankly.collaborate.state import sync
from frankly.collaborate.transcript import signed_by_roster
from frankly.errors import PartyError

__all__ = ["create_app", "serve"]

STEPS = 10_000
"""No session has as many steps; what lies beyond is only there to fill the disk."""

WAIT = 5.0


class Pigeonholes:
    """The messages of one session, on disk: a folder a step, a file a sender."""

    def __init__(self, session: Session, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.news = asyncio.Condition()

    def path(self, step: int, sender: int) -> Path:
        """Tell where a message lies."""
        return self.folder / f"step-{step:04}" / f"{sender:04}.message"

    def take(self, step: int, sender: int, data: bytes) -> int:
        """Keep a message; tell the status to answer with."""
        path = self.path(step, sender)
        if path.exists():
            return 200 if path.read_bytes() == data else 409
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        write_private(fresh, data)
        fresh.rename(path)
        sync(path.parent)
        return 201

    def found(self, step: int) -> dict[int, bytes]:
        """Give the messages of a step by sender."""
        paths = sorted((self.folder / f"step-{step:04}").glob("*.message"))
        return {int(path.stem): path.read_bytes() for path in paths}

    def progress(self) -> list[dict[str, object]]:
        """Tell who has spoken in which step."""
        steps = sorted(self.folder.glob("step-*"))
        return [
            {
                "step": int(path.name.removeprefix("step-")),
                "from": [
                    self.session.names[int(file.stem)] for file in sorted(path.glob("*.mes*"))
                ],
            }
            for path in steps
        ]


def create_app(session: Session, folder: Path) -> Starlette:
    """Make the relay of one session.

    Parameters
    ----------
    session
        What was agreed on.
    folder
        Where messages are kept.
    """
    holes = Pigeonholes(session, folder / session.hash.hex()[:16])

    async def put(request: Request) -> Response:
        step, sender = request.path_params["step"], request.path_params["sender"]
        data = await body_of(request)
        if data is None:
            return PlainTextResponse("a message is at most 128 MiB", 413)
        try:
            message = signed_by_roster(data, session)
        except PartyError as error:
            return PlainTextResponse(str(error), 422)
        if (message.step, message.sender) != (step, sender):
            return PlainTextResponse("the message belongs to another step or party", 422)
        if step >= STEPS:
            return PlainTextResponse(f"a session has fewer than {STEPS:,} steps", 422)
        status = holes.take(step, sender, data)
        async with holes.news:
            holes.news.notify_all()
        return PlainTextResponse("", status)

    async def get(request: Request) -> Response:
        step, have = request.path_params["step"], int(request.query_params.get("have", "-1"))
        found = holes.found(step)
        if len(found) <= have:
            try:
                async with asyncio.timeout(WAIT), holes.news:
                    await holes.news.wait_for(lambda: len(holes.found(step)) > have)
            except TimeoutError:
                pass
            found = holes.found(step)
        return Response(msgspec.msgpack.encode(found), media_type="application/octet-stream")

    async def status(_: Request) -> Response:
        parties = list(session.names)
        return JSONResponse({"id": session.id, "parties": parties, "steps": holes.progress()})

    place = f"/sessions/{session.hash.hex()}"
    routes = [
        Route(place + "/status", status),
        Route(place + "/{step:int}", get),
        Route(place + "/{step:int}/{sender:int}", put, methods=["PUT"]),
    ]
    return Starlette(routes=routes, exception_handlers={ValueError: no_number})


async def no_number(_: Request, __: Exception) -> Response:
    """Answer whoever writes something else where a number belongs."""
    return PlainTextResponse("steps, senders and have are whole numbers of a few digits", 400)


async def body_of(request: Request) -> bytes | None:
    """Read a request's body, unless it is too long."""
    whole = bytearray()
    async for chunk in request.stream():
        whole += chunk
        if len(whole) > MOST:
            return None
    return bytes(whole)


class Relay(uvicorn.Server):
    """A server that says when its door is open."""

    ready: Callable[[], None] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the door, and say so."""
        await super().startup(sockets)
        if self.started:
            self.ready()


def serve(
    session: Session,
    identity: Identity,
    folder: Path,
    place: tuple[str, int],
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Carry messages until stopped; only the session's parties get in.

    Parameters
    ----------
    session
        What was agreed on.
    identity
        The relay's own certificate and key.
    folder
        Where messages are kept.
    place
        Host and port to listen at.
    ready
        Called when the door is open.
    """
    if identity.certificate != session.relay.get("certificate"):
        raise PartyError(
            f"session {session.id} names another relay's certificate, so no party would talk to "
            "this one. Use the relay's own folder, or make the session with its certificate"
        )
    config = uvicorn.Config(
        create_app(session, folder),
        host=place[0],
        port=place[1],
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    config.load()
    config.ssl = identity.server_context(list(session.parties.values()))
    relay = Relay(config)
    relay.ready = ready
    relay.run()
