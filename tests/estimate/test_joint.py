"""The penalised joint: concave, certified, and between the reports and naive Bayes."""

import numpy as np
import pytest

import frankly as fk
from frankly.count import ArrayEngine
from frankly.errors import TooWideError
from frankly.estimate import Mixture, Seen
from frankly.estimate.joint import fit_joint
from frankly.estimate.mle import climb, lack
from frankly.randomize import draw

NAMES = ("a", "b", "c")


def people(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Make up people whose b is a with class 1, and the opposite with class 0."""
    rng = np.random.default_rng(seed)
    a, c = rng.integers(0, 2, n), (rng.random(n) < 0.4).astype(np.int64)
    return {"a": a, "b": np.where(c == 1, a, 1 - a), "c": c}


def flat() -> Mixture:
    """Naive Bayes that knows nothing."""
    half = np.full((2, 2), 0.5)
    return Mixture(np.array([0.5, 0.5]), {"a": half, "b": half}, "c")


def design(*groups: fk.Group, forms: list[fk.Form] | None = None) -> fk.Design:
    attributes = [fk.Attribute(name, ["0", "1"]) for name in NAMES]
    if forms is not None:
        return fk.Design(attributes, forms=forms)
    return fk.Design(attributes, groups=groups)


def test_one_drawn_device_is_solved_exactly_and_em_agrees() -> None:
    cover = np.arange(1, 9).reshape(2, 2, 2)
    survey = design(fk.Group(["b", "a", "c"], fk.Unrelated(0.3, cover)))
    engine = ArrayEngine.from_codes(survey, draw(survey, people(3000), fk.Tape.seeded(1)).columns)
    joint = fit_joint(engine, flat(), pseudo=0.1)
    assert joint.certificate < 1e-9
    form = survey.forms[0]
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(engine.codes(0, name) for name in form.names), 1)
    prior = np.full((2, 2, 2), 300 / 8)
    share, left = climb([Seen(form, form.names, counts)], joint.share * 0 + 1 / 8, 1e-9, prior)
    assert left <= 1e-9
    assert np.allclose(share, joint.margin(form.names), atol=1e-4)


@pytest.mark.parametrize("theta", [0.3, 0.8])
def test_several_groups_close_their_certificate(theta: float) -> None:
    survey = design(fk.Group(["a", "c"], fk.Unrelated(theta)), fk.Group(["b"], fk.Flip(0.9)))
    engine = ArrayEngine.from_codes(survey, draw(survey, people(5000), fk.Tape.seeded(2)).columns)
    joint = fit_joint(engine, flat(), pseudo=0.1, missing=5e-3)
    assert joint.certificate <= 1e-6
    assert joint.share.sum() == pytest.approx(1)
    truth = np.zeros((2, 2, 2))
    np.add.at(truth, tuple(people(5000).values()), 1 / 5000)
    free = fit_joint(engine, flat(), pseudo=1e-3)
    assert np.abs(free.margin(NAMES) - truth).max() < 0.06


def test_forms_that_ask_some_of_it_inform_their_margins() -> None:
    pairs = [("a", "c"), ("b", "c"), ("a", "b")]
    survey = design(forms=[fk.Form([fk.Group(pair, fk.Unrelated(0.9))]) for pair in pairs])
    drawn = draw(survey, people(30_000), fk.Tape.seeded(3))
    engine = ArrayEngine.from_codes(survey, drawn.columns, drawn.form)
    joint = fit_joint(engine, flat(), pseudo=0.01, missing=0.3)
    assert joint.certificate <= 1e-5
    assert joint.margin(["c"])[1] == pytest.approx(0.4, abs=0.02)
    assert np.allclose(joint.margin(["a", "b"]), [[0.2, 0.3], [0.3, 0.2]], atol=0.03)
    assert np.allclose(joint.margin(["b", "a"]), joint.margin(["a", "b"]).T)


def test_many_made_up_people_win_and_few_hardly_matter() -> None:
    survey = design(fk.Group(NAMES, fk.Unrelated(0.5)))
    engine = ArrayEngine.from_codes(survey, draw(survey, people(4000), fk.Tape.seeded(4)).columns)
    drowned = fit_joint(engine, flat(), pseudo=1000).margin(NAMES)
    free = fit_joint(engine, flat(), pseudo=1e-6).margin(NAMES)
    assert np.allclose(drowned, 1 / 8, atol=0.002)
    assert free[0, 0, 0] < 0.03  # truly nobody
    form = survey.forms[0]
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(engine.codes(0, name) for name in NAMES), 1)
    assert lack([Seen(form, NAMES, counts)], free) < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_the_certificate_bounds_what_is_missing_and_closes(seed: int) -> None:
    survey = design(fk.Group(["a", "c"], fk.Unrelated(0.4)), fk.Group(["b"], fk.Flip(0.8)))
    rng = np.random.default_rng(seed)
    form, counts = survey.forms[0], rng.integers(0, 200, (2, 2, 2)).astype(np.float64)
    seen, prior = [Seen(form, form.names, counts)], 30 * rng.dirichlet(np.ones(8)).reshape(2, 2, 2)

    def height(share: np.ndarray) -> float:
        fits = (counts * np.log(form.push(share, form.names))).sum()
        return float(fits + (prior * np.log(share)).sum())

    best, left = climb(seen, np.full((2, 2, 2), 1 / 8), 1e-12, prior)
    assert left <= 1e-12
    for spread_out in (0.5, 5.0, 500.0):
        share = rng.dirichlet(spread_out * np.ones(8)).reshape(2, 2, 2)
        share = 0.99 * share + 0.01 / 8
        gap = height(best) - height(share)
        assert lack(seen, share, prior) * counts.sum() >= gap > 0


def test_made_up_people_fade_where_naive_bayes_is_wrong_and_stay_where_it_is_right() -> None:
    survey = design(*(fk.Group([name], fk.Unrelated(0.7)) for name in NAMES))
    truth = np.array([[[0.0, 0.2], [0.3, 0.0]], [[0.3, 0.0], [0.0, 0.2]]])
    engine = ArrayEngine.from_codes(
        survey, draw(survey, people(200_000), fk.Tape.seeded(5)).columns
    )
    joint = fit_joint(engine, flat())
    assert joint.pseudo < 0.002
    assert np.abs(joint.margin(NAMES) - truth).max() < 0.01  # some six standard errors
    assert np.array_equal(joint.share, fit_joint(engine, flat()).share)
    rng = np.random.default_rng(6)
    apart = {name: rng.integers(0, 2, 200_000) for name in NAMES}
    engine = ArrayEngine.from_codes(survey, draw(survey, apart, fk.Tape.seeded(6)).columns)
    assert fit_joint(engine, flat()).pseudo == pytest.approx(0.1)
    one = ArrayEngine.from_codes(survey, {name: np.zeros(1, int) for name in NAMES})
    assert fit_joint(one, flat()).pseudo == pytest.approx(0.1)  # too few to be halved


def test_too_many_combinations_are_refused() -> None:
    attributes = [fk.Attribute(f"q{i}", ["0", "1"]) for i in range(21)]
    survey = fk.Design(attributes)
    engine = ArrayEngine.from_codes(survey, {a.name: np.zeros(3, int) for a in attributes})
    with pytest.raises(TooWideError, match=r"2,097,152 combinations"):
        fit_joint(engine, flat())
