"""Charts: dots with their intervals, and sentences that say what they show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from frankly.design import Design
from frankly.estimate import Conditional, Estimate
from frankly.estimate.doubt import doubtful
from frankly.estimate.interval import z_value
from frankly.estimate.text import percent
from frankly.judge.text import in_hundred
from frankly.studio.view import words

__all__ = [
    "INTERVALS",
    "Chart",
    "Panel",
    "Row",
    "chart_of",
    "contrast",
    "crossed_chart",
    "finding",
    "labels_of",
    "prompt_of",
    "published_charts",
    "strip",
]

LEFT, WIDTH = 6, 288
INTERVALS = "lines and the figures beside each share are 95% intervals"
"""What stands beside a share, on every page."""

FEW = 0.25
"""The most that is called rare; nearly everyone is all but so many."""


@dataclass(frozen=True)
class Row:
    """One answer: its share with its error and interval; nothing where nothing can be told."""

    label: str
    share: float
    error: float
    low: float
    high: float
    told: bool = True

    @property
    def drawing(self) -> Markup:
        """The dot and its interval."""
        return strip(self.share, self.low, self.high) if self.told else Markup()


@dataclass(frozen=True)
class Panel:
    """One small chart; several of them share an axis."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Chart:
    """What is drawn for one question or one cross-table."""

    question: str
    finding: str
    caption: str
    panels: tuple[Panel, ...]
    outside: bool
    warning: str = ""


def strip(share: float, low: float, high: float) -> Markup:
    """Draw a dot and its interval on a line from 0 to 100 %; beyond that, arrows.

    Examples
    --------
    >>> strip(0.5, 0.4, 1.2).count("<path")
    7
    """
    x, a, b = (LEFT + WIDTH * min(max(v, 0.0), 1.0) for v in (share, low, high))
    arrows = f'<path class="arrow" d="M{LEFT} 3l-4 4 4 4"/>' if low < 0 else ""
    arrows += f'<path class="arrow" d="M{LEFT + WIDTH} 3l4 4-4 4"/>' if high > 1 else ""
    ticks = "".join(f'<path class="axis" d="M{LEFT + WIDTH * t:g} 3v8"/>' for t in (0, 0.5, 1))
    dot = f'<circle cx="{x:.1f}" cy="7" r="3.5"/>'
    seen = [end for end, value in ((a, low), (b, high)) if 0 <= value <= 1 and low < high]
    ends = "".join(f'<path class="end" d="M{end:.1f} 2v10"/>' for end in seen)
    return Markup(  # noqa: S704 - numbers of our own, nothing else
        f'<svg viewBox="0 0 300 14" role="img" aria-label="{percent(share)}, from {percent(low)} '
        f'to {percent(high)}"><path class="axis" d="M{LEFT} 7h{WIDTH}"/>{ticks}'
        f'<path class="span" d="M{a:.1f} 7H{b:.1f}"/>{dot}{ends}{arrows}</svg>'
    )


def labels_of(design: Design, name: str) -> list[str]:
    """Give the words for the answers to one question."""
    one = design[name]
    return [words(one.labels.get(value, value), design.languages) for value in one.values]


def prompt_of(design: Design, name: str) -> str:
    """Give a question in the survey's first language."""
    return words(design[name].prompt, design.languages) or name


def chart_of(design: Design, one: Estimate) -> Chart:
    """Lay out the shares of one question."""
    (name,) = one.names
    rows = rows_of(labels_of(design, name), one.share, one.stderr, one.interval())
    hidden = any(name in group.names for form in design.forms for group in form.groups)
    caption = (
        f"{'Protected' if hidden else 'Asked in clear'}. {one.method.capitalize()} estimate from "
        f"{one.n:,} answers; {INTERVALS}."
    )
    panels = (Panel("", rows),)
    beyond, warning = read_with_care(panels, [one], one.contradiction)
    return Chart(prompt_of(design, name), finding(rows), caption, panels, beyond, warning)


def rows_of(
    labels: list[str], share: Any, error: Any, ends: Any, told: Any = None
) -> tuple[Row, ...]:
    """Put the numbers of one panel into rows."""
    known = np.ones(len(labels), dtype=bool) if told is None else told
    numbers = zip(labels, share, error, ends, known, strict=True)
    return tuple(
        Row(label, float(s), float(e), float(low), float(high), bool(k))
        for label, s, e, (low, high), k in numbers
    )


def outside(rows: tuple[Row, ...]) -> bool:
    """Tell whether some share is below 0 or above 100 %."""
    return any(row.told and not 0 <= row.share <= 1 for row in rows)


STRANGE = (
    "Chance hardly explains a share so far below 0% or above 100%. Perhaps some answers were sent "
    "without the protection that this survey describes."
)


def read_with_care(
    panels: Sequence[Panel], parts: Sequence[Estimate], contradiction: str
) -> tuple[bool, str]:
    """Tell whether shares overshoot by chance, and warn where chance cannot be all."""
    beyond = any(outside(panel.rows) for panel in panels)
    strange = beyond and any(doubtful(seen) for part in parts for seen in part.seen)
    said = [contradiction, STRANGE if strange else ""]
    return beyond and not strange, " ".join(one for one in said if one)


def finding(rows: tuple[Row, ...]) -> str:
    """State what the shares of one question say.

    Examples
    --------
    >>> finding((Row("No", 0.66, 0.03, 0.61, 0.72), Row("Yes", 0.34, 0.03, 0.28, 0.39)))
    'About 34 in 100: “Yes”'
    >>> finding((Row("No", 1.02, 0.03, 0.96, 1.0), Row("Yes", -0.02, 0.03, -0.08, 0.04)))
    '“Yes” is too rare to tell from none: at most 4.0%'
    """
    if len(rows) == 2:
        return about(rows[1])
    first, second = sorted(rows, key=lambda row: -row.share)[:2]
    if second.high > first.share and first.low < second.share:
        return f"“{first.label}” and “{second.label}” are too close to call"
    return about(first)


def about(row: Row) -> str:
    """Say one share in natural frequencies, as far as its interval lets us.

    Examples
    --------
    >>> for low, high in ((0.2, 0.3), (-0.1, 0.2), (-0.1, 0.6), (0.8, 1.1), (0.4, 1.1), (-1, 2)):
    ...     print(about(Row("yes", 0.25, 0.1, low, high)))
    About 25 in 100: “yes”
    “yes” is too rare to tell from none: at most 20.0%
    “yes” may be nobody: at most 60.0%
    “yes” is nearly everyone: at least 80.0%
    “yes” may be everyone: at least 40.0%
    These answers do not tell how many say “yes”
    """
    if row.low <= 0 and row.high >= 1:
        return f"These answers do not tell how many say “{row.label}”"
    if row.low <= 0:
        rare = "is too rare to tell from none: " if row.high <= FEW else "may be nobody: "
        return f"“{row.label}” {rare}at most {percent(max(row.high, 0))}"
    if row.high >= 1:
        nearly = "is nearly everyone: " if row.low >= 1 - FEW else "may be everyone: "
        return f"“{row.label}” {nearly}at least {percent(row.low)}"
    return f"About {in_hundred(row.share)}: “{row.label}”"


def crossed_chart(design: Design, one: Conditional) -> Chart:
    """Lay out one question within each answer to another, a panel each."""
    name, by = one.names[0], one.by[0]
    ends, answers = one.interval(), labels_of(design, name)
    panels = tuple(
        Panel(
            label,
            rows_of(answers, one.share[:, k], one.stderr[:, k], ends[:, k], one.told[:, k]),
        )
        for k, label in enumerate(labels_of(design, by))
    )
    caption = f"{one.method.capitalize()} estimate from {one.n:,} answers; {INTERVALS}."
    question = f"{prompt_of(design, name)} By: {prompt_of(design, by)}"
    parts = [part for part in one.parts if part is not None]
    beyond, warning = read_with_care(panels, parts, one.contradiction)
    return Chart(question, contrast(panels), caption, panels, beyond, warning)


def contrast(panels: tuple[Panel, ...]) -> str:
    """State where an answer differs most between groups, if it clearly does anywhere.

    The more answers and groups are compared, the further apart two of them must be, so that a
    table of no differences is called different one time in twenty.
    """
    looks = len(panels[0].rows) * len(panels) * (len(panels) - 1) // 2
    far, best = z_value(1 - 0.05 / max(looks, 1)), 0.0
    said = "No clear difference between the groups"
    for place, row in enumerate(panels[0].rows):
        known = [(panel, panel.rows[place]) for panel in panels if panel.rows[place].told]
        if len(known) < 2:
            continue
        (low, least), (high, most) = (f(known, key=lambda pair: pair[1].share) for f in (min, max))
        gap, spread = most.share - least.share, float(np.hypot(most.error, least.error))
        if gap > far * spread and gap > best:
            best = gap
            said = f"“{row.label}” is more common with “{high.title}” than with “{low.title}”"
    return said


def published_charts(design: Design, document: Mapping[str, Any]) -> list[Chart]:
    """Lay out published tables, from what was written when they were published."""
    return [published_chart(design, one) for one in (*document["shares"], *document["tables"])]


def published_chart(design: Design, one: Mapping[str, Any]) -> Chart:
    """Lay out one published table: a panel, or one for each answer to the second question."""
    (name,), by = one["names"], one.get("by", [])
    spoken = dict(zip(design[name].values, labels_of(design, name), strict=True))
    groups: dict[str, list[Row]] = {}
    for row in one["rows"]:
        groups.setdefault(row[by[0]] if by else "", []).append(read_row(row, spoken[row[name]]))
    titles = dict(zip(design[by[0]].values, labels_of(design, by[0]), strict=True)) if by else {}
    panels = tuple(Panel(titles.get(key, key), tuple(rows)) for key, rows in groups.items())
    caption = f"{one['method'].capitalize()} estimate from {one['n']:,} answers; {INTERVALS}."
    question = prompt_of(design, name) + (f" By: {prompt_of(design, by[0])}" if by else "")
    said = contrast(panels) if by else finding(panels[0].rows)
    beyond = any(outside(panel.rows) for panel in panels)
    return Chart(question, said, caption, panels, beyond, one.get("contradiction", ""))


def read_row(row: Mapping[str, Any], label: str) -> Row:
    """Read one published row; where nothing could be told there are no numbers."""
    if row["share"] is None:
        return Row(label, 0.0, 0.0, 0.0, 0.0, told=False)
    return Row(label, row["share"], row["stderr"], row["low"], row["high"])
