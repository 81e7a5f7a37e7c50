"""Advice: exact where it says exact, kept when people answer, helpful when it refuses."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import frankly as fk
from frankly.advise import (
    LAYOUTS,
    Difference,
    Plan,
    appraise,
    approximate_power,
    compare_devices,
    exact_power,
    half_width,
    lines_of,
    people_for,
    people_for_power,
    theta_for,
    width_at,
)
from frankly.advise.expected import ranges_of
from frankly.advise.layouts import Mine, Questions, statistics
from frankly.advise.request import Request
from frankly.errors import CannotBeToldError, DesignError, TooWideError
from frankly.estimate import moments, score_interval
from frankly.judge import Limits
from tests.advise.simulated import simulated
from tests.strategies import designs, seeds, table

BITS = ["no", "yes"]


def lone(device: Any, size: int = 2) -> fk.Design:
    question = fk.Attribute("q", BITS if size == 2 else [str(k) for k in range(size)])
    return fk.Design([question], groups=[fk.Group(["q"], device)], accept_infinite_epsilon=True)


def bits(*names: str) -> list[fk.Attribute]:
    return [fk.Attribute(name, BITS) for name in names]


FORCED = lone(fk.Forced({"yes": 1 / 6, "no": 1 / 6}))
UNRELATED = lone(fk.Unrelated("2/3", [2 / 3, 1 / 3]))


# Lines --------------------------------------------------------------------------------------


@given(designs(most=3, max_forms=2), seeds)
def test_a_line_has_the_variance_that_the_moments_have(design: fk.Design, seed: int) -> None:
    names = design.forms[0].names
    truth = table(seed, design.sizes(names))
    for cell in np.ndindex(truth.shape):
        lines = lines_of(design, names, cell)
        for index, line in zip(design.asking(names), lines, strict=True):
            form = design.forms[index]
            known = float(moments(form, names, form.push(truth, names)).variance[cell])
            assert line.variance(None) >= known - 1e-9
            assert line.variance(float(truth[cell])) >= known - 1e-9
            if line.counts:
                assert line.variance(float(truth[cell])) == pytest.approx(known, rel=1e-6, abs=1e-9)


@given(designs(most=3, max_forms=3))
def test_no_cell_is_wider_than_the_one_that_is_planned_for(design: fk.Design) -> None:
    names = design.forms[0].names

    def width(cell: tuple[int, ...] | None) -> float:
        lines = lines_of(design, names, cell)
        return 1 / math.sqrt(sum(line.weight / line.variance(None) for line in lines))

    widths = [width(cell) for cell in np.ndindex(design.sizes(names))]
    assert width(None) == pytest.approx(max(widths), rel=1e-9)


def test_forms_that_hide_differently_are_appraised_by_the_cell_they_know_least_together() -> None:
    """The first form knows the first answer least; nine in ten people get the second form."""
    devices = [fk.Unrelated(0.9, [8, 1, 1]), fk.Unrelated(0.15, [1, 4, 95])]
    few, most = ([fk.Group(["q"], device)] for device in devices)
    forms = [fk.Form(few), fk.Form(most, weight=9)]
    design = fk.Design([fk.Attribute("q", ["a", "b", "c"])], forms=forms)
    widths = [width_at(lines_of(design, ["q"], [cell]), 1000, Plan()) for cell in range(3)]
    assert widths == pytest.approx([0.0899, 0.0915, 0.0920], abs=5e-5)
    assert appraise(design, 1000).error == max(widths)


@given(st.integers(1, 99), st.integers(2, 5), st.floats(0, 1))
def test_sightings_of_a_uniform_device_are_one_binomial(
    percent: int, size: int, share: float
) -> None:
    (line,) = lines_of(lone(fk.Uniform(f"{percent}/100"), size), ["q"], [0])
    theta = percent / 100
    assert line.base == pytest.approx((1 - theta) / size)
    assert line.slope == pytest.approx(theta)
    seen = line.seen(share)
    assert line.variance(share) == pytest.approx(seen * (1 - seen) / theta**2, abs=1e-9)


def test_a_device_with_many_scores_is_no_binomial() -> None:
    (line,) = lines_of(lone(fk.Kuk(0.8, 0.2, draws=3)), ["q"])
    assert not line.counts
    assert width_at([line], 1000, Plan()) == pytest.approx(
        1.959964 * math.sqrt(line.variance(None) / 1000), rel=1e-5
    )
    with pytest.raises(CannotBeToldError, match="more than two scores"):
        people_for_power(line, 0.8, Difference(share=0.1))


def test_a_table_too_wide_is_refused() -> None:
    asked = [fk.Attribute(f"q{i}", [str(k) for k in range(12)]) for i in range(3)]
    with pytest.raises(TooWideError, match="merge values"):
        lines_of(fk.Design(asked), ["q0", "q1", "q2"])


# Width --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 3, 40, 100])
def test_the_half_width_is_that_of_our_own_interval(count: int) -> None:
    design = lone(fk.Unrelated(0.3))
    seen = np.array([100.0 - count, float(count)])
    low, high = score_interval([moments(design.forms[0], ["q"], seen)])
    mine = half_width(np.array([float(count)]), 100, 0.3, 0.95)
    assert mine[0] == pytest.approx(float(high[1] - low[1]) / 2, rel=1e-6)


@pytest.mark.parametrize(("theta", "share", "width"), [(0.3, 0.1, 0.05), (0.7, 0.02, 0.03)])
def test_the_number_of_people_is_the_smallest_that_will_do(
    theta: float, share: float, width: float
) -> None:
    lines = lines_of(lone(fk.Unrelated(theta)), ["q"], [1])
    for assured in (False, True):
        plan = Plan(share=share, assured=assured)
        n = people_for(lines, width, plan)
        counts = np.arange(n + 1)
        widths = half_width(counts.astype(float), n, theta, 0.95)
        chances = binom.pmf(counts, n, lines[0].seen(share))
        if assured:
            assert chances[widths <= width].sum() >= 0.95
        else:
            assert chances @ widths <= width
        assert width_at(lines, n, plan) <= width < width_at(lines, n - 1, plan)


def test_an_assured_width_costs_little_and_a_plain_one_is_kept_half_of_the_time() -> None:
    lines = lines_of(lone(fk.Unrelated(0.5)), ["q"], [1])
    plain, sure = (people_for(lines, 0.03, Plan(share=0.1, assured=a)) for a in (False, True))
    assert plain < sure < 1.05 * plain
    counts = np.arange(plain + 1)
    kept = half_width(counts.astype(float), plain, 0.5, 0.95) <= 0.03
    assert 0.3 < binom.pmf(counts, plain, lines[0].seen(0.1))[kept].sum() < 0.7


def test_theta_for_a_precision_is_the_smallest() -> None:
    told = theta_for(0.04, 3000)
    for theta, enough in ((told, True), (told - fk_thousandth, False)):
        lines = lines_of(lone(fk.Uniform(theta)), ["q"])
        assert (width_at(lines, 3000, Plan()) <= 0.04) is enough
    with pytest.raises(CannotBeToldError, match="more people"):
        theta_for(0.01, 100)


fk_thousandth = type(theta_for(0.1, 5000))(1, 1000)


# Power --------------------------------------------------------------------------------------


def test_power_equals_the_published_package() -> None:
    # rr 1.4.2, power.rr.test: forced response n = 200; unrelated n = 500; n for power .8.
    (forced,), (unrelated,) = (lines_of(d, ["q"], [1]) for d in (FORCED, UNRELATED))
    one = Difference(share=0.2, alpha=0.01)
    assert approximate_power(forced, 200, one) == pytest.approx(0.98688715819542, abs=1e-6)
    two = Difference(share=0.15, null=0.05, sides=2)
    assert approximate_power(unrelated, 500, two) == pytest.approx(0.975263966722125, abs=1e-6)
    assert approximate_power(forced, 212, Difference(share=0.1)) == pytest.approx(
        0.8011331, abs=1e-6
    )


def test_exact_people_for_a_power_are_not_those_of_the_approximation() -> None:
    (forced,) = lines_of(FORCED, ["q"], [1])
    found = people_for_power(forced, 0.8, Difference(share=0.1))
    assert (found.approximate, found.first, found.always) == (212, 223, 241)
    around = exact_power(forced, np.arange(200, 800), Difference(share=0.1)) >= 0.8
    assert around[23]
    assert not around[:23].any()
    assert around[41:].all()
    assert not around[40]


def test_exact_power_is_what_simulated_surveys_show() -> None:
    # 200,000 surveys of 223 people; five standard errors, false-alarm rate below 1e-6.
    (forced,) = lines_of(FORCED, ["q"], [1])
    wish = Difference(share=0.1)
    chance = np.random.default_rng(8)
    critical = binom.isf(0.05, 223, 1 / 6)
    found = (chance.binomial(223, 1 / 6 + 0.1 * 2 / 3, 200_000) > critical).mean()
    stated = float(exact_power(forced, 223, wish))
    assert abs(found - stated) < 5 * math.sqrt(stated * (1 - stated) / 200_000)
    false = (chance.binomial(223, 1 / 6, 200_000) > critical).mean()
    assert false < 0.05 + 5 * math.sqrt(0.05 * 0.95 / 200_000)
    assert binom.sf(critical, 223, 1 / 6) <= 0.05 < binom.sf(critical - 1, 223, 1 / 6)


def test_power_looks_both_ways_and_downwards() -> None:
    (forced,) = lines_of(FORCED, ["q"], [1])
    down = Difference(share=0.1, null=0.3)
    assert exact_power(forced, 500, down) > 0.9
    both = Difference(share=0.3, null=0.1, sides=2)
    assert exact_power(forced, 500, both) <= exact_power(
        forced, 500, Difference(share=0.3, null=0.1)
    )
    with pytest.raises(DesignError, match="equal shares"):
        Difference(share=0.1, null=0.1)
    with pytest.raises(CannotBeToldError, match="people"):
        people_for_power(forced, 0.99, Difference(share=1e-4))


# Advice -------------------------------------------------------------------------------------


@pytest.mark.parametrize("assured", [False, True])
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_every_layout_keeps_its_precision(layout: str, *, assured: bool) -> None:
    # 2,000 surveys a layout; a true 95 % falls below 93 % with a chance below 1e-4.
    questions = Questions(tuple(bits("a", "b", "c", "y")), (), "y")
    plan = Plan(assured=assured)
    mine: Mine = "shares" if layout == "one each" else "tables"
    request = Request(questions, mine, None, 0.06, Limits(), plan, None)
    design = LAYOUTS[layout].design(questions, 1.5)
    n = request.people(design, 0.06)
    names = statistics(questions, mine)[0]
    truth = table(5, design.sizes(names))
    errors, widths = simulated(design, names, truth, n, 2000, seed=3)
    assert (np.abs(errors) <= 0.06).mean(axis=-1).min() >= 0.93
    if assured:
        assert (widths <= 0.06 * (1 + 1e-9)).mean(axis=-1).min() >= 0.93


@settings(max_examples=8)
@given(
    st.integers(1, 4),
    st.floats(0.03, 0.1),
    st.floats(0.4, 3),
    st.sampled_from(["n", "precision", "limit"]),
)
def test_two_wishes_give_the_third_and_all_are_met(
    count: int, precision: float, epsilon: float, left_open: str
) -> None:
    asked = bits(*"abcd"[:count])
    wishes: dict[str, Any] = {"n": 20_000, "precision": precision, "max_epsilon": epsilon}
    wishes.pop({"limit": "max_epsilon"}.get(left_open, left_open))
    advice = fk.advise(asked, **wishes)
    if advice.best is None:
        assert advice.relaxed
        return
    stated = fk.privacy(advice.best.design)
    assert stated.record.epsilon == advice.best.epsilon
    if "max_epsilon" in wishes:
        assert advice.best.epsilon <= epsilon
    if "precision" in wishes:
        assert advice.best.error <= precision
    if "n" in wishes:
        assert advice.best.n == 20_000


MANY = [fk.Attribute(name, [str(k) for k in range(size)]) for name, size in (("x", 3), ("z", 4))]


def mean_width(design: fk.Design, truths: dict[str, list[float]], n: int) -> float:
    """Tell the widest mean half-width of any answer, over 400 surveys."""
    found = []
    for name, truth in truths.items():
        _, widths = simulated(design, (name,), np.array(truth), n, 400, seed=4)
        found.append(float(widths.mean(axis=-1).max()))
    return max(found)


def test_a_share_expected_of_one_answer_leaves_room_for_a_worse_one() -> None:
    # The mean of 400 half-widths has a standard error below 1e-4: four of them are 1.3 % of .03.
    advice = fk.advise([*bits("y"), *MANY], precision=0.03, max_epsilon=1.5, share=0.1)
    assert advice.best is not None
    truths = {"y": [0.1, 0.9], "x": [0.1, 0.5, 0.4], "z": [0.1, 0.5, 0.2, 0.2]}
    assert mean_width(advice.best.design, truths, advice.best.n) <= 0.0304
    assert advice.best.error <= 0.03
    assert any("the 90% that are left" in note for note in advice.notes)


def test_shares_given_by_question_are_planned_for_and_take_fewer_people() -> None:
    truths = {"y": [0.9, 0.1], "x": [0.1, 0.1, 0.8], "z": [0.1, 0.1, 0.1, 0.7]}
    wishes: dict[str, Any] = {"precision": 0.03, "max_epsilon": 3}
    known = fk.advise([*bits("y"), *MANY], share={**truths, "y": 0.1}, **wishes).best
    worst = fk.advise([*bits("y"), *MANY], **wishes).best
    assert known is not None
    assert worst is not None
    assert known.n < 0.95 * worst.n
    assert 0.0294 < mean_width(known.design, truths, known.n) <= 0.0304


@given(st.floats(0, 1), st.integers(2, 5), seeds)
def test_no_cell_is_wider_than_the_ranges_of_what_is_expected(
    share: float, size: int, seed: int
) -> None:
    (line,) = lines_of(lone(fk.Uniform(0.4), size), ["q"], [0])
    question = fk.Attribute("q", [str(k) for k in range(size)])
    rest = (1 - share) * table(seed, (size - 1,))
    planned = max(line.variance(one) for one in ranges_of(share, [question]))
    assert max(line.variance(float(one)) for one in (share, *rest)) <= planned + 1e-12
    assert planned <= line.variance(None) + 1e-12
    if size == 2:
        assert planned == pytest.approx(line.variance(share))


@given(seeds, st.integers(2, 4))
def test_shares_by_question_bound_the_cells_of_a_table(seed: int, size: int) -> None:
    joint = table(seed, (2, size))
    asked = [fk.Attribute("a", BITS), fk.Attribute("b", [str(k) for k in range(size)])]
    expected = {"a": joint.sum(axis=1).tolist(), "b": joint.sum(axis=0).tolist()}
    for names in (expected, {"b": expected["b"]}):
        ranges = ranges_of(names, asked)
        for cell in joint.ravel():
            assert any(low - 1e-9 <= cell <= high + 1e-9 for low, high in ranges)


@pytest.mark.parametrize("share", [1.2, -0.1, math.nan, {"y": 1.2}, {"y": [0.5, 0.2, 0.3]}])
def test_a_share_that_is_none_is_refused_in_a_sentence(share: Any) -> None:
    with pytest.raises(DesignError, match=r"share.* (between 0 and 1|add up to 1)"):
        fk.advise(bits("y"), precision=0.03, max_epsilon=1, share=share)
    with pytest.raises(DesignError, match="the questions are"):
        fk.advise(bits("y"), precision=0.03, max_epsilon=1, share={"other": 0.1})
    with pytest.raises(DesignError, match="between 0 and 1"):
        Plan(share=(0.5, 0.4))
    with pytest.raises(DesignError, match="between 0 and 1"):
        Difference(share=1.2)
    for end in (0.0, 1.0):
        assert fk.advise(bits("y"), precision=0.03, max_epsilon=1, share=end).possible


def test_an_impossible_request_says_which_wish_to_relax_and_by_how_much() -> None:
    asked = bits("a", "b", "c")
    wishes: dict[str, Any] = {"n": 2000, "precision": 0.05, "max_epsilon": 1.0}
    refused = fk.advise(asked, **wishes)
    assert not refused.possible
    assert [one.wish for one in refused.relaxed] == ["n", "precision", "max_epsilon"]
    for one in refused.relaxed:
        needed = math.ceil(one.needed) if one.wish == "n" else one.needed
        assert fk.advise(asked, **{**wishes, one.wish: needed}).possible, one
        short = {"n": 0.97, "precision": 0.97, "max_epsilon": 0.97}[one.wish] * needed
        short = int(short) if one.wish == "n" else short
        assert not fk.advise(asked, **{**wishes, one.wish: short}).possible, one
    assert refused.sentence() in str(refused)
    assert "people instead of 2,000" in refused.sentence()


def test_a_limit_below_what_anybody_knows_cannot_be_met() -> None:
    refused = fk.advise(bits("a"), n=1000, max_posterior=0.4)
    (offer,) = refused.relaxed
    assert offer.wish == "max_posterior"
    assert 0.5 < offer.needed < 0.51
    assert "allow a posterior" in refused.sentence()


@pytest.mark.parametrize(
    ("limit", "value"),
    [("max_posterior", 0.7), ("max_exposed", 0.0), ("min_privacy", 0.4), ("max_epsilon", 1.3)],
)
def test_every_limit_is_kept_and_used(limit: str, value: float) -> None:
    limits: dict[str, Any] = {limit: value}
    advice = fk.advise(bits("a", "b"), n=5000, **limits)
    assert advice.best is not None
    stated = fk.privacy(advice.best.design)
    reached = {
        "max_posterior": stated.highest_posterior,
        "max_exposed": stated.exposed(),
        "min_privacy": stated.pse,
        "max_epsilon": stated.record.epsilon,
    }[limit]
    assert reached == pytest.approx(value, abs=2e-3)
    assert reached is not None
    assert reached >= value if limit == "min_privacy" else reached <= value


def test_modules_are_advised_for_naive_bayes_and_a_pilot_is_named() -> None:
    asked = bits(*(f"q{i}" for i in range(14)), "income")
    advice = fk.advise(asked, n=39_000, max_epsilon=2, target="income", mine="naive_bayes")
    assert advice.best is not None
    assert advice.best.layout == "modules"
    assert advice.best.epsilon <= 2
    assert advice.best.exposed == 0
    assert any("pilot" in note for note in advice.notes)
    assert any("Fewer helps" in note for note in advice.notes)


def test_trees_get_forms_that_ask_several_questions() -> None:
    advice = fk.advise(bits("a", "b", "c", "y"), n=20_000, max_epsilon=2, target="y", mine="tree")
    assert advice.design is not None
    assert advice.design.asking(("a", "b", "y"))
    assert all(one.layout not in {"modules", "one each"} for one in advice.candidates)


def test_coarser_questions_are_proposed_where_they_help() -> None:
    asked = [fk.Attribute("age", [str(k) for k in range(8)]), fk.Attribute("y", BITS)]
    advice = fk.advise(asked, n=5000, max_epsilon=1, target="y", mine="tables")
    assert any("two values instead of 8 for 'age'" in note for note in advice.notes)


@pytest.mark.parametrize("notion", ["epsilon", "posterior", "exposed", "pse"])
def test_nobody_beats_the_front(notion: str) -> None:
    advice = fk.advise(bits("a", "b", "c"), n=5000, max_epsilon=1)
    front = advice.front(notion)
    assert front
    for one in advice.candidates:
        assert not any(
            one.error < kept.error and one.cost(notion) < kept.cost(notion) for kept in front
        )


def test_a_design_keeps_its_clear_questions_clear() -> None:
    design = fk.Design(bits("a", "b"), groups=[fk.Group(["a"], fk.Uniform(0.5))])
    advice = fk.advise(design, n=4000, precision=0.05)
    assert advice.design is not None
    assert all(form.clear == ("b",) for form in advice.design.forms)
    read = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert read["possible"] is True
    assert fk.Design.from_document(read["best"]["design"]).fingerprint == advice.design.fingerprint


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, "how many people"),
        ({"n": 100}, "two of the three"),
        ({"n": 100, "precision": 3}, "half-width"),
        ({"n": 100, "max_epsilon": 1, "target": "b"}, "must be one of the protected"),
    ],
)
def test_a_request_that_cannot_be_read_is_refused(wishes: dict[str, Any], words: str) -> None:
    design = fk.Design(bits("a", "b"), groups=[fk.Group(["a"], fk.Uniform(0.5))])
    with pytest.raises(DesignError, match=words):
        fk.advise(design, **wishes)
    with pytest.raises(DesignError, match="nothing to protect"):
        fk.advise(fk.Design(bits("a")), n=100, max_epsilon=1)


# Devices ------------------------------------------------------------------------------------


def test_devices_are_compared_at_equal_privacy() -> None:
    # ERRATA 9: unrelated theta with a fair cover is a flip with (1 + theta) / 2.
    found = {one.name: one for one in compare_devices(1.0).devices}
    assert found["flip"].stderr == pytest.approx(found["unrelated, fair cover"].stderr)
    assert "Mangat" not in found
    for one in found.values():
        assert one.epsilon <= 1
        assert one.epsilon == pytest.approx(1, abs=1e-4)
    equal = compare_devices(0.15, "pse")
    assert {one.name for one in equal.devices} >= {"Mangat", "flip"}
    assert all(one.pse == pytest.approx(0.15, abs=1e-4) for one in equal.devices)
    assert json.dumps(equal.to_dict(), allow_nan=False)
    assert "equal pse" in str(equal)
    with pytest.raises(DesignError, match="is not"):
        compare_devices(0.3, "pse")


def test_what_was_left_open_decides_which_layout_is_best() -> None:
    asked = bits("a", "b", "c")
    private = fk.advise(asked, n=20_000, precision=0.05).best
    precise = fk.advise(asked, n=20_000, max_epsilon=1).best
    few = fk.advise(asked, precision=0.05, max_epsilon=1).best
    assert private is not None
    assert precise is not None
    assert few is not None
    questions = Questions(tuple(asked))
    for layout in ("one toss", "own tosses", "one each"):
        request = Request(questions, "shares", None, 0.05, Limits(), Plan(), None)
        assert (
            request.width(LAYOUTS[layout].design(questions, 0.9 * private.epsilon), 20_000) > 0.05
        )
        whole = LAYOUTS[layout].design(questions, 1)
        assert request.width(whole, 20_000) >= precise.error / 1.1
        assert request.people(whole, 0.05) >= few.n / 1.1
