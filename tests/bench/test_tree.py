"""The bench of trees measures what it says: trees as deep as the peer's, in clear and hidden."""

from sklearn.tree import DecisionTreeClassifier

from frankly.bench import tree
from frankly.bench.measure import Row
from frankly.count import ArrayEngine


def test_trees_are_measured_in_clear_and_behind_a_device() -> None:
    rows = list(tree.rows(scale=0.005))
    assert [isinstance(row, Row) and row.work.split(", ")[2] for row in rows] == list(tree.DESIGNS)
    assert all(isinstance(row, Row) and row.ours > 0 < row.peer for row in rows)


def test_both_trees_are_equally_deep_and_ours_sorts_no_worse() -> None:
    answers, label = tree.made_up(20_000)
    peer = DecisionTreeClassifier(max_depth=tree.DEPTH).fit(answers, label)
    design = tree.DESIGNS["all in clear"]
    codes = dict(zip(design.names, [*answers.T, label], strict=True))
    ours = tree.grown(design, ArrayEngine.from_codes(design, codes))
    assert ours.tree_.depth == peer.get_depth() == tree.DEPTH
    right = (ours.predict_codes(codes) == label).mean()
    assert right >= peer.score(answers, label) - 0.002
