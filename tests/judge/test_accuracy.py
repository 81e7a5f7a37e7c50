"""Accuracy from randomized test reports: unbiased, covered, and refused where nobody could know."""

import numpy as np
import pytest
from numpy.typing import NDArray

import frankly as fk
from frankly.count import ArrayEngine
from frankly.design import Design
from frankly.errors import (
    CannotBeToldError,
    DesignError,
    FingerprintError,
    NotAskedError,
    TooWideError,
)
from frankly.estimate import accuracy_of
from frankly.randomize import draw

SIZES = {"a": 2, "b": 3, "d": 2, "c": 2}
Truths = dict[str, NDArray[np.int64]]


def attributes() -> list[fk.Attribute]:
    return [fk.Attribute(n, [str(k) for k in range(size)]) for n, size in SIZES.items()]


def design(*groups: fk.Group, **more: object) -> Design:
    return Design(
        attributes(),
        groups=groups,
        target="c",
        accept_infinite_epsilon=True,
        **more,  # type: ignore[arg-type]
    )


def people(n: int, seed: int = 0) -> Truths:
    rng = np.random.default_rng(seed)
    c = (rng.random(n) < 0.3).astype(np.int64)
    a = np.where(rng.random(n) < 0.8, c, 1 - c)
    b = np.where(rng.random(n) < 0.5 + 0.3 * c, 2, rng.integers(0, 3, n))
    return {"a": a, "b": b, "d": rng.integers(0, 2, n), "c": c}


def reports(survey: Design, truths: Truths, seed: int) -> ArrayEngine:
    drawn = draw(survey, truths, fk.Tape.seeded(seed))
    return ArrayEngine.from_codes(survey, drawn.columns, drawn.form if survey.forms[1:] else None)


def trained(survey: Design) -> fk.NaiveBayes:
    """Learn in clear, and pretend that it was learned under another survey."""
    clear = design()
    model = fk.NaiveBayes(design=clear).fit(ArrayEngine.from_codes(clear, people(5000, seed=99)))
    model.set_params(design=survey)
    return model


ALL = list(SIZES)
COVER = {"a": [1, 3], "b": [1, 2, 3], "d": [1, 1], "c": [4, 1]}
SURVEYS = {
    "one coin": design(fk.Group(ALL, fk.Unrelated(0.5))),
    "one coin, a cover of its own": design(fk.Group(ALL, fk.Unrelated(0.5, COVER))),
    "two coins": design(
        fk.Group(["a", "c"], fk.Unrelated(0.6)), fk.Group(["b", "d"], fk.Unrelated(0.7))
    ),
    "a flip and a matrix": design(
        fk.Group(["a", "d"], fk.Flip(0.8)),
        fk.Group(["b"], fk.Matrix([[8, 1, 1], [1, 8, 1], [1, 1, 8]])),
    ),
    "the class alone": design(fk.Group(["c"], fk.Flip(0.7))),
    "more reports than truths": design(
        fk.Group(["d"], fk.Matrix([[6, 2, 2], [1, 2, 7]], reports=["0", "perhaps", "1"])),
        fk.Group(["c"], fk.Unrelated(0.6)),
    ),
    "clear": design(),
    "two forms": Design(
        attributes(),
        forms=[
            fk.Form([fk.Group(ALL, fk.Unrelated(0.6))]),
            fk.Form([fk.Group(["c"], fk.Unrelated(0.5))], ["a", "b", "d"], weight=2),
        ],
        target="c",
    ),
}


@pytest.mark.parametrize("name", SURVEYS)
def test_it_is_unbiased_and_its_error_is_what_it_is(name: str) -> None:
    survey, truths = SURVEYS[name], people(1500)
    model = trained(survey)
    right = model.predict_codes(truths) == truths["c"]
    found = [fk.accuracy(model, reports(survey, truths, s), target="people") for s in range(120)]
    shares, errors = np.array([one.share for one in found]), [one.stderr for one in found]
    # The same people throughout: only the coin moves. |z| > 4.5 has a chance of 7 in a million.
    assert abs(shares.mean() - right.mean()) <= 4.5 * shares.std() / np.sqrt(120) + 1e-9
    if name != "clear":
        # 120 repeats know their standard deviation to 6.5 %; 30 % off is 4.6 of these.
        assert np.mean(errors) == pytest.approx(shares.std(), rel=0.3)
    confusion = np.mean([one.confusion for one in found], axis=0)
    guesses = model.predict_codes(truths)
    for guess, label in np.ndindex(2, 2):
        held = ((guesses == guess) & (truths["c"] == label)).mean()
        spread = np.mean([one.confusion_stderr[guess, label] for one in found])
        assert abs(confusion[guess, label] - held) <= 5 * spread / np.sqrt(120) + 1e-9
        moved = np.std([one.confusion[guess, label] for one in found])
        assert spread == pytest.approx(moved, rel=0.3, abs=1e-7)  # as above: 4.6 of these


@pytest.mark.parametrize("name", SURVEYS)
def test_the_confusion_adds_up_to_the_accuracy_and_to_one(name: str) -> None:
    model = trained(SURVEYS[name])
    for n, seed in [(12, 1), (100, 2), (2000, 3)]:
        found = fk.accuracy(model, reports(SURVEYS[name], people(n, seed), seed))
        assert found.share == pytest.approx(np.trace(found.confusion), abs=1e-9)
        assert found.confusion.sum() == pytest.approx(1, abs=1e-9)
        low, high = found.interval()
        assert low <= found.share <= high


def test_one_group_is_the_equation_of_zhan_and_matwin() -> None:
    survey = SURVEYS["one coin"]
    model, engine = trained(survey), reports(survey, people(1000), 3)
    result = fk.accuracy(model, engine)
    assert result.agreement is not None
    # P*(A(cc)) = theta P(A(cc)) + (1 - theta) P(Y(cc)), with a fair cover: half of it is right.
    assert result.share == pytest.approx((result.agreement - 0.5 * 0.5) / 0.5)
    q = result.agreement
    assert result.stderr == pytest.approx(np.sqrt(q * (1 - q) / 1000) / 0.5)


@pytest.mark.parametrize("name", ["a", "c"])
def test_no_agreement_is_told_where_reports_have_other_names_than_truths(name: str) -> None:
    survey = design(fk.Group([name], fk.Crosswise(0.2)))
    found = fk.accuracy(trained(survey), reports(survey, people(200), 3))
    assert found.agreement is None
    assert found.to_dict()["agreement"] is None
    assert "agreement" not in found.summary()
    hidden, clear = fk.Form([fk.Group(["c"], fk.Crosswise(0.2))], list("abd")), fk.Form(clear=ALL)
    both = Design(attributes(), forms=[hidden, clear], target="c")
    engine = reports(both, people(2000), 3)
    shown = engine.n[1]
    agreed = fk.accuracy(trained(both), engine).agreement
    assert agreed is not None
    assert agreed * shown == pytest.approx(round(agreed * shown), abs=1e-6)
    assert 0.6 < agreed < 0.95


@pytest.mark.parametrize("name", ["two coins", "two forms"])
def test_the_interval_covers_the_population_when_people_are_drawn_anew(name: str) -> None:
    survey = SURVEYS[name]
    model, everybody = trained(survey), people(400_000, seed=5)
    truth = float((model.predict_codes(everybody) == everybody["c"]).mean())
    hits = 0
    for seed in range(400):
        low, high = fk.accuracy(
            model, reports(survey, people(400, seed=1000 + seed), seed)
        ).interval()
        hits += low <= truth <= high
    # 95 % of 400 is 380, with a standard deviation of 4.4: outside 4.5 of them once in 10^5.
    assert 360 <= hits <= 399


def test_these_very_people_are_known_better_than_a_population() -> None:
    survey = SURVEYS["the class alone"]
    model, engine = trained(survey), reports(survey, people(2000), 1)
    wide, narrow = (fk.accuracy(model, engine, target=t) for t in ("population", "people"))
    assert wide.share == narrow.share
    variance = wide.stderr**2 - wide.share * (1 - wide.share) / 2000
    assert narrow.stderr == pytest.approx(np.sqrt(variance))
    assert narrow.interval()[1] - narrow.interval()[0] < wide.interval()[1] - wide.interval()[0]


def test_all_right_is_no_certainty() -> None:
    survey = design()
    truths = {**people(50), "c": people(50)["a"]}
    engine = ArrayEngine.from_codes(survey, truths)
    result = accuracy_of(engine, ["a"], "c", lambda codes: codes["a"].astype(np.intp))
    assert result.share == 1
    assert result.interval()[0] == pytest.approx(50 / (50 + 1.96**2), abs=1e-3)  # Wilson


def test_modules_cannot_tell_accuracy() -> None:
    survey = Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.5))
    engine = reports(survey, people(3000), 1)
    model = fk.NaiveBayes(design=survey).fit(engine)
    with pytest.raises(NotAskedError, match="small test form"):
        model.score(engine)


def test_a_test_form_beside_the_modules_can() -> None:
    modules = Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.8)).forms
    test = fk.Form([fk.Group(ALL, fk.Unrelated(0.8))])
    survey = Design(attributes(), forms=[*modules, test], target="c")
    model = fk.NaiveBayes(design=survey).fit(reports(survey, people(20_000), 1))
    truths = people(20_000, seed=2)
    truly = (model.predict_codes(truths) == truths["c"]).mean()
    result = fk.accuracy(model, reports(survey, truths, 2))
    assert result.n == pytest.approx(5000, abs=300)
    assert result.share == pytest.approx(truly, abs=5 * result.stderr)


def test_what_cannot_be_judged_is_refused() -> None:
    survey = SURVEYS["one coin"]
    model = trained(survey)
    with pytest.raises(FingerprintError):
        fk.accuracy(model, reports(SURVEYS["two coins"], people(50), 1))
    empty = {name: column[:0] for name, column in people(1).items()}
    with pytest.raises(CannotBeToldError, match="no reports"):
        fk.accuracy(model, ArrayEngine.from_codes(survey, empty))
    with pytest.raises(DesignError, match="population or people"):
        fk.accuracy(model, reports(survey, people(50), 1), target="all")  # type: ignore[arg-type]


def test_too_many_combinations_are_refused() -> None:
    many = [fk.Attribute(f"q{i}", [str(k) for k in range(16)]) for i in range(7)]
    survey = Design(many, groups=[fk.Group([a.name for a in many], fk.Unrelated(0.5))])
    engine = ArrayEngine.from_codes(survey, {a.name: np.zeros(5, dtype=np.int64) for a in many})
    names = [a.name for a in many]
    with pytest.raises(TooWideError, match="268,435,456 combinations"):
        accuracy_of(engine, names[:-1], names[-1], lambda c: c["q0"].astype(np.intp))


def test_many_clear_attributes_are_no_obstacle() -> None:
    clear = [fk.Attribute(f"q{i}", [str(k) for k in range(16)]) for i in range(7)]
    survey = Design(
        [*clear, fk.Attribute("c", ["0", "1"])], groups=[fk.Group(["c"], fk.Flip(0.9))], target="c"
    )
    rng = np.random.default_rng(1)
    codes = {a.name: rng.integers(0, 16, 4000) for a in clear}
    truth = (codes["q0"] >= 8).astype(np.int64)
    sent = np.where(rng.random(4000) < 0.9, truth, 1 - truth)
    engine = ArrayEngine.from_codes(survey, {**codes, "c": sent})
    result = accuracy_of(
        engine, [a.name for a in clear], "c", lambda c: (c["q0"] >= 8).astype(np.intp)
    )
    assert result.share == pytest.approx(1, abs=5 * result.stderr)


def test_the_result_speaks() -> None:
    result = fk.accuracy(trained(SURVEYS["one coin"]), reports(SURVEYS["one coin"], people(900), 1))
    words = str(result)
    assert "900 reports" in words
    assert "predicted 1   truly 0:" in words
    plain = result.to_dict()
    assert plain["accuracy"] == result.share
    assert np.sum(plain["confusion"]) == pytest.approx(1)
    assert plain["low"] < plain["accuracy"] < plain["high"]
    assert "population" in words
    assert "no mistake" not in str(result)
    alike = ArrayEngine.from_codes(SURVEYS["one coin"], {n: np.zeros(99, int) for n in SIZES})
    beyond = fk.accuracy(trained(SURVEYS["one coin"]), alike)
    assert beyond.share > 1
    assert "no mistake of the model" in str(beyond)
