"""Protection: what an owner sets, the design that follows from it, and what is proposed."""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from frankly.advise import (
    LAYOUTS,
    Advice,
    Layout,
    Mine,
    Questions,
    advise,
    appraise,
    fitting,
    landscape,
)
from frankly.advise.request import asked
from frankly.design import Design, Form, Group, Panel, canonical
from frankly.design.own import SIDES
from frankly.errors import DesignError
from frankly.mechanism import Unrelated
from frankly.store import Store
from frankly.store.drafts import Draft, save_draft
from frankly.studio.files import open_design
from frankly.studio.forms import follows
from frankly.studio.view import words

__all__ = [
    "AS_WRITTEN",
    "STEPS",
    "Protection",
    "Wish",
    "built",
    "keep",
    "layouts_for",
    "open_design",
    "picture",
    "propose",
    "questions_of",
    "saved",
    "wanted_from",
]

AS_WRITTEN = "as written"
"""The groups and devices that stand in the document, whoever wrote them."""

STEPS = tuple(float(f"{0.1 * 100 ** (i / 100):.3g}") for i in range(101))
"""What each place of the slider stands for: the epsilon of a whole report, from 0.1 to 10."""

LEAST, MOST = 0.01, 20.0
"""Between these the epsilon of a whole report is set."""


class Protection(BaseModel):
    """What an owner sets on the protection page."""

    people: int = Field(
        default=500, ge=2, le=10_000_000, description="How many people will answer."
    )
    mine: Mine = Field(default="shares", description="What will be mined from the answers.")
    target: str | None = Field(
        default=None, description="The protected question that models predict."
    )
    layout: str = Field(default=AS_WRITTEN, examples=["own tosses"], description=(
        f"How questions share tosses and forms: one of {', '.join(LAYOUTS)}; or {AS_WRITTEN!r}."
    ))  # fmt: skip
    epsilon: float = Field(default=2.0, ge=LEAST, le=MOST, description="Epsilon of a whole report.")
    own_device: Literal["die", "coin", "birthday"] | None = Field(
        default=None, description="What people toss themselves, instead of the page."
    )
    panel: str | None = Field(
        default=None, max_length=100, description="The panel whose budget this survey spends from."
    )
    budget: float | None = Field(
        default=None, gt=0, le=1000, description="What all surveys of the panel may reveal."
    )


class Wish(BaseModel):
    """One wish, from which the rest follows."""

    kind: Literal["precision", "max_epsilon", "max_posterior", "min_privacy"] = "precision"
    value: float = Field(default=0.05, gt=0, le=20, examples=[0.05])


@lru_cache(maxsize=64)
def read(text: bytes) -> Design:
    """Read the design of a document's canonical bytes, once."""
    return open_design(json.loads(text))


def questions_of(document: Mapping[str, Any], target: str | None) -> Questions:
    """Tell what is asked; a target counts only where it is protected."""
    if not document.get("attributes"):
        raise DesignError("there are no questions yet. Write one on the page Questions first")
    questions = asked(read(canonical(document)), target)
    if not questions.protected:
        raise DesignError(
            "every question is asked in clear, so there is nothing to protect. Mark the sensitive "
            "ones as protected on the page Questions"
        )
    return replace(questions, target=target if target in questions.protected else None)


def saved(draft: Draft) -> Protection:
    """Give the protection that a draft has now."""
    there = {key: draft.document.get(key) for key in ("target", "own_device")}
    panel = draft.document.get("panel")
    if isinstance(panel, dict):
        there |= {"panel": panel.get("name"), "budget": panel.get("budget")}
    plan = {key: draft.plan[key] for key in Protection.model_fields if key in draft.plan}
    try:
        made = Protection.model_validate({**plan, **there})
    except ValidationError:  # a program may have written anything
        return Protection()
    stood = made.own_device is not None or follows(draft.document, draft.plan)
    if made.layout in LAYOUTS and stood:
        return made
    return made.model_copy(update={"layout": AS_WRITTEN})


def layouts_for(document: Mapping[str, Any], wanted: Protection) -> list[Layout]:
    """List the layouts that let this be mined; with an own device everybody tosses alike."""
    found = fitting(questions_of(document, wanted.target), wanted.mine)
    return [one for one in found if one.name == "own tosses"] if wanted.own_device else found


def built(document: Mapping[str, Any], wanted: Protection) -> Design:
    """Make the design of a setting, over the draft's questions."""
    questions = questions_of(document, wanted.target)
    if wanted.layout == AS_WRITTEN:
        return read(
            canonical({**document, "target": questions.target, "own_device": wanted.own_device})
        )
    if wanted.layout not in {one.name for one in layouts_for(document, wanted)}:
        fit = ", ".join(one.name for one in layouts_for(document, wanted))
        raise DesignError(
            f"asked in this way ({wanted.layout}), what you want to learn cannot be told. These "
            f"ways tell it: {fit}. Choose one of them, or another target, or learn only how common "
            "each answer is"
        )
    if wanted.own_device:
        refuse_uneven(document, questions, wanted.own_device)
        return by_own_device(questions, wanted.epsilon, wanted.own_device)
    return LAYOUTS[wanted.layout].design(questions, wanted.epsilon)


def refuse_uneven(document: Mapping[str, Any], questions: Questions, device: str) -> None:
    """Refuse a question whose answers the sides of a die cannot be shared out among."""
    sides = SIDES[device]
    fits = [str(size) for size in range(2, sides + 1) if sides % size == 0]
    for one in questions.attributes:
        if one.name in questions.protected and sides % one.size:
            prompt = words(one.prompt, document.get("languages") or ("en",)) or one.name
            raise DesignError(
                f"“{prompt}” has {one.size} answers, and {DEVICES[device]}: it can draw evenly "
                f"among {' or '.join(fits)} answers. Change the question, ask it in clear, or let "
                "the page draw"
            )


DEVICES = {
    "die": "a die has 6 sides",
    "coin": "a coin has 2 sides",
    "birthday": "a birthday is in one of 12 months",
}


def by_own_device(questions: Questions, epsilon: float, device: str) -> Design:
    """Give each question the largest theta that a die can make within its part of epsilon."""
    part, sides = epsilon / len(questions.protected), SIDES[device]
    sizes = {one.name: one.size for one in questions.attributes}
    groups = [Group([name], side(sizes[name], sides, part)) for name in questions.protected]
    return questions.design([Form(groups, questions.clear)], own_device=device)


def side(size: int, sides: int, epsilon: float) -> Unrelated:
    """Find the largest theta in steps of a side that keeps to an epsilon; at least one side."""
    thetas = [Unrelated(Fraction(told, sides)) for told in range(sides - 1, 0, -1)]
    return next((one for one in thetas if one.epsilon([size]) <= epsilon), thetas[-1])


@lru_cache(maxsize=32)
def pictured(text: bytes, people: int, mine: Mine, target: str | None) -> Advice:
    """Try every layout, once for each set of questions."""
    return landscape(read(text), people, target=target, mine=mine)


def picture(document: Mapping[str, Any], wanted: Protection) -> Advice:
    """Give every layout at several epsilons, with the present setting among them."""
    target = questions_of(document, wanted.target).target
    everything = pictured(canonical(document), wanted.people, wanted.mine, target)
    design = built(document, wanted)
    one = appraise(design, wanted.people, target=target, mine=wanted.mine)
    return replace(everything, best=replace(one, layout=wanted.layout))


def propose(document: Mapping[str, Any], wanted: Protection, wish: Wish) -> Advice:
    """Ask `frankly.advise` for the design that meets a wish."""
    questions = questions_of(document, wanted.target)
    design = read(canonical({**document, "target": questions.target}))
    limits: dict[str, Any] = {wish.kind: wish.value}
    return advise(design, n=wanted.people, mine=wanted.mine, target=questions.target, **limits)


def wanted_from(advice: Advice, wanted: Protection) -> Protection:
    """Set the page to what was advised; leave it where nothing could be."""
    if advice.best is None:
        return wanted
    epsilon = min(max(advice.best.epsilon, LEAST), MOST)  # a theta in round parts may fall short
    return wanted.model_copy(
        update={"layout": advice.best.layout, "epsilon": epsilon, "own_device": None}
    )


def panel_of(wanted: Protection) -> dict[str, Any] | None:
    """Give the panel of a setting, or say what is missing."""
    if not wanted.panel and wanted.budget is None:
        return None
    return Panel(wanted.panel or "", wanted.budget or 0.0).document()


def keep(store: Store, draft: Draft, wanted: Protection) -> Draft:
    """Write a setting into the draft; its words stay as they are."""
    design = built(draft.document, wanted)
    document = {key: part for key, part in draft.document.items() if key != "groups"}
    document["forms"] = [form.document() for form in design.forms]
    document |= {"target": design.target, "own_device": wanted.own_device}
    document["panel"] = panel_of(wanted)
    plan = {**draft.plan, **wanted.model_dump(include={"people", "mine", "layout", "epsilon"})}
    kept = {key: part for key, part in document.items() if part is not None}
    return save_draft(store, replace(draft, document=kept, plan=plan))
