"""Figure: what one experiment found, as a value; pictures and pages are made from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Cell", "Column", "Figure", "Line", "Look", "Note", "Panel", "Tone"]

Cell = str | float | int
Tone = Literal["ink", "teal", "amber", "brick", "grey"]
Look = Literal["line", "dashed", "dots", "hollow"]


@dataclass(frozen=True)
class Line:
    """One line of a chart, named at its end.

    Attributes
    ----------
    label
        What it says at its right end; empty for none.
    x, y
        Its points.
    low, high
        An interval around each point, if there is one.
    tone, look
        Its colour, and how it differs from others without colour.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    tone: Tone = "ink"
    look: Look = "line"


@dataclass(frozen=True)
class Note:
    """A few words at a place in a chart."""

    x: float
    y: float
    text: str
    tone: Tone = "grey"
    align: Literal["left", "center", "right"] = "left"


@dataclass(frozen=True)
class Panel:
    """One chart: lines over two axes."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    log: bool = False
    percent: bool = True
    x_percent: bool = False
    x_log: bool = False
    x_ticks: Sequence[tuple[float, str]] = ()
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class Column:
    """A column of the table behind a figure; ``form`` says how people read its numbers."""

    name: str
    form: str = ".1%"

    def said(self, cell: Cell) -> str:
        """Write one cell for people.

        Examples
        --------
        >>> Column("accuracy").said(0.8187), Column("people", ",").said(48842)
        ('81.9%', '48,842')
        """
        return cell if isinstance(cell, str) else format(cell, self.form)


@dataclass(frozen=True)
class Figure:
    """One figure or table of a paper, made again.

    Attributes
    ----------
    name
        What it is called on the command line.
    title
        The finding, as a sentence.
    source
        Which paper, which figure.
    claim, found, better
        What the paper says; what we see; what we do instead.
    caption
        How many people, which method, what the intervals are.
    panels
        The charts, one above the other unless ``wide``.
    columns, rows
        The table behind them.
    wide
        Two charts side by side.
    """

    name: str
    title: str
    source: str
    claim: str
    found: str
    better: str
    caption: str
    panels: Sequence[Panel]
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    wide: bool = False
