"""Conditions: any of several labels will do, and no type of a column loses rows."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from frankly.count import ArrayEngine, DuckDBEngine, Query
from frankly.design import Attribute, Design
from frankly.errors import ReportError

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


def test_the_last_of_256_values_may_be_one_of_several() -> None:
    labels = [f"v{i}" for i in range(256)]
    design = Design([Attribute("a", labels), Attribute("b", labels)])
    codes = {"a": np.array([255, 3, 3, 0, 254], np.uint8), "b": np.array([1, 2, 2, 2, 2], np.uint8)}
    query = Query("b", where=[("a", "v255"), ("a", "v3")])
    (counts,) = ArrayEngine.from_codes(design, codes).count([query])
    assert counts.table[:3].tolist() == [0, 1, 2]
    assert counts.n == 3


@pytest.mark.parametrize("held", [dt.time(10, 0, 0, 500_000), Decimal("0.0000001")])
def test_a_column_that_duckdb_writes_in_its_own_way_is_refused_in_a_condition(
    held: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = Design([Attribute("a", [str(held), "never"]), Attribute("b", ["no", "yes"])])
    table = pa.table({"a": [held] * 3, "b": ["no", "yes", "no"]})
    queries = [Query("b", where=[("a", str(held))])]
    monkeypatch.setattr(DuckDBEngine, "limit", 1)
    with DuckDBEngine(design, table) as engine:
        assert engine.count([Query("a")])[0].table.tolist() == [3, 0]
        with pytest.raises(ReportError, match=r'column "a".*as text or as numbers') as refused:
            engine.count(queries)
    assert str(held) not in str(refused.value)
    assert ArrayEngine(design, table).count(queries)[0].table.tolist() == [2, 1]
