"""Joint tables of several forms: share, error and interval come from the same weights."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import frankly as fk
from frankly.count import ArrayEngine, Counts
from frankly.estimate import Asked, Combination, Estimate, Seen, Shares
from frankly.estimate.estimate import estimate_seen

NAMES = ("x", "y")
TRUTH = np.array([[0.50, 0.15], [0.10, 0.25]])


def crossed(theta: float) -> fk.Design:
    """Two forms: each hides the question that the other asks in clear."""
    attributes = [fk.Attribute(name, ["0", "1"]) for name in NAMES]
    hidden = fk.Unrelated(theta)
    forms = [
        fk.Form([fk.Group(["x"], hidden)], clear=["y"]),
        fk.Form([fk.Group(["y"], hidden)], clear=["x"]),
    ]
    return fk.Design(attributes, forms=forms)


def surveys(design: fk.Design, n: int, many: int, seed: int) -> Iterator[Estimate]:
    """Simulate surveys with n reports in each form."""
    chance = np.random.default_rng(seed)
    for _ in range(many):
        seen = []
        for form in design.forms:
            counts = chance.multinomial(n, form.push(TRUTH, NAMES).ravel()).astype(float)
            seen.append(Seen(form, NAMES, counts.reshape(TRUTH.shape)))
        yield estimate_seen(design, tuple(seen), NAMES, "inverse", "population")


@pytest.mark.parametrize(("theta", "n"), [(0.3, 800), (0.1, 2000)])
def test_the_interval_is_centred_at_the_share_and_as_wide_as_the_error(
    theta: float, n: int
) -> None:
    """250 surveys: a cell covered at .95 falls below .89 with probability 1e-4."""
    covered, wide = [], []
    for one in surveys(crossed(theta), n, many=250, seed=1):
        low, high = np.moveaxis(one.interval(), -1, 0)
        assert ((low < one.share) & (one.share < high)).all()
        covered.append((low <= TRUTH) & (high >= TRUTH))
        wide.append((high - low) / (2 * 1.96 * one.stderr))
    assert np.mean(covered, axis=0).min() >= 0.89
    np.testing.assert_allclose(np.mean(wide, axis=0), 1.0, atol=0.02)


@pytest.mark.parametrize(("first", "share"), [(0.7, 0.01), (0.7, 0.05), (0.3, 0.01)])
def test_a_printed_interval_beside_a_direct_arm_covers_exactly(first: float, share: float) -> None:
    """Every pair of counts that has any chance is tried: nothing is left to a seed."""
    question = fk.Attribute("q", ["no", "yes"])
    forms = [fk.Form([fk.Group(["q"], fk.Unrelated(first))]), fk.Form(clear=["q"])]
    design = fk.Design([question], forms=forms)
    chances = [
        binom.pmf(np.arange(51), 50, form.push(np.array([1 - share, share]), ["q"])[1])
        for form in design.forms
    ]
    covered = tried = 0.0
    for hidden, direct in np.argwhere(np.outer(*chances) > 1e-5):
        seen = tuple(
            Seen(form, ("q",), np.array([50.0 - yes, yes]))
            for form, yes in zip(design.forms, (hidden, direct), strict=True)
        )
        one = estimate_seen(design, seen, ("q",), "inverse", "population")
        low, high = one.interval()[1]
        assert low <= one.share[1] <= high
        chance = chances[0][hidden] * chances[1][direct]
        tried, covered = tried + chance, covered + chance * (low <= share <= high)
    assert tried > 0.999
    assert 0.93 <= covered <= 0.97, covered


def test_one_form_alone_keeps_its_own_moments() -> None:
    design = crossed(0.3)
    alone = Seen(design.forms[0], NAMES, np.array([[30.0, 20.0], [10.0, 40.0]]))
    together = Combination((alone,))
    assert together.moments is together.own[0]


def two_groups(n: int) -> tuple[fk.Design, dict[str, list[Any]]]:
    """Reports of n people in each of two crossed forms, with a clear question beside them."""
    attributes = [fk.Attribute(name, ["0", "1"]) for name in (*NAMES, "sex")]
    hidden = fk.Unrelated(0.3)
    forms = [
        fk.Form([fk.Group(["x"], hidden)], clear=["y", "sex"]),
        fk.Form([fk.Group(["y"], hidden)], clear=["x", "sex"]),
    ]
    design, chance = fk.Design(attributes, forms=forms), np.random.default_rng(5)
    reports: dict[str, list[Any]] = {"form": [], "x": [], "y": [], "sex": []}
    for number, form in enumerate(design.forms):
        cells = chance.choice(4, size=n, p=form.push(TRUTH, NAMES).ravel())
        reports["form"] += [number] * n
        reports["x"] += [str(cell // 2) for cell in cells]
        reports["y"] += [str(cell % 2) for cell in cells]
        reports["sex"] += [str(code) for code in chance.choice(2, size=n, p=[0.7, 0.3])]
    return design, reports


def test_a_miners_errors_are_those_of_the_estimate() -> None:
    design, reports = two_groups(800)
    whole = fk.estimate(design, reports, NAMES)
    pulled = Shares(ArrayEngine(design, reports)).pulled
    every = np.random.default_rng(2).normal(size=(20, *TRUTH.shape))
    for gradient in [*np.eye(4).reshape(4, 2, 2), *every]:
        flat = gradient.ravel()
        stated = np.sqrt(flat @ whole.covariance @ flat)
        assert pulled.spread(Asked(NAMES), gradient) == pytest.approx(stated, rel=1e-9)


def test_rules_state_the_errors_and_the_intervals_of_the_estimate() -> None:
    design, reports = two_groups(800)
    whole = fk.estimate(design, reports, NAMES)
    mined = fk.AssociationRules(design=design, min_support=0.01, max_size=2).fit(reports)
    pairs = [one for one in mined.itemsets_ if [name for name, _ in one.items] == list(NAMES)]
    assert len(pairs) == 4
    for one in pairs:
        cell = tuple(int(label) for _, label in one.items)
        assert one.support == pytest.approx(whole.share[cell], rel=1e-9)
        assert one.stderr == pytest.approx(whole.stderr[cell], rel=1e-9)
        np.testing.assert_allclose([one.low, one.high], whole.interval()[cell], rtol=1e-9)


def test_with_a_condition_the_error_is_that_of_the_condition_and_of_the_share_within() -> None:
    design, reports = two_groups(800)
    rows = np.array(reports["sex"]) == "1"
    some = {name: list(np.array(column)[rows]) for name, column in reports.items()}
    within, holds = fk.estimate(design, some, NAMES), rows.mean()
    asked, gradient = Asked(NAMES, where=(("sex", "1"),)), np.array([[0.0, 1.0], [0.0, 1.0]])
    mean, flat = float((gradient * within.share).sum()), gradient.ravel()
    variance = holds**2 * (flat @ within.covariance @ flat)
    variance += mean**2 * holds * (1 - holds) / len(rows)
    pulled = Shares(ArrayEngine(design, reports)).pulled
    assert pulled.spread(asked, gradient) == pytest.approx(np.sqrt(variance), rel=1e-9)
    everybody = pulled.spread(asked, np.ones((2, 2)))
    assert everybody == pytest.approx(np.sqrt(holds * (1 - holds) / len(rows)), rel=1e-6)


def test_wide_tables_state_one_error_too() -> None:
    sizes = (2, 13, 40)
    names = ("a", "b", "c")
    attributes = [
        fk.Attribute(name, [str(k) for k in range(size)])
        for name, size in zip(names, sizes, strict=True)
    ]
    forms = [fk.Form([fk.Group(names, fk.Unrelated(theta))]) for theta in (0.4, 0.8)]
    design, chance = fk.Design(attributes, forms=forms), np.random.default_rng(3)
    seen = tuple(
        Seen(form, names, chance.multinomial(5000, [1 / 1040] * 1040).reshape(sizes).astype(float))
        for form in design.forms
    )
    together = Combination(seen)
    stated = np.diag(together.covariance).reshape(sizes)
    np.testing.assert_allclose(together.moments.variance / 10_000, stated, rtol=1e-9)
    unit = np.zeros(sizes)
    unit[1, 4, 7] = 1.0
    assert together.variance_along(unit) == pytest.approx(stated[1, 4, 7], rel=1e-9)
    whole = estimate_seen(design, seen, names, "inverse", "population")
    low, high = np.moveaxis(whole.interval(), -1, 0)
    assert ((low <= whole.share) & (whole.share < high)).all()


QUESTION, SEX = fk.Attribute("q", ["no", "yes"]), fk.Attribute("sex", ["f", "m"])


def arms(theta: float) -> fk.Design:
    """One form hides the question, the other asks it directly; both ask the sex in clear."""
    forms = [fk.Form([fk.Group(["q"], fk.Unrelated(theta))], ["sex"]), fk.Form(clear=["q", "sex"])]
    return fk.Design([QUESTION, SEX], forms=forms)


def two_arms(design: fk.Design, tables: Sequence[Any]) -> list[Counts]:
    names = ["q", "sex"][: np.ndim(tables[0])]
    forms = zip(design.forms, tables, strict=True)
    return [Counts.from_table(names, form.fingerprint, table) for form, table in forms]


def test_forms_that_contradict_each_other_are_not_mixed_without_a_word() -> None:
    design = arms(0.9)
    lied = fk.estimate(design, two_arms(design, [[1200, 1800], [2850, 150]]), "q")
    assert "yes is 61.1% by form 0, 5.0% by form 1 (in clear)." in lied.contradiction
    assert lied.contradiction == " ".join(lied.summary().split("\n")[4:])
    assert lied.to_dict()["contradiction"] == lied.contradiction
    honest = fk.estimate(design, two_arms(design, [[1200, 1800], [1150, 1850]]), "q")
    assert honest.contradiction == ""
    assert "contradict" not in honest.summary()


def test_a_direct_question_to_which_nobody_said_yes_contradicts_those_who_are_hidden() -> None:
    design = arms(0.3)
    seen = two_arms(design, [[500, 500], [1000, 0]])
    assert "yes is 50.0% by form 0, 0.0% by form 1" in fk.estimate(design, seen, "q").contradiction


def test_forms_that_contradict_each_other_among_some_people_are_told_of_with_a_condition() -> None:
    design, women = arms(0.9), [[300, 1150], [700, 350]]
    among = two_arms(design, [women, [[700, 1900], [300, 100]]])
    found = fk.estimate_by(design, among, "q", by="sex")
    assert "yes given f is 72.2% by form 0, 30.0% by form 1 (in clear)" in found.contradiction
    assert "contradict each other: yes given f" in found.summary()
    assert found.to_dict()["contradiction"] == found.contradiction
    hidden = fk.estimate_by(design, among, "sex", by="q")
    assert "contradict" in hidden.summary()


@pytest.mark.parametrize(("theta", "share"), [(0.7, 0.1), (0.3, 0.002), (0.3, 0.02)])
def test_forms_that_agree_are_called_contradictory_at_most_once_in_1000_times(
    theta: float, share: float
) -> None:
    """Every pair of counts that has any chance is tried: nothing is left to a seed."""
    design, n = arms(theta), 40
    truth = np.array([1 - share, share])
    chances = np.outer(
        *(binom.pmf(np.arange(n + 1), n, form.push(truth, ["q"])[1]) for form in design.forms)
    )
    tried = alarms = 0.0
    for hidden, direct in np.argwhere(chances > 1e-6):
        chance = chances[hidden, direct]
        tables = [[n - hidden, hidden], [n - direct, direct]]
        told = fk.estimate(design, two_arms(design, tables), "q").contradiction
        tried, alarms = tried + chance, alarms + chance * bool(told)
    assert alarms + 1 - tried <= 0.001
