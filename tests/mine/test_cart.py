"""CART: scikit-learn's tree where both apply, the best subsets where there are many values."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from frankly.design import Design
from frankly.errors import DesignError
from frankly.estimate import Asked, Shares
from frankly.mine import CART, load
from frankly.mine.cart import Binary
from frankly.mine.impurity import GINI, gain
from frankly.mine.tree import Node
from tests.mine.survey import attributes, hidden, in_clear, people

BITS = {**dict.fromkeys("abcdefg", 2), "class": 2}
MANY = {"a": 2, "b": 6, "c": 5, "d": 3, "class": 2}


def matrix(codes: Any, sizes: dict[str, int]) -> NDArray[np.float64]:
    return np.stack([codes[name] for name in list(sizes)[:-1]], axis=1).astype(np.float64)


def same_tree(ours: Node, theirs: Any, at: int, n: int, names: list[str]) -> int:
    """Compare node by node; both kinds of tree send 0 left and 1 right. Count the splits."""
    tree = theirs.tree_
    assert round(ours.share * n) == tree.n_node_samples[at]
    assert ours.classes == pytest.approx(tree.value[at][0], abs=1e-9)
    if tree.feature[at] < 0:
        assert ours.split is None
        return 0
    assert ours.split is not None
    sides = tree.children_left[at], tree.children_right[at]
    parts = [tree.n_node_samples[side] / tree.n_node_samples[at] for side in sides]
    left_over = sum(p * tree.impurity[s] for p, s in zip(parts, sides, strict=True))
    assert ours.split.gain == pytest.approx(tree.impurity[at] - left_over, abs=1e-9)
    if ours.split.name != names[tree.feature[at]]:
        return 0  # a tie: another attribute with the very same gain
    below = dict(zip(ours.split.branches, ours.children, strict=True))
    left = same_tree(below[(0,)], theirs, sides[0], n, names)
    return 1 + left + same_tree(below[(1,)], theirs, sides[1], n, names)


@pytest.mark.parametrize("alpha", [0.0, 0.0005, 0.004, 0.02])
@pytest.mark.parametrize("seed", range(3))
def test_in_clear_the_tree_is_scikit_learns(seed: int, alpha: float) -> None:
    n = 20_000
    codes = people(BITS, n, seed)
    theirs = DecisionTreeClassifier(max_depth=5, ccp_alpha=alpha, random_state=0)
    theirs.fit(matrix(codes, BITS), codes["class"])
    ours = CART(
        design=Design(attributes(BITS)),
        target="class",
        max_depth=5,
        min_leaf=0.0,
        noise=0.0,
        ccp_alpha=alpha,
    ).fit(in_clear(BITS, codes))
    splits = same_tree(ours.tree_.root, theirs, 0, n, list(BITS)[:-1])
    assert splits >= {0.0: 20, 0.0005: 6, 0.004: 2, 0.02: 1}[alpha]


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(10))
def test_no_subset_of_values_parts_the_classes_better(seed: int, classes: int) -> None:
    table = np.random.default_rng(seed).dirichlet(np.ones(7 * classes)).reshape(7, classes)
    codes = tuple(range(7))
    left, right = Binary().divide(table, codes, 0.0)
    best = max(
        gain(GINI, np.stack([table[list(s)].sum(0), np.delete(table, s, axis=0).sum(0)]))
        for k in range(1, 7)
        for s in combinations(codes, k)
    )
    ours = np.stack([table[list(left)].sum(0), table[list(right)].sum(0)])
    assert sorted(left + right) == list(codes)
    assert gain(GINI, ours) == pytest.approx(best)


def test_of_many_values_and_three_classes_one_is_set_against_the_rest() -> None:
    table = np.full((13, 3), 0.02) + np.eye(13, 3) * 0.05
    left, right = Binary().divide(table, tuple(range(13)), 0.0)
    assert (len(left), len(right)) in {(1, 12), (12, 1)}


def test_with_three_classes_one_value_is_set_against_the_rest() -> None:
    table = np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 0.3], [0.2, 0.2, 0.0]])
    assert Binary().divide(table, (0, 1, 2), 0.0) == ((0, 2), (1,))


def test_values_nobody_has_join_the_larger_side() -> None:
    table = np.array([[0.0, 0.0], [0.5, 0.1], [0.1, 0.3], [0.0, 0.0]])
    left, right = Binary().divide(table, (0, 1, 2, 3), 0.0)
    assert {left, right} == {(0, 1, 3), (2,)}


def test_a_side_smaller_than_the_smallest_leaf_is_not_cut_off() -> None:
    table = np.array([[0.5, 0.1], [0.0, 0.01], [0.19, 0.2]])
    assert Binary().divide(table, (0, 1, 2), 0.1) == ((0,), (1, 2))
    assert Binary().divide(table[:2], (0, 1), 0.1) == ()


def test_an_attribute_may_divide_a_path_again() -> None:
    sizes = {"a": 8, "b": 2, "class": 2}
    rng = np.random.default_rng(5)
    a = rng.integers(0, 8, 30_000, np.uint8)
    share = np.array([0.05, 0.95, 0.3, 0.7, 0.1, 0.8, 0.2, 0.5])[a]
    codes = {
        "a": a,
        "b": rng.integers(0, 2, 30_000, np.uint8),
        "class": (rng.random(30_000) < share).astype(np.uint8),
    }
    for engine in (in_clear(sizes, codes), hidden(sizes, [["a", "class"]], 0.7, codes)):
        model = CART(design=engine.design, target="class", max_depth=3, method="inverse")
        model.fit(engine)
        leaves = {path for path, _ in model.tree_.leaves()}
        held = [dict(path)["a"] for path in leaves]
        assert sorted(code for codes in set(held) for code in codes) == list(range(8))
        found = {rule.conditions[0][1]: rule.probability for rule in model.rules()}
        assert max(len(labels) for labels in found) <= 4
    assert ("v1",) in found
    assert found["v1",] == pytest.approx(0.95, abs=0.05)


def test_the_best_split_of_many_values_is_found_through_a_device() -> None:
    codes = people(MANY, 60_000, 2)
    seen = hidden(MANY, [["a", "b", "class"]], 0.6, codes)
    ours = CART(design=seen.design, target="class", max_depth=2, method="inverse").fit(seen)
    known = CART(design=Design(attributes(MANY)), target="class", max_depth=2)
    known.fit(in_clear(MANY, codes))
    assert ours.tree_.root.split is not None
    assert known.tree_.root.split is not None
    assert ours.tree_.root.split.name == known.tree_.root.split.name
    assert ours.tree_.root.split.gain == pytest.approx(
        known.tree_.root.split.gain, abs=4 * ours.tree_.root.split.stderr
    )


@pytest.mark.parametrize("method", ["inverse", "map", "shrink"])
def test_several_values_of_a_clear_attribute_are_their_sum(method: str) -> None:
    seen = hidden(MANY, [["a", "class"]], 0.9, people(MANY, 5000, 2))
    shares = Shares(seen, method, "class")
    several = Asked(("a", "class"), (("b", "v0"), ("b", "v4"), ("c", "v1")))
    wide = Asked(("b", "c", "a", "class"))
    table, whole = shares.tables([several, wide])
    assert table == pytest.approx(whole[[0, 4], 1].sum(axis=0))
    gradient = np.arange(4.0).reshape(2, 2)
    spread_out = np.zeros_like(whole)
    spread_out[[0, 4], 1] = gradient
    assert shares.spread(several, gradient) == pytest.approx(shares.spread(wide, spread_out))


def test_a_tree_saved_is_the_same_tree(tmp_path: Path) -> None:
    model = CART(design=Design(attributes(MANY)), target="class", ccp_alpha=0.001)
    model.fit(in_clear(MANY, people(MANY, 3000, 2)))
    model.save(tmp_path / "tree.json")
    again = load(tmp_path / "tree.json")
    assert isinstance(again, CART)
    assert again.tree_ == model.tree_
    assert again.ccp_alpha == 0.001


def test_a_negative_price_of_leaves_is_refused() -> None:
    engine = in_clear(BITS, people(BITS, 100, 1))
    with pytest.raises(DesignError, match="ccp_alpha"):
        CART(design=engine.design, target="class", ccp_alpha=-1.0).fit(engine)
