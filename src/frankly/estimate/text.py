"""Results as text: a small table that a person can read aloud."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from frankly.estimate.doubt import doubtful
from frankly.mechanism import Table

if TYPE_CHECKING:
    from frankly.estimate.conditional import Conditional
    from frankly.estimate.estimate import Estimate
    from frankly.estimate.mle import Seen

__all__ = [
    "conditional_text",
    "contradiction",
    "impossible",
    "percent",
    "rows_text",
    "table_text",
]

OUTSIDE = (
    "A share below 0% or above 100% is no mistake: the unbiased estimate may overshoot by\n"
    "chance. method='mle' gives the nearest possible shares."
)
STRANGE = (
    "Chance hardly explains a share so far below 0% or above 100%. Were these reports made under\n"
    "this very survey? Perhaps they are true answers, or come from another theta."
)
RARE = (
    "{rare} of {cells} cells were seen fewer than 5 times: their intervals miss the true share\n"
    "more often than they say. Ask for fewer names at once, or more people."
)
DIFFER = (
    "The forms contradict each other: {cell} is {told}. Chance explains that less than once in "
    "1,000 times. The estimate mixes them and may be true of nobody. Perhaps people answer less "
    "truthfully where less is hidden, or the forms went to different people."
)
CONTRADICTS = 0.001
"""How often, at most, forms that agree are said to contradict each other."""
WIDTH = 94
"""How long the lines of a note are."""
ROUNDING = 1e-12
PEOPLE = "The errors are about these very people (the coin alone), not about a population."


def percent(share: float) -> str:
    """Write a share with one decimal.

    Examples
    --------
    >>> percent(1 / 3)
    '33.3%'
    """
    text = f"{100 * share:.1f}%"
    return "0.0%" if text == "-0.0%" else text


def impossible(share: Table) -> bool:
    """Tell whether a share lies outside [0, 1] by more than rounding.

    Examples
    --------
    >>> impossible(np.array([1 + 2e-16, 0.0])), impossible(np.array([1.01, -0.01]))
    (False, True)
    """
    return bool(share.min() < -ROUNDING or share.max() > 1 + ROUNDING)


def outside(result: "Estimate | Conditional", parts: "Sequence[Estimate]") -> list[str]:
    """Say what a share outside [0, 1] means: chance, or reports of another survey."""
    if result.method != "inverse" or not impossible(result.share):
        return []
    seen = [one for part in parts for one in part.seen]
    return [STRANGE if any(map(doubtful, seen)) else OUTSIDE]


def contradiction(parts: "Sequence[Estimate | None]", given: Sequence[str] = ()) -> str:
    """Say by how much the forms contradict each other; nothing where chance may explain it.

    Of several parts, each of the people ``given`` something, the one with the least chance.
    """
    told = [(part.forms_p, i, part) for i, part in enumerate(parts) if part is not None]
    p, i, part = min(told, key=lambda one: one[0])
    if p * len(told) >= CONTRADICTS:
        return ""
    own = np.stack([one.mean for one in part.combined.own])
    gap = np.round(np.ptp(own, axis=0), 9)  # of cells that differ alike: the last, such as yes
    at = np.unravel_index(gap.size - 1 - int(gap.ravel()[::-1].argmax()), gap.shape)
    cell = ", ".join(part.values[axis][k] for axis, k in enumerate(at))
    by = [
        f"{percent(float(share))} by form {place}" + said_openly(seen)
        for share, place, seen in zip(own[(..., *at)], part.places, part.seen, strict=True)
    ]
    return DIFFER.format(cell=f"{cell} given {given[i]}" if given else cell, told=", ".join(by))


def said_openly(seen: "Seen") -> str:
    """Mark a form that asks all these names in clear."""
    return " (in clear)" if all(name in seen.form.clear for name in seen.names) else ""


def notes(
    result: "Estimate | Conditional", parts: "Sequence[Estimate | None]", level: float
) -> list[str]:
    """Say all that a reader of the numbers should know."""
    some = [part for part in parts if part is not None]
    said = [*textwrap.wrap(result.contradiction, WIDTH), *outside(result, some)]
    rare = sum(part.rare for part in some)
    if rare:
        said.append(RARE.format(rare=rare, cells=sum(part.share.size for part in some)))
    if result.target == "people":
        said.append(PEOPLE)
    if level != 0.95:
        said.append(f"Intervals at the level {percent(level)}.")
    return said


def rows_text(title: str, rows: Sequence[tuple[str, float, float, float, float]]) -> str:
    """Lay out one line a cell: label, share, standard error, interval.

    Where all reports were alike no error can be estimated, and the interval alone tells.
    """
    width = max([len(label) for label, *_ in rows], default=0)
    lines = [title, "─" * max(len(title), 1)]
    for label, share, error, low, high in rows:
        ends = f"[{percent(low)}, {percent(high)}]"
        told = percent(error) if error > 0 or percent(low) == percent(high) else "?"
        lines.append(f"{label:<{width}}  {percent(share):>7}  ± {told}   {ends}")
    return "\n".join(lines)


def table_text(result: "Estimate", level: float) -> str:
    """Say an estimate in a small table."""
    ends = result.interval(level)
    rows = []
    for at in np.ndindex(result.share.shape):
        label = ", ".join(result.values[i][k] for i, k in enumerate(at))
        low, high = (float(end) for end in ends[at])
        rows.append((label, float(result.share[at]), float(result.stderr[at]), low, high))
    title = f"{', '.join(result.names)}   {result.method} estimate from {result.n:,} reports"
    return "\n".join([rows_text(title, rows), *notes(result, [result], level)])


def conditional_text(result: "Conditional", level: float) -> str:
    """Say a conditional estimate in a small table, condition by condition."""
    ends, first = result.interval(level), len(result.names)
    rows: list[tuple[str, float, float, float, float]] = []
    untold = []
    conditions = result.conditions
    for condition, given in zip(np.ndindex(result.share.shape[first:]), conditions, strict=True):
        for cell in np.ndindex(result.share.shape[:first]):
            at = (*cell, *condition)
            label = ", ".join(result.values[i][k] for i, k in enumerate(cell))
            if not (result.told[at] and np.isfinite(ends[at]).all()):
                untold.append(given)
                continue
            low, high = (float(end) for end in ends[at])
            share, error = float(result.share[at]), float(result.stderr[at])
            rows.append((f"{label} given {given}", share, error, low, high))
    title = f"{', '.join(result.names)} by {', '.join(result.by)}   "
    title += f"{result.method} estimate from {result.n:,} reports"
    at_level = "" if level == 0.95 else f" at the level {percent(level)}"
    said = [
        f"given {given}: cannot be told{at_level}, too few people may have it"
        for given in dict.fromkeys(untold)
    ]
    return "\n".join([rows_text(title, rows), *said, *notes(result, result.parts, level)])
