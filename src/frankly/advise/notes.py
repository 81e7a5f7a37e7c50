"""Notes: what would help more than any theta, and what a design alone cannot promise."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from frankly.advise.advice import NOTHING, Candidate, points
from frankly.advise.expected import Expectation
from frankly.advise.layouts import LAYOUTS, Questions
from frankly.design import Attribute
from frankly.judge.text import at_most, percent

if TYPE_CHECKING:
    from frankly.advise.request import Request

__all__ = ["coarser", "fewer", "notes_on"]

LEAST, MOST = 0.01, 20.0
"""Between these epsilons a design is searched for."""

PILOT = (
    "How accurate a model will be depends on how the answers go together: no design can promise "
    "it. Run a pilot with a few hundred people, or give a joint from an earlier survey; to know "
    "the accuracy afterwards, add a small validation form."
)
WORST = (
    "Planned for the worst case: an answer that few people have is told more precisely than this."
)
GIVEN = (
    "Planned for the shares that are expected, question by question: if one comes out nearer to "
    "one half, its interval is wider than this."
)


def notes_on(request: "Request", best: Candidate | None) -> tuple[str, ...]:
    """Say what else to know about an advised design."""
    notes = [PILOT] if request.mine in ("naive_bayes", "tree") else []
    notes.append(planned_for(request))
    if best is not None and best.error < NOTHING:
        more = (
            whole_report(request, best),
            at_floor(request, best),
            coarser(request, best),
            fewer(request, best),
        )
        notes += [note for note in more if note]
    return tuple(notes)


def whole_report(request: "Request", best: Candidate) -> str:
    """Say that limits on single answers leave open what a whole report tells."""
    limits = request.limits
    if not limits.given or limits.max_epsilon is not None:
        return ""
    if all(len(form.names) - len(form.clear) < 2 for form in best.design.forms):
        return ""
    return (
        "These limits look at each answer by itself. A whole report, held by somebody who knows "
        "how answers go together, may move a guess by up to "
        f"{at_most(math.tanh(best.epsilon / 4))} points: give max_epsilon to limit that."
    )


def at_floor(request: "Request", best: Candidate) -> str:
    """Say that the search ended at its smallest epsilon, and how many people would do there."""
    if request.n is None or request.precision is None or best.epsilon > 1.0001 * LEAST:
        return ""
    enough = request.people(best.design, request.precision)
    return (
        f"No smaller epsilon than {LEAST:g} is looked for, as reports then tell next to nothing: "
        f"here {enough:,} people are enough for ± {100 * request.precision:g} points."
    )


def planned_for(request: "Request") -> str:
    """Say which shares the promised width holds for."""
    expected = request.expected
    if expected is None:
        return WORST
    if isinstance(expected, Mapping):
        return GIVEN
    said = f"Planned for an answer that {percent(expected)} of people give"
    questions = request.questions
    wide = any(a.size > 2 for a in questions.attributes if a.name in questions.protected)
    if request.mine == "shares" and not wide:
        return f"{said}: one whose share is nearer to one half is told less precisely than this."
    return (
        f"{said}. Where there are more than two answers, or a table, the others have the "
        f"{percent(1 - expected)} that are left, and the worst of these is planned for: give "
        "shares by question to plan for less."
    )


def error_with(request: "Request", best: Candidate, questions: Questions) -> float:
    """Tell the error of the same layout at the same epsilon over other questions."""
    other = replace(request, questions=questions)
    return other.candidate(LAYOUTS[best.layout], best.epsilon, best.n).error


def coarser(request: "Request", best: Candidate) -> str:
    """Say what merging the values of the finest question into two would gain."""
    questions = request.questions
    wide = [a for a in questions.attributes if a.name in questions.protected and a.size > 2]
    gains = []
    for finest in wide:
        merged = Attribute(finest.name, ["these", "the others"])
        attributes = tuple(merged if a is finest else a for a in questions.attributes)
        other = replace(request, expected=without(request.expected, finest.name))
        error = error_with(other, best, replace(questions, attributes=attributes))
        gains.append((error, finest))
    if not gains:
        return ""
    error, finest = min(gains, key=lambda gain: gain[0])
    if error > 0.97 * best.error:
        return ""
    return (
        f"Coarser helps: with two values instead of {finest.size} for {finest.name!r} the widest "
        f"interval is ± {points(error)} points instead of ± {points(best.error)}."
    )


def without(expected: Expectation, name: str) -> Expectation:
    """Leave out what is expected of one question, whose answers are about to change."""
    if not isinstance(expected, Mapping):
        return expected
    return {other: shares for other, shares in expected.items() if other != name}


def fewer(request: "Request", best: Candidate) -> str:
    """Say what asking only half of the questions would gain."""
    questions = request.questions
    half = (len(questions.others) + 1) // 2
    if len(questions.others) < 3:
        return ""
    kept = {*questions.others[:half], questions.target, *questions.clear}
    attributes = tuple(a for a in questions.attributes if a.name in kept)
    error = error_with(request, best, replace(questions, attributes=attributes))
    if error > 0.97 * best.error:
        return ""
    return (
        f"Fewer helps: with the {half} most telling of the {len(questions.others)} questions the "
        f"widest interval is about ± {points(error)} points instead of ± {points(best.error)}."
    )
