"""The array engine: any frame, one pass, and the same numbers as a loop."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frankly.count import ArrayEngine, Engine, Query, engine_for
from frankly.count.plan import CACHED, plan
from frankly.design import Attribute, Design, Form
from frankly.errors import (
    DesignError,
    FingerprintError,
    NotAskedError,
    ReportError,
    ValueRefusedError,
)
from tests.count.surveys import Reports, all_queries, by_hand, surveys

TWO = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])
ARMS = Design(TWO.attributes, forms=[Form(clear=["ill", "sex"]), Form(clear=["ill"])])


@given(surveys(), st.integers(0, 99))
def test_counts_equal_those_of_a_loop(survey: tuple[Design, Reports], seed: int) -> None:
    design, reports = survey
    queries = all_queries(design, np.random.default_rng(seed))
    counted = ArrayEngine(design, reports).count(queries)
    assert counted == [by_hand(design, reports, query) for query in queries]


@given(surveys(), st.integers(0, 99))
def test_a_small_cache_and_small_blocks_change_nothing(
    survey: tuple[Design, Reports], seed: int
) -> None:
    design, reports = survey
    queries = all_queries(design, np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("frankly.count.plan"), "CACHED", 4)
        patch.setattr(importlib.import_module("frankly.count.accumulate"), "BLOCK", 7)
        counted = ArrayEngine(design, reports).count(queries)
    assert counted == [by_hand(design, reports, query) for query in queries]


@given(surveys(), st.integers(0, 60), st.integers(0, 99))
def test_counts_add(survey: tuple[Design, Reports], cut: int, seed: int) -> None:
    design, reports = survey
    queries = all_queries(design, np.random.default_rng(seed))
    parts = [{n: c[:cut] for n, c in reports.items()}, {n: c[cut:] for n, c in reports.items()}]
    first, second = (ArrayEngine(design, part).count(queries) for part in parts)
    whole = ArrayEngine(design, reports).count(queries)
    assert [a + b for a, b in zip(first, second, strict=True)] == whole


@given(surveys())
def test_margins_of_counts_are_counts_of_margins(survey: tuple[Design, Reports]) -> None:
    design, reports = survey
    engine = ArrayEngine(design, reports)
    names = design.forms[0].names
    whole = engine.count([Query(names)])[0]
    for k in range(len(names) + 1):
        backwards = names[:k][::-1]
        assert whole.margin(backwards) == engine.count([Query(backwards)])[0]


def test_fourteen_tables_with_the_class_take_three_jobs() -> None:
    sizes = [2, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 14, 16, 16]
    attributes = [Attribute(f"q{i}", [str(v) for v in range(k)]) for i, k in enumerate(sizes)]
    design = Design([*attributes, Attribute("ill", ["no", "yes"])])
    jobs = plan(design, [Query([attribute.name, "ill"]) for attribute in attributes])
    assert len(jobs) == 3
    assert all(np.prod(design.sizes(job.names)) <= CACHED for job in jobs)


KINDS: dict[str, Callable[[Reports], Any]] = {
    "dict of lists": lambda reports: reports,
    "dict of arrays": lambda reports: {n: np.array(column) for n, column in reports.items()},
    "arrow": pa.table,
    "arrow dictionaries": lambda reports: pa.table(
        {n: pa.array(column).dictionary_encode() for n, column in reports.items()}
    ),
    "arrow in two batches": lambda reports: pa.concat_tables(
        [pa.table(reports)[:1], pa.table(reports)[1:]]
    ),
    "pandas": pd.DataFrame,
    "pandas objects": lambda reports: pd.DataFrame(reports, dtype=object),
    "pandas categories": lambda reports: pd.DataFrame(reports, dtype="category"),
    "polars": pl.DataFrame,
    "polars categories": lambda reports: pl.DataFrame(reports).cast(pl.Categorical),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_any_frame_will_do(kind: Callable[[Reports], Any]) -> None:
    reports: Reports = {"ill": ["yes", "no", "yes"], "sex": ["f", "m", "m"]}
    engine = engine_for(TWO, kind(reports))
    assert isinstance(engine, Engine)
    assert engine.count([Query(["ill", "sex"])])[0].table.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_null_where_the_form_did_not_ask_is_no_answer(kind: Callable[[Reports], Any]) -> None:
    if kind in (KINDS["polars categories"], KINDS["pandas categories"]):
        reports: Reports = {"form": ["0", "1", "0"]}
    else:
        reports = {"form": [0, 1, 0]}
    reports |= {"ill": ["yes", "no", "yes"], "sex": ["f", None, "m"]}
    both, one = ArrayEngine(ARMS, kind(reports)).count([Query(["ill", "sex"]), Query("ill", 1)])
    assert both.table.tolist() == [[0, 0], [1, 1]]
    assert one.table.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        (["0", "1"], [1, 0, 1]),
        (["0", "1"], [1.0, 0.0, 1.0]),
        (["0", "1"], np.array([1, 0, 1], dtype=np.uint8)),
        (["0", "1"], np.array([1, 0, 1], dtype=np.int8)),
        (["false", "true"], [True, False, True]),
        (["False", "True"], [True, False, True]),
        (["7", "3"], np.array([3, 7, 3], dtype=np.uint8)),
    ],
)
def test_numbers_and_truth_values_are_read_by_their_text(values: list[str], column: Any) -> None:
    design = Design([Attribute("ill", values)])
    assert ArrayEngine(design, {"ill": column}).count([Query("ill")])[0].table.tolist() == [1, 2]


def test_small_numbers_are_labels_and_not_taken_for_codes() -> None:
    with pytest.raises(ValueRefusedError, match='row 1, column "ill"'):
        ArrayEngine(TWO, {"ill": np.array([0, 1], dtype=np.uint8)}).count([Query("ill")])


def test_a_question_with_a_thousand_values_is_counted() -> None:
    design = Design([Attribute("town", [f"t{i}" for i in range(1000)])])
    column = [f"t{i}" for i in range(1000)] + ["t999"]
    table = ArrayEngine(design, {"town": column}).count([Query("town")])[0].table
    assert table.tolist() == [1] * 999 + [2]


SECRETS = {
    "unknown": ["no", "yes", "has-HIV"],
    "missing": ["no", "yes", None],
    "mixed": ["no", "yes", 4711],
    "a number": np.array([0.0, 1.0, 47.11]),
}


@pytest.mark.parametrize("column", SECRETS.values(), ids=SECRETS.keys())
def test_a_refused_value_is_named_by_row_and_column_and_never_shown(column: Any) -> None:
    design = Design([Attribute("ill", ["no", "yes", "0", "1"])])
    with pytest.raises(ReportError, match='column "ill"') as refused:
        ArrayEngine(design, {"ill": column}).count([Query("ill")])
    for secret in ("HIV", "4711", "47.11"):
        assert secret not in str(refused.value)
    if not (isinstance(column, list) and 4711 in column):
        assert "row 3" in str(refused.value)


def test_the_row_of_a_refused_value_is_that_of_the_table_also_with_several_forms() -> None:
    reports = {"form": [1, 0, 1, 0], "ill": ["no"] * 4, "sex": [None, "f", None, None]}
    with pytest.raises(ValueRefusedError, match='row 4, column "sex": the value is missing'):
        ArrayEngine(ARMS, reports).count([Query("sex")])


def test_a_form_the_design_does_not_have_is_refused() -> None:
    with pytest.raises(ValueRefusedError, match='row 2, column "form"'):
        ArrayEngine(ARMS, {"form": [0, 2], "ill": ["no", "no"]})


def test_tables_that_do_not_fit_the_design_are_refused() -> None:
    with pytest.raises(ReportError, match="form"):
        ArrayEngine(ARMS, {"ill": ["no"]})
    with pytest.raises(ReportError, match="none of the columns"):
        ArrayEngine(TWO, {"age": [1]})
    with pytest.raises(ReportError, match='"sex" is missing'):
        ArrayEngine(TWO, {"ill": ["no"]}).count([Query("sex")])
    twice = pa.table([["no"], ["no"]], names=["ill", "ill"])
    with pytest.raises(ReportError, match="more than once"):
        ArrayEngine(TWO, twice).count([Query("ill")])
    with pytest.raises(ReportError, match="differ in length"):
        ArrayEngine(TWO, {"ill": ["no"], "sex": ["f", "m"]}).count([Query(["ill", "sex"])])
    with pytest.raises(ReportError, match="named columns"):
        ArrayEngine(TWO, 7)


def test_queries_that_no_form_answers_are_refused() -> None:
    engine = ArrayEngine(ARMS, {"form": [0], "ill": ["no"], "sex": ["f"]})
    for query in (Query("sex", 1), Query("age"), Query("ill", 2), Query("ill", 1, [("sex", "f")])):
        with pytest.raises(NotAskedError):
            engine.count([query])
    with pytest.raises(DesignError, match="repeats"):
        engine.count([Query(["ill", "ill"])])
    with pytest.raises(DesignError, match="nothing could ever match"):
        engine.count([Query("ill", where=[("sex", "x")])])


def test_codes_are_taken_as_they_are_and_checked() -> None:
    codes = {"ill": np.array([0, 1, 1]), "sex": np.array([1, 1, 9])}
    form = np.array([0, 0, 1])
    both, one = ArrayEngine.from_codes(ARMS, codes, form).count([Query(TWO.names), Query("ill", 1)])
    assert both.table.tolist() == [[0, 1], [0, 1]]
    assert one.table.tolist() == [0, 1]
    with pytest.raises(ValueRefusedError, match='row 3 of "sex"'):
        ArrayEngine.from_codes(TWO, codes).count([Query("sex")])
    with pytest.raises(ReportError, match="whole numbers"):
        ArrayEngine.from_codes(TWO, {"ill": np.array([0.5])}).count([Query("ill")])
    with pytest.raises(ReportError, match="several forms"):
        ArrayEngine.from_codes(ARMS, codes)


def test_a_table_that_states_another_design_is_refused() -> None:
    stated = pa.table({"ill": ["no"]}).replace_schema_metadata({"frankly.fingerprint": "ab" * 32})
    with pytest.raises(FingerprintError, match="abababababab"):
        ArrayEngine(TWO, stated)
    frame = pd.DataFrame({"ill": ["no"]})
    frame.attrs["frankly_fingerprint"] = "ab" * 32
    with pytest.raises(FingerprintError, match="abababababab"):
        ArrayEngine(TWO, frame)
    with pytest.raises(FingerprintError):
        engine_for(TWO, ArrayEngine(ARMS, {"form": [0], "ill": ["no"]}))
