"""Invite: open a survey, send links, let people look, close, delete."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from starlette.responses import Response

from frankly.advise import Plan, lines_of, width_at
from frankly.design import Design
from frankly.errors import FranklyError
from frankly.store import Mode
from frankly.store.drafts import find_draft, members, owners
from frankly.store.people import Role, accounts
from frankly.studio import acts
from frankly.studio.access import Access, Needs
from frankly.studio.jobs import jobs_of
from frankly.studio.results import results_of
from frankly.studio.snapshot import snapshot
from frankly.studio.view import page, see, words

__all__ = ["router"]

router = APIRouter(prefix="/surveys/{name}", include_in_schema=False)

Runner = Annotated[Access, Depends(Needs("run"))]
Host = Annotated[Access, Depends(Needs("members"))]
Designer = Annotated[Access, Depends(Needs("design"))]
Word = Annotated[str, Form(max_length=200)]

NOTHING = "Choose the file with the links, or paste them."
NO_LINKS = (
    "There is no link in this text: each has a # and a secret behind it. Give the list as it was "
    "saved, or paste whole links."
)

SOON = 200
"""How many answers the empty page speaks of."""


@router.get("/invite")
def invite(request: Request, access: Runner) -> Response:
    """Show the tab."""
    return shown(request, access)


def shown(request: Request, access: Access, **news: str) -> Response:
    """Render the tab for the state that the survey is in, with what just happened."""
    told = {"error": "", "done": "", "earlier": "", **news}
    found = find_draft(access.store, access.survey)
    base = request.app.state.respondents
    known = {
        "link": acts.link_to(base, access.survey),
        "postgres": access.store.engine.dialect.name == "postgresql",
        "members": members(access.store, access.survey),
        "owners": owners(access.store, access.survey),
        "others": others(access),
        "may_design": "design" in access.powers,
    }
    state = opened(access) if found is None else drafted(found.document)
    status = 400 if told["error"] else 200
    return page(
        request, "invite.html", access=access, status=status, tab="invite",
        **{**known, **state, **told},
    )  # fmt: skip


def drafted(document: Mapping[str, Any]) -> dict[str, object]:
    """Say what opening would freeze, or why it cannot be opened yet."""
    design = acts.design_or_why(document)
    if isinstance(design, str):
        written = bool(document.get("attributes"))
        return {"why_not": design, "written": written, "design": None, "mode": "", "n": 0}
    return {"why_not": "", "design": design, "mode": "", "n": 0, "hidden": hidden(design)}


def opened(access: Access) -> dict[str, object]:
    """Say how many answers there are, as far as may be said, and what they are worth."""
    shown = snapshot(access.store, access.survey)
    seen, design = results_of(shown), shown.design
    return {
        "why_not": "", "design": design, "mode": seen.survey.mode, "n": seen.n,
        "come": seen.come, "hidden": hidden(design), "enough": shown.enough,
        "expected": expected(design), "told": bool(seen.estimates),
    }  # fmt: skip


def hidden(design: Design) -> list[str]:
    """Name the protected questions."""
    kept = {name for form in design.forms for group in form.groups for name in group.names}
    return [name for name in design.names if name in kept]


def expected(design: Design) -> tuple[str, int, float] | None:
    """Tell a protected question, a number of people, and the ± points they will bring."""
    for name in hidden(design):
        prompt = words(design[name].prompt, design.languages) or name
        return prompt, SOON, 100 * width_at(lines_of(design, [name]), SOON, Plan())
    return None


def others(access: Access) -> list[str]:
    """Name accounts that are not in the survey, for whoever may see them."""
    if "people" not in access.who.powers:
        return []
    inside = members(access.store, access.survey)
    return [one.name for one in accounts(access.store) if one.name not in inside]


@router.post("/open")
def open_survey(
    request: Request, access: Runner, mode: Annotated[Mode, Form()], accept: Word = ""
) -> Response:
    """Open the draft."""
    try:
        acts.open_now(access, mode, accept.strip())
    except FranklyError as error:
        return shown(request, access, error=str(error))
    return see(f"/surveys/{access.survey}/invite")


@router.post("/links")
def links(request: Request, access: Runner, count: Annotated[int, Form()]) -> Response:
    """Make links, and give them as a file."""
    try:
        made = acts.invite(access, request.app.state.respondents, count)
    except FranklyError as error:
        return shown(request, access, error=str(error))
    return listed(made, f"{access.survey}-links.csv")


@router.post("/unused")
def unused(
    request: Request,
    access: Runner,
    earlier: Annotated[str, Form()] = "",
    file: UploadFile | None = None,
) -> Response:
    """Give those links of an earlier list that nobody has used, as a file."""
    text = (
        earlier
        if file is None or not file.filename
        else file.file.read().decode("utf-8", "replace")
    )
    given = [word.strip('",;') for word in text.split() if "#" in word]
    try:
        free = acts.unused(access, request.app.state.respondents, given)
    except FranklyError as error:
        return shown(request, access, error=str(error), earlier=earlier)
    if not given:
        return shown(request, access, error=NO_LINKS if text.strip() else NOTHING, earlier=earlier)
    if not free:
        return shown(request, access, done="Every link on this list was used. Nobody to remind.")
    return listed(free, f"{access.survey}-unused.csv")


def listed(found: list[str], file: str) -> Response:
    """Write links as CSV, to be saved."""
    text = "\n".join(["link", *found, ""])
    head = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(text, media_type="text/csv", headers=head)


@router.post("/close")
def close(request: Request, access: Runner, sure: Word = "") -> Response:
    """Close the survey for good."""
    if not sure:
        return shown(request, access, error="Nothing was closed: tick the box if you are sure.")
    try:
        acts.close(access)
    except FranklyError as error:
        return shown(request, access, error=str(error))
    return see(f"/surveys/{access.survey}/invite")


@router.post("/delete")
def delete(request: Request, access: Runner, typed: Word = "") -> Response:
    """Delete the survey with all its bytes."""
    try:
        acts.remove(access, typed.strip())
    except FranklyError as error:
        return shown(request, access, error=str(error))
    jobs_of(request.app).forget(access.survey)
    return see("/?done=survey")


@router.post("/duplicate")
def duplicate(access: Designer) -> Response:
    """Copy questions and protection into a new draft."""
    return see(f"/surveys/{acts.duplicate(access).name}/questions")


@router.post("/members")
def let_in(
    request: Request, access: Host, account: Word, role: Annotated[Role, Form()]
) -> Response:
    """Let somebody look, or run it too."""
    try:
        acts.let_in(access, account, role)
    except FranklyError as error:
        return shown(request, access, error=str(error))
    return see(f"/surveys/{access.survey}/invite#people")


@router.post("/members/{account}/remove")
def let_out(request: Request, access: Host, account: str) -> Response:
    """Shut somebody out."""
    try:
        acts.let_out(access, account)
    except FranklyError as error:
        return shown(request, access, error=str(error))
    if account == access.who.name:
        return see("/")
    return see(f"/surveys/{access.survey}/invite#people")
