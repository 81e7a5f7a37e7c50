"""Bounds of advice: many people, few people, and wishes finer than a screen shows."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

import frankly as fk
from frankly.advise import Plan, appraise, half_width, landscape, people_for, width_at
from frankly.advise.line import Line
from frankly.advise.width import COUNTS, MOST, likely
from frankly.errors import DesignError

ASKED = [fk.Attribute(name, ["no", "yes"]) for name in ("ill", "smokes")]


@pytest.mark.parametrize("people", [1000, 10**6, 10**9, MOST, 10**15])
def test_no_more_counts_are_looked_at_however_many_people_there_are(people: int) -> None:
    for chance in (0.5, 0.01, 1e-9):
        counts = likely(people, chance)
        assert len(counts) <= COUNTS + 2
        assert 0 <= counts[0] <= people * chance <= counts[-1] + np.diff(counts).max()
        if people == 1000:
            assert (np.diff(counts) == 1).all()


@pytest.mark.parametrize("seen", [0.5, 0.28, 0.03])
def test_some_counts_of_many_people_tell_what_all_of_them_tell(seen: float) -> None:
    people, slope = 4_000_000, 0.1
    line = Line(1.0, 0.0, slope, 1.0, 1.0)
    counts = np.arange(people + 1) if seen < 0.1 else np.arange(people // 5, 4 * people // 5)
    chance = binom.pmf(counts, people, seen)
    wide = half_width(counts.astype(float), people, slope, 0.95)
    share = seen / slope if seen <= slope else None
    lines = [Line(1.0, seen, slope, 1.0, 1.0)] if share is None else [line]
    plan = Plan(share=0.0 if share is None else share)
    assert width_at(lines, people, plan) == pytest.approx(chance @ wide, rel=1e-10)
    kept = width_at(lines, people, Plan(assured=True, share=plan.share))
    order = np.argsort(wide)
    exact = wide[order][np.searchsorted(np.cumsum(chance[order]), 0.95)]
    assert kept == pytest.approx(exact, rel=1e-5)


def test_the_smallest_number_of_very_many_people_is_found() -> None:
    line = Line(1.0, 0.499, 0.002, 1.0, 1.0)
    for plan in (Plan(), Plan(assured=True)):
        n = people_for([line], 0.05, plan)
        assert 9e7 < n < 1e8
        assert width_at([line], n, plan) <= 0.05 < width_at([line], int(0.9999 * n), plan)


def test_where_the_search_ends_is_said_with_the_people_who_would_do() -> None:
    advice = fk.advise(ASKED, n=10**9, precision=0.05)
    assert advice.best is not None
    assert advice.best.error < 0.03
    (note,) = [note for note in advice.notes if "No smaller epsilon than 0.01" in note]
    enough = int(note.partition("here ")[2].partition(" people")[0].replace(",", ""))
    assert fk.advise(ASKED, n=enough + 10, precision=0.05, max_epsilon=0.0101).possible
    assert not fk.advise(ASKED, n=enough // 2, precision=0.05, max_epsilon=0.01).possible
    assert not any("smaller" in note for note in fk.advise(ASKED, n=2000, precision=0.05).notes)


def test_more_people_than_can_be_asked_are_refused_at_once() -> None:
    for n in (MOST + 1, 10**30, 1):
        with pytest.raises(DesignError, match="how many people answer, from 2 to 2,147"):
            fk.advise(ASKED, n=n, precision=0.05)


def test_what_was_asked_is_repeated_as_it_was_asked() -> None:
    fine = fk.advise(ASKED, n=1000, precision=0.0001)
    assert fine.sentence().endswith("points instead of ± 0.01.")
    assert "± 0.010 points or less" in fk.advise(ASKED, precision=0.0001, max_epsilon=5).sentence()


def test_from_100_points_on_it_is_said_that_nothing_is_told() -> None:
    few = fk.advise(ASKED, n=30, precision=0.05, max_epsilon=0.05)
    assert "nothing would be told" in few.sentence()
    assert "accept ±" not in few.sentence()
    assert "people instead of 30" in few.sentence()
    alone = fk.advise(ASKED, n=30, max_epsilon=0.05)
    assert alone.sentence().startswith("30 people are too few to tell anything")
    assert not any("helps" in note for note in alone.notes)


def test_an_offer_is_never_stricter_than_the_wish() -> None:
    advice = fk.advise(ASKED, precision=0.0001, max_epsilon=0.02)
    (offer,) = advice.relaxed
    assert offer.needed > offer.asked
    assert fk.advise(ASKED, precision=0.0001, max_epsilon=offer.needed).possible


def test_many_questions_are_advised_though_one_toss_cannot_hide_them_all() -> None:
    # One toss over 2 ** 33 combinations would have a theta below the smallest that is drawn.
    asked = [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(33)]
    found = fk.advise(asked, n=20_000, max_epsilon=2)
    assert found.best is not None
    assert (found.best.layout, found.best.n) == ("one each", 20_000)
    layouts = {one.layout for one in landscape(asked, 1000).candidates}
    assert layouts >= {"own tosses", "twos", "one each"}
    cannot = fk.advise(asked, n=1000, max_posterior=0.4)
    assert "allow a posterior of 0.501" in cannot.sentence()


def test_limits_on_single_answers_say_what_a_whole_report_may_tell() -> None:
    found = fk.advise(ASKED, n=1000, max_posterior=0.7)
    assert found.best is not None
    most = np.tanh(found.best.epsilon / 4)
    assert f"may move a guess by up to {np.ceil(100 * most):.0f} points" in str(found)
    both = fk.advise(ASKED, n=1000, max_posterior=0.7, max_epsilon=2)
    none = fk.advise(ASKED, n=1000, precision=0.1)
    assert "whole report, held" not in f"{both} {none}"
    assert "whole report, held" not in str(fk.advise(ASKED[:1], n=1000, max_posterior=0.7))


@pytest.mark.parametrize("sizes", [(2, 4), (2, 3, 5), (3, 3)])
def test_people_are_shared_out_as_questions_need_them(sizes: tuple[int, ...]) -> None:
    asked = [fk.Attribute(f"q{i}", [str(k) for k in range(size)]) for i, size in enumerate(sizes)]
    one = appraise(asked, 3000, layout="one each", epsilon=1.5)
    alike = [fk.Form(form.groups) for form in one.design.forms]
    same = appraise(fk.Design(asked, forms=alike), 3000)
    assert one.epsilon == same.epsilon
    if len(set(sizes)) == 1:
        assert [form.weight for form in one.design.forms] == [1, 1]
    else:
        assert one.error < 0.92 * same.error
    for more, fewer in itertools.permutations(range(len(sizes)), 2):
        # Nobody can be moved from one form to another so that the widest gets narrower.
        weights = [1000 * form.weight for form in one.design.forms]
        part = weights[fewer] // 5
        weights[more], weights[fewer] = weights[more] + part, weights[fewer] - part
        pairs = zip(one.design.forms, weights, strict=True)
        moved = [fk.Form(form.groups, weight=weight) for form, weight in pairs]
        assert appraise(fk.Design(asked, forms=moved), 3000).error > 0.97 * one.error
