"""API: surveys for programs; drafts, opening, links, closing, deleting, and who may look."""

import math
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, Field

from frankly.design import Design
from frankly.store import Mode
from frankly.store.drafts import find_draft, members
from frankly.store.people import Role
from frankly.studio import acts
from frankly.studio.access import Access, Needs
from frankly.studio.errors import ERRORS
from frankly.studio.jobs import jobs_of
from frankly.studio.view import summary

__all__ = ["Name", "router"]

router = APIRouter(prefix="/api/v1/surveys", responses=ERRORS)

Name = Annotated[
    str,
    Path(pattern="^[a-z0-9][a-z0-9-]{0,39}$", description="The survey's short name.",
         examples=["ward"]),
]  # fmt: skip
Reader = Annotated[Access, Depends(Needs("read"))]
Designer = Annotated[Access, Depends(Needs("design"))]
Runner = Annotated[Access, Depends(Needs("run"))]
Host = Annotated[Access, Depends(Needs("members"))]

SAMPLE: dict[str, Any] = {
    "title": "Nights on the ward",
    "attributes": [{"name": "ill", "values": ["no", "yes"], "prompt": "Are you ill?"}],
    "groups": [{"names": ["ill"], "mechanism": {"kind": "unrelated", "theta": "7/10"}}],
}


class NewSurvey(BaseModel):
    """A survey to begin."""

    name: str = Field("", max_length=40, description="Short name; from the title when left out.",
                      examples=["ward"])  # fmt: skip
    document: dict[str, Any] = Field(
        default_factory=dict,
        description="The survey document, as far as it is written.",
        examples=[SAMPLE],
    )
    plan: dict[str, Any] = Field(
        default_factory=dict, description="What you expect of it.", examples=[{"people": 500}]
    )


class Wording(BaseModel):
    """A draft's new content."""

    document: dict[str, Any] = Field(examples=[SAMPLE])
    plan: dict[str, Any] | None = Field(None, description="Left as it was when left out.")


class Copy(BaseModel):
    """A copy to make."""

    name: str = Field("", max_length=40, examples=["ward-2"])


class Opening(BaseModel):
    """How a survey is opened."""

    mode: Mode = Field("invited", description="Only by invitation, or anyone with the link.")
    accept_infinite_epsilon: str = Field(
        "",
        max_length=40,
        description="The survey's name, to accept that some report proves something for certain.",
    )


class Whole(BaseModel):
    """A survey, whole."""

    name: str
    title: str
    state: str = Field(description="draft, open or closed")
    document: dict[str, Any]
    plan: dict[str, Any] = {}
    mode: Mode | None = Field(None, description="Who may answer; none while it is a draft.")
    fingerprint: str | None = Field(None, description="The design's hash; none if it is none yet.")
    epsilon: float | None = Field(None, description="None where a report can prove something.")
    why_not: str = Field("", description="Why this draft cannot be opened yet.")


class Count(BaseModel):
    """How many links to make."""

    count: int = Field(ge=1, le=acts.MOST_LINKS, examples=[200])


class Links(BaseModel):
    """Links that respondents follow, each for one answer."""

    links: list[str] = Field(max_length=acts.MOST_LINKS,
                             examples=[["https://ask.example/ward/#s3cret"]])  # fmt: skip


class Membership(BaseModel):
    """As what somebody is let in."""

    role: Role = "analyst"


def whole(access: Access, name: str) -> Whole:
    """Describe a draft or a survey."""
    draft = find_draft(access.store, name)
    if draft is None:
        found = access.store.survey(name)
        told = {"document": found.design.document(), "mode": found.mode, **measured(found.design)}
    else:
        read = acts.design_or_why(draft.document)
        more = {"why_not": read} if isinstance(read, str) else measured(read)
        told = {"document": draft.document, "plan": draft.plan, **more}
    return Whole.model_validate({**summary(access.store, name), **told})


def measured(design: Design) -> dict[str, Any]:
    """Give a design's fingerprint and epsilon."""
    return {"fingerprint": design.fingerprint, "epsilon": finite(design.epsilon)}


def finite(number: float) -> float | None:
    """Write infinity as JSON can: as nothing."""
    return number if math.isfinite(number) else None


@router.post("", status_code=201)
def begin(access: Designer, new: NewSurvey) -> Whole:
    """Begin a survey, as a draft."""
    made = acts.begin(access, new.document, name=new.name, plan=new.plan)
    return whole(access, made.name)


@router.get("/{name}")
def read(access: Reader, name: Name) -> Whole:
    """Give a survey: its document, state and privacy."""
    return whole(access, name)


@router.put("/{name}")
def replace(access: Designer, name: Name, wording: Wording) -> Whole:
    """Write a draft anew."""
    acts.replace(access, wording.document, wording.plan)
    return whole(access, name)


@router.delete("/{name}", status_code=204)
def delete(
    request: Request, access: Runner, name: Name, confirm: Annotated[str, Query(max_length=40)]
) -> None:
    """Delete a survey with all its answers and bytes, for good; say its name again to confirm."""
    acts.remove(access, confirm)
    jobs_of(request.app).forget(name)


@router.post("/{name}/duplicate", status_code=201)
def duplicate(access: Designer, name: Name, copy: Copy) -> Whole:
    """Copy questions and protection into a new draft."""
    del name
    return whole(access, acts.duplicate(access, copy.name).name)


@router.post("/{name}/open")
def open_survey(access: Runner, name: Name, opening: Opening) -> Whole:
    """Open a draft: from now on it takes answers and never changes."""
    acts.open_now(access, opening.mode, opening.accept_infinite_epsilon)
    return whole(access, name)


@router.post("/{name}/close")
def close(access: Runner, name: Name) -> Whole:
    """Close a survey: it takes no more answers, ever."""
    acts.close(access)
    return whole(access, name)


@router.post("/{name}/invitations", status_code=201)
def invite(request: Request, access: Runner, name: Name, wanted: Count) -> Links:
    """Make links that work once each; they are told now and never again."""
    del name
    return Links(links=acts.invite(access, request.app.state.respondents, wanted.count))


@router.post("/{name}/unused")
def unused(request: Request, access: Runner, name: Name, earlier: Links) -> Links:
    """Tell which of these links nobody has used, for reminders."""
    del name
    return Links(links=acts.unused(access, request.app.state.respondents, earlier.links))


@router.get("/{name}/members")
def who(access: Host, name: Name) -> dict[str, Role]:
    """Tell who may see a survey, and as what."""
    return members(access.store, name)


@router.put("/{name}/members/{account}")
def let_in(
    access: Host, name: Name, account: Annotated[str, Path(max_length=100)], wanted: Membership
) -> dict[str, Role]:
    """Let somebody with an account see the survey."""
    del name
    return acts.let_in(access, account, wanted.role)


@router.delete("/{name}/members/{account}")
def let_out(
    access: Host, name: Name, account: Annotated[str, Path(max_length=100)]
) -> dict[str, Role]:
    """Shut somebody out of the survey."""
    del name
    return acts.let_out(access, account)
