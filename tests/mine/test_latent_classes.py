"""Latent classes: found again through the device, with honest errors and the right number."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from frankly.count import ArrayEngine, GivenCounts, Query
from frankly.design import Attribute, Design, Form, Group
from frankly.errors import CannotBeToldError, DesignError, NotAskedError
from frankly.estimate import Shares
from frankly.mechanism import Codes, Unrelated
from frankly.mine import LatentClasses, load
from frankly.randomize import Tape, draw
from tests.mine.survey import attributes

SIZES = {"a": 2, "b": 2, "c": 3, "d": 2, "e": 2}
WEIGHTS = np.array([0.6, 0.4])
PROFILES = {
    "a": np.array([[0.9, 0.1], [0.2, 0.8]]),
    "b": np.array([[0.8, 0.2], [0.3, 0.7]]),
    "c": np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]),
    "d": np.array([[0.85, 0.15], [0.25, 0.75]]),
    "e": np.array([[0.2, 0.8], [0.7, 0.3]]),
}
DESIGN = Design(
    attributes(SIZES),
    groups=[Group(["a", "b", "c"], Unrelated(theta=0.7)), Group(["d"], Unrelated(theta=0.8))],
)


def crowd(n: int, seed: int) -> tuple[dict[str, Codes], NDArray[np.intp]]:
    """Draw people of two classes, and tell which class each is of."""
    rng = np.random.default_rng(seed)
    own = (rng.random(n) < WEIGHTS[1]).astype(np.intp)
    codes = {
        name: (rng.random(n)[:, np.newaxis] > np.cumsum(table, axis=1)[own])
        .sum(axis=1)
        .astype(np.uint8)
        for name, table in PROFILES.items()
    }
    return codes, own


def reports(n: int, seed: int) -> ArrayEngine:
    drawn = draw(DESIGN, crowd(n, seed)[0], Tape.seeded(seed))
    return ArrayEngine.from_codes(DESIGN, drawn.columns)


def test_classes_and_profiles_are_found_through_the_device_within_their_errors() -> None:
    # 2 x (1 + 5 x 2) numbers, each 5 standard errors away in fewer than one run in 10**4.
    model = LatentClasses(design=DESIGN, k=2, restarts=2).fit(reports(30_000, 1))
    assert np.abs(model.weights_ - WEIGHTS).max() < 5 * model.weights_stderr_.max()
    for name, table in PROFILES.items():
        away = np.abs(model.profiles_[name] - table)
        assert (away < 5 * model.profiles_stderr_[name] + 1e-3).all()
        assert model.profiles_stderr_[name].max() < 0.05


def test_the_stated_errors_are_the_ones_it_has() -> None:
    # 120 surveys: a standard deviation is known to 6.5 %, so a third is 5 sigma.
    models = [
        LatentClasses(design=DESIGN, k=2, restarts=1).fit(reports(8000, s)) for s in range(120)
    ]
    weights = np.array([model.weights_[0] for model in models])
    stated = np.array([model.weights_stderr_[0] for model in models])
    assert np.median(stated) == pytest.approx(np.std(weights), rel=0.33)
    for name in ("a", "d", "e"):
        shares = np.array([model.profiles_[name][0, 0] for model in models])
        errors = np.array([model.profiles_stderr_[name][0, 0] for model in models])
        assert np.median(errors) == pytest.approx(np.std(shares), rel=0.33)


def test_bic_finds_the_number_of_classes() -> None:
    calls: list[tuple[int, int]] = []
    model = LatentClasses(design=DESIGN, k=(1, 2, 3), restarts=3)
    model.fit(reports(20_000, 2), progress=lambda done, total: calls.append((done, total)))
    assert min(model.bic_, key=lambda k: model.bic_[k]) == 2
    assert len(model.weights_) == 2
    assert calls[-1] == (9, 9)


def test_people_are_put_into_the_class_they_come_from() -> None:
    model = LatentClasses(design=DESIGN, k=2, restarts=2).fit(reports(30_000, 1))
    codes, own = crowd(4000, 9)
    rows = {name: [f"v{code}" for code in column] for name, column in codes.items()}
    chances = model.predict_proba(rows)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    exact = WEIGHTS * np.prod([t.T[codes[name]] for name, t in PROFILES.items()], axis=0)
    best = exact.argmax(axis=1)
    assert (model.predict(rows) == best).mean() > 0.97
    assert (model.predict(rows) == own).mean() > 0.85


def test_the_same_seed_finds_the_same_classes() -> None:
    engine = reports(3000, 4)
    one, two = (LatentClasses(design=DESIGN, k=2, restarts=2, seed=7).fit(engine) for _ in "ab")
    assert one.learned() == two.learned()


def test_classes_saved_are_the_same_classes(tmp_path: Path) -> None:
    model = LatentClasses(design=DESIGN, k=(1, 2), restarts=1).fit(reports(3000, 4))
    model.save(tmp_path / "classes.json")
    again = load(tmp_path / "classes.json")
    assert isinstance(again, LatentClasses)
    assert again.summary() == model.summary()
    assert "share of all people" in model.summary()


def test_classes_that_many_models_explain_are_not_told() -> None:
    # Two yes/no questions have three free shares, two classes of them five; pairs are no better.
    codes, _ = crowd(5000, 3)
    a, b, d, e = (Attribute(name, ["v0", "v1"]) for name in "abde")
    pairs = [Form(clear=["a", "b"]), Form(clear=["a", "d"]), Form(clear=["b", "d"])]
    for design in (Design([a, b]), Design([a, b, d], forms=pairs)):
        columns = {name: codes[name] for name in design.names}
        drawn = draw(design, columns, Tape.seeded(1))
        form = drawn.form if len(design.forms) > 1 else None
        engine = ArrayEngine.from_codes(design, drawn.columns, form)
        with pytest.raises(NotAskedError, match="many models"):
            LatentClasses(design=design, k=2, restarts=2).fit(engine)
        model = LatentClasses(design=design, restarts=2).fit(engine)
        assert model.weights_.tolist() == [1.0]
        assert "2 or 3 or 4 or 5 classes: many such models fit equally well" in model.summary()
    # Four are enough for two classes and, though the numbers would do, not for three.
    design = Design([a, b, d, e])
    engine = ArrayEngine.from_codes(design, {name: codes[name] for name in "abde"})
    found = LatentClasses(design=design, k=(1, 2, 3), restarts=3).fit(engine)
    assert (len(found.weights_), sorted(found.bic_)) == (2, [1, 2])


def test_nothing_is_said_about_what_nobody_has_answered() -> None:
    forms = [Form(clear=list("abde")), Form(clear=["c"])]
    design = Design(attributes(SIZES), forms=forms)
    codes, _ = crowd(3000, 3)
    none_of_c = {**codes, "c": np.full(3000, 255, dtype=np.uint8)}
    engine = ArrayEngine.from_codes(design, none_of_c, np.zeros(3000, dtype=np.uint8))
    model = LatentClasses(design=design, k=2, restarts=2).fit(engine)
    assert list(model.profiles_) == list("abde")
    assert "nobody has answered yet: c" in model.summary()
    assert "c is" not in model.summary()
    row = {name: ["v0"] for name in SIZES}
    assert model.predict_proba(row).sum() == pytest.approx(1.0)


def test_a_source_without_whole_reports_is_refused() -> None:
    engine = reports(500, 4)
    some = GivenCounts(DESIGN, engine.count([Query(["a", "b"])]))
    assert Shares(some).n == 500
    with pytest.raises(CannotBeToldError, match="whole reports"):
        LatentClasses(design=DESIGN, k=2).fit(some)


def test_no_reports_and_no_classes_are_refused() -> None:
    nobody = {name: np.empty(0, dtype=np.uint8) for name in SIZES}
    with pytest.raises(CannotBeToldError, match="no reports"):
        LatentClasses(design=DESIGN, k=2).fit(ArrayEngine.from_codes(DESIGN, nobody))
    for wrong in (0, [], [1, -2]):
        with pytest.raises(DesignError):
            LatentClasses(design=DESIGN, k=wrong).fit(reports(50, 1))
    with pytest.raises(DesignError, match="without y"):
        LatentClasses(design=DESIGN, k=2).fit(reports(50, 1), ["no"])
