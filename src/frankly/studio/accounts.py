"""Accounts: the first link, sign-in and sign-out, new passwords, people and keys."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from frankly.errors import FranklyError
from frankly.store import SurveyError
from frankly.store.drafts import names_of, sole_owner_of
from frankly.store.people import (
    Link,
    Role,
    accounts,
    add_account,
    end_session,
    find_account,
    keys_of,
    look_at_link,
    make_key,
    make_link,
    remove_account,
    remove_key,
    set_password,
    start_session,
    use_link,
)
from frankly.studio.access import (
    COOKIE,
    Access,
    Denied,
    Needs,
    Power,
    refuse_elsewhere,
    store_of,
)
from frankly.studio.limit import Limit
from frankly.studio.passwords import hash_password, is_password
from frankly.studio.view import are_you_sure, page, see

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

People = Annotated[Access, Depends(Needs("people"))]
Oneself = Annotated[Access, Depends(Needs("read", by_key=False))]
Word = Annotated[str, Form(max_length=1000)]

HOURS = 12

MEANS: dict[Power, str] = {
    "read": "results and privacy",
    "design": "questions and protection",
    "run": "open, invite, close, publish and delete",
    "members": "let people see your surveys, or own them, and shut them out",
    "mine": "train models and choose tables",
    "export": "take reports home",
}
"""What a key may be made for, in words."""


def let_in(request: Request, name: str, address: str = "/") -> Response:
    """Start a session, and send the browser on."""
    secret = start_session(store_of(request), name, HOURS * 3600)
    response = see(address)
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE, secret, max_age=HOURS * 3600, httponly=True, samesite="lax", secure=secure
    )
    return response


@router.get("/welcome/{secret}")
def welcome(request: Request, secret: str) -> Response:
    """Show the form behind a link that works once."""
    return page(request, "welcome.html", link=wanted(request, secret), error="", name="")


@router.post("/welcome/{secret}")
def make_account(request: Request, secret: str, password: Word, name: Word = "") -> Response:
    """Make an account, or change a password, and use the link up."""
    refuse_elsewhere(request)
    link, store = wanted(request, secret), store_of(request)
    try:
        name = link.account or check_account(name)
        kept = hash_password(password)
        if not link.account and find_account(store, name):
            raise SurveyError(f"there is an account {name!r} already. Choose another name")
        if use_link(store, secret) is None:
            raise Denied("used link")
        if link.account:
            set_password(store, name, kept)
        else:
            add_account(store, name, kept, link.role)
    except FranklyError as error:
        return page(request, "welcome.html", status=400, link=link, error=str(error), name=name)
    return let_in(request, name)


def wanted(request: Request, secret: str) -> Link:
    """Give what a link is for, or say that it is used up, also of one that never was."""
    link = look_at_link(store_of(request), secret)
    if link is None:
        raise Denied("used link")
    return link


def check_account(name: str) -> str:
    """Refuse a name nobody could sign in with."""
    name = name.strip().lower()
    odd = any(c.isspace() or not c.isprintable() or c == "/" for c in name)
    if odd or not 3 <= len(name) <= 100:
        raise SurveyError("an account's name has 3 to 100 characters, no spaces and no slashes: an "
                          "e-mail address is a good one")  # fmt: skip
    return name


@router.get("/sign-in")
def sign_in(request: Request) -> Response:
    """Show the sign-in form."""
    return page(request, "sign_in.html", error="", name="")


@router.post("/sign-in")
def try_sign_in(request: Request, name: Word, password: Word) -> Response:
    """Let somebody in, or not; slowly after many failures from the same place."""
    refuse_elsewhere(request)
    limit: Limit = request.app.state.limit
    name, place = name.strip().lower(), request.client.host if request.client else ""
    wait = limit.knock(name, place)
    if wait:
        said = f"Too many tries from here. Wait {wait} seconds, or use a new password link."
        response = page(request, "sign_in.html", status=429, error=said, name=name)
        response.headers["Retry-After"] = str(wait)
        return response
    found = find_account(store_of(request), name) if name.isprintable() else None
    if not is_password(password, None if found is None else found.password):
        said = "This name and password do not belong together."
        return page(request, "sign_in.html", status=401, error=said, name=name)
    limit.succeeded(name, place)
    return let_in(request, name)


@router.post("/sign-out")
def sign_out(request: Request, access: Oneself) -> Response:
    """End the session."""
    end_session(access.store, request.cookies.get(COOKIE, ""))
    response = see("/sign-in")
    response.delete_cookie(COOKIE)
    return response


@router.get("/account")
def account_page(request: Request, access: Oneself) -> Response:
    """Show one's own account: password, keys, and for owners the people."""
    return shown(request, access)


def shown(request: Request, access: Access, **news: str) -> Response:
    """Render the account page, with what was just made."""
    told = {"error": "", "secret": "", "link": "", **news}
    people = accounts(access.store) if "people" in access.powers else []
    keys = keys_of(access.store, access.who.name)
    status = 400 if told["error"] else 200
    return page(
        request, "account.html", access=access, status=status, people=people, keys=keys,
        powers={one: said for one, said in MEANS.items() if one in access.powers}, **told,
    )  # fmt: skip


@router.post("/account/password")
def change_password(request: Request, access: Oneself, old: Word, new: Word) -> Response:
    """Change one's own password; every other session ends."""
    found = find_account(access.store, access.who.name)
    if found is None:
        raise Denied("signed out")
    if not is_password(old, found.password):
        return shown(request, access, error="The old password is not that.")
    try:
        set_password(access.store, found.name, hash_password(new))
    except FranklyError as error:
        return shown(request, access, error=str(error))
    return let_in(request, found.name, "/account?done=password")


@router.post("/account/keys")
async def new_key(request: Request, access: Oneself, label: Word) -> Response:
    """Make a key for a program, and show it once."""
    chosen = {str(p) for p in (await request.form()).getlist("powers")} & set(access.powers)
    if not label.strip() or not chosen - {"people"}:
        return shown(request, access, error="Give the key a name and at least one power.")
    secret = make_key(access.store, access.who.name, label.strip(), chosen - {"people"})
    return shown(request, access, secret=secret)


@router.post("/account/keys/{key}/remove")
def drop_key(request: Request, access: Oneself, key: str, sure: Word = "") -> Response:
    """Remove one of one's own keys, once somebody is sure."""
    mine = {one.name: one.label for one in keys_of(access.store, access.who.name)}
    if key in mine and not sure:
        why = "Programs that use it are shut out at once. The same key cannot be made again."
        return are_you_sure(request, access, f"Remove the key {mine[key]}?", why, "/account")
    remove_key(access.store, access.who.name, key)
    return see("/account?done=key")


@router.post("/account/people")
def invite_person(request: Request, access: People, role: Word) -> Response:
    """Make a link with which somebody makes an account."""
    chosen: Role = "owner" if role == "owner" else "analyst"
    secret = make_link(access.store, role=chosen)
    return shown(request, access, link=f"{request.base_url}welcome/{secret}")


@router.post("/account/people/{account}/remove")
def remove_person(request: Request, access: People, account: str, sure: Word = "") -> Response:
    """Remove an account with its sessions and keys; surveys keep an owner."""
    if account == access.who.name:
        return shown(request, access, error="Nobody removes their own account: ask another owner.")
    alone = sole_owner_of(access.store, account)
    if alone:
        return shown(request, access, error=only_owner(access, account, alone))
    if not sure:
        why = "This person is signed out at once, and their keys stop working. Surveys stay."
        return are_you_sure(request, access, f"Remove {account}?", why, "/account")
    remove_account(access.store, account)
    return see("/account?done=person")


def only_owner(access: Access, account: str, surveys: list[str]) -> str:
    """Say that somebody is needed, and where; only the surveys that the asker may see are named."""
    known = set(names_of(access.store, access.who.name))
    count = f"{len(surveys)} survey{'s' * (len(surveys) > 1)}"
    seen = [one for one in surveys if one in known]
    named = f" ({', '.join(seen)})" if seen else ""
    return (
        f"Nobody was removed: {account} is the only owner of {count}{named}. A survey without an "
        "owner could never be closed, so another owner must be let in first."
    )
