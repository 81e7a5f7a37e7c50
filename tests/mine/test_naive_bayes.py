"""Naive Bayes from reports: the textbook's where nothing is hidden, close to it where much is."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from sklearn.naive_bayes import CategoricalNB

import frankly as fk
from frankly.count import ArrayEngine, Counts, GivenCounts, ParquetEngine
from frankly.design import Design
from frankly.errors import (
    CannotBeToldError,
    DesignError,
    FingerprintError,
    NotAskedError,
    ReportError,
    ValueRefusedError,
)
from frankly.randomize import draw

SIZES = {"sex": 2, "work": 3, "region": 4, "ill": 2}
CERTAIN = [fk.Group(["sex", "ill"], fk.Unrelated(1)), fk.Group(["work"], fk.Matrix(np.eye(3)))]

Truths = dict[str, NDArray[np.int64]]


def attributes() -> list[fk.Attribute]:
    return [fk.Attribute(n, [str(k) for k in range(size)]) for n, size in SIZES.items()]


def design(*groups: fk.Group) -> Design:
    return Design(attributes(), groups=groups, target="ill", accept_infinite_epsilon=True)


def people(n: int, seed: int = 0) -> Truths:
    rng = np.random.default_rng(seed)
    ill = (rng.random(n) < 0.35).astype(np.int64)
    sex = (rng.random(n) < 0.3 + 0.4 * ill).astype(np.int64)
    work = np.where(rng.random(n) < 0.3 + 0.3 * ill, 2, rng.integers(0, 3, n))
    return {"sex": sex, "work": work, "region": rng.integers(0, 4, n), "ill": ill}


def features(truths: Truths) -> NDArray[np.int64]:
    return np.stack([truths[name] for name in SIZES if name != "ill"], axis=1)


def reports(survey: Design, truths: Truths, seed: int = 0) -> ArrayEngine:
    drawn = draw(survey, truths, fk.Tape.seeded(seed))
    return ArrayEngine.from_codes(survey, drawn.columns, drawn.form if survey.forms[1:] else None)


def textbook(truths: Truths, alpha: float = 1.0) -> CategoricalNB:
    sizes = list(SIZES.values())[:-1]
    return CategoricalNB(alpha=alpha, min_categories=sizes).fit(features(truths), truths["ill"])


@pytest.mark.parametrize("groups", [(), CERTAIN])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_where_nothing_is_hidden_it_is_scikit_learns(groups: list[fk.Group], alpha: float) -> None:
    truths = people(1234)
    ours = fk.NaiveBayes(design=design(*groups), alpha=alpha)
    ours.fit(ArrayEngine.from_codes(design(*groups), truths))
    theirs = textbook(truths, alpha)
    assert np.array_equal(ours.class_log_prior_, theirs.class_log_prior_)
    for mine, yours in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        assert np.array_equal(mine, yours)
    assert np.array_equal(
        ours.predict_proba(features(truths)), theirs.predict_proba(features(truths))
    )
    assert ours.score(features(truths), truths["ill"]) == pytest.approx(
        theirs.score(features(truths), truths["ill"])
    )


HIDDEN = {
    "one coin": design(fk.Group(["sex", "work", "region", "ill"], fk.Unrelated(0.3))),
    "two coins": design(
        fk.Group(["sex", "ill"], fk.Unrelated(0.5)), fk.Group(["work", "region"], fk.Unrelated(0.5))
    ),
    "the class hidden alone": design(fk.Group(["ill"], fk.Flip(0.8))),
    "the class clear": design(fk.Group(["sex", "work"], fk.Unrelated(0.4))),
    "modules": Design.modules(attributes(), target="ill", mechanism=fk.Uniform(theta=0.5)),
}


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("method", ["auto", "inverse"])
def test_it_comes_close_to_the_undisguised_model(name: str, method: str) -> None:
    truths, new = people(40_000), people(20_000, seed=1)
    clear = textbook(truths).predict(features(new))
    model = fk.NaiveBayes(design=HIDDEN[name], method=method).fit(reports(HIDDEN[name], truths))
    found = model.predict(features(new)).astype(int)
    assert (found == new["ill"]).mean() > (clear == new["ill"]).mean() - 0.02
    assert model.method_ in ("em", "shrink") if method == "auto" else "inverse"
    assert model.why_


def test_fit_takes_frames_arrays_and_engines_alike() -> None:
    survey, truths = HIDDEN["one coin"], people(3000)
    drawn = draw(survey, truths, fk.Tape.seeded(1)).columns
    frame = {name: column.astype(str).tolist() for name, column in drawn.items()}
    X, y = features({n: drawn[n] for n in SIZES}), drawn["ill"]  # type: ignore[misc]
    models = [
        fk.NaiveBayes(design=survey).fit(ArrayEngine.from_codes(survey, drawn)),
        fk.NaiveBayes(design=survey).fit(frame),
        fk.NaiveBayes(design=survey).fit(X, y),
        fk.NaiveBayes(design=survey).fit(X.astype(str).tolist(), y.astype(str).tolist()),
        fk.NaiveBayes(design=survey).fit({n: frame[n] for n in SIZES if n != "ill"}, frame["ill"]),
    ]
    for model in models[1:]:
        assert np.array_equal(model.class_log_prior_, models[0].class_log_prior_)
        for one, other in zip(model.feature_log_prob_, models[0].feature_log_prob_, strict=True):
            assert np.array_equal(one, other)
    rows = {name: column.astype(str) for name, column in truths.items()}
    assert np.array_equal(models[0].predict(rows), models[0].predict(features(truths)))


@pytest.mark.parametrize("name", ["one coin", "modules"])
def test_memory_and_files_give_the_same_model(name: str, tmp_path: Path) -> None:
    survey, truths = HIDDEN[name], people(3000)
    made = fk.randomize(survey, as_frame(truths), fk.Tape.seeded(2))
    pq.write_table(made, tmp_path / "reports.parquet", row_group_size=700)
    one = fk.NaiveBayes(design=survey).fit(made)
    other = fk.NaiveBayes(design=survey).fit(ParquetEngine(survey, tmp_path / "reports.parquet"))
    assert one.method_ == other.method_
    for mine, yours in zip(one.feature_log_prob_, other.feature_log_prob_, strict=True):
        assert np.array_equal(mine, yours)


def test_counts_of_pairs_are_enough() -> None:
    survey, truths = HIDDEN["one coin"], people(40_000)
    engine = reports(survey, truths)
    form = survey.forms[0].fingerprint
    tables = []
    for name in list(SIZES)[:-1]:
        table = np.zeros((2, SIZES[name]), dtype=np.int64)
        np.add.at(table, (engine.codes(0, "ill"), engine.codes(0, name)), 1)
        tables.append(Counts.from_table(["ill", name], form, table))
    model = fk.NaiveBayes(design=survey).fit(GivenCounts(survey, tables))
    assert model.method_ == "shrink"
    assert "whole reports" in model.why_
    assert (model.predict(features(truths)).astype(int) == truths["ill"]).mean() > 0.65


@pytest.mark.parametrize("name", ["one coin", "modules"])
def test_a_saved_model_predicts_the_same(name: str, tmp_path: Path) -> None:
    model = fk.NaiveBayes(design=HIDDEN[name], alpha=0.0).fit(reports(HIDDEN[name], people(5000)))
    model.save(tmp_path / "model.json")
    again = fk.load(tmp_path / "model.json")
    rows = features(people(100))
    assert np.array_equal(model.predict_proba(rows), again.predict_proba(rows))
    assert again.get_params()["alpha"] == 0.0
    assert (again.method_, again.why_, again.n_reports_) == (model.method_, model.why_, 5000)
    assert again.summary() == model.summary()


def test_a_model_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    fk.NaiveBayes(design=design()).fit(ArrayEngine.from_codes(design(), people(99))).save(path)
    text = path.read_text()
    path.write_text(text.replace('"region"', '"county"'))
    with pytest.raises(FingerprintError, match="changed after"):
        fk.load(path)
    path.write_text(text.replace('"naive-bayes"', '"magic"'))
    with pytest.raises(ReportError, match="unknown kind"):
        fk.load(path)
    path.write_text(text.replace('"class_log_prior"', '"prior"'))
    with pytest.raises(ReportError, match="damaged"):
        fk.load(path)
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(ReportError, match="no JSON"):
        fk.load(path)


def test_unknown_and_missing_targets_are_refused() -> None:
    truths = ArrayEngine.from_codes(design(), people(50))
    with pytest.raises(NotAskedError, match="'wealth'"):
        fk.NaiveBayes(design=design(), target="wealth").fit(truths)
    aimless = Design(attributes())
    with pytest.raises(DesignError, match="which attribute"):
        fk.NaiveBayes(design=aimless).fit(ArrayEngine.from_codes(aimless, people(50)))
    with pytest.raises(DesignError, match="needs the design"):
        fk.NaiveBayes().fit(truths)
    alone = Design([fk.Attribute("ill", ["0", "1"])], target="ill")
    with pytest.raises(DesignError, match="nothing to predict it from"):
        fk.NaiveBayes(design=alone).fit({"ill": ["0", "1"]})


@pytest.mark.parametrize("method", ["auto", "inverse"])
@pytest.mark.parametrize("name", ["one coin", "clear"])
def test_one_class_only_is_refused(name: str, method: str) -> None:
    survey = design() if name == "clear" else HIDDEN[name]
    truths = {key: np.zeros_like(column) for key, column in people(500).items()}
    with pytest.raises(CannotBeToldError, match="only one class"):
        fk.NaiveBayes(design=survey, method=method).fit(ArrayEngine.from_codes(survey, truths))


def test_reports_of_another_design_are_refused() -> None:
    other = fk.randomize(HIDDEN["two coins"], as_frame(people(20)), fk.Tape.seeded(1))
    with pytest.raises(FingerprintError):
        fk.NaiveBayes(design=HIDDEN["one coin"]).fit(other)
    with pytest.raises(FingerprintError):
        fk.NaiveBayes(design=HIDDEN["one coin"]).fit(other.drop_columns("ill"), other["ill"])
    engine = ArrayEngine.from_codes(HIDDEN["two coins"], people(20))
    with pytest.raises(FingerprintError):
        fk.NaiveBayes(design=HIDDEN["one coin"]).fit(engine)


def as_frame(truths: Truths) -> pa.Table:
    return pa.table({name: [str(code) for code in column] for name, column in truths.items()})


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_value_is_refused_by_row_and_column(missing: float | None) -> None:
    survey = HIDDEN["one coin"]
    frame = {name: column.astype(object) for name, column in people(30).items()}
    frame["work"][7] = missing
    with pytest.raises(ValueRefusedError, match=r'row 8, column "work"'):
        fk.NaiveBayes(design=survey).fit(frame)
    model = fk.NaiveBayes(design=survey).fit(ArrayEngine.from_codes(survey, people(3000)))
    with pytest.raises(ValueRefusedError, match=r'row 8, column "work"'):
        model.predict(frame)


def test_arrays_of_another_shape_are_refused() -> None:
    survey, truths = design(), people(50)
    with pytest.raises(ReportError, match="X has 2 features, but 3 are expected"):
        fk.NaiveBayes(design=survey).fit(features(truths)[:, :2], truths["ill"])
    with pytest.raises(ReportError, match="needs y"):
        fk.NaiveBayes(design=survey).fit(features(truths))
    with pytest.raises(ReportError, match="2 axes"):
        fk.NaiveBayes(design=survey).fit(truths["sex"], truths["ill"])


def test_a_negative_alpha_is_refused() -> None:
    with pytest.raises(DesignError, match="alpha"):
        fk.NaiveBayes(design=design(), alpha=-1).fit(ArrayEngine.from_codes(design(), people(50)))


def test_without_people_in_a_cell_alpha_0_still_predicts() -> None:
    truths = {name: column.copy() for name, column in people(60).items()}
    truths["work"][truths["ill"] == 1] = 0
    model = fk.NaiveBayes(design=design(), alpha=0.0).fit(ArrayEngine.from_codes(design(), truths))
    chances = model.predict_proba(features(people(200, seed=3)))
    assert np.allclose(chances.sum(axis=1), 1)
    assert "work" in model.summary()
