"""Inverse, mle and project; both targets; conditional shares; results that speak."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import frankly as fk
from frankly.count import Counts
from frankly.errors import CannotBeToldError, DesignError, TooWideError
from frankly.estimate import Seen, likeliest, moments, project, score_interval
from frankly.estimate.combine import pulling_matrix
from frankly.estimate.mle import lack
from tests.strategies import designs, seeds, table

ILL = fk.Attribute("ill", ["no", "yes"])
SEX = fk.Attribute("sex", ["f", "m"])
ONE = fk.Design([ILL, SEX], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])


def counted(design: fk.Design, names: list[str], seed: int, n: int) -> list[Counts]:
    chance = np.random.default_rng(seed)
    result = []
    for form in design.forms:
        if form.asks(names):
            seen = form.push(table(seed, design.sizes(names)), names)
            drawn = chance.multinomial(n, seen.ravel() / seen.sum()).reshape(seen.shape)
            result.append(Counts.from_table(names, form.fingerprint, drawn))
    return result


@settings(max_examples=60)
@given(designs(most=3, max_forms=2), seeds, st.sampled_from(["inverse", "mle", "project"]))
def test_every_method_gives_shares_that_add_up_and_never_nan(
    design: fk.Design, seed: int, method: str
) -> None:
    names = list(design.forms[0].names)
    result = fk.estimate(design, counted(design, names, seed, 300), names, method)  # type: ignore[arg-type]
    for part in (result.share, result.stderr, result.interval(), result.covariance):
        assert np.isfinite(part).all()
    assert result.share.sum() == pytest.approx(1)
    if method != "inverse":
        assert result.share.min() >= 0
    if method == "mle":
        assert result.certificate is not None
        assert result.certificate <= 1e-8


@settings(max_examples=25)
@given(designs(most=2), seeds)
def test_the_most_likely_shares_beat_a_general_optimiser(design: fk.Design, seed: int) -> None:
    names = list(design.forms[0].names)
    form = design.forms[0]
    counts = counted(design, names, seed, 40)[0].table.astype(float)
    share, _ = likeliest(
        [Seen(form, tuple(names), counts)], form.pull(counts / counts.sum(), names)
    )

    def loss(cells: np.ndarray) -> float:
        weights = np.exp(cells - cells.max())
        pushed = form.push((weights / weights.sum()).reshape(share.shape), names)
        return -float((counts * np.log(np.maximum(pushed, 1e-300))).sum())

    best = minimize(loss, np.log(share.ravel() + 1e-3), method="BFGS").fun
    mine = -(counts * np.log(np.maximum(form.push(share, names), 1e-300))).sum()
    assert mine <= best + 1e-4 * counts.sum()


def test_the_certificate_catches_clipping() -> None:
    """The mutant: clip and renormalise is not the most likely table, and is told so."""
    attribute = fk.Attribute("q", list("abcd"))
    form = fk.Design([attribute], groups=[fk.Group(["q"], fk.Unrelated(0.3))]).forms[0]
    counts = np.array([45.0, 5.0, 30.0, 20.0])
    seen = Seen(form, ("q",), counts)
    pulled = form.pull(counts / 100, ["q"])
    clipped = np.maximum(pulled, 0) / np.maximum(pulled, 0).sum()
    share, certificate = likeliest([seen], pulled)
    assert certificate <= 1e-12
    assert lack([seen], clipped) > 1e-3
    assert (share >= 0).all()


@settings(max_examples=60)
@given(st.lists(st.floats(-2, 2), min_size=2, max_size=8))
def test_projection_is_the_nearest_possible_table(cells: list[float]) -> None:
    given_cells = np.array(cells) + (1 - sum(cells)) / len(cells)
    nearest = project(given_cells)
    assert nearest.sum() == pytest.approx(1)
    for cell in np.eye(len(cells)):  # optimality: no vertex lies further along the difference
        assert (given_cells - nearest) @ (cell - nearest) <= 1e-9


@given(designs(most=3), seeds)
def test_the_covariance_is_propagated_exactly(design: fk.Design, seed: int) -> None:
    names = list(design.forms[0].names)
    counts = counted(design, names, seed, 200)
    result = fk.estimate(design, counts, names)
    seen = counts[0].table.ravel() / 200
    matrix = pulling_matrix(result.seen[0])
    expected = matrix @ (np.diag(seen) - np.outer(seen, seen)) @ matrix.T / 200
    np.testing.assert_allclose(result.covariance, expected, atol=1e-12)
    np.testing.assert_allclose(result.stderr.ravel() ** 2, np.diag(expected), atol=1e-12)


def test_the_two_targets_differ_by_the_sampling_of_people() -> None:
    # Oracle: single bit, unrelated, theta .4, share .3, n 2000 (variance_two_kinds).
    form_design = fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.4))])
    seen = np.array([0.58, 0.42]) * 2000
    counts = Counts.from_table(["ill"], form_design.forms[0].fingerprint, seen.round())
    population = fk.estimate(form_design, counts, ["ill"])
    people = fk.estimate(form_design, counts, ["ill"], target="people")
    assert population.stderr[1] ** 2 == pytest.approx(0.00076125, abs=1e-9)
    assert people.stderr[1] ** 2 == pytest.approx(0.00065625, abs=1e-9)
    assert people.covariance[1, 1] == pytest.approx(0.00065625, abs=1e-9)
    assert np.ptp(people.interval()[1]) < np.ptp(population.interval()[1])


def test_these_very_people_are_covered_when_only_the_coin_is_thrown_again() -> None:
    """20,000 surveys of the same 400 people: a true .94 fails with probability below 1e-8."""
    form = fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.7))]).forms[0]
    chance = np.random.default_rng(11)
    sick = chance.binomial(80, 0.85, 20_000) + chance.binomial(320, 0.15, 20_000)
    own = moments(form, ["ill"], np.stack([400.0 - sick, sick]))
    low, high = score_interval([own], sampled=False)
    assert 0.93 <= np.mean((low[1] <= 0.2) & (high[1] >= 0.2)) <= 0.97
    wide_low, wide_high = score_interval([own])
    assert np.mean((wide_low[1] <= 0.2) & (wide_high[1] >= 0.2)) > 0.97


def test_a_clear_condition_is_looked_at_by_itself() -> None:
    counts = Counts.from_table(["ill", "sex"], ONE.forms[0].fingerprint, [[150, 220], [50, 80]])
    result = fk.estimate_by(ONE, counts, ["ill"], by=["sex"])
    alone = fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    for k, seen in enumerate([[150, 50], [220, 80]]):
        single = fk.estimate(
            alone, Counts.from_table(["ill"], alone.forms[0].fingerprint, seen), "ill"
        )
        np.testing.assert_allclose(result.share[:, k], single.share)
        np.testing.assert_allclose(result.interval()[:, k], single.interval())
    assert result.told.all()


def test_a_protected_condition_gets_fiellers_interval_or_is_not_told() -> None:
    """4,000 surveys a setting; a true .93 fails the bound .91 with probability below 1e-6."""
    age = fk.Attribute("age", ["young", "old"])
    design = fk.Design(
        [ILL, age],
        groups=[fk.Group(["ill"], fk.Unrelated(0.6)), fk.Group(["age"], fk.Unrelated(0.6))],
    )
    truth = np.array([[0.4, 0.2], [0.1, 0.3]])
    seen = design.push(truth, ["ill", "age"])
    chance = np.random.default_rng(5)
    covered = 0
    for _ in range(4000):
        drawn = chance.multinomial(800, seen.ravel()).reshape(2, 2)
        counts = Counts.from_table(["ill", "age"], design.forms[0].fingerprint, drawn)
        result = fk.estimate_by(design, counts, "ill", by="age")
        low, high = result.interval()[1, 1]
        covered += low <= 0.6 <= high
    assert 0.93 <= covered / 4000 <= 0.97


def test_where_a_condition_may_be_empty_nothing_is_told() -> None:
    rare = fk.Attribute("rare", ["no", "yes"])
    design = fk.Design(
        [ILL, rare],
        groups=[fk.Group(["ill"], fk.Unrelated(0.3)), fk.Group(["rare"], fk.Unrelated(0.3))],
    )
    drawn = np.array([[120, 62], [70, 36]])
    counts = Counts.from_table(["ill", "rare"], design.forms[0].fingerprint, drawn)
    result = fk.estimate_by(design, counts, "ill", by="rare")
    assert not result.told[:, 1].any()
    assert result.told[:, 0].all()
    assert "cannot be told" in result.summary()
    rows = result.to_dict()["rows"]
    assert [row["share"] is None for row in rows] == [False, True, False, True]
    json.dumps(result.to_dict(), allow_nan=False)
    assert np.isfinite(result.share).all()
    assert not np.isnan(result.interval()).any()


def test_an_impossible_share_is_shown_and_explained() -> None:
    counts = Counts.from_table(["ill"], ONE.forms[0].fingerprint, [980, 20])
    text = fk.estimate(ONE, counts, "ill").summary()
    assert "-46.0%" in text
    assert "Chance hardly explains" in text
    assert fk.estimate(ONE, counts, "ill", method="mle").share[1] == 0


def test_estimates_refuse_what_they_cannot_answer() -> None:
    empty = Counts.from_table(["ill"], ONE.forms[0].fingerprint, [0, 0])
    with pytest.raises(CannotBeToldError, match="no reports"):
        fk.estimate(ONE, empty, "ill")
    with pytest.raises(DesignError, match="none of inverse"):
        fk.estimate(ONE, empty, "ill", method="guess")  # type: ignore[arg-type]
    some = Counts.from_table(["ill"], ONE.forms[0].fingerprint, [6, 4])
    with pytest.raises(DesignError, match="population or people, not 'peopel'"):
        fk.estimate(ONE, some, "ill", target="peopel")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="each only once"):
        fk.estimate(ONE, empty, ["ill", "ill"])
    full = fk.estimate(ONE, Counts.from_table(["ill"], ONE.forms[0].fingerprint, [5, 5]), "ill")
    with pytest.raises(ValueError, match="level"):
        full.interval(95)


def test_a_wide_estimate_has_errors_but_no_covariance_matrix() -> None:
    wide = [fk.Attribute(f"q{i}", [str(k) for k in range(20)]) for i in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        design = fk.Design(wide, groups=[fk.Group([a.name for a in wide], fk.Unrelated(0.5))])
    counts = Counts.from_table(design.names, design.forms[0].fingerprint, np.ones((20, 20, 20)))
    result = fk.estimate(design, counts, design.names)
    assert np.isfinite(result.stderr).all()
    with pytest.raises(TooWideError, match="fewer"):
        _ = result.covariance
