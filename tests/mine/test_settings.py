"""Settings are checked by what they are, before anything is counted; a refused fit is no fit."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import frankly as fk
from frankly.errors import DesignError, NotAskedError

WORDS = ["no", "yes"]
NAMES = ("ill", "smokes", "drinks")
REPORTS = {"ill": WORDS * 20, "smokes": ["no", "no", "yes", "yes"] * 10, "drinks": ["no"] * 40}


def survey() -> fk.Design:
    return fk.Design([fk.Attribute(name, WORDS) for name in NAMES], target="ill")


def modules() -> fk.Design:
    """Nobody is asked two attributes and the class."""
    forms = [
        fk.Form(groups=[fk.Group(["ill", name], fk.Uniform(0.7))]) for name in ("smokes", "drinks")
    ]
    return fk.Design([fk.Attribute(name, WORDS) for name in NAMES], forms=forms, target="ill")


@pytest.mark.parametrize(
    ("miner", "settings"),
    [
        (fk.ID3, {"max_depth": np.int64(2), "min_leaf": np.float32(0.01)}),
        (fk.CART, {"noise": 0, "ccp_alpha": Fraction(1, 10)}),
        (fk.NaiveBayes, {"alpha": 0}),
    ],
)
def test_numbers_of_every_kind_are_numbers(miner: Any, settings: dict[str, Any]) -> None:
    assert miner(design=survey(), **settings).fit(REPORTS).n_reports_ == 40


def test_numbers_of_classes_come_in_any_sequence() -> None:
    several: list[Any] = [2, np.int64(2), [1, 2], range(1, 3), np.array([1, 2])]
    alike = dict.fromkeys(NAMES, ["no"] * 28 + ["yes"] * 12)
    for k in several:
        model = fk.LatentClasses(design=survey(), k=k, restarts=1).fit(alike)
        assert max(model.bic_) == 2


class Unread:
    """Reports that must not be looked at."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.mark.parametrize(
    "miner",
    [
        fk.ID3(design=survey(), max_depth=True),
        fk.CART(design=survey(), min_leaf="few"),  # type: ignore[arg-type]
        fk.NaiveBayes(design=survey(), alpha=float("nan")),
        fk.TAN(design=survey(), alpha=None),  # type: ignore[arg-type]
        fk.LatentClasses(design=survey(), k="23"),  # type: ignore[arg-type]
        fk.LatentClasses(design=survey(), seed=-1),
        fk.AssociationRules(design=survey(), level=95),
    ],
)
def test_settings_are_refused_before_any_report_is_read(miner: Any) -> None:
    with pytest.raises(DesignError, match=r" is a .*, not "):
        miner.fit(Unread())


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "score", "save"])
def test_a_refused_fit_leaves_no_model(ask: str, tmp_path: Path) -> None:
    design = modules()
    reports = fk.randomize(design, REPORTS, fk.Tape.seeded(1))
    model = fk.TAN(design=design)
    with pytest.raises(NotAskedError):
        model.fit(reports)
    with pytest.raises(NotFittedError):
        getattr(model, ask)(tmp_path / "model.json" if ask == "save" else REPORTS)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_second_fit_takes_the_first_back() -> None:
    model = fk.TAN(design=survey()).fit(REPORTS)
    model.set_params(design=modules())
    with pytest.raises(NotAskedError):
        model.fit(fk.randomize(modules(), REPORTS, fk.Tape.seeded(1)))
    with pytest.raises(NotFittedError):
        model.predict(REPORTS)
