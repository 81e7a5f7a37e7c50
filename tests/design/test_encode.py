"""Encode: truths by their words, merged words and bins; nothing else is let in."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frankly.design import Attribute, encode_truths, smallest_type
from frankly.design.encode import Column
from frankly.errors import ReportError, ValueRefusedError

AGE = Attribute("age", bins=[30, 50])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sets(st.integers(-99, 99), min_size=1))
def test_a_number_falls_above_every_cut_that_it_reaches(
    numbers: list[float], cuts: set[int]
) -> None:
    attribute = Attribute("age", bins=sorted(cuts))
    expected = [sum(number >= cut for cut in cuts) for number in numbers]
    assert encode_truths(attribute, numbers).tolist() == expected


@pytest.mark.parametrize(
    "column",
    [
        [29, 30, 50],
        np.array([29.9, 30.0, 1e9]),
        pa.chunked_array([[29], [30, 64]]),
        pa.array([29, 30, 64]).dictionary_encode(),
        pd.Series([29, 30, 64]),
        ["under 30", "30 to under 50", "50 and over"],
    ],
)
def test_ages_are_cut_whatever_they_come_in(column: Any) -> None:
    assert encode_truths(AGE, column).tolist() == [0, 1, 2]


def test_merged_words_count_as_their_value_in_whatever_order_they_come() -> None:
    finer = {"widowed": "single", "separated": "single"}
    lives = Attribute("lives", ["married", "single"], merged=finer)
    words = ["separated", "married", "single", "widowed", "married"]
    for column in (words, pa.array(words).dictionary_encode(), pd.Series(words, dtype="category")):
        assert encode_truths(lives, column).tolist() == [1, 0, 1, 1, 0]


@given(st.data(), st.integers(2, 400))
def test_codes_are_positions_for_any_number_of_values(data: st.DataObject, size: int) -> None:
    values = [f"v{i}" for i in range(size)]
    codes = data.draw(st.lists(st.integers(0, size - 1), max_size=30))
    column = Column.read("q", pa.chunked_array([pa.array([values[c] for c in codes], pa.string())]))
    found = column.codes(values)
    assert found.tolist() == codes
    assert found.dtype == smallest_type(size) == (np.uint8 if size <= 256 else np.uint16)


@pytest.mark.parametrize(
    ("attribute", "column", "row"),
    [
        (AGE, [29, None], 2),
        (AGE, [float("nan"), 3.0], 1),
        (AGE, ["under 30", "4711"], 2),
        (Attribute("ill", ["no", "yes"]), ["no", "no", "4711"], 3),
        (Attribute("ill", ["no", "yes"]), ["no", None], 2),
        (Attribute("ill", ["no", "yes"]), pd.Series(["no", None, "no"], dtype="category"), 2),
        (Attribute("ill", ["0", "1"]), [0, 1, 4711], 3),
        (Attribute("ill", ["0", "1"]), np.array([0.0, 1.0, np.nan]), 3),
    ],
)
def test_what_does_not_fit_is_refused_by_row_and_never_shown(
    attribute: Attribute, column: Any, row: int
) -> None:
    with pytest.raises(ValueRefusedError, match=f"t.csv, row {row + 100}, column") as refused:
        encode_truths(attribute, column, place="t.csv", before=100)
    assert "4711" not in str(refused.value)


def test_a_column_of_mixed_kinds_is_refused_without_its_values() -> None:
    with pytest.raises(ReportError, match='"ill" cannot be read') as refused:
        encode_truths(Attribute("ill", ["no", "yes"]), ["no", 4711])
    assert "4711" not in str(refused.value)


def test_a_word_that_no_row_uses_does_no_harm() -> None:
    unused = pd.Series(["no", "yes"], dtype=pd.CategoricalDtype(["unknown", "yes", "no"]))
    assert encode_truths(Attribute("ill", ["no", "yes"]), unused).tolist() == [0, 1]
