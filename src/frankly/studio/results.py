"""Results: what the owner sees of an open survey, never one answer at a time."""

import json
from dataclasses import dataclass

from frankly.count import Counts, GivenCounts
from frankly.count.store import live_counts
from frankly.design import Design
from frankly.estimate import Estimate, estimate
from frankly.store import Store, Survey

__all__ = ["FEWEST", "STEP", "Results", "results"]

FEWEST = 100
"""Nothing is shown of fewer reports than this."""

STEP = 10
"""Then figures change only when this many more have come."""

Counted = dict[tuple[int, str], dict[int, int]]


@dataclass(frozen=True)
class Results:
    """The shares of every attribute, from the reports that are shown.

    Attributes
    ----------
    n
        How many reports there are, rounded down to what may be said.
    estimates
        One an attribute; none while there are too few.
    """

    survey: Survey
    n: int
    estimates: tuple[Estimate, ...]


def results(store: Store, name: str) -> Results:
    """Estimate every attribute from what may be shown now."""
    survey = store.survey(name)
    n, counted = showable(store, survey)
    if n < FEWEST:
        return Results(survey, n, ())
    engine = GivenCounts(survey.design, live_counts(survey.design, counted))
    return Results(survey, n, tuple(told(survey.design, engine)))


def told(design: Design, engine: GivenCounts) -> list[Estimate]:
    """Estimate each attribute that somebody was asked."""
    asked = {name for counts in engine.given for name in counts.names}
    return [estimate(design, forms(engine, name), name) for name in design.names if name in asked]


def forms(engine: GivenCounts, name: str) -> list[Counts]:
    """Give the tables of one attribute, a form each."""
    return [counts for counts in engine.given if counts.names == (name,)]


def showable(store: Store, survey: Survey) -> tuple[int, Counted]:
    """Choose what is shown: the last picture, until enough more have come or all are in."""
    counted = store.counted(survey.name)
    n = total(counted)
    if survey.state == "closed":
        return n, counted
    last = store.last_shown(survey.name)
    if last is not None and n < last[0] + STEP:
        return last[0], read(last[1])
    if n < FEWEST:
        return n - n % STEP, {}
    store.show(survey.name, n, write(counted))
    return n, counted


def total(counted: Counted) -> int:
    """Tell how many reports were counted."""
    return sum(sum(cells.values()) for (_, names), cells in counted.items() if names == "[]")


def write(counted: Counted) -> str:
    """Write counters as text."""
    return json.dumps([[form, names, cells] for (form, names), cells in counted.items()])


def read(text: str) -> Counted:
    """Read counters that were written."""
    return {
        (form, names): {int(cell): n for cell, n in cells.items()}
        for form, names, cells in json.loads(text)
    }
