"""Question pages: the list of questions, one question, and what people read before them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, UploadFile
from starlette.responses import Response

from frankly.errors import DesignError, FranklyError
from frankly.store.drafts import Draft, find_draft, save_draft
from frankly.studio.access import Access, Needs
from frankly.studio.acts import draft_of
from frankly.studio.files import read_survey_file, whole, write_survey_file
from frankly.studio.questions import Question, move, put, questions_in, remove, renames, rewrite
from frankly.studio.typed import (
    ABOUT,
    Wrong,
    about_from,
    fields_of,
    languages_from,
    question_from,
    texts_of,
    title_from,
    version_from,
)
from frankly.studio.view import Fields, are_you_sure, page, see

__all__ = ["SPOKEN", "router"]

SPOKEN = {"en": "English", "de": "Deutsch", "ar": "العربية"}
"""The languages that the respondent's page speaks, each in its own name."""

KINDS = {
    "yes_no": "Yes or no",
    "choice": "One of several answers",
    "scale": "A scale, such as 1 to 5",
    "number": "A number",
    "several": "Several ticks",
}

Designer = Annotated[Access, Depends(Needs("design"))]


router = APIRouter(prefix="/surveys/{name}", include_in_schema=False)


def languages_in(document: Mapping[str, Any]) -> list[str]:
    """List the languages a survey is written in; English when it says none."""
    return [str(one) for one in document.get("languages") or ["en"]]


def save(
    access: Access,
    draft: Draft,
    there: list[Question],
    renamed: Mapping[str, str] | None = None,
    done: str = "",
) -> Response:
    """Write the questions into the draft, protected as planned, and go back to the list."""
    document, plan = rewrite(draft.document, draft.plan, there, renamed)
    save_draft(access.store, replace(draft, document=document, plan=plan))
    if there and draft.document.get("own_device") and not document.get("own_device"):
        done = "device"
    return see(f"/surveys/{access.survey}/questions" + (f"?done={done}" if done else ""))


@router.get("/questions")
def questions(request: Request, access: Designer) -> Response:
    """Show the questions; of an opened survey only to be read."""
    return listed(request, access)


def listed(request: Request, access: Access, error: str = "") -> Response:
    """Render the list."""
    draft = find_draft(access.store, access.survey)
    opened = None if draft else access.store.survey(access.survey).design.document()
    document: Mapping[str, Any] = draft.document if draft else opened or {}
    try:
        found = questions_in(document)
    except (FranklyError, KeyError, TypeError, ValueError, AttributeError):
        found, error = [], error or UNREADABLE
    return page(
        request, "questions.html", access=access, tab="questions", status=400 if error else 200,
        document=document, questions=found, frozen=draft is None, error=error, kinds=KINDS,
        languages=languages_in(document), spoken=SPOKEN,
    )  # fmt: skip


UNREADABLE = (
    "This draft was written by a program and is not a survey document yet. Replace it by a file, "
    "or write it again through the API."
)


@router.get("/questions/edit")
def edit(request: Request, access: Designer, question: str = "") -> Response:
    """Show the form of one question, or an empty one."""
    document = draft_of(access).document
    speak = languages_in(document)
    found = [one for one in questions_in(document) if one.name == question]
    if question and not found:
        raise DesignError(f"there is no question {question!r} in this survey any more")
    typed = fields_of(found[0] if found else Question("yes_no", ""), speak)
    return shown(request, access, {**typed, "old": question}, speak)


def shown(
    request: Request,
    access: Access,
    typed: Mapping[str, str],
    speak: list[str],
    wrong: Mapping[str, str] | None = None,
) -> Response:
    """Render the form of one question, with what was typed and what is wrong with it."""
    return page(
        request, "question.html", access=access, tab="questions", status=400 if wrong else 200,
        form={"old": "", **typed}, wrong=wrong or {}, languages=speak, spoken=SPOKEN, kinds=KINDS,
    )  # fmt: skip


@router.post("/questions/edit")
def edited(request: Request, access: Designer, form: Fields) -> Response:
    """Take one question in."""
    draft, old = draft_of(access), form.get("old", "")
    speak = languages_in(draft.document)
    try:
        there = questions_in(draft.document)
        taken = {name for one in remove(there, old) for name in (one.name, *one.names)}
        new = question_from(form, speak, taken)
        before = next((one for one in there if one.name == old), new)
        return save(access, draft, put(there, new, old), renames(before, new))
    except Wrong as wrong:
        return shown(request, access, form, speak, wrong.fields)
    except DesignError as error:
        return shown(request, access, form, speak, {"name": str(error)})


@router.post("/questions/move")
def moved(access: Designer, form: Fields) -> Response:
    """Move a question up or down."""
    draft = draft_of(access)
    by = -1 if form.get("by") == "up" else 1
    return save(access, draft, move(questions_in(draft.document), form.get("question", ""), by))


@router.post("/questions/remove")
def removed(request: Request, access: Designer, form: Fields) -> Response:
    """Remove a question, once somebody is sure."""
    draft, name = draft_of(access), form.get("question", "")
    back = f"/surveys/{access.survey}/questions"
    if not form.get("sure"):
        why = "Its words and answers are lost; they would have to be written again."
        return are_you_sure(request, access, f"Remove {name}?", why, back, question=name)
    return save(access, draft, remove(questions_in(draft.document), name), done="question")


@router.get("/questions/about")
def about(request: Request, access: Designer) -> Response:
    """Show what people read before they answer."""
    document = draft_of(access).document
    speak = languages_in(document)
    typed = texts_of(document.get("title", ""), "title", speak)
    for key in ABOUT:
        typed |= texts_of((document.get("about") or {}).get(key, ""), f"about.{key}", speak)
    typed |= {f"language.{one}": "on" for one in speak}
    typed |= {"version": str(document.get("version", 1))}
    return about_shown(request, access, typed, speak)


def about_shown(
    request: Request, access: Access, typed: Mapping[str, str], speak: list[str], error: str = ""
) -> Response:
    """Render the form of what people read first."""
    offered = {**SPOKEN, **{one: one for one in speak if one not in SPOKEN}}
    return page(
        request, "about.html", access=access, tab="questions", status=400 if error else 200,
        form=typed, error=error, languages=speak, spoken=offered, about=ABOUT,
    )  # fmt: skip


@router.post("/questions/about")
def about_taken(request: Request, access: Designer, form: Fields) -> Response:
    """Take in what people read before they answer."""
    draft = draft_of(access)
    speak = languages_in(draft.document)
    try:
        chosen = languages_from(form, [*SPOKEN, *(one for one in speak if one not in SPOKEN)])
        title, version = title_from(form, speak), version_from(form)
    except DesignError as error:
        return about_shown(request, access, form, speak, str(error))
    told = {k: v for k, v in (draft.document.get("about") or {}).items() if k not in ABOUT}
    document = {
        **draft.document, "title": title, "about": {**told, **about_from(form, speak)},
        "languages": chosen, "version": version,
    }  # fmt: skip
    save_draft(access.store, replace(draft, document=document))
    more = set(chosen) - set(speak)
    return see(f"/surveys/{access.survey}/questions" + ("/about" if more else ""))


@router.get("/questions/file.{ending}")
def as_file(access: Designer, ending: str) -> Response:
    """Give the survey as a file to take home."""
    draft = find_draft(access.store, access.survey)
    survey = draft.document if draft else access.store.survey(access.survey).design.document()
    data, kind = write_survey_file(ending, whole(survey))
    head = {"Content-Disposition": f'attachment; filename="{access.survey}.{ending}"'}
    return Response(data, media_type=kind, headers=head)


@router.post("/questions/import")
def taken_in(request: Request, access: Designer, file: UploadFile) -> Response:
    """Replace the draft's document by a file."""
    draft = draft_of(access)
    try:
        document = read_survey_file(file.filename or "", file.file.read())
    except FranklyError as error:
        return listed(request, access, str(error))
    plan = {key: part for key, part in draft.plan.items() if key not in {"layout", "epsilon"}}
    save_draft(access.store, replace(draft, document=document, plan=plan))
    return see(f"/surveys/{access.survey}/questions")
