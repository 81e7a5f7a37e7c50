"""The face of scikit-learn: parameters, clones, cross-validation, and its own estimator checks."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import frankly as fk
from frankly.count import ArrayEngine
from frankly.errors import ReportError
from frankly.mine import MINERS, Miner
from frankly.randomize import draw

NAMES = ("a", "b", "c")
DESIGN = fk.Design(
    [fk.Attribute(name, ["0", "1"]) for name in NAMES],
    groups=[fk.Group(NAMES, fk.Unrelated(0.6))],
    target="c",
)
CLASSIFIERS = [kind for kind in MINERS.values() if issubclass(kind, Miner)]

NUMBERS = "it fits made-up numbers, and the reports of a survey are labels of its design"
EXCLUDED = {
    "check_classifier_data_not_an_array": NUMBERS,
    "check_classifiers_classes": NUMBERS,
    "check_classifiers_one_label": "one class is refused: it means that reports are too few",
    "check_classifiers_regression_target": NUMBERS,
    "check_classifiers_train": NUMBERS,
    "check_complex_data": "there are no numbers to be complex",
    "check_dict_unchanged": NUMBERS,
    "check_dont_overwrite_parameters": NUMBERS,
    "check_dtype_object": NUMBERS,
    "check_estimator_sparse_array": "answers are labels, and no label is nothing",
    "check_estimator_sparse_matrix": "answers are labels, and no label is nothing",
    "check_estimator_sparse_tag": "answers are labels, and no label is nothing",
    "check_estimators_dtypes": NUMBERS,
    "check_estimators_empty_data_messages": NUMBERS,
    "check_estimators_fit_returns_self": NUMBERS,
    "check_estimators_nan_inf": NUMBERS,
    "check_estimators_overwrite_params": NUMBERS,
    "check_estimators_pickle": NUMBERS + "; models are saved as JSON, never pickled",
    "check_f_contiguous_array_estimator": NUMBERS,
    "check_fit2d_1feature": NUMBERS,
    "check_fit2d_1sample": NUMBERS,
    "check_fit2d_predict1d": NUMBERS,
    "check_fit_check_is_fitted": NUMBERS,
    "check_fit_idempotent": NUMBERS,
    "check_fit_score_takes_y": NUMBERS,
    "check_methods_sample_order_invariance": NUMBERS,
    "check_methods_subset_invariance": NUMBERS,
    "check_n_features_in": NUMBERS,
    "check_n_features_in_after_fitting": NUMBERS,
    "check_pipeline_consistency": NUMBERS,
    "check_positive_only_tag_during_fit": NUMBERS,
    "check_readonly_memmap_input": NUMBERS,
    "check_requires_y_none": "reports in one table need no y: the class is one of its columns",
    "check_supervised_y_2d": NUMBERS,
}


def people(n: int, seed: int = 0) -> dict[str, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 2, n)
    return {name: np.where(rng.random(n) < 0.8, c, 1 - c) for name in "ab"} | {"c": c}


def reports(n: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    sent = draw(DESIGN, people(n, seed), fk.Tape.seeded(seed)).columns
    return np.stack([sent["a"], sent["b"]], axis=1).astype(str), sent["c"].astype(str)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_scikit_learns_checks_pass_where_they_make_sense(kind: type[Miner]) -> None:
    found = check_estimator(kind(), on_skip=None, on_fail=None, expected_failed_checks=EXCLUDED)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in found) >= 12


def test_no_check_is_excluded_without_need() -> None:
    found = check_estimator(fk.NaiveBayes(), on_skip=None, on_fail=None)
    failing = {one["check_name"] for one in found if one["status"] == "failed"}
    assert set(EXCLUDED) == failing


@pytest.mark.parametrize("kind", list(MINERS.values()), ids=list(MINERS))
def test_a_clone_has_the_same_settings_and_nothing_learned(kind: Any) -> None:
    model = kind(design=DESIGN)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    assert [name for name in vars(copied) if name.endswith("_")] == []


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_what_was_not_fitted_cannot_predict(kind: type[Miner]) -> None:
    assert is_classifier(kind())
    with pytest.raises(NotFittedError):
        kind(design=DESIGN).predict(np.array([["0", "1"]]))
    with pytest.raises(NotFittedError):
        kind(design=DESIGN).save("nowhere.json")


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_cross_validation_tells_the_accuracy_on_truths(kind: type[Miner]) -> None:
    scores = cross_val_score(kind(design=DESIGN), *reports(20_000), cv=4)
    # The best classifier is right for 80 %; each fold's error is about .012, so the mean of
    # four misses by .03 once in ten million.
    assert scores.mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_score_sees_through_the_device(kind: type[Miner]) -> None:
    model = kind(design=DESIGN).fit(*reports(30_000))
    X, y = reports(30_000, seed=1)
    truths = people(30_000, seed=1)
    truly = float((model.predict_codes(truths) == truths["c"]).mean())
    naively = float((model.predict(X) == y).mean())
    assert model.score(X, y) == pytest.approx(truly, abs=0.025)
    assert naively < truly - 0.05


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_what_the_excluded_checks_ask_holds_for_reports(kind: type[Miner]) -> None:
    X, y = reports(2000)
    model = kind(design=DESIGN)
    before = model.get_params()
    assert model.fit(X, y) is model
    assert model.get_params() == before
    chances = model.predict_proba(X)
    assert np.array_equal(model.fit(X, y).predict_proba(X), chances)  # fitted twice
    assert np.array_equal(model.predict_proba(X[:7]), chances[:7])  # row by row
    assert np.array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
    with pytest.raises(ReportError, match="X has 1 features"):
        model.predict(X[:, :1])


def test_settings_can_be_searched_and_rows_transformed() -> None:
    X, y = reports(3000)
    search = GridSearchCV(fk.NaiveBayes(design=DESIGN), {"alpha": [0.5, 2.0]}, cv=2).fit(X, y)
    assert search.best_params_["alpha"] in (0.5, 2.0)
    piped = make_pipeline(FunctionTransformer(), fk.NaiveBayes(design=DESIGN)).fit(X, y)
    assert set(piped.predict(X)) <= {"0", "1"}


def test_learned_names_are_there() -> None:
    model = fk.NaiveBayes(design=DESIGN).fit(*reports(500))
    assert model.classes_.tolist() == ["0", "1"]
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert (model.n_features_in_, model.n_reports_) == (2, 500)
    assert model.predict_proba([["0", "1"]]).sum() == pytest.approx(1)
    assert fk.NaiveBayes(design=DESIGN, method="inverse").set_params(method="em").method == "em"
    assert ArrayEngine(DESIGN, {"a": ["0"], "b": ["1"], "c": ["1"]}).n == [1]
