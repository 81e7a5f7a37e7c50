"""Protection pages: one slider or one wish, and what follows from it; the same for programs."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import Response

from frankly.advise.advice import MANY
from frankly.errors import FranklyError
from frankly.report import front_svg
from frankly.store.drafts import Draft, find_draft
from frankly.studio.access import Access, Needs
from frankly.studio.acts import draft_of
from frankly.studio.cautions import NOTHING
from frankly.studio.errors import ERRORS
from frankly.studio.figures import Figures, figures
from frankly.studio.protection import (
    AS_WRITTEN,
    STEPS,
    Protection,
    Wish,
    keep,
    layouts_for,
    picture,
    propose,
    questions_of,
    saved,
    wanted_from,
)
from frankly.studio.typed import Wrong
from frankly.studio.view import Fields, page, see

__all__ = ["router"]

router = APIRouter()


Designer = Annotated[Access, Depends(Needs("design"))]
Typed = Mapping[str, str]

DRAWN = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""The picture brings its own colours; it is an image and can run nothing."""


class Asked(BaseModel):
    """A wish, beside what is set already."""

    protection: Protection = Protection()
    wish: Wish = Wish()


class Advised(BaseModel):
    """What `frankly.advise` answers to a wish."""

    possible: bool
    sentence: str = Field(examples=["one each: 500 people give intervals of ± 4.9 points or less"])
    notes: list[str]
    protection: Protection
    figures: Figures


@router.post("/api/v1/surveys/{name}/figures", responses=ERRORS)
def figures_of(access: Designer, wanted: Protection) -> Figures:
    """Tell what a protection means: odds, interval and privacy. Nothing is saved."""
    return figures(draft_of(access).document, wanted)


@router.post("/api/v1/surveys/{name}/advice", responses=ERRORS)
def advice_of(access: Designer, asked: Asked) -> Advised:
    """Propose a protection that meets one wish. Nothing is saved."""
    document = draft_of(access).document
    advice = propose(document, asked.protection, asked.wish)
    wanted = wanted_from(advice, asked.protection)
    return Advised(
        possible=advice.possible,
        sentence=advice.sentence(),
        notes=list(advice.notes),
        protection=wanted,
        figures=figures(document, wanted),
    )


@router.put("/api/v1/surveys/{name}/protection", responses=ERRORS)
def put_protection(access: Designer, wanted: Protection) -> Figures:
    """Write a protection into the draft."""
    made = keep(access.store, draft_of(access), wanted)
    return figures(made.document, wanted)


@router.get("/surveys/{name}/protection", include_in_schema=False)
def protection_page(request: Request, access: Designer, kept: bool = False) -> Response:
    """Show the protection that the draft has."""
    draft = find_draft(access.store, access.survey)
    if draft is None:
        return page(request, "protection_frozen.html", access=access, tab="protection")
    done = "Kept. This is what people will be told and how their answers will be protected."
    return shown(request, access, draft, saved(draft), done=done if kept else "")


@router.post("/surveys/{name}/protection", include_in_schema=False)
def set_protection(request: Request, access: Designer, form: Fields) -> Response:
    """Keep a protection, look at one, or ask for one: the button says which."""
    return act(request, access, form)


def act(request: Request, access: Access, form: Typed) -> Response:
    """Do what the pressed button says."""
    draft = draft_of(access)
    before = saved(draft)
    wanted, wrong = typed(form, before)
    wanted, told, unfit = standing(draft.document, wanted, before)
    wrong |= unfit
    if wrong or told is None:
        return shown(request, access, draft, wanted, form=form, wrong=wrong)
    try:
        if form.get("do") == "propose":
            return proposed(request, access, draft, wanted, form)
        if form.get("do") == "keep":
            keep(access.store, draft, wanted)
            return see(f"/surveys/{access.survey}/protection?kept=true")
    except Wrong as error:
        wrong = error.fields
    except FranklyError as error:
        wrong = {"panel" if wanted.panel or wanted.budget else "layout": sentence(error)}
    return shown(request, access, draft, wanted, form=form, wrong=wrong)


SAID = {
    "people": "Give the number of people: a whole number from 2 to 10,000,000.",
    "budget": "Give the budget as a number above 0.",
}
"""What to type, where it is not seen at once."""


def typed(form: Typed, before: Protection) -> tuple[Protection, dict[str, str]]:
    """Read the form's fields, the slider where it was moved; say which ones cannot be read."""
    place = form.get("place", "")
    places = {str(i): step for i, step in enumerate(STEPS)}
    moved = place != form.get("was", "") and place in places
    values = {
        **before.model_dump(),
        **{key: form[key] for key in ("people", "mine", "layout") if key in form},
        "target": form.get("target", before.target) or None,
        "own_device": form.get("own_device", before.own_device) or None,
        "panel": form.get("panel", before.panel) or None,
        "budget": form.get("budget", before.budget) or None,
        "epsilon": places[place] if moved else form.get("epsilon", before.epsilon),
    }
    try:
        return Protection.model_validate(values), {}
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors()}
        kept = {**values, **before.model_dump(include=wrong)}
        said = {key: SAID.get(key, f"This cannot be set: {key}.") for key in sorted(wrong)}
        return Protection.model_validate(kept), said


def standing(
    document: Mapping[str, Any], wanted: Protection, before: Protection
) -> tuple[Protection, Figures | None, dict[str, str]]:
    """Find the nearest setting that works; say what is wrong with the field that gave way."""
    why = ""
    for key, setting in nearest(wanted, before).items():
        try:
            return setting, figures(document, setting), {key: why} if key else {}
        except FranklyError as error:
            why = why or sentence(error)
    return wanted, None, {}


def nearest(wanted: Protection, before: Protection) -> dict[str, Protection]:
    """List what to try, by the field that gives way: nothing, who draws, who is asked what."""
    drawn = wanted.model_copy(update={"own_device": None})
    simple = drawn.model_copy(update={"layout": "own tosses"})
    if wanted.own_device and wanted.own_device != before.own_device:
        # Everybody throws alike, once for each answer.
        wanted = wanted.model_copy(update={"layout": "own tosses"})
    found = {"": wanted, "own_device": drawn, "layout": simple}
    return found if wanted.own_device else {"": wanted, "layout": simple}


def sentence(error: Exception) -> str:
    """Write an error as a sentence."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}" + ("" if said.endswith((".", "?")) else ".")


WISHES = {
    "precision": "intervals of ± so many points",
    "max_epsilon": "an epsilon of at most",
    "max_posterior": "no answer more likely than so many in 100",
    "min_privacy": "a privacy (PSE) of at least",
}
"""The wishes, as the form names them."""


USELESS = "With this wish, the answers of {:,} people tell nothing. Wish for less."


def wish_from(form: Typed) -> Wish:
    """Read the wish; points and people in 100 are typed as such."""
    kind, text = form.get("wish", ""), form.get("value", "").replace(",", ".").strip()
    scale = 100 if kind in {"precision", "max_posterior"} else 1
    try:
        return Wish.model_validate({"kind": kind, "value": float(text) / scale})
    except ValueError:
        said = "Give the wish as a number above 0, such as 4 for ± 4 points."
        raise Wrong({"value": said}) from None


def proposed(
    request: Request, access: Access, draft: Draft, wanted: Protection, form: Typed
) -> Response:
    """Show what was advised, not yet kept."""
    advice = propose(draft.document, wanted, wish_from(form))
    found, notes, said = wanted_from(advice, wanted), list(advice.notes), advice.sentence()
    useless = advice.best is not None and advice.best.error >= NOTHING
    if advice.best is not None and useless:
        notes, said = [], USELESS.format(advice.best.n)
    news: dict[str, Any] = {"done" if advice.possible and not useless else "sorry": said}
    return shown(request, access, draft, found, notes=notes, form=form, **news)


def shown(
    request: Request,
    access: Access,
    draft: Draft,
    wanted: Protection,
    *,
    form: Typed | None = None,
    wrong: Mapping[str, str] | None = None,
    **news: Any,
) -> Response:
    """Render the page at a setting; where it does not work, at the nearest that does."""
    found, told, unfit = standing(draft.document, wanted, wanted)
    wrong = wrong or unfit
    context = {
        "wanted": found, "told": told, "steps": STEPS, "as_written": AS_WRITTEN,
        "fit": [] if told is None else layouts_for(draft.document, found),
        "place": min(range(len(STEPS)), key=lambda i: abs(STEPS[i] - found.epsilon)),
        "document": draft.document, "protected": protected(draft.document), "wrong": wrong,
        "wishes": WISHES, "form": form or {},
        "query": query(found), "sorry": "", "done": "", "notes": [],
    }  # fmt: skip
    status = 400 if form is not None and (wrong or told is None) else 200
    return page(
        request, "protection.html", access=access, status=status, tab="protection",
        **{**context, **news},
    )  # fmt: skip


def protected(document: Mapping[str, Any]) -> list[str]:
    """Name what a model may predict: the protected questions, in order."""
    try:
        return list(questions_of(document, None).protected)
    except FranklyError:
        return []


def query(wanted: Protection) -> str:
    """Write a setting as an address."""
    return urlencode({k: v for k, v in wanted.model_dump().items() if v is not None})


Setting = Annotated[Protection, Query()]


@router.get("/surveys/{name}/protection/front.svg", include_in_schema=False)
def front(access: Designer, wanted: Setting) -> Response:
    """Draw every layout's error over its epsilon, with this setting marked."""
    drawn = front_svg(picture(draft_of(access).document, wanted), called="yours")
    return Response(drawn, media_type="image/svg+xml", headers=DRAWN)


@router.get("/surveys/{name}/protection/table", include_in_schema=False)
def front_table(request: Request, access: Designer, wanted: Setting) -> Response:
    """Give the table behind the picture: the best that can be had."""
    advice = picture(draft_of(access).document, wanted)
    rows = [one for one in advice.front() if one.error < 0.5][: 2 * MANY]
    return page(
        request, "protection_table.html", access=access, tab="protection", rows=rows,
        yours=advice.best, people=wanted.people,
    )  # fmt: skip
