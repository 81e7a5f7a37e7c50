"""App: the owner's pages and the API, on a port of their own."""

import asyncio
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frankly.errors import FranklyError
from frankly.store import Store, SurveyError
from frankly.studio import (
    accounts,
    api,
    exports,
    invite,
    model_pages,
    new,
    preview,
    privacy_pages,
    protection_pages,
    question_pages,
    results_pages,
    surveys,
)
from frankly.studio.access import Access, Denied, identify, is_api, store_of
from frankly.studio.errors import NotOpenError
from frankly.studio.limit import Limit
from frankly.studio.view import HEADERS, asset, page, see

__all__ = ["create_app"]

log = logging.getLogger("frankly.studio")

LARGEST = 4 * 2**20
"""No request is larger: survey files are small."""

SECONDS = 30.0
"""So long may the whole of a request take to arrive."""

ROOMS = (
    accounts,
    surveys,
    api,
    invite,
    new,
    question_pages,
    protection_pages,
    preview,
    results_pages,
    exports,
    model_pages,
    privacy_pages,
)
"""Modules with routes: each has a ``router``."""

BROKEN = (
    "Something is wrong on our side, and nothing of what you sent is in our log. Load the page "
    "again to see how far it went."
)

NOT_OPEN = "This survey is a draft: there are no answers yet. Open it on the page Invite."

DENIED = {
    "signed out": (401, "Sign in, or send a key: Authorization: Bearer fk_..."),
    "not yours": (404, "There is nothing at this address, or it is not yours to see."),
    "used link": (404, "This link was used, or has expired: each works once. Ask for a new one."),
    "not allowed": (403, "Your account or key may not do this. Ask the survey's owner."),
    "stale": (403, "This form is too old, or was not sent from the studio. Load the page again."),
}


def create_app(store: Store, *, respondents: str = "http://127.0.0.1:8000") -> FastAPI:
    """Make the owner's app over a store.

    Parameters
    ----------
    store
        Where surveys, accounts and answers are.
    respondents
        Where respondents reach the collector: the beginning of every link.
    """
    app = FastAPI(
        title="Frankly studio",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.store, app.state.respondents, app.state.limit = store, respondents, Limit()
    for room in ROOMS:
        app.include_router(room.router)
    preview.add_previews(app)
    app.add_api_route("/static/{file}", static, include_in_schema=False)
    app.add_api_route("/healthz", health, include_in_schema=False)
    app.add_exception_handler(Denied, refuse)
    app.add_exception_handler(FranklyError, explain)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(HTTPException, plainly)
    app.add_middleware(Guard)
    return app


async def static(file: str) -> Response:
    """Give one of the studio's files."""
    found = asset(file)
    if found is None:
        raise HTTPException(404)
    return Response(found[0], media_type=found[1])


async def health() -> Response:
    """Say that the studio is up."""
    return Response(status_code=204)


def problem(request: Request, status: int, kind: str, message: str, **more: Any) -> Response:
    """Say what went wrong: as JSON to a program, as a page to a person."""
    if is_api(request):
        return JSONResponse({"error": {"type": kind, "message": message, **more}}, status)
    who = identify(request) if status < 500 else None  # nothing is asked of what just failed
    access = None
    if who is not None and not who.by_key:
        access = Access(store_of(request), who, "", who.powers)
    said = {"heading": "That did not work", "message": message, "onward": None}
    return page(
        request, "problem.html", access=access, status=status, alone=True, **{**said, **more}
    )


async def refuse(request: Request, error: Exception) -> Response:
    """Answer somebody who may not."""
    reason = error.reason if isinstance(error, Denied) else "not allowed"
    if reason == "signed out" and not is_api(request):
        return see("/sign-in")
    status, message = DENIED[reason]
    response = problem(request, status, reason.replace(" ", "_"), message)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def explain(request: Request, error: Exception) -> Response:
    """Pass our own errors on: they are help."""
    if isinstance(error, NotOpenError) and not is_api(request):
        return problem(request, 409, "", NOT_OPEN, heading="Not open yet",
                       onward=(f"/surveys/{error.survey}/invite", "Go to Invite"))  # fmt: skip
    status = 409 if isinstance(error, SurveyError) else 400
    return problem(request, status, type(error).__name__, str(error))


async def misread(request: Request, error: Exception) -> Response:
    """Say where a request was wrong and how, never what was in it."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    places = [{"place": ".".join(map(str, one["loc"])), "type": str(one["type"])} for one in found]
    said = "; ".join(f"{one['place']}: {one['type']}" for one in places)
    return problem(request, 422, "invalid", f"the request does not fit: {said}", places=places)


async def plainly(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    said = {
        404: "There is nothing at this address, or it is not yours to see.",
        405: "This address does not take that method.",
        408: "The request took too long to arrive. Send it again, all at once.",
        413: "This is larger than any survey file. Send less.",
        503: "Too many are signing in at this moment. Try again in a few seconds.",
    }
    message = said.get(status, "The request could not be read.")
    response = problem(request, status, "refused", message)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    if status in {408, 413}:
        response.headers["Connection"] = "close"
    return response


def broken(request: Request, error: Exception) -> Response:
    """Own up to a mistake of ours; its name is logged, its words could hold too much."""
    log.error("a request failed: %s", type(error).__name__)
    return problem(request, 500, "broken", BROKEN)


class Guard:
    """Put the studio's headers on every response, bound what is read, and own up to failures.

    A failure ends here: whatever passes is written to the server's log with all its words.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, guarded."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                sent = {name for name, _ in message["headers"]}
                more = [pair for pair in self.headers if pair[0] not in sent]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        try:
            await self.app(scope, bounded(receive), with_headers)
        except Exception as error:  # noqa: BLE001 - nobody above may see its words
            answer = broken(Request(scope), error)
            if not begun:
                await answer(scope, receive, with_headers)


def bounded(receive: Receive) -> Receive:
    """Read no more than any survey file takes, and wait no longer for it than for the slowest."""
    size, more, ends = 0, True, asyncio.get_running_loop().time() + SECONDS

    async def read() -> Message:
        nonlocal size, more
        try:
            async with asyncio.timeout_at(ends if more else None):  # then only for a farewell
                message = await receive()
        except TimeoutError:
            raise HTTPException(408) from None
        more = bool(message.get("more_body"))
        size += len(message.get("body", b""))
        if size > LARGEST:
            raise HTTPException(413)
        return message

    return read
