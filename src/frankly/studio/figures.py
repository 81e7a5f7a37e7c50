"""Figures: what one setting of the protection page means, in numbers and in words."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field

from frankly.advise import Candidate, Questions, appraise
from frankly.advise.advice import points
from frankly.design import Design, Form
from frankly.estimate.text import percent
from frankly.judge import PrivacyStatement, privacy
from frankly.judge.text import from_to, in_hundred, number
from frankly.report.respondent import odds_lines, odds_of
from frankly.studio.cautions import NOTHING, cautions
from frankly.studio.protection import Protection, built, questions_of
from frankly.studio.view import words

__all__ = ["Device", "Figures", "Guess", "figures"]

RARE = 0.1
"""How common an answer is in the example of a guess."""


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
        shown=shown(design, one, "" if guess is None else said(design, guess, document)),
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


def shown(design: Design, one: Candidate, guess: str) -> dict[str, str]:
    """Say the figures as the page shows them."""
    every = Form([group for form in design.forms for group in form.groups])
    odds = [told for group in every.groups if (told := odds_of(group)) is not None]
    exposed = "none" if one.exposed == 0 else percent(one.exposed)
    return {
        "odds": " ".join(odds_lines(every)),
        "own": str(round(sum(told.own for told in odds) / len(odds))) if odds else "",
        "interval": f"± {points(one.error)} points"
        if one.error < NOTHING
        else "Nothing can be told yet",
        "people": f"{one.n:,}",
        "epsilon": number(one.epsilon),
        "guess": guess,
        "posterior": in_hundred(one.posterior),
        "exposed": "not bounded" if one.exposed == 1 else exposed,
        "pse": f"{one.pse:.3f}",
        "asked": asked_words(design),
    }


def said(design: Design, guess: Guess, document: Mapping[str, Any]) -> str:
    """Say how far a report moves a guess, in the survey's first language."""
    one, speak = design[guess.question], document.get("languages") or ("en",)
    truth, report = (words(one.labels.get(v, v), speak) for v in (guess.truth, guess.report))
    prompt = words(one.prompt, speak) or one.name
    stop = "" if prompt[-1] in ".?!؟" else "."
    return (
        f"Say {in_hundred(guess.before)} people would answer “{truth}” to “{prompt}”{stop} Then "
        f"one report of “{report}” raises a guess about its sender from "
        f"{from_to(guess.before, guess.after, ' to ')}."
    )


def asked_words(design: Design) -> str:
    """Say how many questions one person is asked, and in how many forms."""
    counts = sorted({len(form.names) for form in design.forms})
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    every = len(design.attributes)
    if len(design.forms) == 1:
        return f"Everybody is asked all {every} questions." if every > 1 else "One question."
    return f"Everybody is asked {many} of {every} questions: one of {len(design.forms)} forms."
