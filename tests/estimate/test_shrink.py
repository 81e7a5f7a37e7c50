"""Shrinkage: differences that are noise vanish, differences that are there stay."""

import numpy as np
import pytest

import frankly as fk
from frankly.count import ArrayEngine
from frankly.estimate import Mixture
from frankly.estimate.pulled import Asked, Inverse
from frankly.estimate.shrink import shrunken
from frankly.randomize import draw


def modules(epsilon: float = 1.0) -> fk.Design:
    attributes = [fk.Attribute(name, ["0", "1"]) for name in ("c", "tells", "noise1", "noise2")]
    return fk.Design.modules(attributes, target="c", mechanism=fk.Uniform(epsilon=epsilon))


def fitted(n: int, seed: int) -> tuple[Mixture, Inverse]:
    rng = np.random.default_rng(seed)
    c = (rng.random(n) < 0.3).astype(np.int64)
    truths = {
        "c": c,
        "tells": (rng.random(n) < np.where(c == 1, 0.8, 0.3)).astype(np.int64),
        "noise1": rng.integers(0, 2, n),
        "noise2": rng.integers(0, 2, n),
    }
    drawn = draw(modules(), truths, fk.Tape.seeded(seed))
    pulled = Inverse(ArrayEngine.from_codes(modules(), drawn.columns, drawn.form))
    return shrunken(pulled, "c"), pulled


def difference(table: np.ndarray) -> float:
    return float(abs(table[1, 1] - table[0, 1]))


def test_noise_is_shrunken_and_what_tells_stays() -> None:
    shrunk, plain, telling = [], [], []
    for seed in range(10):
        model, pulled = fitted(6000, seed)
        telling.append(difference(model.tables["tells"]))
        for name in ("noise1", "noise2"):
            shrunk.append(difference(model.tables[name]))
            (pair,) = pulled.people([Asked(("c", name))])
            plain.append(difference(pair / pair.sum(axis=1, keepdims=True)))
    assert np.mean(shrunk) < 0.6 * np.mean(plain)
    assert np.mean(telling) == pytest.approx(0.5, abs=0.1)


def test_with_many_reports_nothing_is_shrunken_away() -> None:
    model, _ = fitted(400_000, 1)
    assert model.weights[1] == pytest.approx(0.3, abs=0.01)
    assert np.allclose(model.tables["tells"][:, 1], [0.3, 0.8], atol=0.02)
    assert np.allclose(model.tables["noise1"], 0.5, atol=0.02)


def test_the_class_is_told_by_everybody() -> None:
    model, pulled = fitted(6000, 2)
    (pooled,) = pulled.tables([Asked(("c",))])
    assert np.allclose(model.weights, pooled)


def test_wider_tables_and_clear_ones_are_clipped_counts() -> None:
    wide, clear = fk.Attribute("wide", ["x", "y", "z"]), fk.Attribute("clear", ["0", "1"])
    hidden = [fk.Group(["wide"], fk.Unrelated(0.5))]
    design = fk.Design([fk.Attribute("c", ["0", "1"]), wide, clear], groups=hidden)
    rng = np.random.default_rng(3)
    codes = {"c": rng.integers(0, 2, 50), "wide": rng.integers(0, 3, 50)}
    engine = ArrayEngine.from_codes(design, {**codes, "clear": codes["c"]})
    model, pulled = shrunken(Inverse(engine), "c"), Inverse(engine)
    (pair,) = pulled.people([Asked(("c", "wide"))])
    kept = np.maximum(pair, 0)
    assert np.allclose(model.tables["wide"], kept / kept.sum(axis=1, keepdims=True))
    assert np.array_equal(model.tables["clear"], np.eye(2))
