"""App: the owner's pages, behind a key, on a port of their own."""

import secrets
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from frankly.store import Store, SurveyError
from frankly.studio.page import list_page, results_page, words
from frankly.studio.results import results

__all__ = ["create_app"]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
FILES = {
    "tokens.css": ("frankly", "web/tokens.css", "text/css"),
    "icon.svg": ("frankly", "web/icon.svg", "image/svg+xml"),
    "studio.css": ("frankly.studio", "studio.css", "text/css"),
}


class Owner:
    """The owner's endpoints over one store."""

    def __init__(self, store: Store, key: str) -> None:
        self.store, self.key = store, key

    def let_in(self, request: Request) -> None:
        """Refuse whoever does not have the key."""
        if not secrets.compare_digest(request.path_params["key"].encode(), self.key.encode()):
            raise SurveyError("not found")

    def surveys(self, request: Request) -> Response:
        """List all surveys."""
        self.let_in(request)
        found = [self.store.survey(name) for name in self.store.surveys()]
        rows = [
            (one.name, words(one.design.title, one.design.languages), one.state) for one in found
        ]
        return html(list_page(rows))

    def survey(self, request: Request) -> Response:
        """Show one survey, or one of the page's files."""
        self.let_in(request)
        name = request.path_params["name"]
        if name in FILES:
            package, path, kind = FILES[name]
            return Response(files(package).joinpath(path).read_bytes(), 200, HEADERS, kind)
        return html(results_page(results(self.store, name)))

    def data(self, request: Request) -> Response:
        """Give the same figures for machines."""
        self.let_in(request)
        shown = results(self.store, request.path_params["name"])
        rows = [one.to_dict() for one in shown.estimates]
        document = {"name": shown.survey.name, "state": shown.survey.state, "n": shown.n}
        return JSONResponse({**document, "estimates": rows}, headers=HEADERS)


def html(text: str) -> Response:
    """Answer with a page."""
    return Response(text, 200, HEADERS, "text/html")


async def not_found(_: Request, __: Exception) -> Response:
    """Say nothing about what is there."""
    return Response("There is nothing at this address.", 404, HEADERS, "text/plain")


def create_app(store: Store, key: str) -> Starlette:
    """Make the owner's app over a store, behind a key in the address."""
    owner = Owner(store, key)
    routes = [
        Route("/{key}/", owner.surveys),
        Route("/{key}/{name}", owner.survey),
        Route("/{key}/{name}/shares.json", owner.data),
    ]
    return Starlette(routes=routes, exception_handlers={SurveyError: not_found, 404: not_found})
