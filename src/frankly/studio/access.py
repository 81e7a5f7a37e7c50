"""Access: who is asking, and whether they may; every route says here which power it needs."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import urlsplit

from fastapi import Request

from frankly.store import Store
from frankly.store.drafts import role_in
from frankly.store.people import Role, account_of_key, account_of_session
from frankly.store.survey import NAME

__all__ = [
    "COOKIE",
    "POWERS",
    "Access",
    "Denied",
    "Needs",
    "Power",
    "Who",
    "csrf_token",
    "identify",
    "is_api",
    "refuse_elsewhere",
    "store_of",
]

Power = Literal["read", "design", "run", "members", "mine", "export", "people"]
"""``read`` results and privacy; ``design`` questions and protection; ``run``: open, invite, close,
publish, delete; ``members``: who may see a survey; ``mine`` models; ``export`` reports;
``people``: accounts and keys, never by a key."""

POWERS: dict[Role, frozenset[Power]] = {
    "owner": frozenset({"read", "design", "run", "members", "mine", "export", "people"}),
    "analyst": frozenset({"read", "mine", "export"}),
}
"""What each role may do, in a survey and in the studio."""

COOKIE = "frankly"
SAFE = {"GET", "HEAD", "OPTIONS"}

Reason = Literal["signed out", "not yours", "used link", "not allowed", "stale"]


class Denied(Exception):  # noqa: N818 - a sentence, not an error of ours
    """Somebody may not do this: 401, 404, 403, or a form that is too old (403)."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Who:
    """Somebody who is let in: by a session, or by a program's key."""

    name: str
    role: Role
    powers: frozenset[Power]
    csrf: str = ""

    @property
    def by_key(self) -> bool:
        """Whether a program asks."""
        return not self.csrf


@dataclass(frozen=True)
class Access:
    """Who is asking, and what they may do here.

    Attributes
    ----------
    survey
        The survey in the address; empty elsewhere.
    powers
        What they may do in it.
    """

    store: Store
    who: Who
    survey: str
    powers: frozenset[Power]


@dataclass(frozen=True)
class Needs:
    """A route's demand: a power, in the survey of its address if it has one.

    A stranger to a survey is told that there is none.

    Attributes
    ----------
    by_key
        Whether a program's key will do; one's own account wants oneself.
    """

    power: Power
    by_key: bool = True

    async def __call__(self, request: Request) -> Access:
        """Let somebody through, or raise `Denied`."""
        who = identify(request)
        if who is None:
            raise Denied("signed out")
        await refuse_forgery(request, who)
        survey, powers = str(request.path_params.get("name", "")), POWERS[who.role]
        if survey:
            known = NAME.fullmatch(survey) is not None
            role = role_in(store_of(request), survey, who.name) if known else None
            if role is None:
                raise Denied("not yours")
            powers = POWERS[role]
        powers &= who.powers
        if self.power not in powers or (who.by_key and not self.by_key):
            raise Denied("not allowed")
        return Access(store_of(request), who, survey, powers)


def store_of(request: Request) -> Store:
    """Give the app's store."""
    return cast("Store", request.app.state.store)


def is_api(request: Request) -> bool:
    """Tell a program's address from a page."""
    return request.url.path.startswith("/api/")


def identify(request: Request) -> Who | None:
    """Tell who is asking: the bearer of a key, or of a session's cookie."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    store = store_of(request)
    if kind.lower() == "bearer":
        found = account_of_key(store, secret.strip())
        if found is None:
            return None
        account, scopes = found
        allowed = {p for p in POWERS[account.role] if p in scopes and p != "people"}
        return Who(account.name, account.role, frozenset(allowed))
    cookie = request.cookies.get(COOKIE)
    signed_in = None if cookie is None else account_of_session(store, cookie)
    if cookie is None or signed_in is None:
        return None
    return Who(signed_in.name, signed_in.role, POWERS[signed_in.role], csrf_token(cookie))


def csrf_token(secret: str) -> str:
    """Derive the word that forms carry: it follows from the session, and tells nothing of it."""
    return hmac.new(secret.encode(), b"frankly form", hashlib.sha256).hexdigest()


def refuse_elsewhere(request: Request) -> None:
    """Refuse a form that another site's page sends before anybody is signed in.

    It would sign the reader in as somebody else, who then reads what they write. A browser that
    does not say where the form comes from may still say whose it is; "null" is what our own pages
    send, which tell no referrer.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "null")
    ours = site in {"same-origin", "none"}
    if site is None:
        ours = origin == "null" or host_in(origin) == request.url.hostname
    if not ours:
        raise Denied("stale")


def host_in(origin: str) -> str | None:
    """Read the host of an origin; of what is none, nothing."""
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None


async def refuse_forgery(request: Request, who: Who) -> None:
    """Refuse a change that another site's page sends in somebody's name."""
    if request.method in SAFE or who.by_key:
        return
    sent = request.headers.get("x-csrf")
    if sent is None and "form" in request.headers.get("content-type", ""):
        sent = str((await request.form()).get("csrf", ""))
    if not hmac.compare_digest((sent or "").encode(), who.csrf.encode()):
        raise Denied("stale")
