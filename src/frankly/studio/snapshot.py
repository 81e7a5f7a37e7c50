"""Snapshot: the one set of reports that everything shown is made from.

Whoever sees two figures can subtract them. So shares, tables, models, audits and files are all
made from the same reports, and the next set differs from the last by at least `STEP` reports of
every form that changed at all: forms ask different questions, so each is a figure of its own. A
cross-table is told anew only when the difference to what was told obeys the rule for tables: every
cell holds at least `STEP` reports.
"""

import base64
import json
import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from frankly.count import ArrayEngine
from frankly.design import Design
from frankly.errors import CannotBeToldError
from frankly.store import Rows, Store, Survey, SurveyError
from frankly.store.drafts import find_draft
from frankly.store.export import table_of
from frankly.studio.crossed import STEP, Crossed, Pair
from frankly.studio.errors import NotOpenError

__all__ = ["FEWEST", "STEP", "Snapshot", "choose_tables", "opened", "snapshot", "taking"]

FEWEST = 100
"""Nothing is shown of fewer reports than this."""

Codes = NDArray[np.uint16]

taking = threading.Lock()
"""Two who look at the same moment must see the same reports."""


@dataclass(frozen=True)
class Snapshot:
    """What is shown of a survey.

    Attributes
    ----------
    rows
        The reports, the form first, in the order of what they say.
    crossed
        The cross-tables, each as it was last told.
    come
        How many reports there are; said only in steps.
    """

    survey: Survey
    rows: Codes
    crossed: tuple[Crossed, ...] = ()
    come: int = 0

    @property
    def design(self) -> Design:
        """The survey's design."""
        return self.survey.design

    @property
    def n(self) -> int:
        """How many reports are shown; none while there are fewer than `FEWEST`."""
        return len(self.rows)

    @property
    def left_out(self) -> int:
        """How many reports of a closed survey stay untold for good, rounded up to a step."""
        return -(-(self.come - self.n) // STEP) * STEP if self.survey.state == "closed" else 0

    @property
    def enough(self) -> str:
        """How many answers it takes before anything is shown, in words."""
        several = len(self.design.forms) > 1
        return f"{FEWEST} answers" + (f" in forms of {STEP} or more" if several else "")

    @property
    def told_names(self) -> list[str]:
        """The questions that some report shown answers."""
        forms = [self.design.forms[form] for form in np.unique(self.rows[:, 0])]
        return [one for one in self.design.names if any(one in form.names for form in forms)]

    @cached_property
    def engine(self) -> ArrayEngine:
        """The reports, ready to be counted."""
        return counting(self.design, self.rows)

    def frame(self) -> pa.Table:
        """Give the reports as a table with the design beside them, in a random order."""
        self.refuse_few("a file of single reports")
        order = np.random.default_rng().permutation(self.n)
        return table_of(self.design, self.rows[order])

    def refuse_few(self, what: str) -> None:
        """Refuse what takes reports that may not be shown."""
        if not self.n:
            raise CannotBeToldError(
                f"{what} takes at least {self.enough}, and there are fewer. Below that nothing is "
                "told, so that nobody stands out"
            )


@dataclass(frozen=True)
class Shown:
    """What the store remembers of the last snapshot."""

    rows: Codes
    crossed: tuple[Crossed, ...] = field(default=())

    def write(self) -> str:
        """Write it as text: rows in the order of what they say, which tells no other order."""
        packed = base64.b64encode(zlib.compress(self.rows.astype("<u2").tobytes())).decode()
        return json.dumps({"rows": packed, "tables": [one.document() for one in self.crossed]})

    @classmethod
    def read(cls, design: Design, text: str | None) -> "Shown":
        """Read it back."""
        found: Any = json.loads(text or "{}")
        if "rows" not in found:  # nothing yet, or from before snapshots held rows
            found = {"rows": "", "tables": []}
        packed = base64.b64decode(found["rows"])
        rows = Rows(design).unpack([zlib.decompress(packed)] if packed else [])
        return cls(rows, tuple(Crossed.from_document(one) for one in found["tables"]))


def opened(store: Store, name: str) -> Survey:
    """Give an opened survey, or say that it is a draft."""
    try:
        return store.survey(name)
    except SurveyError:
        if find_draft(store, name) is None:
            raise
        raise NotOpenError(name) from None


def snapshot(store: Store, name: str) -> Snapshot:
    """Give what may be shown now, and remember it when it is new."""
    with taking:
        survey = opened(store, name)
        last, n = remembered(store, survey), store.size(name)
        if n < FEWEST or n < len(last.rows) + least(survey, last.rows):
            return made(survey, last, n)
        now = told(survey, last, in_order(store.reports(name)))
        if len(now.rows) > len(last.rows):
            store.show(survey, len(now.rows), now.write())
        return made(survey, now, n)


def choose_tables(store: Store, name: str, pairs: Iterable[Pair]) -> Snapshot:
    """Choose the cross-tables; each is counted among the very reports that are shown."""
    found = snapshot(store, name)
    wanted = [(a, b) for a, b in pairs]
    for pair in wanted:
        Crossed.check(found.design, pair)
    with taking:
        last = remembered(store, found.survey)
        now = told(found.survey, Shown(last.rows, chosen(last.crossed, wanted)), last.rows)
        store.show(found.survey, len(now.rows), now.write())
        return made(found.survey, now, store.size(name))


def chosen(last: Iterable[Crossed], wanted: Iterable[Pair]) -> tuple[Crossed, ...]:
    """Show the wanted tables, hide the others, and remember what each told, either way round."""
    wanted = list(wanted)
    kept = {one.names: one.chosen(wanted=one.names in wanted) for one in last}
    for a, b in wanted:
        before = kept[b, a].turned() if (b, a) in kept else Crossed((a, b))
        kept.setdefault((a, b), before.chosen(wanted=True))
    return tuple(kept.values())


def remembered(store: Store, survey: Survey) -> Shown:
    """Give what was shown last; nothing when nothing was."""
    last = store.last_shown(survey.name)
    return Shown.read(survey.design, None if last is None else last[1])


def made(survey: Survey, shown: Shown, n: int) -> Snapshot:
    """Give a snapshot from what is remembered."""
    return Snapshot(survey, shown.rows, shown.crossed, n)


def told(survey: Survey, last: Shown, now: Codes) -> Shown:
    """Choose the reports to show next, form by form, and the tables that may be told of them."""
    design = survey.design
    forms = [
        larger(survey, last.rows[last.rows[:, 0] == form], now[now[:, 0] == form])
        for form in range(len(design.forms))
    ]
    rows = in_order(np.concatenate(forms))
    if len(rows) < FEWEST:
        rows = last.rows
    engine = counting(design, rows)
    return Shown(rows, tuple(one.next(design, engine) for one in last.crossed))


def larger(survey: Survey, last: Codes, now: Codes) -> Codes:
    """Show one form's new reports when there are enough of them, else the old ones."""
    return now if len(now) >= len(last) + step_after(survey, len(last)) else last


def step_after(survey: Survey, n: int) -> int:
    """Tell by how many reports a form must grow before it is shown anew.

    A large form of an open survey moves by a hundredth, so that it is not read anew all the time.
    """
    return STEP if survey.state == "closed" else max(STEP, n // 100)


def least(survey: Survey, rows: Codes) -> int:
    """Tell how many new reports could change anything: with fewer, none need be read."""
    shown = np.bincount(rows[:, 0], minlength=len(survey.design.forms))
    return step_after(survey, int(shown.min()))


def in_order(rows: Codes) -> Codes:
    """Put rows in the order of what they say, whenever they came."""
    return rows[np.lexsort(rows.T[::-1])] if len(rows) else rows


def counting(design: Design, rows: Codes) -> ArrayEngine:
    """Count rows of codes."""
    codes = {name: rows[:, 1 + i] for i, name in enumerate(design.names)}
    return ArrayEngine.from_codes(design, codes, rows[:, 0] if len(design.forms) > 1 else None)
