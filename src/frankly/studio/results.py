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
        How many reports are shown.
    come
        How many there are, rounded down to what may be said.
    estimates
        One an attribute that some report shown answers; none while there are too few.
    tables
        The cross-tables that were chosen.
    untold
        The attributes that no report shown answers, though others are shown.
    left_out
        How many answers to a closed survey stay untold for good, rounded up.
    """

    survey: Survey
    n: int
    come: int
    estimates: tuple[Estimate, ...]
    tables: tuple[CrossTable, ...] = ()
    untold: tuple[str, ...] = ()
    left_out: int = 0


def results(store: Store, name: str) -> Results:
    """Estimate every attribute from what may be shown now."""
    return results_of(snapshot(store, name))


def results_of(shown: Snapshot) -> Results:
    """Estimate every attribute and every chosen table from one snapshot."""
    design = shown.design
    tables = tuple(
        CrossTable(one.names, one.estimated(design)) for one in shown.crossed if one.wanted
    )
    come = max(shown.n, shown.come - shown.come % STEP)
    if not shown.n:
        return Results(shown.survey, 0, come, (), tables, left_out=shown.left_out)
    names = shown.told_names
    return Results(
        shown.survey, shown.n, come, tuple(estimate(design, shown.engine, one) for one in names),
        tables, tuple(one for one in design.names if one not in names), shown.left_out,
    )  # fmt: skip


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
