"""A condition may name several labels of one attribute: any of them will do."""

import numpy as np

from frankly.count import ArrayEngine, Query
from frankly.design import Attribute, Design

LABELS = [f"v{i}" for i in range(30)]


def test_any_of_several_labels_will_do_also_where_the_condition_does_not_fit_the_cache() -> None:
    names = ["a", "b", "c", "d"]
    design = Design([Attribute(name, LABELS) for name in names])
    rng = np.random.default_rng(3)
    codes = {name: rng.integers(0, 30, 400_000, np.uint8) for name in names}
    where = [("a", "v2"), ("a", "v29"), ("a", "v7"), ("b", "v0"), ("b", "v1"), ("c", "v5")]
    query = Query(["c", "d"], where=[*where, ("c", "v6")])
    (counts,) = ArrayEngine.from_codes(design, codes).count([query])
    inside = np.isin(codes["a"], [2, 29, 7]) & (codes["b"] < 2) & np.isin(codes["c"], [5, 6])
    expected = np.zeros((30, 30), dtype=np.int64)
    np.add.at(expected, (codes["c"][inside], codes["d"][inside]), 1)
    assert expected.sum() > 100
    assert np.array_equal(counts.table, expected)
