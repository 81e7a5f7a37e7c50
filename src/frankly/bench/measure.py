"""Measure: CPU seconds of two ways to do one work, and the ratio we promise."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rich.table import Table

__all__ = ["Row", "cpu", "table"]


@dataclass(frozen=True)
class Row:
    """One work, measured twice in the same run.

    Attributes
    ----------
    work
        What was done, and what it is measured against.
    ours, peer
        Seconds of CPU time, or what ``unit`` says.
    bar
        The ratio to reach.
    better
        ``at most``: our time is at most ``bar`` times the peer's.
        ``at least``: we are at least ``bar`` times as fast.
    unit
        What was measured.

    Examples
    --------
    >>> row = Row("add up, beside a loop", ours=0.1, peer=2.0, bar=10, better="at least")
    >>> row.ratio, row.holds
    (20.0, True)
    """

    work: str
    ours: float
    peer: float
    bar: float
    better: Literal["at most", "at least"]
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """Our share of the peer's time, or how many times as fast we are."""
        return self.ours / self.peer if self.better == "at most" else self.peer / self.ours

    @property
    def holds(self) -> bool:
        """Whether the bar is reached."""
        return self.ratio <= self.bar if self.better == "at most" else self.ratio >= self.bar

    def to_dict(self) -> dict[str, Any]:
        """Give the row as plain values."""
        return {**asdict(self), "ratio": self.ratio, "holds": self.holds}


def cpu(function: Callable[[], object], repeat: int = 3) -> float:
    """Tell the CPU seconds of all threads for one call: the least of several."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


CPU = "CPU seconds, the best of a few runs on this machine."


def table(rows: Iterable[Row], caption: str = CPU) -> Table:
    """Lay the ratios out for people."""
    laid = Table(caption=caption)
    laid.add_column("work")
    for heading in ("ours", "theirs", "ratio", "bar", ""):
        laid.add_column(heading, justify="right")
    for row in rows:
        laid.add_row(row.work, *cells(row))
    return laid


def cells(row: Row) -> Sequence[str]:
    """Write one row's numbers as people read them."""
    verdict = "holds" if row.holds else "MISSED"
    figures = (f"{row.ours:.3g} {row.unit}", f"{row.peer:.3g} {row.unit}")
    return (*figures, f"{row.ratio:.3g}", f"{row.better} {row.bar:g}", verdict)
