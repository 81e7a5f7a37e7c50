"""Association rules: the textbook's in clear, with honest intervals through a device."""

from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frankly.count import ArrayEngine
from frankly.design import Attribute, Design, Form, Group
from frankly.errors import DesignError
from frankly.mechanism import Codes, Unrelated
from frankly.mine import AssociationRules, load
from frankly.mine.together import Items
from tests.mine.survey import attributes, hidden, in_clear, people

SIZES = {"a": 2, "b": 3, "c": 2, "d": 3}


def holds(codes: Mapping[str, Codes], items: Items) -> Any:
    inside = np.ones(len(codes["a"]), dtype=bool)
    for name, label in items:
        inside &= codes[name] == int(label.removeprefix("v"))
    return inside


def by_hand(codes: Mapping[str, Codes], least: float, size: int) -> dict[Items, float]:
    """Try every combination of answers; no pruning."""
    found = {}
    for k in range(1, size + 1):
        for names in combinations(SIZES, k):
            for labels in product(*([f"v{i}" for i in range(SIZES[name])] for name in names)):
                items = tuple(zip(names, labels, strict=True))
                if (share := float(holds(codes, items).mean())) >= least:
                    found[items] = share
    return found


def test_in_clear_all_common_itemsets_are_found_and_no_others() -> None:
    codes = people(SIZES, 1500, 4)
    engine = in_clear(SIZES, codes)
    model = AssociationRules(design=engine.design, min_support=0.06, max_size=4).fit(engine)
    expected = by_hand(codes, 0.06, 4)
    assert {one.items: one.support for one in model.itemsets_} == pytest.approx(expected)
    assert max(len(items) for items in expected) >= 3


def test_in_clear_confidence_and_lift_are_the_plain_ratios() -> None:
    codes = people(SIZES, 1500, 4)
    engine = in_clear(SIZES, codes)
    model = AssociationRules(
        design=engine.design, min_support=0.05, min_confidence=0.3, chance=1e9
    ).fit(engine)
    assert len(model.rules_) > 20
    for rule in model.rules_:
        given, then = holds(codes, rule.given), holds(codes, (rule.then,))
        assert rule.confidence == pytest.approx(then[given].mean())
        assert rule.lift == pytest.approx(then[given].mean() / then.mean())
        assert rule.low <= rule.confidence + 1e-12
        assert rule.high >= rule.confidence - 1e-12
        assert rule.confidence >= 0.3


def test_intervals_cover_and_lift_errors_are_right_through_the_device() -> None:
    # 400 surveys. Coverage of a 95 % interval is known to 1.1 %, so it leaves 90.5-99 % in fewer
    # than one run in 10**4; the stated error of the lift is known to 4 %, a fifth is 5 sigma.
    truth = people(SIZES, 4000, 11)
    items = (("a", "v1"), ("b", "v2"))
    support, whole = holds(truth, items).mean(), holds(truth, items[:1]).mean()
    rng = np.random.default_rng(5)
    covered, told, lifts, stated = [], [], [], []
    for seed in range(400):
        drawn = rng.integers(0, 4000, 4000)
        two = {name: truth[name][drawn] for name in ("a", "b")}
        engine = hidden({"a": 2, "b": 3}, [["a"], ["b"]], 0.6, two, seed)
        model = AssociationRules(
            design=engine.design, min_support=0.001, min_confidence=0.0, chance=1e9, max_size=2
        ).fit(engine)
        (one,) = (one for one in model.itemsets_ if one.items == items)
        (rule,) = (
            rule for rule in model.rules_ if rule.given == items[:1] and rule.then == items[1]
        )
        covered.append(one.low <= support <= one.high)
        told.append(rule.low <= support / whole <= rule.high)
        lifts.append(rule.lift)
        stated.append(rule.lift_stderr)
    assert 0.905 < np.mean(covered) < 0.99
    assert 0.905 < np.mean(told) < 0.99
    assert np.mean(stated) == pytest.approx(np.std(lifts), rel=0.2)


def test_what_may_be_common_is_not_pruned_too_early() -> None:
    # The estimate of a part lies below min_support by chance, its interval does not: the pair
    # above it is still looked at, and told, because its own estimate is large enough.
    engine = hidden(SIZES, [["a"], ["b"], ["c"], ["d"]], 0.2, people(SIZES, 600, 4), seed=0)
    model = AssociationRules(design=engine.design, min_support=0.35, max_size=2).fit(engine)
    single = {one.items[0]: one.support for one in model.itemsets_ if len(one.items) == 1}
    pairs = [one for one in model.itemsets_ if len(one.items) == 2]
    assert any(item not in single for one in pairs for item in one.items)


def test_only_what_a_form_asks_together_is_looked_at_together() -> None:
    device = Unrelated(theta=0.8)
    design = Design(
        attributes(SIZES),
        forms=[Form([Group(["a", "b"], device)]), Form([Group(["c"], device)], ["b", "d"])],
    )
    codes = people(SIZES, 4000, 3)
    form = (np.arange(4000) % 2).astype(np.uint8)
    engine = ArrayEngine.from_codes(design, codes, form)
    model = AssociationRules(design=design, min_support=0.02).fit(engine)
    together = {tuple(name for name, _ in one.items) for one in model.itemsets_}
    assert ("a", "b") in together
    assert ("b", "c", "d") in together
    assert not any({"a", "c"} <= set(names) or {"a", "d"} <= set(names) for names in together)


@pytest.mark.parametrize(
    ("n", "theta", "shares"),
    [(300, 0.5, [0.6, 0.4]), (1000, 0.3, [0.9, 0.1]), (300, 1.0, [0.9, 0.1])],
)
def test_answers_that_have_nothing_to_do_with_each_other_give_no_rules(
    n: int, theta: float, shares: list[float]
) -> None:
    # 60 surveys of five independent questions, 280 rules looked at in each. Chance may bring a
    # rule in 1 survey of 20 at most: more than 11 of 60 happen in fewer than one run in 10**4.
    sizes = dict.fromkeys("abcde", 2)
    rng = np.random.default_rng(8)
    told = []
    for seed in range(60):
        codes = {name: rng.choice(2, n, p=shares).astype(np.uint8) for name in sizes}
        engine = (
            in_clear(sizes, codes)
            if theta == 1
            else hidden(sizes, [[name] for name in sizes], theta, codes, seed)
        )
        model = AssociationRules(design=engine.design, min_support=0.03, min_confidence=0.0)
        told.append(len(model.fit(engine).rules_) > 0)
        assert model.looked_ == 10 * 4 + 10 * 8 * 3
    assert sum(told) <= 11


def test_more_rules_are_told_where_more_may_be_chance() -> None:
    engine = hidden(SIZES, [["a"], ["b"], ["c"], ["d"]], 0.7, people(SIZES, 3000, 4), seed=1)
    few, many = (
        AssociationRules(design=engine.design, min_confidence=0.2, chance=chance).fit(engine)
        for chance in (0.05, 100.0)
    )
    assert 0 < len(few.rules_) < len(many.rules_)
    assert {str(rule) for rule in few.rules_} < {str(rule) for rule in many.rules_}


def test_a_rule_from_six_people_says_how_little_is_known() -> None:
    a = ["yes"] * 6 + ["no"] * 194
    b = ["yes"] * 6 + ["yes", "no"] * 97
    design = Design([Attribute("a", ["no", "yes"]), Attribute("b", ["no", "yes"])])
    model = AssociationRules(design=design, min_support=0.01, chance=1e9).fit({"a": a, "b": b})
    (rule,) = (rule for rule in model.rules_ if str(rule) == "a is yes → b is yes")
    assert (rule.confidence, rule.high) == pytest.approx((1.0, 1.0), abs=1e-6)
    assert rule.low == pytest.approx(6 / (6 + 1.96**2), abs=1e-3)  # Wilson's, of six people


def test_brackets_say_how_sure_they_are() -> None:
    engine = in_clear(SIZES, people(SIZES, 900, 2))
    model = AssociationRules(design=engine.design, level=0.5, chance=1e9).fit(engine)
    assert "brackets are 50% intervals" in model.summary()


def test_rules_saved_are_the_same_rules(tmp_path: Path) -> None:
    engine = in_clear(SIZES, people(SIZES, 900, 2))
    model = AssociationRules(design=engine.design, min_support=0.05).fit(engine)
    model.save(tmp_path / "rules.json")
    again = load(tmp_path / "rules.json")
    assert isinstance(again, AssociationRules)
    assert again.rules_ == model.rules_
    assert again.itemsets_ == model.itemsets_
    assert again.summary() == model.summary()


@pytest.mark.parametrize(
    "wrong",
    [{"min_support": 0.0}, {"min_confidence": 1.5}, {"max_size": 0}, {"method": "mle"}],
)
def test_parameters_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    design = Design([Attribute("a", ["v0", "v1"])])
    with pytest.raises(DesignError):
        AssociationRules(design=design, **wrong).fit({"a": ["v0", "v1"]})


def test_what_nobody_has_answered_is_not_looked_at() -> None:
    design = Design(attributes(SIZES), forms=[Form(clear=["a", "b"]), Form(clear=["c", "d"])])
    codes = people(SIZES, 500, 3)
    none_of_them = {**codes, **{name: np.full(500, 255, dtype=np.uint8) for name in "cd"}}
    engine = ArrayEngine.from_codes(design, none_of_them, np.zeros(500, dtype=np.uint8))
    model = AssociationRules(design=design, min_support=0.02).fit(engine)
    assert {name for one in model.itemsets_ for name, _ in one.items} == {"a", "b"}
