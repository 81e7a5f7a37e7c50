"""Acts: what an owner does with a survey, the same for a page and for a program.

Each takes who asks (an `Access`, already allowed) and plain values; it gives a value, or raises
an error whose words are shown as they are.
"""

import json
import re
import threading
import unicodedata
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from frankly.design import Design
from frankly.errors import DesignError, FranklyError, FranklyWarning
from frankly.store import Mode, Store, Survey, SurveyError
from frankly.store.drafts import (
    Draft,
    add_draft,
    add_member,
    delete_draft,
    find_draft,
    free_name,
    members,
    open_draft,
    owners,
    remove_member,
    save_draft,
)
from frankly.store.people import Role, find_account
from frankly.studio.access import Access
from frankly.studio.snapshot import opened, taking
from frankly.studio.view import words

__all__ = [
    "begin",
    "close",
    "design_of",
    "design_or_why",
    "draft_of",
    "duplicate",
    "invite",
    "let_in",
    "let_out",
    "link_to",
    "open_now",
    "remove",
    "replace",
    "short_name",
    "survey_of",
    "unused",
]

MOST_LINKS = 100_000

READING = threading.Lock()


def design_of(document: Mapping[str, Any]) -> Design:
    """Read a document as a design, or say why it is none; warnings are the pages' business.

    Examples
    --------
    >>> design_of({"attributes": [{"name": "ill", "values": ["no", "yes"]}]}).names
    ('ill',)
    """
    with READING, warnings.catch_warnings():  # filters belong to the process, not to a thread
        warnings.simplefilter("ignore", FranklyWarning)
        return Design.from_document(document)


def design_or_why(document: Mapping[str, Any]) -> Design | str:
    """Read a document as a design; where it is none yet, say why.

    Examples
    --------
    >>> design_or_why({"attributes": []})
    'a design needs at least one attribute'
    """
    try:
        return design_of(document)
    except FranklyError as error:
        return str(error)


def plain(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuse what JSON or a database cannot hold: numbers without end, half letters."""
    try:
        json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):  # half letters are a ValueError too
        raise DesignError(
            "a survey holds text, numbers, lists and nothing else: somewhere is a number that is "
            "not finite, half of a letter, or a list within too many lists"
        ) from None
    return values


def short_name(title: str) -> str:
    """Make a survey's short name from its title, as it will stand in links.

    Examples
    --------
    >>> short_name("Nachts auf der Station: Fehler & Müdigkeit")
    'nachts-auf-der-station-fehler-mudigkeit'
    >>> short_name("夜勤")
    'survey'
    """
    letters = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    made = "-".join(re.findall("[a-z0-9]+", letters))[:40].strip("-")
    return made if made not in {"", "web", "healthz"} else "survey"


def begin(
    access: Access,
    document: Mapping[str, Any],
    *,
    name: str = "",
    plan: Mapping[str, Any] | None = None,
) -> Draft:
    """Begin a survey; without a name of its own it gets one made from its title."""
    chosen = name or free_name(access.store, short_name(words(document.get("title"))))
    return add_draft(
        access.store, Draft(chosen, plain(document), plain(plan or {})), access.who.name
    )


def draft_of(access: Access) -> Draft:
    """Give the draft in the address, or say that it is one no more."""
    found = find_draft(access.store, access.survey)
    if found is None:
        raise SurveyError(
            f"the survey {access.survey!r} was opened, and an opened survey never changes. "
            "Duplicate it to change a copy"
        )
    return found


def survey_of(access: Access) -> Survey:
    """Give the opened survey in the address, or say that it is not open yet."""
    return opened(access.store, access.survey)


def replace(
    access: Access, document: Mapping[str, Any], plan: Mapping[str, Any] | None = None
) -> Draft:
    """Write a draft anew; without a plan the old one stays."""
    kept = draft_of(access).plan if plan is None else plain(plan)
    return save_draft(access.store, Draft(access.survey, plain(document), kept))


def duplicate(access: Access, name: str = "") -> Draft:
    """Copy a draft or a survey into a new draft: questions and protection, no answers."""
    found = find_draft(access.store, access.survey)
    if found is not None:
        document, plan = found.document, found.plan
    else:
        document, plan = access.store.survey(access.survey).design.document(), {}
    return begin(access, document, name=name or free_name(access.store, access.survey), plan=plan)


def open_now(access: Access, mode: Mode, accept: str = "") -> Survey:
    """Open a draft for good; to accept infinite epsilon, say its name or let its document do so."""
    document = dict(draft_of(access).document)
    if accept and accept == access.survey:
        document["accept_infinite_epsilon"] = True
    return open_draft(access.store, access.survey, design_of(document), mode)


def close(access: Access) -> Survey:
    """Take no more answers, ever."""
    if survey_of(access).state == "closed":
        raise SurveyError(f"the survey {access.survey!r} is closed already")
    return access.store.close_survey(access.survey)


def remove(access: Access, typed: str) -> None:
    """Delete a draft or a survey with all its bytes, once its name was said again."""
    if typed != access.survey:
        raise SurveyError(
            f"nothing was deleted: to delete the survey, say its short name, {access.survey!r}"
        )
    if find_draft(access.store, access.survey) is not None:
        delete_draft(access.store, access.survey)
    else:
        with taking:  # or a page would write what it shows after all was deleted
            access.store.delete_survey(access.survey)


def link_to(base: str, name: str, secret: str = "") -> str:
    """Write the link that respondents follow.

    Examples
    --------
    >>> link_to("https://ask.example/", "ward", "s3cret")
    'https://ask.example/ward/#s3cret'
    """
    return f"{base.rstrip('/')}/{name}/" + (f"#{secret}" if secret else "")


def invite(access: Access, base: str, count: int) -> list[str]:
    """Make links that work once each; they are told now and never again."""
    if survey_of(access).mode == "anyone":
        raise SurveyError(
            f"anyone may answer {access.survey!r}: it has one link for all, "
            f"{link_to(base, access.survey)}"
        )
    if not 1 <= count <= MOST_LINKS:
        raise SurveyError(f"make between 1 and {MOST_LINKS:,} links at a time")
    return [link_to(base, access.survey, one) for one in access.store.invite(access.survey, count)]


def unused(access: Access, base: str, links: Iterable[str]) -> list[str]:
    """Tell which of these links nobody has used, for reminders."""
    survey_of(access)
    secrets = [one.strip().rpartition("#")[2] for one in links]
    known = [one for one in dict.fromkeys(secrets) if one.isascii()]
    return [link_to(base, access.survey, one) for one in access.store.unused(access.survey, known)]


def let_in(access: Access, account: str, role: Role) -> dict[str, Role]:
    """Let somebody with an account see the survey, or change as what."""
    account = account.strip().lower()
    found = find_account(access.store, account) if account.isprintable() else None
    if found is None:
        raise SurveyError(
            "there is no such account. Make a link for that person first, on your account's page"
        )
    if role == "owner" and found.role != "owner":
        raise SurveyError("an analyst's account cannot own a survey: it could not close it")
    if role != "owner":
        refuse_orphan(access.store, access.survey, account)
    add_member(access.store, access.survey, account, role, by=access.who.name)
    return members(access.store, access.survey)


def let_out(access: Access, account: str) -> dict[str, Role]:
    """Shut somebody out of the survey."""
    if account not in members(access.store, access.survey):
        raise SurveyError("this account is not in the survey, so nothing was changed")
    refuse_orphan(access.store, access.survey, account)
    remove_member(access.store, access.survey, account)
    return members(access.store, access.survey)


def refuse_orphan(store: Store, survey: str, account: str) -> None:
    """Keep the last owner: a survey without one could never be closed."""
    if owners(store, survey) == [account]:
        raise SurveyError("this is the survey's only owner. Let another owner in first")
