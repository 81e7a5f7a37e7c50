"""Privacy pages: what a survey lets its owner know, before and after mining; an audit; a report."""

import json
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.responses import Response

from frankly.design import Design
from frankly.errors import FranklyError
from frankly.judge import PrivacyStatement, audit, privacy
from frankly.report import for_page, odds_of, odds_svg, respondent_text
from frankly.report.privacy_pages import GLOSSARY, Section, audit_section, finding, sections
from frankly.report.respondent import example
from frankly.store import Store
from frankly.store.drafts import find_draft, keep_model, models
from frankly.studio import acts
from frankly.studio.access import Access, Needs
from frankly.studio.api import Name
from frankly.studio.charts import labels_of, prompt_of
from frankly.studio.errors import ERRORS
from frankly.studio.jobs import Job, jobs_of
from frankly.studio.results import FEWEST, unique_in_clear
from frankly.studio.snapshot import Snapshot, snapshot
from frankly.studio.training import AUDIT
from frankly.studio.view import page, see

__all__ = ["router"]

router = APIRouter()

Reader = Annotated[Access, Depends(Needs("read"))]
Miner = Annotated[Access, Depends(Needs("mine"))]


class AuditOut(BaseModel):
    """An attack on the reports that are shown: under way, or what it found."""

    state: Literal["none", "waiting", "running", "done", "failed", "stopped"]
    done: int
    total: int
    said: str = Field(description="Why it failed, if it did.")
    n: int | None = Field(description="Reports it looked at.")
    after: dict[str, Any] | None = Field(description="The statement with what mining knows.")
    audit: dict[str, Any] | None = Field(description="Who an attacker finds out, how surely.")
    why_not: str = Field(description="Why there is no audit, if there is none.")


class PrivacyOut(BaseModel):
    """What a survey lets its owner know."""

    before: dict[str, Any] = Field(description="The statement before any answer.")
    respondent: str = Field(description="What respondents are told.")
    unique_in_clear: float | None = Field(
        description="Share of reports that nobody shares on the questions asked in clear."
    )
    audit: AuditOut


def design_of(access: Access) -> Design:
    """Give the design of a draft or of a survey."""
    made = find_draft(access.store, access.survey)
    return acts.design_of(made.document) if made else access.store.survey(access.survey).design


def shown_of(access: Access) -> Snapshot | None:
    """Give what is shown of a survey; nothing of a draft."""
    if find_draft(access.store, access.survey) is not None:
        return None
    return snapshot(access.store, access.survey)


def audited(request: Request, access: Access) -> AuditOut:
    """Tell how far the audit is, or what it found."""
    job = jobs_of(request.app).find(access.survey, AUDIT)
    kept = models(access.store, access.survey).get(AUDIT)
    state = ("none" if kept is None else "done") if job is None else job.state
    found: dict[str, Any] = {"n": None, "after": None, "audit": None, "why_not": ""}
    if state == "done" and kept is not None:
        found = {key: kept[key] for key in found}
    done, total, said = (1, 1, "") if job is None else (job.done, job.total, job.said)
    return AuditOut(state=state, done=done, total=total, said=said, **found)


def attack(store: Store, shown: Snapshot, job: Job) -> None:
    """State privacy after mining, attack the reports, and keep what was found."""
    after = privacy(shown.design, reports=shown.engine)
    job.progress(1, 2)
    kept: dict[str, Any] = {"n": shown.n, "after": after.to_dict(), "audit": None, "why_not": ""}
    laid = [replace(one, heading=f"{one.heading}, after mining") for one in sections(after)[:2]]
    try:
        found = audit(shown.design, shown.engine)
        kept["audit"], laid = found.to_dict(), [*laid, audit_section(found)]
    except FranklyError as error:
        kept["why_not"] = str(error)
    job.progress(job.done, job.total)
    keep_model(store, shown.survey, AUDIT, {**kept, "sections": [asdict(one) for one in laid]})


def begin(request: Request, access: Access) -> Job:
    """Start an audit of what is shown."""
    shown = snapshot(access.store, access.survey)
    shown.refuse_few("an audit")
    store = access.store
    return jobs_of(request.app).start(access.survey, AUDIT, lambda job: attack(store, shown, job))


@router.get("/api/v1/surveys/{name}/privacy", responses=ERRORS, tags=["privacy"])
def read_privacy(request: Request, name: Name, access: Reader) -> PrivacyOut:
    """State what a draft or a survey lets its owner know, before and after mining."""
    del name
    design, shown = design_of(access), shown_of(access)
    return PrivacyOut(
        before=privacy(design).to_dict(), respondent=respondent_text(design),
        unique_in_clear=None if shown is None else unique_in_clear(shown),
        audit=audited(request, access),
    )  # fmt: skip


@router.post("/api/v1/surveys/{name}/audit", responses=ERRORS, status_code=202, tags=["privacy"])
def start_audit(request: Request, name: Name, access: Miner) -> AuditOut:
    """Attack the reports that are shown; look at it until its state is `done`."""
    del name
    begin(request, access)
    return audited(request, access)


@router.get("/api/v1/surveys/{name}/audit", responses=ERRORS, tags=["privacy"])
def read_audit(request: Request, name: Name, access: Reader) -> AuditOut:
    """Tell how far the audit is, or what it found."""
    del name
    return audited(request, access)


@router.get("/surveys/{name}/privacy", include_in_schema=False)
def privacy_page(request: Request, access: Reader) -> Response:
    """Show the tab."""
    return shown_page(request, access)


def shown_page(request: Request, access: Access, error: str = "") -> Response:
    """Render the tab, with what went wrong."""
    return page(
        request, "privacy.html", access=access, tab="privacy", status=400 if error else 200,
        error=error, may_audit="mine" in access.powers, may_design="design" in access.powers,
        **stated(request, access),
    )  # fmt: skip


def stated(request: Request, access: Access) -> dict[str, Any]:
    """Give everything that tab and report say, or why nothing can be said yet."""
    made = find_draft(access.store, access.survey)
    read = acts.design_or_why(made.document) if made else design_of(access)
    known: dict[str, Any] = {"why_not": "", "fewest": FEWEST, "glossary": GLOSSARY}
    if isinstance(read, str):
        return {**known, "why_not": read, "written": bool(made and made.document.get("attributes"))}
    shown = shown_of(access)
    statement = privacy(read)
    kept = models(access.store, access.survey).get(AUDIT)
    run = audited(request, access)
    return {
        **known, **pictured(statement), "design": read, "statement": statement,
        "told": respondent_text(read).splitlines(), "sections": sections(statement),
        "example": example(read.forms[0]) if read.forms[0].groups else "",
        "asked": asked(read), "n": 0 if shown is None else shown.n, "run": run,
        "found": [] if kept is None or run.state != "done" else [
            Section(**one) for one in kept["sections"]
        ],
        "enough": "" if shown is None else shown.enough,
        "unique": None if shown is None else unique_in_clear(shown), "drafted": made is not None,
    }  # fmt: skip


def pictured(statement: PrivacyStatement) -> dict[str, Any]:
    """State the finding, and draw it."""
    picture = Markup(for_page(odds_svg(statement)))  # noqa: S704 - our own, from escaped text
    return {"finding": finding(statement), "picture": picture}


def asked(design: Design) -> list[tuple[str, str, list[str], str]]:
    """List every question: its name, its words, its answers, and how it is sent."""
    return [
        (name, prompt_of(design, name), labels_of(design, name), how_sent(design, name))
        for name in design.names
    ]


def how_sent(design: Design, name: str) -> str:
    """Say how one question is sent, in every form that asks it."""
    said: dict[str, None] = {}
    for form in design.forms:
        for group in [one for one in form.groups if name in one.names]:
            odds = odds_of(group)
            words = "Protected by a table of chances." if odds is None else odds.sentence()
            others = [other for other in group.names if other != name]
            said[words + (f" Hidden together with {', '.join(others)}." if others else "")] = None
        if name in form.clear:
            said["Asked in clear: sent as it is answered."] = None
    return " ".join(said)


@router.post("/surveys/{name}/privacy/audit", include_in_schema=False)
def audit_page(request: Request, name: str, access: Miner) -> Response:
    """Start an audit, and show how far it is."""
    try:
        begin(request, access)
    except FranklyError as error:
        return shown_page(request, access, str(error))
    return see(f"/surveys/{name}/privacy#audit")


@router.get("/surveys/{name}/report", include_in_schema=False)
def report_page(request: Request, access: Reader) -> Response:
    """Show everything an ethics board asks for, ready to print."""
    known = stated(request, access)
    if known["why_not"]:
        return shown_page(request, access, known["why_not"])
    document = json.dumps(known["design"].document(), indent=2, ensure_ascii=False)
    return page(request, "report.html", access=access, tab="privacy", document=document, **known)
