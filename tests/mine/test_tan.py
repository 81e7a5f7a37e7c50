"""Tree-augmented naive Bayes finds who listens to whom, in clear and through the device."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import frankly as fk
from frankly.count import ArrayEngine
from frankly.errors import DesignError, NotAskedError
from frankly.mine.information import mutual_information
from frankly.mine.tan import spanning_tree
from frankly.randomize import draw

NAMES = ("a", "b", "d", "c")
Truths = dict[str, NDArray[np.int64]]


def attributes() -> list[fk.Attribute]:
    sizes = {"a": 2, "b": 3, "d": 2, "c": 2}
    return [fk.Attribute(name, [str(k) for k in range(sizes[name])]) for name in NAMES]


def people(n: int, seed: int = 0) -> Truths:
    """Make up people whose d is the exclusive or of a and the class, mostly."""
    rng = np.random.default_rng(seed)
    a, c = rng.integers(0, 2, n), rng.integers(0, 2, n)
    d = np.where(rng.random(n) < 0.9, a ^ c, 1 - (a ^ c))
    return {"a": a, "b": rng.integers(0, 3, n), "d": d, "c": c}


def survey(*groups: fk.Group) -> fk.Design:
    return fk.Design(attributes(), groups=groups, target="c")


def fitted(design: fk.Design, truths: Truths) -> fk.TAN:
    drawn = draw(design, truths, fk.Tape.seeded(5))
    return fk.TAN(design=design).fit(ArrayEngine.from_codes(design, drawn.columns))


def accuracy(model: fk.NaiveBayes | fk.TAN, truths: Truths) -> float:
    return float((model.predict_codes(truths) == truths["c"]).mean())


DESIGNS = {
    "clear": survey(),
    "one coin": survey(fk.Group(NAMES, fk.Unrelated(0.5))),
    "two coins": survey(fk.Group(["a", "d"], fk.Unrelated(0.7)), fk.Group(["c"], fk.Flip(0.8))),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_answers_that_tell_only_together_are_used_together(name: str) -> None:
    model = fitted(DESIGNS[name], people(20_000))
    assert "a" in (model.parents_["d"], model.parents_["b"])
    joined = {frozenset(pair) for pair in model.parents_.items() if pair[1]}
    assert frozenset("ad") in joined
    assert accuracy(model, people(5000, seed=9)) > 0.85
    plain = fk.NaiveBayes(design=DESIGNS["clear"])
    plain.fit(ArrayEngine.from_codes(DESIGNS["clear"], people(20_000)))
    assert accuracy(plain, people(5000, seed=9)) < 0.6


def test_in_clear_the_tables_are_the_counts() -> None:
    truths = people(500)
    model = fitted(DESIGNS["clear"], truths)
    (child,) = (name for name, parent in model.parents_.items() if {name, parent} == {"a", "d"})
    parent = model.parents_[child]
    assert parent is not None
    held = (truths["c"] == 1) & (truths[parent] == 0)
    yes = (held & (truths[child] == 1)).sum()
    expected = (yes + 1) / (held.sum() + 2)
    assert np.exp(model.log_prob_[child][1, 0, 1]) == pytest.approx(expected)


def test_the_heaviest_tree_is_grown() -> None:
    weights = {("a", "b"): 1.0, ("a", "c"): 3.0, ("a", "d"): 0.5, ("b", "c"): 2.0}
    weights |= {("b", "d"): 0.1, ("c", "d"): 4.0}
    assert spanning_tree("abcd", weights) == {"a": None, "c": "a", "d": "c", "b": "c"}


def test_information_is_what_is_left_within_the_class() -> None:
    same = np.array([[[0.3, 0.0], [0.0, 0.2]], [[0.0, 0.0], [0.0, 0.5]]])
    entropy = -0.6 * np.log2(0.6) - 0.4 * np.log2(0.4)
    assert mutual_information(same) == pytest.approx(0.5 * entropy)
    apart = np.multiply.outer([0.2, 0.8], np.outer([0.3, 0.7], [0.6, 0.4]))
    assert mutual_information(apart) == pytest.approx(0, abs=1e-12)


def test_modules_cannot_tell_how_answers_go_together() -> None:
    design = fk.Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.5))
    drawn = draw(design, people(200), fk.Tape.seeded(1))
    with pytest.raises(NotAskedError, match="Use NaiveBayes"):
        fk.TAN(design=design).fit(ArrayEngine.from_codes(design, drawn.columns, drawn.form))


def test_a_saved_tree_predicts_the_same(tmp_path: Path) -> None:
    model = fitted(DESIGNS["one coin"], people(3000))
    model.save(tmp_path / "tan.json")
    again = fk.load(tmp_path / "tan.json")
    assert isinstance(again, fk.TAN)
    assert np.array_equal(model.chances(people(50)), again.chances(people(50)))
    assert again.summary() == model.summary()
    assert "listens to" in model.summary()


def test_a_negative_alpha_is_refused() -> None:
    with pytest.raises(DesignError, match="alpha"):
        fk.TAN(design=survey(), alpha=-1).fit(ArrayEngine.from_codes(survey(), people(50)))


@pytest.mark.parametrize("kind", [fk.TAN, fk.ID3, fk.CART])
@pytest.mark.parametrize(
    "groups", [["a", "b", "d", "c"], ["ab", "dc"], ["abdc"]], ids=["own coins", "two", "one"]
)
def test_with_many_reports_the_default_learns_what_naive_bayes_cannot_say(
    kind: type[fk.TAN] | type[fk.ID3] | type[fk.CART], groups: list[str]
) -> None:
    # One made-up person for every ten reports, however many these were, kept all three at .70 to
    # .73: the truth is .7560. A wrong guess in any cell costs .006 or more.
    rng, n = np.random.default_rng(3), 300_000
    asked = [fk.Attribute(name, ["0", "1"]) for name in NAMES]
    hidden = [fk.Group(list(names), fk.Unrelated(0.5)) for names in groups]
    design = fk.Design(asked, groups=hidden, target="c")
    a, b, d = (rng.random((3, n)) < np.array([[0.5], [0.6], [0.3]])).astype(np.int64)
    ill = np.array([[0.55, 0.25], [0.25, 0.9]])
    people = {"a": a, "b": b, "d": d, "c": (rng.random(n) < ill[a, b]).astype(np.int64)}
    engine = ArrayEngine.from_codes(design, draw(design, people, fk.Tape.seeded(4)).columns)
    model = kind(design=design).fit(engine)
    assert model.method_ == "map"
    guess = model.predict_codes({"a": a, "b": b, "d": d})
    right = np.where(guess == 1, ill[a, b], 1 - ill[a, b]).mean()
    assert right == pytest.approx(np.maximum(ill, 1 - ill)[a, b].mean(), abs=0.003)
