"""Results: what the owner sees of a survey, never one answer at a time."""

from dataclasses import dataclass

from frankly.design import Design
from frankly.estimate import Conditional, Estimate, estimate
from frankly.judge import uniqueness
from frankly.store import Store, Survey
from frankly.studio.crossed import Pair
from frankly.studio.snapshot import FEWEST, STEP, Snapshot, snapshot

__all__ = ["FEWEST", "STEP", "CrossTable", "Results", "results", "results_of", "unique_in_clear"]


@dataclass(frozen=True)
class CrossTable:
    """One question within each answer to another; ``shares`` is None while it may not be told."""

    names: Pair
    shares: Conditional | None


@dataclass(frozen=True)
class Results:
    """The shares of every attribute, from the reports that are shown.

    Attributes
    ----------
    n
        How many reports there are, rounded down to what may be said.
    estimates
        One an attribute; none while there are too few.
    tables
        The cross-tables that were chosen.
    left_out
        Whether a closed survey has answers that came after the last look and stay untold.
    """

    survey: Survey
    n: int
    estimates: tuple[Estimate, ...]
    tables: tuple[CrossTable, ...] = ()
    left_out: bool = False


def results(store: Store, name: str) -> Results:
    """Estimate every attribute from what may be shown now."""
    return results_of(snapshot(store, name))


def results_of(shown: Snapshot) -> Results:
    """Estimate every attribute and every chosen table from one snapshot."""
    design = shown.design
    tables = tuple(
        CrossTable(one.names, one.estimated(design)) for one in shown.crossed if one.wanted
    )
    if not shown.n:
        return Results(shown.survey, shown.come - shown.come % STEP, (), tables)
    return Results(shown.survey, shown.n, tuple(told(shown)), tables, shown.left_out)


def told(shown: Snapshot) -> list[Estimate]:
    """Estimate each attribute that somebody was asked."""
    numbers = shown.engine.n
    asked = {
        name
        for form, number in zip(shown.design.forms, numbers, strict=True)
        for name in form.names
        if number
    }
    names = [name for name in shown.design.names if name in asked]
    return [estimate(shown.design, shown.engine, name) for name in names]


def clear_names(design: Design) -> list[str]:
    """Name the questions that every form asks in clear."""
    return [name for name in design.names if all(name in form.clear for form in design.forms)]


def unique_in_clear(shown: Snapshot) -> float | None:
    """Tell which share of the reports nobody shares on the clear questions; None without any."""
    names = clear_names(shown.design)
    if not names or not shown.n:
        return None
    places = {name: shown.rows[:, 1 + shown.design.names.index(name)] for name in names}
    return uniqueness({name: codes.tolist() for name, codes in places.items()}, names)
