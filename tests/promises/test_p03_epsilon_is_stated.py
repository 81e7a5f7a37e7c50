"""P3. Epsilon is stated, correct and finite: every tape there is, through the shipped devices."""

import itertools
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import frankly as fk
from conformance.designs import random_design
from conformance.make import SUBJECTS
from frankly.mechanism import MECHANISMS
from frankly.randomize import draw

Report = tuple[int, ...]


class EveryWay:
    """A tape that takes every way in turn, and knows how likely each is."""

    def __init__(self) -> None:
        self.ways: list[tuple[int, list[float]]] = []

    def start(self) -> None:
        self.at, self.chance = 0, 1.0

    def choose(self, chances: list[float]) -> int:
        if self.at == len(self.ways):
            self.ways.append((0, chances))
        taken, known = self.ways[self.at]
        self.at += 1
        self.chance *= known[taken]
        return taken

    def below(self, q: int, n: int) -> Any:
        assert n == 1
        return np.array([self.choose([1 / q] * q)], dtype=np.uint32)

    def toss(self, p: int, q: int, n: int) -> Any:
        assert n == 1
        return np.array([self.choose([p / q, 1 - p / q]) == 0])

    def turn(self) -> bool:
        while self.ways:
            taken, chances = self.ways.pop()
            if taken + 1 < len(chances):
                self.ways.append((taken + 1, chances))
                return True
        return False


def reports(form: fk.Form, truth: Report) -> dict[Report, float]:
    """Give the chance of every report of one truth, by drawing with every tape there is."""
    found: dict[Report, float] = {}
    tape = EveryWay()
    more = True
    while more:
        tape.start()
        sent: list[int] = []
        place = 0
        for group in form.groups:
            own = truth[place : place + len(group.names)]
            place += len(group.names)
            codes = [np.array([code], dtype=np.uint8) for code in own]
            drawn = group.device.draw(codes, form.sizes(group.names), tape)
            sent += [int(code[0]) for code in drawn]
        found[tuple(sent)] = found.get(tuple(sent), 0.0) + tape.chance
        more = tape.turn()
    return found


def tried(form: fk.Form) -> float:
    """Find the largest log-odds between two truths, over all reports."""
    hidden = [name for group in form.groups for name in group.names]
    truths = itertools.product(*(range(size) for size in form.sizes(hidden)))
    each = [reports(form, truth) for truth in truths]
    worst = 0.0
    for report in {report for one in each for report in one}:
        chances = [one.get(report, 0.0) for one in each]
        if max(chances) > 0:
            low = min(chances)
            worst = max(worst, math.log(max(chances) / low) if low > 0 else math.inf)
    return worst


def ways(form: fk.Form) -> int:
    """Tell how many draws trying everything takes."""
    cells = math.prod(form.sizes([name for group in form.groups for name in group.names]))
    total = cells
    for group in form.groups:
        document = group.device.document()
        cover = document.get("cover", document.get("rows"))
        parts = list(cover.values()) if isinstance(cover, dict) else [cover] if cover else []
        total *= 2 * math.prod(int(np.sum(np.asarray(part))) for part in parts)
        if not parts:
            total *= math.prod(form.sizes(group.names))
    return total


def small_forms(full: bool) -> Iterator[fk.Form]:
    """Give the forms of the golden designs and of random ones, as far as they can be tried."""
    random = Random(3)
    made = [design for designs in SUBJECTS.values() for design in designs.values()]
    made += [random_design(random) for _ in range(400 if full else 60)]
    for design in made:
        for form in design.forms:
            if form.groups and ways(form) <= (200_000 if full else 20_000):
                yield form


def test_every_tape_shows_the_stated_epsilon(*, full: bool) -> None:
    forms = list(small_forms(full))
    kinds = {group.device.kind for form in forms for group in form.groups}
    assert kinds == set(MECHANISMS)
    assert len(forms) >= 40
    assert [form for form in forms if not same(tried(form), form.epsilon)] == []


def same(found: float, stated: float) -> bool:
    return found == stated or abs(found - stated) <= 1e-9


def test_a_device_that_draws_otherwise_is_caught() -> None:
    question = fk.Attribute("q", ["no", "yes"])
    said = fk.Design([question], groups=[fk.Group(["q"], fk.Uniform(0.5))]).forms[0]
    drawn = fk.Design([question], groups=[fk.Group(["q"], fk.Uniform(0.51))]).forms[0]
    assert not same(tried(drawn), said.epsilon)


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.73), (9, 7.09), (14, 10.55)])
def test_the_reference_values_are_stated(count: int, epsilon: float) -> None:
    asked = [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(count)]
    design = fk.Design(asked, groups=[fk.Group([a.name for a in asked], fk.Uniform(0.7))])
    assert round(fk.privacy(design).record.epsilon, 2) == epsilon


def test_one_draw_of_the_whole_record_is_what_was_tried() -> None:
    # The promise is about what randomize sends, and it draws group by group with one tape.
    question = fk.Attribute("q", ["no", "yes"])
    design = fk.Design([question], groups=[fk.Group(["q"], fk.Uniform(0.5))])
    words = [0, 0]
    drawn = draw(design, {"q": np.array([1], dtype=np.uint8)}, fk.Tape.recorded(words))
    assert int(drawn.columns["q"][0]) == 1
