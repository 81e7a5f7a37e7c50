"""At the border: shares that are impossible, values that nobody has, cells hardly seen."""

import json
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, multinomial

import frankly as fk
from frankly.count import Counts
from frankly.errors import CannotBeToldError, DesignError
from frankly.estimate import METHODS, Estimate, Method, Seen, Target
from frankly.estimate.doubt import DOUBT, doubtful

ILL = fk.Attribute("ill", ["no", "yes"])
SEX = fk.Attribute("sex", ["f", "m", "x"])
HIDDEN = fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.3))])
BY_SEX = fk.Design([ILL, SEX], groups=[fk.Group(["ill"], fk.Unrelated(0.6))])


def estimated(yes: int, n: int, method: Method, target: Target = "population") -> Estimate:
    counts = Counts.from_table(["ill"], HIDDEN.forms[0].fingerprint, [n - yes, yes])
    return fk.estimate(HIDDEN, counts, "ill", method, target=target)


@pytest.mark.parametrize("method", ["mle", "project"])
@pytest.mark.parametrize(
    ("yes", "n"), [(300, 1000), (315, 1000), (330, 1000), (0, 50), (700, 1000)]
)
def test_possible_shares_keep_an_interval_with_a_width(method: Method, yes: int, n: int) -> None:
    result = estimated(yes, n, method)
    inverse = estimated(yes, n, "inverse")
    low, high = np.moveaxis(result.interval(), -1, 0)
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert ((low <= result.share) & (result.share <= high)).all()
    assert (high > low).all()
    outside = (inverse.share < 0) | (inverse.share > 1)
    ends = np.abs(inverse.interval() - inverse.share[:, np.newaxis])
    inner = np.where(inverse.share < 0, ends[:, 1], ends[:, 0])
    np.testing.assert_allclose((high - low)[outside], inner[outside])


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05, 0.2])
def test_moving_the_inner_end_never_lowers_the_coverage(share: float) -> None:
    """Enumerated: the merely cut interval covers at most as often, and ours at least 93 %."""
    n, chance = 400, binom.pmf(np.arange(401), 400, 0.35 + 0.3 * share)
    ours = cut = 0.0
    for yes in np.flatnonzero(chance > 1e-6):
        low, high = estimated(int(yes), n, "mle").interval()[1]
        ours += chance[yes] * (low <= share <= high)
        low, high = np.clip(estimated(int(yes), n, "inverse").interval()[1], 0, 1)
        cut += chance[yes] * (low <= share <= high)
    assert ours >= max(cut, 0.93)


@pytest.mark.parametrize("method", METHODS)
def test_only_the_unbiased_estimate_excuses_an_impossible_share(method: Method) -> None:
    for yes in range(0, 351, 7):
        result = estimated(yes, 1000, method)
        said, outside = result.summary(), method == "inverse" and yes < 350
        assert (("no mistake" in said) or ("Were these reports" in said)) == outside, yes
        # The cover alone makes 350 say yes. Fewer than 280 come once in 100,000 times: two answers
        # may each be too rare or too common, and as much doubt again is kept for the shares.
        assert ("no mistake" in said) == (outside and binom.cdf(yes, 1000, 0.35) > 1.25e-6), yes
        if method != "inverse":
            assert result.share.max() <= 1
            assert result.share.min() >= 0


@pytest.mark.parametrize("yes", [300, 340, 350, 360, 650, 690])
def test_these_people_are_never_less_certain_than_a_population(yes: int) -> None:
    people = estimated(yes, 1000, "inverse", "people")
    population = estimated(yes, 1000, "inverse")
    assert (people.stderr <= population.stderr).all()
    assert (np.diag(people.covariance) <= np.diag(population.covariance) + 1e-18).all()
    np.testing.assert_allclose(np.diag(people.covariance), people.stderr**2, rtol=1e-9)


def by_sex(table: Sequence[Sequence[int]], method: Method = "inverse") -> fk.Conditional:
    counts = Counts.from_table(["ill", "sex"], BY_SEX.forms[0].fingerprint, table)
    return fk.estimate_by(BY_SEX, counts, "ill", by="sex", method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_clear_value_that_nobody_has_is_not_told_and_the_others_are(method: Method) -> None:
    result = by_sex([[150, 220, 0], [50, 80, 0]], method)
    np.testing.assert_array_equal(result.told, [[True, True, False]] * 2)
    assert result.n == 500
    assert "given x: cannot be told" in result.summary()
    assert "given f" in result.summary()
    rows = result.to_dict()["rows"]
    assert [row["share"] is None for row in rows] == [row["sex"] == "x" for row in rows]
    json.dumps(result.to_dict(), allow_nan=False)
    outer = (-np.inf, np.inf) if method == "inverse" else (0.0, 1.0)
    np.testing.assert_array_equal(result.interval()[:, 2], [outer, outer])
    full = by_sex([[150, 220, 9], [50, 80, 3]], method)
    np.testing.assert_allclose(result.interval()[:, :2], full.interval()[:, :2])


def test_without_any_report_a_clear_condition_is_refused() -> None:
    with pytest.raises(CannotBeToldError, match="no reports"):
        by_sex([[0, 0, 0], [0, 0, 0]])


def joint(groups: Sequence[fk.Group], table: Sequence[Sequence[int]]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = fk.Design([ILL, SEX], groups=groups)
    counts = Counts.from_table(["ill", "sex"], design.forms[0].fingerprint, table)
    return fk.estimate(design, counts, ["ill", "sex"]).summary()


def test_cells_that_were_hardly_seen_come_with_a_warning() -> None:
    apart = [fk.Group(["ill"], fk.Unrelated(0.6))]
    note = "2 of 6 cells were seen fewer than 5 times"
    assert note in joint(apart, [[90, 60, 4], [30, 14, 2]])
    assert "fewer than 5 times" not in joint(apart, [[90, 60, 5], [30, 14, 5]])
    together = [fk.Group(["ill", "sex"], fk.Unrelated(0.6))]
    assert "fewer than 5 times" not in joint(together, [[90, 60, 4], [30, 14, 2]])
    assert "fewer than 5 times" not in joint([], [[90, 60, 4], [30, 14, 2]])


@pytest.mark.parametrize("n", [3, 20, 50, 100])
def test_honest_reports_are_not_doubted_however_few_they_are(n: int) -> None:
    # 60 surveys each; each form is doubted at most once in 100,000 times: false alarm below .1 %.
    design = fk.Design([ILL, SEX], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    chance, said = np.random.default_rng(n), []
    for seed in range(60):
        ill = [["no", "yes"][int(one)] for one in chance.random(n) < 0.05]
        sex = [SEX.values[int(one)] for one in chance.choice(3, n, p=[0.7, 0.25, 0.05])]
        reports = fk.randomize(design, {"ill": ill, "sex": sex}, fk.Tape.seeded(seed))
        said += [fk.estimate(design, reports, ["ill", "sex"]).summary()]
        said += [fk.estimate_by(design, reports, "ill", by="sex").summary()]
    assert not any("Chance hardly explains" in one for one in said)
    assert any("may overshoot" in one for one in said)
    assert not any("± 0.0%" in one for one in said)


TOLD = fk.Attribute("told", ["a", "b", "c"])
PAIR = [fk.Group([name], fk.Unrelated(0.2)) for name in ("ill", "old")]
OLD = fk.Attribute("old", ["no", "yes"])
BOTH = fk.Group(["ill", "old"], fk.Unrelated(0.2))
DOUBTED = {
    "three values": (fk.Design([TOLD], groups=[fk.Group(["told"], fk.Unrelated(0.5))]), 60),
    "cards": (fk.Design([ILL], groups=[fk.Group(["ill"], fk.Kuk(0.8, 0.3))]), 400),
    "clear beside hidden": (fk.Design([ILL, OLD], groups=PAIR[:1]), 30),
    "two devices": (fk.Design([ILL, OLD], groups=PAIR), 30),
    "one device for two": (fk.Design([ILL, OLD], groups=[BOTH]), 30),
}


def ways(n: int, cells: int) -> np.ndarray[Any, Any]:
    """List all ways in which n reports fall into some cells."""
    first = np.indices((n + 1,) * (cells - 1)).reshape(cells - 1, -1).T
    first = first[first.sum(axis=1) <= n]
    return np.column_stack([first, n - first.sum(axis=1)]).astype(float)


@pytest.mark.parametrize("which", DOUBTED)
def test_honest_reports_are_doubted_at_most_once_in_100_000_times(which: str) -> None:
    """Enumerated for the truths that hold nothing back: everybody alike, or two halves."""
    design, n = DOUBTED[which]
    form, names = design.forms[0], design.names
    cells = form.push(np.ones(form.sizes(names)), names)
    every = ways(n, cells.size)
    seen = [Seen(form, names, one.reshape(cells.shape)) for one in every]
    doubted = every[[doubtful(one) for one in seen]]
    assert len(doubted)
    corners = np.eye(math.prod(form.sizes(names)))
    for truth in [*corners, *((one + corners[0]) / 2 for one in corners)]:
        pushed = form.push(truth.reshape(form.sizes(names)), names).ravel()
        assert multinomial.pmf(doubted, n, pushed / pushed.sum()).sum() <= DOUBT


def test_an_answer_that_the_cover_alone_should_bring_is_missed() -> None:
    design, _ = DOUBTED["three values"]
    counts = Counts.from_table(["told"], design.forms[0].fingerprint, [50, 50, 0])
    assert "Chance hardly explains" in fk.estimate(design, counts, "told").summary()


def test_true_answers_are_doubted_when_there_are_some_hundred() -> None:
    design = fk.Design([ILL, SEX], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    truths = {"ill": ["no"] * 380 + ["yes"] * 20, "sex": [SEX.values[0]] * 400}
    assert "Chance hardly explains" in fk.estimate(design, truths, ["ill", "sex"]).summary()
    assert "Chance hardly explains" in fk.estimate_by(design, truths, "ill", by="sex").summary()


def test_a_ratio_that_nobody_disturbed_keeps_an_honest_width() -> None:
    ill, rare = fk.Attribute("ill", ["no", "yes"]), fk.Attribute("rare", ["no", "yes"])
    design = fk.Design([ill, rare], groups=[fk.Group(["ill"], fk.Unrelated(0.8))])
    reports = {"ill": ["no"] * 12 + ["yes"] * 8, "rare": ["no"] * 20}
    found = fk.estimate_by(design, reports, "rare", by="ill")
    low, high = np.moveaxis(found.interval(), -1, 0)
    assert found.share[0].tolist() == pytest.approx([1, 1])
    assert (high - low > 0.15).all()
    assert low[0].tolist() == pytest.approx((1 - high[1]).tolist())
    assert "fewer than 5 times" in found.summary()


@pytest.mark.parametrize("many", [1, 7])
def test_clear_answers_of_these_very_people_have_no_error_and_say_so(many: int) -> None:
    design = fk.Design([ILL, SEX])
    reports = {"ill": ["no", "no", "yes", "no", "yes"] * many, "sex": list("ffmmm") * many}
    for one in (
        fk.estimate(design, reports, ["ill", "sex"], target="people"),
        fk.estimate_by(design, reports, "ill", by="sex", target="people"),
    ):
        said = one.summary()
        assert "?" not in said
        assert "40.0%  ± 0.0%   [40.0%, 40.0%]" in said or "33.3%  ± 0.0%   [33.3%, 33.3%]" in said
        assert "The errors are about these very people" in said
        assert one.to_dict()["target"] == "people"
        assert "Intervals at the level 99.0%." in one.summary(0.99)


def test_shares_of_nothing_within_a_condition_are_refused() -> None:
    with pytest.raises(DesignError, match="whose shares"):
        fk.estimate_by(BY_SEX, {"ill": ["no"], "sex": ["f"]}, [], "sex")
    with pytest.raises(DesignError, match="population or people"):
        fk.estimate_by(BY_SEX, {"ill": ["no"], "sex": ["f"]}, "ill", "sex", target="all")  # type: ignore[arg-type]


def test_a_level_at_which_nothing_can_be_told_says_so_and_writes_no_endless_number() -> None:
    a, b = fk.Attribute("a", ["no", "yes"]), fk.Attribute("b", ["no", "yes"])
    design = fk.Design([a, b], groups=[fk.Group([n], fk.Unrelated(0.5)) for n in ("a", "b")])
    reports = {"a": ["no", "yes"] * 500, "b": ["yes"] * 320 + ["no"] * 680}
    found = fk.estimate_by(design, reports, "a", by="b")
    told = found.to_dict(0.95)["rows"][-1]
    assert all(isinstance(told[key], float) for key in ("share", "low", "high"))
    untold = found.to_dict(0.999999)["rows"][-1]
    assert [untold[key] for key in ("share", "stderr", "low", "high")] == [None] * 4
    json.dumps(found.to_dict(0.999999), allow_nan=False)
    assert "given yes: cannot be told at the level 100.0%" in found.summary(0.999999)
    assert "inf" not in found.summary(0.999999)


def test_reports_that_chance_cannot_explain_are_doubted() -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(0.7))])
    truths = fk.estimate(design, {"ill": ["no"] * 970 + ["yes"] * 30}, "ill").summary()
    assert "Were these reports made under" in truths
    assert "no mistake" not in truths
    chance = fk.estimate(design, {"ill": ["no"] * 860 + ["yes"] * 140}, "ill").summary()
    assert "no mistake" in chance
    assert "Were these" not in chance
