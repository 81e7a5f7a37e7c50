"""Counts: whole or scattered, they add, and they answer alike."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frankly.count import ArrayEngine, Counts, GivenCounts, Query
from frankly.count.counts import CELLS
from frankly.design import Attribute, Design
from frankly.errors import FingerprintError, MixedFormsError, NotAskedError, TooWideError

HUNDRED = Design([Attribute(f"q{i}", ["no", "yes"]) for i in range(100)])


def hundred_bits(n: int, seed: int, kinds: int = 7) -> dict[str, np.ndarray]:
    """Make up reports of a hundred bits, of which only a few kinds occur."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (kinds, 100), dtype=np.uint8)[rng.integers(0, kinds, n)]
    return {f"q{i}": rows[:, i] for i in range(100)}


def whole_reports(codes: dict[str, np.ndarray]) -> Counts:
    return ArrayEngine.from_codes(HUNDRED, codes).count([Query(HUNDRED.names)])[0]


def test_reports_of_a_hundred_bits_are_counted() -> None:
    codes = hundred_bits(1000, seed=1)
    rows, counts = whole_reports(codes).cells()
    expected = np.unique(np.stack(list(codes.values()), axis=1), axis=0, return_counts=True)
    assert np.array_equal(rows, expected[0])
    assert np.array_equal(counts, expected[1])


@given(st.integers(0, 300), st.integers(0, 99))
def test_scattered_counts_add(cut: int, seed: int) -> None:
    codes = hundred_bits(300, seed)
    first = whole_reports({name: column[:cut] for name, column in codes.items()})
    second = whole_reports({name: column[cut:] for name, column in codes.items()})
    assert first + second == whole_reports(codes)


def test_many_small_blocks_of_scattered_counts_are_put_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = hundred_bits(1000, seed=7, kinds=400)
    whole = whole_reports(codes)
    monkeypatch.setattr(importlib.import_module("frankly.count.accumulate"), "BLOCK", 5)
    assert whole_reports(codes) == whole


def test_a_margin_of_scattered_counts_is_the_table_counted_directly() -> None:
    codes = hundred_bits(500, seed=2, kinds=50)
    engine = ArrayEngine.from_codes(HUNDRED, codes)
    whole, pair = engine.count([Query(HUNDRED.names), Query(["q99", "q0"])])
    assert whole.rows is not None
    assert whole.margin(["q99", "q0"]) == pair
    assert whole.n == pair.n == 500


def test_the_last_of_a_hundred_bits_counts_as_much_as_the_first() -> None:
    codes = hundred_bits(2, seed=3, kinds=1)
    for name in ("q0", "q50", "q99"):
        other = {**codes, name: codes[name] ^ np.array([0, 1], dtype=np.uint8)}
        assert len(whole_reports(other).cells()[1]) == 2


def test_a_whole_and_a_scattered_table_of_the_same_reports_are_equal() -> None:
    rng = np.random.default_rng(4)
    sizes = (300, 300)
    rows = rng.integers(0, 300, (50, 2)).astype(np.uint16)
    scattered = Counts.from_cells(["a", "b"], "f", sizes, (rows, np.ones(50, dtype=np.int64)))
    table = np.zeros(sizes, dtype=np.int64)
    np.add.at(table, tuple(rows.T), 1)
    whole = Counts.from_table(["a", "b"], "f", table)
    assert scattered.rows is not None
    assert whole.rows is None
    assert scattered == whole
    assert np.array_equal(scattered.table, table)
    assert scattered + whole == whole + scattered == Counts.from_table(["a", "b"], "f", 2 * table)


def test_counts_of_other_forms_or_names_do_not_add() -> None:
    ill = Counts.from_table(["ill"], "one form", [3, 4])
    for other in (
        Counts.from_table(["ill"], "another", [3, 4]),
        Counts.from_table(["sex"], "one form", [3, 4]),
        Counts.from_table(["ill"], "one form", [3, 4, 5]),
    ):
        with pytest.raises(MixedFormsError, match="same form add"):
            ill + other
        assert ill != other


def test_a_table_that_nobody_could_estimate_is_refused() -> None:
    with pytest.raises(TooWideError, match="fewer names"):
        _ = whole_reports(hundred_bits(3, seed=5)).table


def test_more_different_reports_than_can_be_kept_are_refused() -> None:
    n = CELLS + 1
    codes = np.arange(n, dtype=np.uint32)
    rows = np.stack([codes // 4096, codes % 4096, np.zeros_like(codes)], axis=1)
    with pytest.raises(TooWideError, match=f"{n:,} cells"):
        Counts.from_cells("abc", "f", (4096, 4096, 2), (rows, np.ones(n, dtype=np.int64)))


def test_a_name_that_was_not_counted_is_refused() -> None:
    with pytest.raises(NotAskedError, match="sex"):
        Counts.from_table(["ill"], "f", [1, 2]).margin(["sex"])


def test_a_table_of_another_shape_than_its_names_is_refused() -> None:
    with pytest.raises(MixedFormsError, match="axes"):
        Counts.from_table(["ill", "sex"], "f", [1, 2])


def test_given_counts_answer_what_they_hold_and_nothing_else() -> None:
    codes = hundred_bits(400, seed=6)
    engine = ArrayEngine.from_codes(HUNDRED, codes)
    queries = [
        Query(["q3", "q1"]),
        Query("q1", where=[("q2", "yes")]),
        Query(["q1"], 0, [("q1", "no")]),
    ]
    given = GivenCounts(HUNDRED, engine.count([Query(["q1", "q2", "q3"])]))
    assert given.count(queries) == engine.count(queries)
    assert not given.histograms
    assert GivenCounts(HUNDRED, engine.count([Query(HUNDRED.names)])).histograms
    with pytest.raises(NotAskedError, match="q7"):
        given.count([Query("q7")])
    with pytest.raises(FingerprintError, match="none of the design's"):
        GivenCounts(HUNDRED, [Counts.from_table(["q1"], "another", [1, 2])])
