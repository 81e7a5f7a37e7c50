"""Protection: what one setting of the slider means for people, for results and for privacy."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from frankly.advise import (
    LAYOUTS,
    Advice,
    Candidate,
    Layout,
    Mine,
    Questions,
    advise,
    appraise,
    fitting,
    landscape,
)
from frankly.advise.advice import points
from frankly.advise.request import asked
from frankly.design import Design, Form, Group, Panel, canonical
from frankly.design.own import SIDES
from frankly.errors import DesignError
from frankly.estimate.text import percent
from frankly.judge import PrivacyStatement, privacy
from frankly.judge.text import in_hundred, number
from frankly.mechanism import Unrelated
from frankly.report.respondent import odds_lines, odds_of
from frankly.store import Store
from frankly.store.drafts import Draft, save_draft
from frankly.studio.cautions import cautions
from frankly.studio.view import words

__all__ = [
    "AS_WRITTEN",
    "STEPS",
    "Figures",
    "Protection",
    "Wish",
    "built",
    "figures",
    "keep",
    "layouts_for",
    "open_design",
    "picture",
    "propose",
    "saved",
    "wanted_from",
]

AS_WRITTEN = "as written"
"""The groups and devices that stand in the document, whoever wrote them."""

STEPS = tuple(float(f"{0.1 * 100 ** (i / 100):.3g}") for i in range(101))
"""What each place of the slider stands for: the epsilon of a whole report, from 0.1 to 10."""

RARE = 0.1
"""How common an answer is in the example of a guess."""


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
    epsilon: float = Field(default=2.0, ge=0.01, le=20, description="Epsilon of a whole report.")
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


class Device(BaseModel):
    """One toss: what it hides, and how often it tells the truth."""

    names: list[str]
    theta: float | None
    odds: str


class Guess(BaseModel):
    """How far the most telling report moves a guess at a rare answer."""

    question: str
    report: str
    truth: str
    before: float
    after: float


class Figures(BaseModel):
    """What one setting means: the same numbers as `frankly.advise` and `frankly.privacy`."""

    layout: str
    people: int
    epsilon: float | None = Field(description="Epsilon of a whole report; null when infinite.")
    error: float | None = Field(
        description="Half-width of the widest 95 % interval that counts; null when endless."
    )
    posterior: float
    exposed: float | None = Field(description="Share exposed at 0.9; null when nothing bounds it.")
    pse: float
    guess: Guess | None
    forms: int
    devices: list[Device]
    warnings: list[str]
    shown: dict[str, str] = Field(description="The same in the words of the page.")


def open_design(document: Mapping[str, Any]) -> Design:
    """Read a draft's document as a design, without the warnings that opening it would give."""
    return Design.from_document({**document, "accept_infinite_epsilon": True})


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
    if made.layout != AS_WRITTEN and made.layout not in LAYOUTS:
        return made.model_copy(update={"layout": AS_WRITTEN})
    return made


def layouts_for(document: Mapping[str, Any], wanted: Protection) -> list[Layout]:
    """List the layouts that let this be mined; with an own device everybody tosses alike."""
    found = fitting(questions_of(document, wanted.target), wanted.mine)
    return [one for one in found if one.name == "own tosses"] if wanted.own_device else found


def built(document: Mapping[str, Any], wanted: Protection) -> Design:
    """Make the design of a setting, over the draft's questions."""
    questions = questions_of(document, wanted.target)
    if wanted.layout == AS_WRITTEN:
        return read(canonical({**document, "target": questions.target}))
    if wanted.layout not in {one.name for one in layouts_for(document, wanted)}:
        fit = ", ".join(one.name for one in layouts_for(document, wanted)) or "none"
        raise DesignError(
            f"the layout {wanted.layout!r} does not let this be mined. These do: {fit}. Choose "
            "one of them, or a target, or mine shares"
        )
    if wanted.own_device:
        return by_own_device(questions, wanted.epsilon, wanted.own_device)
    return LAYOUTS[wanted.layout].design(questions, wanted.epsilon)


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


def figures(document: Mapping[str, Any], wanted: Protection) -> Figures:
    """Tell what a setting means, as `frankly.advise` and `frankly.privacy` do.

    Examples
    --------
    >>> ill = {"name": "ill", "values": ["no", "yes"]}
    >>> group = {"names": ["ill"], "mechanism": {"kind": "unrelated", "theta": "1/2"}}
    >>> told = figures({"attributes": [ill], "groups": [group]}, Protection(people=1000))
    >>> told.shown["interval"], told.shown["epsilon"]
    ('± 6.2 points', '1.10')
    >>> told.shown["odds"]
    'Of 100 people like you, 50 send their own answer and 50 one drawn by chance.'
    """
    design = built(document, wanted)
    questions = questions_of(document, wanted.target)
    one = appraise(design, wanted.people, target=questions.target, mine=wanted.mine)
    one = replace(one, layout=wanted.layout)
    guess = guess_of(privacy(design, rare(questions)))
    return Figures(
        layout=one.layout,
        people=one.n,
        epsilon=one.epsilon if math.isfinite(one.epsilon) else None,
        error=one.error if math.isfinite(one.error) else None,
        posterior=one.posterior,
        exposed=None if one.exposed == 1 else one.exposed,
        pse=one.pse,
        guess=guess,
        forms=len(design.forms),
        devices=devices_of(design),
        warnings=cautions(design, one, wanted.budget),
        shown=shown(design, one, guess),
    )


def rare(questions: Questions) -> dict[str, list[float]]:
    """Hold the last answer of every protected question to be rare."""
    sizes = {one.name: one.size for one in questions.attributes}
    return {
        name: [(1 - RARE) / (sizes[name] - 1)] * (sizes[name] - 1) + [RARE]
        for name in questions.protected
    }


def guess_of(statement: PrivacyStatement) -> Guess | None:
    """Find the question whose rare answer a report betrays most."""
    found = [
        Guess(
            question=one.name,
            report=one.reports[int(one.posterior[:, -1].argmax())],
            truth=one.values[-1],
            before=float(one.prior[-1]),
            after=float(one.posterior[:, -1].max()),
        )
        for one in statement.attributes.values()
    ]
    return max(found, key=lambda guess: guess.after, default=None)


def devices_of(design: Design) -> list[Device]:
    """List every different toss, with its odds in words."""
    groups = {group.names: group for form in design.forms for group in form.groups}
    return [
        Device(
            names=list(names),
            theta=float(group.device.theta) if (odds := odds_of(group)) else None,  # type: ignore[attr-defined]
            odds=odds.sentence() if odds else "What is sent depends on chance too.",
        )
        for names, group in groups.items()
    ]


def shown(design: Design, one: Candidate, guess: Guess | None) -> dict[str, str]:
    """Say the figures as the page shows them."""
    every = Form([group for form in design.forms for group in form.groups])
    odds = [told for group in every.groups if (told := odds_of(group)) is not None]
    exposed = "none" if one.exposed == 0 else percent(one.exposed)
    return {
        "odds": " ".join(odds_lines(every)),
        "own": str(round(sum(told.own for told in odds) / len(odds))) if odds else "",
        "interval": f"± {points(one.error)} points" if one.error < 1 else "nothing can be told",
        "people": f"{one.n:,}",
        "epsilon": number(one.epsilon),
        "guess": "" if guess is None else said(design, guess),
        "posterior": in_hundred(one.posterior),
        "exposed": "not bounded" if one.exposed == 1 else exposed,
        "pse": f"{one.pse:.3f}",
        "asked": asked_words(design),
    }


def said(design: Design, guess: Guess) -> str:
    """Say how far a report moves a guess."""
    one, speak = design[guess.question], design.languages
    truth, report = (words(one.labels.get(v, v), speak) for v in (guess.truth, guess.report))
    prompt = words(one.prompt, speak) or one.name
    stop = "" if prompt[-1] in ".?!؟" else "."
    return (
        f"Say {in_hundred(guess.before)} people would answer “{truth}” to “{prompt}”{stop} Then "
        f"one report of “{report}” raises a guess about its sender from "
        f"{100 * guess.before:.0f} to {in_hundred(guess.after)}."
    )


def asked_words(design: Design) -> str:
    """Say how many questions one person is asked, and in how many forms."""
    counts = sorted({len(form.names) for form in design.forms})
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    every = len(design.attributes)
    if len(design.forms) == 1:
        return f"Everybody is asked all {every} questions." if every > 1 else "One question."
    return f"Everybody is asked {many} of {every} questions: one of {len(design.forms)} forms."


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
    return wanted.model_copy(
        update={"layout": advice.best.layout, "epsilon": advice.best.epsilon, "own_device": None}
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
