"""Tables: the same kind comes out, nothing else is sent, and nothing is guessed."""

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import frankly as fk
from frankly.errors import ReportError, ValueRefusedError
from tests.strategies import designs

ATTRIBUTES = [
    fk.Attribute("ill", ["no", "yes"]),
    fk.Attribute("visits", ["0", "1", "2"]),
    fk.Attribute("age", bins=[30, 50]),
    fk.Attribute("lives", ["single", "married"], merged={"widowed": "single"}),
    fk.Attribute("smokes", ["False", "True"]),
]
ONE = fk.Design(
    ATTRIBUTES,
    groups=[
        fk.Group(["ill", "visits"], fk.Unrelated(0.7)),
        fk.Group(["age"], fk.Uniform(0.5)),
        fk.Group(["smokes"], fk.Flip(0.8)),
    ],
)
TWO = fk.Design(
    ATTRIBUTES,
    forms=[
        fk.Form([fk.Group(["ill"], fk.Crosswise(0.3))], ["visits", "lives"]),
        fk.Form([fk.Group(["ill"], fk.Unrelated(0.5))], ["age", "smokes"], weight=2),
    ],
)
ROWS = 300
CHANCE = np.random.default_rng(3)
TRUTHS: dict[str, list[Any]] = {
    "ill": CHANCE.choice(["no", "yes"], ROWS).tolist(),
    "visits": CHANCE.integers(0, 3, ROWS).tolist(),
    "age": CHANCE.uniform(18, 90, ROWS).tolist(),
    "lives": CHANCE.choice(["single", "married", "widowed"], ROWS).tolist(),
    "smokes": CHANCE.choice([True, False], ROWS).tolist(),
    "address": [f"{row} High Street" for row in range(ROWS)],
}
KINDS = {
    "dict": lambda columns: columns,
    "arrow table": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
}


def as_dict(frame: Any) -> dict[str, list[Any]]:
    """Read any kind of table as a dict of lists, missing values as None."""
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    read: dict[str, list[Any]] = frame if isinstance(frame, dict) else frame.to_pydict()
    return read


@pytest.mark.parametrize("design", [ONE, TWO], ids=["one form", "two forms"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_the_same_kind_comes_out_with_the_same_reports(design: fk.Design, kind: Any) -> None:
    for own in (TRUTHS, {**TRUTHS, "form": [datetime(2026, 1, 1, tzinfo=UTC)] * ROWS}):
        truths = kind(own)
        reports = fk.randomize(design, truths, fk.Tape.seeded(1))
        assert type(reports) is type(truths)
        assert as_dict(reports) == fk.randomize(design, TRUTHS, fk.Tape.seeded(1))


def test_only_what_the_design_asks_is_sent() -> None:
    assert list(fk.randomize(ONE, TRUTHS)) == list(ONE.names)
    assert list(fk.randomize(TWO, TRUTHS)) == [*TWO.names, "form"]
    assert "High Street" not in str(fk.randomize(ONE, pa.table(TRUTHS)).to_pydict())


def test_what_a_form_does_not_ask_is_null_and_everything_else_is_there() -> None:
    reports = fk.randomize(TWO, TRUTHS)
    for row, form in enumerate(reports["form"]):
        there = {name for name in TWO.names if reports[name][row] is not None}
        assert there == set(TWO.forms[form].names)
    assert set(reports["form"]) == {0, 1}


@pytest.mark.parametrize("kind", [pa.table, pa.RecordBatch.from_pydict, pd.DataFrame, pl.DataFrame])
def test_the_truth_does_not_lie_beneath_what_is_null(kind: Any) -> None:
    """Arrow writes the bytes beneath a null too, to Feather files and to other programs."""
    names = ["ill", "drinks", "smokes"]
    asked = [fk.Attribute(name, ["no", "yes"]) for name in names]
    design = fk.Design.modules(asked, target="ill", mechanism=fk.Uniform(0.5))
    truths = {name: CHANCE.choice(["no", "yes"], ROWS).tolist() for name in names}
    forms = fk.randomize(design, truths, fk.Tape.seeded(4))["form"]
    others = dict(truths)
    for form, name in enumerate(names[1:]):
        pairs = zip(forms, truths[name], strict=True)
        others[name] = [own if at == form else "no" for at, own in pairs]
    sent = [fk.randomize(design, kind(own), fk.Tape.seeded(4)) for own in (truths, others)]
    assert others != truths
    assert as_bytes(sent[0]) == as_bytes(sent[1])


def as_bytes(frame: Any) -> bytes:
    """Write a table as a Feather file holds it."""
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write(frame)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def test_each_form_speaks_in_its_own_words() -> None:
    reports = fk.randomize(TWO, TRUTHS)
    seen: dict[int, set[str]] = {form: set() for form in (0, 1)}
    for form, word in zip(reports["form"], reports["ill"], strict=True):
        seen[form].add(word)
    assert seen == {0: {"same", "different"}, 1: {"no", "yes"}}


def test_numbers_become_bins_and_finer_words_their_merged_value() -> None:
    clear = fk.Design(ATTRIBUTES)
    reports = fk.randomize(clear, TRUTHS)
    ages = np.array(TRUTHS["age"])
    expected = np.select([ages < 30, ages < 50], ["under 30", "30 to under 50"], "50 and over")
    assert reports["age"] == expected.tolist()
    merged = [word if word == "married" else "single" for word in TRUTHS["lives"]]
    assert reports["lives"] == merged
    assert all(reports[name] == TRUTHS[name] for name in ("ill", "visits", "smokes"))


@given(designs(max_forms=3))
def test_a_seed_means_one_result_and_another_seed_another(design: fk.Design) -> None:
    truths = {a.name: [a.values[row % a.size] for row in range(64)] for a in design.attributes}
    first, again = (fk.randomize(design, truths, fk.Tape.seeded(5)) for _ in range(2))
    assert first == again


def test_without_a_tape_chance_is_new_every_time() -> None:
    # 300 people and three coins: equal by chance less than once in 2**200.
    assert fk.randomize(ONE, TRUTHS) != fk.randomize(ONE, TRUTHS)


def test_arrow_and_pandas_reports_carry_the_design() -> None:
    metadata = fk.randomize(ONE, pa.table(TRUTHS)).schema.metadata
    attrs = fk.randomize(ONE, pd.DataFrame(TRUTHS)).attrs
    for document, fingerprint in (
        (metadata[b"frankly.design"], metadata[b"frankly.fingerprint"].decode()),
        (attrs["frankly_design"], attrs["frankly_fingerprint"]),
    ):
        assert fk.Design.from_document(json.loads(document)) == ONE
        assert fingerprint == ONE.fingerprint


def test_arrow_reports_are_small_dictionaries_and_numbers_stay_numbers() -> None:
    schema = fk.randomize(ONE, pa.table(TRUTHS)).schema
    words = pa.dictionary(pa.int8(), pa.string())
    assert schema.types == [words, pa.int64(), words, words, pa.bool_()]


def test_pandas_keeps_index_and_types() -> None:
    truths = pd.DataFrame(TRUTHS, index=[f"p{row}" for row in range(ROWS)])
    truths["ill"] = truths["ill"].astype("category")
    truths["visits"] = truths["visits"].astype("int8")
    reports = fk.randomize(ONE, truths)
    assert reports.index.equals(truths.index)
    assert isinstance(reports["ill"].dtype, pd.CategoricalDtype)
    assert list(reports.dtypes.astype(str)[["visits", "smokes"]]) == ["int8", "bool"]
    some = fk.randomize(TWO, truths)
    assert list(some.dtypes.astype(str)[["visits", "smokes"]]) == ["Int8", "boolean"]


def test_polars_keeps_types() -> None:
    kinds: dict[Any, Any] = {
        "ill": pl.Categorical,
        "visits": pl.Int8,
        "lives": pl.Enum(["single", "married", "widowed"]),
    }
    reports = fk.randomize(TWO, pl.DataFrame(TRUTHS).cast(kinds))
    assert reports.schema["ill"] == pl.Categorical
    assert reports.schema["visits"] == pl.Int8
    assert reports.schema["lives"] == pl.Enum(["single", "married"])
    assert reports.schema["age"] == pl.String


def test_arrays_come_out_as_arrays() -> None:
    reports = fk.randomize(TWO, {name: np.array(column) for name, column in TRUTHS.items()})
    assert {type(column) for column in reports.values()} == {np.ndarray}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_an_empty_table_gives_empty_reports(kind: Any) -> None:
    nobody = {name: column[:0] for name, column in TRUTHS.items()}
    assert as_dict(fk.randomize(TWO, kind(nobody))) == {n: [] for n in (*TWO.names, "form")}


class Untouched(fk.Tape):
    """A tape that nobody may read."""

    def __init__(self) -> None:
        super().__init__(self.refuse)

    def refuse(self, n: int) -> Any:
        raise AssertionError(f"{n} words were drawn before the truths were checked")


BAD = {"unknown": ("ill", "perhaps"), "missing": ("smokes", None), "not a number": ("age", None)}


@pytest.mark.parametrize(("name", "value"), BAD.values(), ids=BAD.keys())
def test_a_bad_value_is_refused_by_row_and_column_before_anything_is_drawn(
    name: str, value: Any
) -> None:
    column = [*TRUTHS[name]]
    column[-1] = value
    with pytest.raises(ValueRefusedError, match=f'row {ROWS}, column "{name}"') as refused:
        fk.randomize(ONE, {**TRUTHS, name: column}, Untouched())
    assert "perhaps" not in str(refused.value)


def test_numbers_written_as_text_are_cut_and_others_refused_without_repeating_them() -> None:
    age = fk.Design([fk.Attribute("age", bins=[30, 50])])
    assert fk.randomize(age, {"age": ["29.9", " 30", "5e1"]})["age"] == list(age["age"].values)
    assert fk.randomize(age, {"age": ["under 30"]})["age"] == ["under 30"]
    for texts in (["29.9", "30", "5e1"], list(age["age"].values)):
        categories = pa.table({"age": pa.array(texts).dictionary_encode()})
        assert fk.randomize(age, categories)["age"].to_pylist() == list(age["age"].values)
        for kind in (pl.String, pl.Categorical, pl.Enum(texts)):
            frame = pl.DataFrame({"age": texts}).cast(kind)
            assert fk.randomize(age, frame)["age"].to_list() == list(age["age"].values)
    with pytest.raises(ValueRefusedError, match='row 2, column "age"') as refused:
        fk.randomize(age, {"age": ["29.9", "fortyish"]})
    assert "fortyish" not in str(refused.value)


def test_a_channel_with_many_reports_has_room_for_them() -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    many = fk.Design([ill], groups=[fk.Group(["ill"], fk.Kuk(0.7, 0.3, draws=400))])
    told = fk.randomize(many, {"ill": ["yes"] * 2000}, fk.Tape.seeded(1))["ill"]
    # 400 draws at 0.7 a person: the mean of 2,000 is 280 ± 0.2; six of those is 1 in 10**9.
    assert np.mean([int(red) for red in told]) == pytest.approx(280, abs=1.2)


def test_a_table_without_a_question_of_the_design_is_refused() -> None:
    with pytest.raises(ReportError, match='"smokes" is missing'):
        fk.randomize(ONE, {name: TRUTHS[name] for name in TRUTHS if name != "smokes"})


def test_columns_without_names_are_asked_by_their_numbers() -> None:
    design = fk.Design([fk.Attribute("0", ["no", "yes"]), fk.Attribute("1", ["a", "b"])])
    reports = fk.randomize(design, pd.DataFrame([["no", "a"], ["yes", "b"]]))
    assert reports.to_numpy().tolist() == [["no", "a"], ["yes", "b"]]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ReportError, match=r"frame\.collect"):
        fk.open(pl.LazyFrame(TRUTHS), ONE)
    with pytest.raises(ReportError, match="no plain value"):
        fk.randomize(ONE, pa.table({**TRUTHS, "ill": [["no"]] * ROWS}))
    with pytest.raises(ReportError, match="not ndarray"):
        fk.randomize(ONE, np.zeros((3, 5)))
