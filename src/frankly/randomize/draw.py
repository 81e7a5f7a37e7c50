"""Truths in, reports out, as codes: the one place where a truth meets the coin.

The tape is read in this order: the form of every person (when there are several); then,
form by form and group by group, the substitutes, then the toss. One person is a table of
one row, which is the order the browser reads in. Long tables go through in blocks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design, Form
from frankly.mechanism import Codes, Tape

__all__ = ["BLOCK", "Drawn", "draw", "draw_blocks"]

BLOCK = 2**16
"""Rows drawn together. Part of the order of the tape, so that a seed means one result."""


@dataclass(frozen=True)
class Drawn:
    """Reports as codes; where a form did not ask, the code is 0 and means nothing."""

    form: NDArray[np.intp]
    columns: Mapping[str, Codes]


def draw(design: Design, truths: Mapping[str, Codes], tape: Tape) -> Drawn:
    """Draw the reports of the people in one block.

    Examples
    --------
    >>> from frankly.design import Attribute, Group
    >>> from frankly.mechanism import Flip
    >>> from frankly.randomize import Tape
    >>> design = Design([Attribute("ill", ["no", "yes"])], groups=[Group(["ill"], Flip(0.7))])
    >>> truths = {"ill": np.array([0, 1], dtype=np.uint8)}
    >>> draw(design, truths, Tape.recorded([0, 2**32 - 10])).columns["ill"]
    array([0, 0], dtype=uint8)
    """
    n = len(next(iter(truths.values())))
    if len(design.forms) == 1:
        form = np.zeros(n, dtype=np.intp)
        return Drawn(form, through(design.forms[0], truths, tape))
    ends = np.cumsum([form.weight for form in design.forms])
    form = np.searchsorted(ends, tape.below(int(ends[-1]), n), side="right")
    # Not a copy of the truths: what nobody asked would lie beneath the nulls of the reports.
    columns = {name: np.zeros_like(truth) for name, truth in truths.items()}
    for index, asked in enumerate(design.forms):
        mine = np.flatnonzero(form == index)
        if len(mine):
            own = {name: truths[name][mine] for name in asked.names}
            for name, report in through(asked, own, tape).items():
                columns[name][mine] = report
    return Drawn(form, columns)


def through(form: Form, truths: Mapping[str, Codes], tape: Tape) -> dict[str, Codes]:
    """Send the answers of everybody with this form through its devices."""
    reports = {name: truths[name] for name in form.clear}
    for group in form.groups:
        own = [truths[name] for name in group.names]
        drawn = group.device.draw(own, form.sizes(group.names), tape)
        reports.update(zip(group.names, drawn, strict=True))
    return reports


def draw_blocks(design: Design, truths: Mapping[str, Codes], tape: Tape) -> Iterator[Drawn]:
    """Draw the reports of a long table, block by block."""
    n = len(next(iter(truths.values())))
    for start in range(0, n, BLOCK):
        block = {name: codes[start : start + BLOCK] for name, codes in truths.items()}
        yield draw(design, block, tape)
