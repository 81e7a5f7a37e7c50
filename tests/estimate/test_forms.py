"""Two forms: the best linear combination, honest intervals, and never much worse than one."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

import frankly as fk
from frankly.count import Counts
from frankly.estimate import Moments, moments, score_interval
from frankly.estimate.combine import Combination, expected, least_squares
from frankly.estimate.interval import common_share
from frankly.estimate.mle import Seen

DIRECT = 1.0
PAIRS = [(0.1, 0.7), (0.3, 0.7), (0.3, 0.5), (0.5, 0.5), (0.7, DIRECT), (0.9, 0.3)]
SHARES = [0.01, 0.05, 0.2, 0.5]
SIZES = [100, 200, 1000]


def two_forms(first: float, second: float, values: int = 2) -> fk.Design:
    attribute = fk.Attribute("q", [str(k) for k in range(values)])
    forms = [
        fk.Form(clear=["q"]) if theta == DIRECT else fk.Form([fk.Group(["q"], fk.Unrelated(theta))])
        for theta in (first, second)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fk.Design([attribute], forms=forms)


def surveys(design: fk.Design, share: float, n: int, many: int, seed: int) -> list[Moments]:
    """Many simulated surveys, half of the people in each form, as moments of each form."""
    chance = np.random.default_rng(seed)
    result = []
    for form in design.forms:
        seen = form.push(np.array([1 - share, share]), ["q"])[1]
        yes = chance.binomial(n // 2, seen, size=many).astype(float)
        result.append(moments(form, ["q"], np.stack([n // 2 - yes, yes])))
    return result


@pytest.mark.parametrize("pair", PAIRS)
def test_the_score_interval_over_forms_covers(pair: tuple[float, float]) -> None:
    """40,000 surveys in each of 72 settings; a true .94 fails with probability below 1e-15."""
    for share, n in itertools.product(SHARES, SIZES):
        own = surveys(two_forms(*pair), share, n, many=40_000, seed=n)
        low, high = score_interval(own)
        covered = float(np.mean((low[1] <= share) & (share <= high[1])))
        assert 0.93 <= covered <= 0.97, (share, n, covered)


def rmse(estimates: NDArray[np.float64], share: float) -> float:
    return float(np.sqrt(np.mean((estimates - share) ** 2)))


@pytest.mark.parametrize("pair", PAIRS)
def test_the_combination_errs_at_most_1_percent_more_than_the_better_form(
    pair: tuple[float, float],
) -> None:
    for share, n in itertools.product(SHARES, SIZES):
        own = surveys(two_forms(*pair), share, n, many=40_000, seed=n + 1)
        together = rmse(common_share(own)[1], share)
        alone = min(rmse(form.mean[1], share) for form in own)
        assert together <= 1.01 * alone, (share, n, together / alone)


def test_a_direct_arm_that_sees_no_yes_does_not_take_all_the_weight() -> None:
    design = two_forms(0.3, DIRECT)
    seen = [np.array([60.0, 40.0]), np.array([100.0, 0.0])]
    counts = [
        Counts.from_table(["q"], form.fingerprint, table)
        for form, table in zip(design.forms, seen, strict=True)
    ]
    result = fk.estimate(design, counts, ["q"])
    low, high = result.interval()[1]
    assert result.share[1] < 0.05
    assert 0 <= low <= 0.001
    assert 0.02 < high < 0.06


@pytest.mark.parametrize("values", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_the_stated_error_is_that_of_the_best_linear_combination(values: int, seed: int) -> None:
    design = two_forms(0.3, 0.7, values)
    chance = np.random.default_rng(seed)
    truth = chance.dirichlet(np.ones(values) * 3)
    seen = tuple(
        Seen(form, ("q",), chance.multinomial(500, form.push(truth, ["q"])).astype(float))
        for form in design.forms
    )
    _, covariance = least_squares([expected(form, truth) for form in seen])
    assert Combination(seen).share.sum() == pytest.approx(1)
    own = [
        moments(form.form, ["q"], form.form.push(truth, ["q"]) * 500).variance / 500
        for form in seen
    ]
    stated = np.diag(covariance)
    assert (stated <= np.minimum(*own) + 1e-15).all()
    for weight in np.linspace(0, 1, 21):
        assert (stated <= weight**2 * own[0] + (1 - weight) ** 2 * own[1] + 1e-12).all()
    if values == 2:
        np.testing.assert_allclose(stated, 1 / (1 / own[0] + 1 / own[1]), rtol=1e-6)


def test_counts_of_a_second_wave_with_other_weights_add_to_the_first() -> None:
    def wave(weight: int) -> fk.Design:
        attribute = fk.Attribute("q", ["0", "1"])
        forms = [
            fk.Form([fk.Group(["q"], fk.Unrelated(theta))], weight=weight) for theta in (0.3, 0.7)
        ]
        return fk.Design([attribute], forms=[forms[0], fk.Form(forms[1].groups)])

    first, second = wave(1), wave(4)
    tables = [[80, 20], [75, 25]]
    one = [
        Counts.from_table(["q"], f.fingerprint, t) for f, t in zip(first.forms, tables, strict=True)
    ]
    two = [
        Counts.from_table(["q"], f.fingerprint, t)
        for f, t in zip(second.forms, tables, strict=True)
    ]
    both = fk.estimate(first, [*one, *two], ["q"])
    assert both.n == 400
    np.testing.assert_allclose(both.share, fk.estimate(first, one, ["q"]).share, atol=1e-6)


def test_wide_tables_of_two_forms_combine_without_a_covariance_matrix() -> None:
    names = ["a", "b", "c"]
    attributes = [fk.Attribute(name, [str(k) for k in range(12)]) for name in names]
    forms = [fk.Form([fk.Group(names, fk.Unrelated(theta))]) for theta in (0.4, 0.8)]
    design = fk.Design(attributes, forms=forms)
    chance = np.random.default_rng(3)
    counts = [
        Counts.from_table(
            names, form.fingerprint, chance.multinomial(5000, [1 / 1728] * 1728).reshape(12, 12, 12)
        )
        for form in design.forms
    ]
    result = fk.estimate(design, counts, names)
    assert result.share.sum() == pytest.approx(1)
    assert np.isfinite(result.stderr).all()
    alone = [fk.estimate(design, [part], names).stderr.mean() for part in counts]
    assert result.stderr.mean() < min(alone)


def test_two_forms_that_are_alike_count_nobody_twice() -> None:
    design = two_forms(0.5, 0.5)
    counts = [Counts.from_table(["q"], form.fingerprint, [60, 40]) for form in design.forms]
    assert fk.estimate(design, counts, ["q"]).n == 200
