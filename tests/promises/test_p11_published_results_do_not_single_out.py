"""P11: published results do not single people out.

The attacker has every state of the results, after every single answer, and the published
tables. From shares and errors it works back to the counts of reports behind them, and then
subtracts everything from everything. It wins when a figure, or a difference of two, speaks of
fewer than ten reports. Nothing here is statistical: reports are counted, and the seeds are fixed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations, product
from typing import Any

import httpx
import numpy as np
import pytest

from frankly import Attribute, Design, Form, Group, Unrelated
from frankly.store import Answer, Rows, Store, hashed, ingest
from frankly.studio import crossed, results_pages, snapshot
from frankly.studio.crossed import Crossed
from frankly.studio.snapshot import Snapshot, counting
from tests.live import figure
from tests.studio.people import Studio

THETA = 0.7
ILL = Attribute("ill", ["no", "yes"])
SEX = Attribute("sex", ["f", "m"])
DRINKS = Attribute("drinks", ["no", "yes"])
HIDDEN = {name: Group([name], Unrelated(theta=THETA)) for name in ("ill", "drinks")}
ONE = Design([ILL, DRINKS, SEX], groups=list(HIDDEN.values()))
TWO = Design([ILL, DRINKS, SEX], forms=[Form([HIDDEN["ill"]], ["sex"], 4),
                                        Form([HIDDEN["drinks"]], ["sex"])])  # fmt: skip

FEW = 10
Figure = tuple[str, ...]
State = dict[Figure, np.ndarray[Any, Any]]


def seen_counts(shares: dict[str, Any], theta: float) -> np.ndarray[Any, Any]:
    """Work back from the shares of a two-valued question to the counts of its reports."""
    seen = theta * np.array([row["share"] for row in shares["rows"]]) + (1 - theta) / 2
    return np.asarray(np.round(seen * shares["n"]))


def cells_of(table: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Work back from a cross-table by sex to its cells: an error tells how many people it is of."""
    cells = []
    for sex in SEX.values:
        rows = [row for row in table["rows"] if row["sex"] == sex]
        told = next(row for row in rows if row["share"] is not None)  # a hole is what is left
        seen = THETA * told["share"] + (1 - THETA) / 2
        people = round(seen * (1 - seen) / (THETA * told["stderr"]) ** 2)
        mine, other = round(seen * people), people - round(seen * people)
        cells.append([mine, other] if told is rows[0] else [other, mine])
    return np.array(cells)


def learned(told: dict[str, Any]) -> State:
    """Take everything that one state tells, as counts of reports."""
    found: State = {}
    for one in told["shares"]:
        (name,) = one["names"]
        found[name,] = seen_counts(one, 1.0 if name == "sex" else THETA)
    for one in told["tables"]:
        table = one.get("shares", one)
        if table is not None:
            found[table["names"][0], "sex"] = cells_of(table)
    return found


def attack(states: list[State]) -> Iterator[tuple[str, int]]:
    """Give every figure and every difference that speaks of fewer than ten reports."""
    known: dict[Figure, list[np.ndarray[Any, Any]]] = {}
    for name, counts in (pair for state in states for pair in state.items()):
        mine = known.setdefault(name, [])
        if not any(np.array_equal(counts, other) for other in mine):
            mine.append(counts)
    for name, told in known.items():
        what = " by ".join(name)
        if len(name) > 1:
            yield from ((f"a cell of {what}", int(one.min())) for one in told if one.min() < FEW)
            yield from against(what, told, known.get(name[:1], []))
        for before, after in combinations(told, 2):
            change = np.abs(after - before)
            few = change.min() if len(name) > 1 else abs(after.sum() - before.sum())
            if few < FEW:
                yield f"a difference of {what}", int(few)


def against(what: str, tables: list[Any], alone: list[Any]) -> Iterator[tuple[str, int]]:
    """Subtract tables from the shares of their first question."""
    for table, single in product(tables, alone):
        few = abs(int(table.sum() - single.sum()))
        if 0 < few < FEW:
            yield f"{what} against {what.partition(' ')[0]}", few


@contextmanager
def asking(studio: Studio) -> Iterator[httpx.Client]:
    with studio.signed_in("ann") as client:
        yield client


def watched(studio: Studio, design: Design, n: int, ill: float = 0.5) -> list[State]:
    """Answer one by one, and write down all that is told after each; then close and publish."""
    studio.opened(design=design)
    tables = [["ill", "sex"]] + ([["drinks", "sex"]] if design is TWO else [])
    chance = np.random.default_rng(11)
    states = []
    with asking(studio) as ann:
        ann.put("/api/v1/surveys/ward/tables", json={"tables": tables})
        made = [Answer("ward", None, hashed(f"{i}"), drawn(design, chance, ill)) for i in range(n)]
        ingest(studio.store, made[:95])
        for one in made[95:]:
            ingest(studio.store, [one])
            states.append(learned(ann.get("/api/v1/surveys/ward/results").json()))
        studio.store.close_survey("ward")
        states.append(learned(ann.get("/api/v1/surveys/ward/results").json()))
        published = ann.post("/api/v1/surveys/ward/published")
        assert published.status_code == 201, published.text
        states.append(learned(published.json()))
    return states


def drawn(design: Design, chance: np.random.Generator, ill: float) -> bytes:
    """Draw a report; what it says does not matter, whether it can be found does."""
    form = 0 if len(design.forms) == 1 else int(chance.random() < 0.2)
    asked = design.forms[form].names
    odds = {"ill": ill, "drinks": 0.5, "sex": 0.5}
    codes = [int(chance.random() < odds[n]) if n in asked else None for n in design.names]
    return Rows(design).pack(form, codes)


@pytest.fixture
def open_to_all(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Studio:
    """A studio whose survey takes answers without invitations."""
    plain = Store.open_survey
    monkeypatch.setattr(
        Store, "open_survey", lambda store, name, design, _: plain(store, name, design, "anyone")
    )
    monkeypatch.setattr(Store, "invite", lambda *_: [])
    return studio


@pytest.mark.parametrize("design", [ONE, TWO], ids=["one form", "two forms"])
def test_whoever_subtracts_everything_from_everything_finds_nobody(
    open_to_all: Studio, design: Design, full: bool
) -> None:
    states = watched(open_to_all, design, 1000 if full else 250)
    assert list(attack(states)) == []
    told = {name: len({str(s[name]) for s in states if name in s}) for name in states[-1]}
    assert told["ill",] > 10  # figures did move, and there was something to subtract
    assert told["ill", "sex"] > 1
    figure("P11", f"{len(design.forms)} form(s): figures of fewer than 10 reports, from "
           f"{len(states)} states and the published tables", 0, full=full)  # fmt: skip


def live_tables(store: Store, name: str) -> Snapshot:
    """Build the mutant that counts cross-tables among all reports, and shares in steps."""
    found = snapshot.snapshot(store, name)
    rows = store.reports(name)
    if not found.n:
        return found
    engine = counting(found.design, rows)
    tables = [Crossed(one.names, cells=one.counted(found.design, engine)) for one in found.crossed]
    return Snapshot(found.survey, found.rows, tuple(tables), found.come)


def all_when_closed(store: Store, name: str) -> Snapshot:
    """Build the mutant that tells the last few answers when the survey is closed."""
    found = snapshot.snapshot(store, name)
    if found.survey.state == "open":
        return found
    rows = store.reports(name)
    return Snapshot(found.survey, rows, found.crossed, found.come)


def with_holes(plain: Callable[[Snapshot], Any]) -> Callable[[Snapshot], Any]:
    """Build the mutant that hides small cells and tells the others."""

    def told(shown: Snapshot) -> Any:
        made = plain(shown)
        for table, known in zip(made.tables, shown.crossed, strict=True):
            cells = known.cells.get(0)
            if table.shares is not None and cells is not None:
                for row in table.shares.rows:
                    at = ILL.values.index(row["ill"]), SEX.values.index(row["sex"])
                    if cells[at[0]][at[1]] < FEW:
                        row.update(share=None, stderr=None, low=None, high=None)
        return made

    return told


def change(monkeypatch: pytest.MonkeyPatch, mutant: str) -> None:
    """Break one rule."""
    if mutant == "step 1":
        monkeypatch.setattr(snapshot, "STEP", 1)
    elif mutant == "live tables":
        monkeypatch.setattr(results_pages, "snapshot", live_tables)
    elif mutant == "all when closed":
        monkeypatch.setattr(results_pages, "snapshot", all_when_closed)
    elif mutant == "steps over all forms":
        monkeypatch.setattr(snapshot, "larger", lambda *given: given[-1])
    else:
        monkeypatch.setattr(crossed, "may_follow", lambda *_: True)
        monkeypatch.setattr(results_pages, "told", with_holes(results_pages.told))


MUTANTS = {
    "step 1": ("a difference of ill", ONE, 130),
    "live tables": ("ill by sex against ill", ONE, 130),
    "all when closed": ("a difference of ill", ONE, 133),
    "steps over all forms": ("a difference of drinks", TWO, 160),
    "tables with holes": ("a cell of ill by sex", ONE, 101),
}


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_the_same_attacker_catches_a_studio_that_is_less_careful(
    open_to_all: Studio, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    how, design, n = MUTANTS[mutant]
    change(monkeypatch, mutant)
    states = watched(open_to_all, design, n, ill=0.1 if "holes" in mutant else 0.5)
    assert how in {words for words, _ in attack(states)}
