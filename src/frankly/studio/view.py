"""View: pages from templates, with what every page of the studio needs."""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import RedirectResponse, Response

from frankly.estimate.text import percent
from frankly.store import Store, SurveyError
from frankly.store.drafts import find_draft, names_of
from frankly.studio.access import Access, Who

__all__ = [
    "HEADERS",
    "Fields",
    "are_you_sure",
    "asset",
    "integrity",
    "page",
    "see",
    "sentence",
    "words",
]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""What every response of the studio carries."""

ELSEWHERE = {"tokens.css": "web/tokens.css", "icon.svg": "web/icon.svg"}
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

TABS = {
    "questions": "Questions",
    "protection": "Protection",
    "invite": "Invite",
    "results": "Results",
    "model": "Model",
    "privacy": "Privacy",
    "export": "Export",
}
"""The jobs of a survey, one a page."""

DRAFT_TABS = ("questions", "protection", "invite", "privacy")
NEEDED = {"questions": "design", "protection": "design", "invite": "run", "model": "mine"}
NEEDED |= {"export": "export"}
"""The power a tab needs, where reading is not enough."""


NEWS = {
    "device": (
        "What people throw themselves does not fit these questions, so the page draws for them "
        "now. Look at Protection."
    ),
    "key": "The key is removed. Programs that used it are shut out.",
    "password": "Your password is changed. Everywhere else you are signed out.",
    "person": "The account is removed, with its sessions and keys.",
    "question": "The question is removed.",
    "survey": "The survey is deleted. Nobody can bring it back.",
}
"""What a page says happened, by the word in its address: nobody else's words can stand there."""


@lru_cache(maxsize=64)
def asset(name: str) -> tuple[bytes, str] | None:
    """Give one of the studio's files and its type; None when there is no such file."""
    kind = TYPES.get(f".{name.rpartition('.')[2]}")
    if kind is None or "/" in name or ".." in name:
        return None
    here = files("frankly").joinpath(ELSEWHERE.get(name, f"studio/static/{name}"))
    return (here.read_bytes(), kind) if here.is_file() else None


def integrity(name: str) -> str:
    """Hash one of the studio's files, so that the browser checks it."""
    found = asset(name)
    body = b"" if found is None else found[0]
    return "sha256-" + base64.b64encode(hashlib.sha256(body).digest()).decode()


def words(text: Any, languages: Any = ()) -> str:
    """Give a text in the survey's first language; of what is no text yet, nothing.

    Examples
    --------
    >>> words({"de": "Nacht", "en": "Night"}, ["en"])
    'Night'
    >>> words(None), words({})
    ('', '')
    """
    if isinstance(text, Mapping):
        first = [text[one] for one in languages if one in text] if is_list(languages) else []
        text = next(iter([*first, *text.values()]), "")
    return text if isinstance(text, str) else ""


def is_list(languages: Any) -> bool:
    """Tell whether these are languages, and not yet something else that a draft holds."""
    return isinstance(languages, list | tuple) and all(isinstance(one, str) for one in languages)


def sentence(text: str) -> str:
    """Write an error's words as a sentence of a page.

    Examples
    --------
    >>> sentence("the survey is closed already")
    'The survey is closed already.'
    """
    return text[:1].upper() + text[1:] + ("" if text[-1:] in {"", ".", "?", "!", ":"} else ".")


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Set templates up: everything is escaped, and nothing may be missing."""
    made = Environment(
        loader=PackageLoader("frankly.studio"), autoescape=True, undefined=StrictUndefined
    )
    made.filters.update(percent=percent, sentence=sentence, words=words)
    made.globals.update(integrity=integrity)
    return made


def page(
    request: Request,
    template: str,
    *,
    access: Access | None = None,
    status: int = 200,
    tab: str = "",
    **context: Any,
) -> Response:
    """Render a page.

    Templates extend ``base.html`` and find: ``who`` (None when signed out), ``csrf``, ``survey``
    (name, title, state of the survey in the address, or None), ``mine`` (the list at the left),
    ``tabs``, ``tab``, ``alone`` (whether that list is left out), ``happened`` (what was done just
    before), and what is given beside.
    """
    who = None if access is None else access.who
    known = {
        "who": who,
        "csrf": "" if who is None else who.csrf,
        "mine": [] if access is None else listed(access.store, who),
        "survey": None if access is None or not access.survey else headline(access),
        "tabs": [] if access is None else tabs_of(access),
        "tab": tab,
        "alone": who is None,
        "path": request.url.path,
        "happened": NEWS.get(request.query_params.get("done", ""), ""),
    }
    text = templates().get_template(template).render(**{**known, **context})
    return Response(text, status, media_type="text/html")


def are_you_sure(
    request: Request, access: Access, ask: str, why: str, back: str, **fields: str
) -> Response:
    """Ask before something is removed; the form comes back with ``sure``."""
    return page(request, "sure.html", access=access, ask=ask, why=why, back=back, fields=fields)


async def fields(request: Request) -> dict[str, str]:
    """Read a form's fields, so that plain handlers, which run in threads, have them."""
    return {key: str(value) for key, value in (await request.form()).items()}


Fields = Annotated[dict[str, str], Depends(fields)]


def see(address: str) -> Response:
    """Send the browser on after a form."""
    return RedirectResponse(address, 303)


def listed(store: Store, who: Who | None) -> list[dict[str, str]]:
    """List somebody's surveys: name, title and state."""
    return [] if who is None else [summary(store, name) for name in names_of(store, who.name)]


def headline(access: Access) -> dict[str, str]:
    """Describe the survey in the address."""
    return summary(access.store, access.survey)


def summary(store: Store, name: str) -> dict[str, str]:
    """Describe a draft or an opened survey in three words."""
    made = find_draft(store, name)
    if made is not None:
        title = words(made.document.get("title", ""), made.document.get("languages", ()))
        return {"name": name, "title": title or name, "state": "draft"}
    try:
        found = store.survey(name)
    except SurveyError:
        return {"name": name, "title": name, "state": "gone"}
    title = words(found.design.title, found.design.languages)
    return {"name": name, "title": title or name, "state": found.state}


def tabs_of(access: Access) -> list[tuple[str, str]]:
    """List the jobs that somebody may do in a survey, as (name, title)."""
    if not access.survey:
        return []
    drafted = find_draft(access.store, access.survey) is not None
    return [
        (name, title)
        for name, title in TABS.items()
        if NEEDED.get(name, "read") in access.powers and (name in DRAFT_TABS if drafted else True)
    ]
