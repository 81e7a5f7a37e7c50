"""App: the respondent's server. It takes reports in, holds no coin and keeps no trace."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frankly.collect.paper import AGAIN, Paper, answer_from_form, fields_of
from frankly.collect.reading import answer_from
from frankly.collect.refusal import Refusal, told
from frankly.collect.site import Asset, Site, load_site
from frankly.collect.speaker import refused_page
from frankly.collect.writer import Writer
from frankly.store import Outcome, Store, Survey, SurveyError, check_name

__all__ = ["LARGEST", "create_app"]

log = logging.getLogger("frankly.collect")

LARGEST = 64 * 1024
"""Bytes of the largest body that is read."""

DRAINED = 1024 * 1024
"""Bytes that are read and dropped, so that a sender hears why; beyond, the line is cut."""

REMEMBERED = 256
"""So many surveys are remembered by a worker."""

FORM = "application/x-www-form-urlencoded"

SECONDS = 10.0
"""How long a body may take to arrive."""

REFUSED: dict[Outcome, tuple[str, str]] = {
    "taken": ("used", "invitation"),
    "unknown": ("invitation", "invitation"),
    "closed": ("closed", "survey"),
    "missing": ("missing", "path"),
    "other": ("design", "design"),
}


class Collector:
    """The respondent's endpoints over one store."""

    def __init__(self, store: Store, site: Site, writer: Writer) -> None:
        self.store, self.site, self.writer = store, site, writer
        self.open: dict[str, Survey] = {}

    async def survey(self, request: Request, *, fresh: bool) -> Survey:
        """Find the survey that a path names; a frozen design may be remembered."""
        name = request.path_params["name"]
        if fresh or name not in self.open:
            if len(self.open) > REMEMBERED:
                self.open.clear()
            try:
                self.open[name] = await asyncio.to_thread(self.store.survey, check_name(name))
            except SurveyError:
                self.open.pop(name, None)
                raise Refusal("missing", "path") from None
        return self.open[name]

    async def page(self, request: Request) -> Response:
        """Give the page: the same bytes to everybody."""
        await self.survey(request, fresh=False)
        return packed(request, self.site.page)

    async def design(self, request: Request) -> Response:
        """Give what is asked, and whether it still is."""
        survey = await self.survey(request, fresh=True)
        return as_json(
            {
                "name": survey.name,
                "state": survey.state,
                "mode": survey.mode,
                "fingerprint": survey.design.fingerprint,
                "design": survey.design.document(),
            }
        )

    async def asset(self, request: Request) -> Response:
        """Give one file of the page."""
        asset = self.site.assets.get(request.path_params["path"])
        if asset is None:
            raise Refusal("missing", "path")
        return packed(request, asset)

    async def report(self, request: Request) -> Response:
        """Take one report in, and say so when it is on disk."""
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            raise Refusal("type", "content-type")
        body = await body_of(request)
        outcome = await self.take(request, body, fresh=False)
        if outcome in {"other", "unknown"}:  # perhaps another survey has the name by now
            outcome = await self.take(request, body, fresh=True)
        return as_json({"stored": True}, status=status_of(outcome))

    async def take(self, request: Request, body: bytes, *, fresh: bool) -> Outcome:
        """Read a body by the survey that we remember, or by the one that is there; store it."""
        survey = await self.survey(request, fresh=fresh)
        try:
            answer = answer_from(body, survey)
        except Refusal as refusal:
            if fresh or refusal.kind not in {"design", "invitation"}:
                raise
            return "other"
        return await self.writer.store_one(answer)

    async def paper(self, request: Request) -> Response:
        """Give the form for people who bring their own die, or take one in."""
        survey = await self.survey(request, fresh=True)
        paper = Paper(survey, request.headers.get("accept-language", ""))
        if request.method == "GET":
            return Response(paper.form(), media_type="text/html")
        if request.headers.get("content-type", "").split(";")[0].strip() != FORM:
            raise Refusal("type", "content-type")
        fields = fields_of(await body_of(request))
        try:
            answer, report = answer_from_form(fields, survey)
            status = status_of(await self.writer.store_one(answer))
        except Refusal as refusal:
            if refusal.kind not in AGAIN:
                raise
            if refusal.kind == "design":  # what was thrown for another form does not count here
                survey = await self.survey(request, fresh=True)
                fields = {"code": fields.get("code", "")}
            again = replace(paper, survey=survey, fields=fields, refusal=refusal).form()
            return marked(Response(again, media_type="text/html"), refusal)
        return Response(paper.stored(report), status, media_type="text/html")

    async def health(self, _: Request) -> Response:
        """Say that we are here."""
        return Response(status_code=204)


def status_of(outcome: Outcome) -> int:
    """Tell what is new from what came again; refuse the rest."""
    if outcome in REFUSED:
        raise Refusal(*REFUSED[outcome])
    return 201 if outcome == "stored" else 200


def packed(request: Request, asset: Asset) -> Response:
    """Send a file, compressed where the browser can read that."""
    headers = {"Content-Type": asset.media, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.packed, headers={**headers, "Content-Encoding": "gzip"})
    return Response(asset.body, headers=headers)


def as_json(document: object, status: int = 200) -> Response:
    """Answer with JSON."""
    return Response(msgspec.json.encode(document), status, media_type="application/json")


async def body_of(request: Request) -> bytes:
    """Read a body of bounded size in bounded time."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > DRAINED:
        raise Refusal("size", "body")
    try:
        async with asyncio.timeout(SECONDS):
            return await read_up_to(request, LARGEST)
    except (TimeoutError, ClientDisconnect):
        raise Refusal("timeout", "body") from None


async def read_up_to(request: Request, largest: int) -> bytes:
    """Keep so many bytes; read on a little, so that a refusal can still be heard."""
    body, size = bytearray(), 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > DRAINED:
            break
        if size <= largest:
            body += chunk
    if size > largest:
        raise Refusal("size", "body")
    return bytes(body)


async def refuse(request: Request, refusal: Exception) -> Response:
    """Say what was wrong and what to do, never what was sent; to people in a page."""
    if not isinstance(refusal, Refusal):
        refusal = {404: Refusal("missing", "path"), 405: Refusal("method", "method")}.get(
            getattr(refusal, "status_code", 404), Refusal("missing", "path")
        )
    if "text/html" in request.headers.get("accept", ""):
        page = refused_page(refusal, request.headers.get("accept-language", ""))
        return marked(Response(page, media_type="text/html"), refusal)
    return marked(as_json(refusal.document()), refusal)


def marked(response: Response, refusal: Refusal) -> Response:
    """Put the status of a refusal on its response, and what browsers must know."""
    response.status_code = refusal.status
    if refusal.status in {408, 413}:
        response.headers["Connection"] = "close"
    if refusal.status == 503:
        response.headers["Retry-After"] = "2"
    return response


async def failed(request: Request, _: Exception) -> Response:
    """Own up to a mistake of ours, as to a store that is away: the page tries again."""
    return await refuse(request, Refusal("busy", "server"))


class Headers:
    """Put the site's headers on every response, and let no failure through.

    What passes is written to the server's log with all its words, and those could hold what
    somebody sent; so a failure is logged by its name, or in our own words.
    """

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app = app
        self.headers = [(k.lower().encode(), v.encode()) for k, v in site.headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, with our headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        try:
            await self.app(scope, receive, with_headers)
        except Exception as error:
            if scope["type"] != "http":
                raise
            log.error("a request failed: %s", told(error))  # noqa: TRY400


def create_app(store: Store, site: Site | None = None, writer: Writer | None = None) -> ASGIApp:
    """Make the respondent's app over a store.

    Parameters
    ----------
    store
        Where surveys are and answers go.
    site
        The page and its files; those of this installation unless told otherwise.
    writer
        Who stores batches; a `Writer` of its own unless told otherwise.
    """
    site = site or load_site()
    writer = writer or Writer(store)
    collector = Collector(store, site, writer)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        writer.start()
        yield
        await writer.stop()

    routes = [
        Route("/healthz", collector.health, methods=["GET"]),
        Route("/web/{path:path}", collector.asset, methods=["GET"]),
        Route("/{name}/", collector.page, methods=["GET"]),
        Route("/{name}/design.json", collector.design, methods=["GET"]),
        Route("/{name}/paper", collector.paper, methods=["GET", "POST"]),
        Route("/{name}/reports", collector.report, methods=["POST"]),
    ]
    handlers = {Refusal: refuse, 404: refuse, 405: refuse, Exception: failed}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Headers(app, site)
