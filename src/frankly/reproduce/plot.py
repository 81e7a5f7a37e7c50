"""Plot: figures as pictures, in the colours of our pages; needs matplotlib (extra ``plot``)."""

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.font_manager import get_font_names
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from frankly.reproduce.figure import Figure, Line, Panel, Tone

__all__ = ["draw", "save"]

TONES: dict[Tone, str] = {
    "ink": "#1b2226",
    "teal": "#0b5c63",
    "amber": "#8a5a00",
    "brick": "#a3291c",
    "grey": "#55636a",
}
PAPER, RULE = "#ffffff", "#c3cccd"
"""The light half of the tokens that our pages use."""

SANS = ("Noto Sans", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "DejaVu Sans")
WIDTH = 3.15
"""Inches: 8 cm, the width of a column in a journal."""
PANEL, TOP, BOTTOM = 1.55, 0.24, 0.33
"""Inches: the height of a chart, of the words above it and of those below it."""
SMALL, BODY, TITLE = 6.0, 6.6, 8.2
STEPS = [1, 2, 5, 10]
"""Ticks are these, times a power of ten."""
LETTER = 0.047
"""Inches a letter of body size takes, roughly."""


def settings() -> Any:
    """Give the settings of a picture: a sans that is installed, text that stays text."""
    known = set(get_font_names())
    return {
        "font.family": [name for name in SANS if name in known] or ["sans-serif"],
        "font.size": BODY,
        "svg.fonttype": "none",
        "svg.hashsalt": "frankly",
        "axes.linewidth": 0.6,
    }


def save(figure: Figure, svg: Path, png: Path) -> None:
    """Draw a figure into two files; nothing in them tells when or where they were made."""
    picture = draw(figure)
    with mpl.rc_context(settings()):
        picture.savefig(svg, metadata={"Date": None, "Creator": "frankly"})
        picture.savefig(png, dpi=300, metadata={"Software": "frankly"})


def draw(figure: Figure) -> Picture:
    """Draw a figure: the finding on top, its charts, and how it was made below."""
    with mpl.rc_context(settings()):
        title = textwrap.wrap(figure.title, 52)
        caption = textwrap.wrap(figure.caption, 78)
        across = 2 if figure.wide else 1
        down = -(-len(figure.panels) // across)
        head, foot = 0.06 + 0.145 * len(title), 0.06 + 0.098 * len(caption)
        height = head + foot + down * (PANEL + TOP + BOTTOM)
        picture = Picture(figsize=(WIDTH, height), facecolor=PAPER)
        top = picture.text(0.02, 1 - 0.05 / height, "\n".join(title), va="top", weight="bold")
        top.set(color=TONES["ink"], fontsize=TITLE)
        below = picture.text(0.02, 0.03 / height, "\n".join(caption), va="bottom")
        below.set(color=TONES["grey"], fontsize=SMALL, linespacing=1.15)
        for place, panel in enumerate(figure.panels):
            left, upper, width = box(figure, place, across, head)
            under = 1 - (upper + PANEL) / height
            axes = picture.add_axes((left / WIDTH, under, width / WIDTH, PANEL / height))
            chart(axes, panel, width)
        return picture


def box(figure: Figure, place: int, across: int, head: float) -> tuple[float, float, float]:
    """Find the left and upper edge and the width of a chart, in inches."""
    row, column = divmod(place, across)
    ends = [
        len(part)
        for panel in figure.panels[column::across]
        for line in panel.lines
        for part in line.label.split("\n")
    ]
    share = WIDTH / across
    left = 0.38 if across == 1 else 0.34
    width = share - left - 0.12 - LETTER * max(ends, default=0)
    return column * share + left, head + row * (PANEL + TOP + BOTTOM) + TOP, width


def chart(axes: Axes, panel: Panel, width: float) -> None:
    """Draw one chart."""
    for line in panel.lines:
        stroke(axes, line)
    frame(axes, panel, width)
    axes.autoscale_view()
    name_lines(axes, panel)
    for note in panel.notes:
        words = axes.text(note.x, note.y, note.text, ha=note.align, va="center")
        words.set(color=TONES[note.tone], fontsize=SMALL)


def stroke(axes: Axes, line: Line) -> None:
    """Draw one line with its interval: a band, or bars where there are only points."""
    tone = TONES[line.tone]
    dotted = line.look in {"dots", "hollow"}
    if line.low is not None and line.high is not None:
        if dotted:
            axes.vlines(line.x, line.low, line.high, color=tone, lw=0.8)
        else:
            axes.fill_between(line.x, line.low, line.high, color=tone, alpha=0.16, lw=0)
    shape: dict[str, Any] = {"color": tone, "lw": 1.2, "solid_capstyle": "round"}
    if line.look == "dashed":
        shape |= {"ls": (0, (3, 2)), "lw": 1.0}
    if dotted:
        shape |= {"ls": "none", "marker": "o", "ms": 3.2, "zorder": 3}
        shape |= {"mfc": PAPER if line.look == "hollow" else tone, "mew": 0.8}
    elif len(line.x) <= 14 and line.look == "line":
        shape |= {"marker": "o", "ms": 2.0}
    axes.plot(line.x, line.y, **shape)


def frame(axes: Axes, panel: Panel, width: float) -> None:
    """Draw the axes: two thin rules, few ticks, a quiet grid."""
    title = "\n".join(textwrap.wrap(panel.title, max(18, int(width / LETTER))))
    axes.set_title(title, loc="left", pad=4.5, color=TONES["ink"], weight="bold", fontsize=BODY)
    axes.set_xlabel(panel.x, color=TONES["grey"], fontsize=SMALL, labelpad=1.5)
    axes.set_ylabel(panel.y, color=TONES["grey"], fontsize=SMALL)
    axes.yaxis.set_label_coords(-0.27 / width, 0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(RULE)
    axes.grid(axis="y", color=RULE, lw=0.35)
    axes.set_axisbelow(True)
    axes.tick_params(colors=TONES["grey"], labelsize=SMALL, length=2, width=0.5, pad=1.5)
    scales(axes, panel, narrow=width < 1.5)


def scales(axes: Axes, panel: Panel, *, narrow: bool) -> None:
    """Set ranges, scales and ticks."""
    if panel.log:
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_locator(LogLocator(numticks=6))
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
        if panel.percent:
            axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g}%"))
    if panel.x_log:
        axes.set_xscale("log")
    elif not panel.x_ticks:
        axes.xaxis.set_major_locator(MaxNLocator(3 if narrow else 6, steps=STEPS))
        form = "{:.0%}" if panel.x_percent else "{:g}"
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: form.format(round(x, 6))))
    if panel.x_ticks:
        axes.set_xticks([at for at, _ in panel.x_ticks], [said for _, said in panel.x_ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    if panel.x_range:
        axes.set_xlim(*panel.x_range)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)


def name_lines(axes: Axes, panel: Panel) -> None:
    """Write each line's name at its right end, moved apart where names would touch."""
    named = [line for line in panel.lines if line.label]
    ends = axes.transData.transform([(line.x[-1], line.y[-1]) for line in named])
    if not named:
        return
    low, high = axes.transAxes.transform([(0, 0), (0, 1)])[:, 1]
    places = [(end[1] - low) / (high - low) for end in ends]
    sizes = [(SMALL + 1.2) / 72 / PANEL * (1 + line.label.count("\n")) for line in named]
    for line, place in zip(named, apart(places, sizes), strict=True):
        words = axes.text(1.025, place, line.label, transform=axes.transAxes, va="center")
        words.set(color=TONES[line.tone], fontsize=SMALL, linespacing=1.0, clip_on=False)


def apart(places: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move names apart as little as needed, keeping their order and staying within the chart.

    Examples
    --------
    >>> [round(place, 2) for place in apart([0.5, 0.5], [0.1, 0.1])]
    [0.55, 0.45]
    """
    order = sorted(range(len(places)), key=lambda i: (round(places[i], 3), -i))
    found = {i: min(max(places[i], 0.0), 1.0) for i in order}
    for _ in range(60):
        for lower, upper in pairwise(order):
            lack = (sizes[lower] + sizes[upper]) / 2 - (found[upper] - found[lower])
            if lack > 1e-9:
                found[lower] -= lack / 2
                found[upper] += lack / 2
        for i in order:
            found[i] = min(max(found[i], sizes[i] / 4), 1.0)
    return [found[i] for i in range(len(places))]
