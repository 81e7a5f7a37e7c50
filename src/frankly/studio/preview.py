"""Preview: the respondent's page as people will see it, from a collector that stores nothing."""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from frankly.collect import create_app
from frankly.collect.writer import Writer
from frankly.design import Design, Text
from frankly.store import Answer, Outcome, Store, Survey, SurveyError
from frankly.store.drafts import find_draft
from frankly.studio.access import Access, Needs
from frankly.studio.files import open_design
from frankly.studio.view import see

__all__ = ["Previews", "add_previews", "router"]

router = APIRouter(include_in_schema=False)

Designer = Annotated[Access, Depends(Needs("design"))]

MOST = 64
"""So many previews are kept; the oldest go."""

CALLED = {"en": "Preview", "de": "Vorschau", "ar": "معاينة"}


class Previews:
    """Designs to look at, each under a link that cannot be guessed.

    The page sends no cookies, so that nothing on it depends on who looks; the link is what lets
    it in.
    """

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.kept: OrderedDict[str, Design] = OrderedDict()

    def keep(self, name: str, document: Mapping[str, Any]) -> str:
        """Keep a design to be looked at, and give the name in its link."""
        design = open_design({**document, "title": titled(document)})
        known = f"{name} {design.fingerprint}".encode()
        link = hmac.new(self.key, known, hashlib.sha256).hexdigest()[:32]
        self.kept[link] = design
        self.kept.move_to_end(link)
        while len(self.kept) > MOST:
            self.kept.popitem(last=False)
        return link

    def survey(self, link: str) -> Survey:
        """Give a design as a survey that is open."""
        if link not in self.kept:
            raise SurveyError("this preview is over. Open it again from the studio")
        return Survey(link, self.kept[link], "open", "invited")


class Nowhere(Writer):
    """Take answers as the collector's writer does, and store none."""

    async def store_one(self, answer: Answer) -> Outcome:  # noqa: ARG002 - it goes nowhere
        """Say that an answer was stored."""
        return "stored"


class FromTheRoot:
    """Let a mounted app see the whole path again: the page asks for its files at ``/web``."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self.app({**scope, "root_path": ""}, receive, send)


def titled(document: Mapping[str, Any]) -> Text:
    """Put "Preview" before the title, in every language it has."""
    title = document.get("title", "")
    if isinstance(title, str):
        return f"{CALLED['en']}: {title}"
    return {one: f"{CALLED.get(one, CALLED['en'])}: {words}" for one, words in title.items()}


def add_previews(app: FastAPI) -> None:
    """Mount a collector over previews, with its own page, files and headers."""
    previews = Previews()
    store = cast("Store", previews)
    collector = create_app(store, writer=Nowhere(store))
    app.state.previews = previews
    app.mount("/preview", collector)
    app.mount("/web", FromTheRoot(collector))


@router.get("/surveys/{name}/preview/")
def preview(request: Request, access: Designer) -> Response:
    """Open a preview; each time as somebody new."""
    draft = find_draft(access.store, access.survey)
    document = draft.document if draft else access.store.survey(access.survey).design.document()
    link = request.app.state.previews.keep(access.survey, document)
    return see(f"/preview/{link}/#{secrets.token_urlsafe(16)}")
