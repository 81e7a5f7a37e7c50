"""Results as text: a small table that a person can read aloud."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from frankly.mechanism import Table

if TYPE_CHECKING:
    from frankly.estimate.conditional import Conditional
    from frankly.estimate.estimate import Estimate
    from frankly.estimate.mle import Seen

__all__ = ["conditional_text", "percent", "rows_text", "table_text"]

OUTSIDE = (
    "A share below 0% or above 100% is no mistake: the unbiased estimate may overshoot by\n"
    "chance. method='mle' gives the nearest possible shares."
)
STRANGE = (
    "Chance hardly explains a share so far below 0% or above 100%. Were these reports made under\n"
    "this very survey? Perhaps they are true answers, or come from another theta."
)
DOUBT = 1e-5
"""How often, at most, honest reports of a form are doubted."""
RARE = (
    "{rare} of {cells} cells were seen fewer than 5 times: their intervals miss the true share\n"
    "more often than they say. Ask for fewer names at once, or more people."
)
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


def outside(result: "Estimate | Conditional", parts: "Sequence[Estimate | None]") -> list[str]:
    """Say what a share outside [0, 1] means: chance, or reports of another survey."""
    if result.method != "inverse" or not impossible(result.share):
        return []
    seen = [one for part in parts if part is not None for one in part.seen]
    return [STRANGE if any(map(doubtful, seen)) else OUTSIDE]


def doubtful(seen: "Seen") -> bool:
    """Tell whether chance cannot explain what one form saw, however few reports there are.

    A cell's share is the mean of scores with known ends, and what it estimates lies in [0, 1].
    Hoeffding's inequality bounds how far such a mean strays.
    """
    n = seen.counts.sum()
    low, high = seen.form.pull_range(seen.names)
    share = seen.form.pull(seen.counts / n, seen.names)
    stray = (high - low) * np.sqrt(np.log(2 * share.size / DOUBT) / (2 * n))
    return bool(((share < -stray) | (share > 1 + stray)).any())


def rows_text(title: str, rows: Sequence[tuple[str, float, float, float, float]]) -> str:
    """Lay out one line a cell: label, share, standard error, interval.

    Where all reports were alike no error can be estimated, and the interval alone tells.
    """
    width = max([len(label) for label, *_ in rows], default=0)
    lines = [title, "─" * max(len(title), 1)]
    for label, share, error, low, high in rows:
        ends = f"[{percent(low)}, {percent(high)}]"
        told = percent(error) if error > 0 or low == high else "?"
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
    notes = outside(result, [result])
    if result.rare:
        notes.append(RARE.format(rare=result.rare, cells=result.share.size))
    if result.target == "people":
        notes.append(PEOPLE)
    if level != 0.95:
        notes.append(f"Intervals at the level {percent(level)}.")
    return "\n".join([rows_text(title, rows), *notes])


def conditional_text(result: "Conditional", level: float) -> str:
    """Say a conditional estimate in a small table, condition by condition."""
    ends, first = result.interval(level), len(result.names)
    rows: list[tuple[str, float, float, float, float]] = []
    untold = []
    for condition in np.ndindex(result.share.shape[first:]):
        given = ", ".join(result.values[first + i][k] for i, k in enumerate(condition))
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
    notes = [
        f"given {given}: cannot be told{at_level}, too few people may have it"
        for given in dict.fromkeys(untold)
    ]
    rare = [part.rare for part in result.parts if part is not None and part.rare]
    if rare:
        seen = sum(part.share.size for part in result.parts if part is not None)
        notes.append(RARE.format(rare=sum(rare), cells=seen))
    return "\n".join([rows_text(title, rows), *notes, *outside(result, result.parts)])
