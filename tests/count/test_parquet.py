"""The Parquet engine: files of any size give what memory gives."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frankly.count import ArrayEngine, ParquetEngine, Query, engine_for
from frankly.design import Attribute, Design, Form
from frankly.errors import FingerprintError, ReportError, ValueRefusedError
from tests.count.surveys import Reports, all_queries, some_reports, surveys

TWO = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])


def arrow(design: Design, reports: Reports) -> pa.Table:
    """Make an Arrow table of text, also where a column is all null."""
    kinds = [(name, pa.string()) for name in design.names]
    kinds += [("form", pa.int64())] if "form" in reports else []
    return pa.table(reports, schema=pa.schema(kinds))


@given(surveys(), st.integers(1, 9), st.booleans(), st.integers(0, 99))
def test_files_count_as_memory_does(
    survey: tuple[Design, Reports], group: int, as_dictionaries: bool, seed: int
) -> None:
    design, reports = survey
    table = arrow(design, reports)
    if as_dictionaries:
        columns = [column.dictionary_encode() for column in table.columns]
        table = pa.table(columns, names=table.column_names)
    queries = all_queries(design, np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder, "a.parquet"), row_group_size=group)
        pq.write_table(arrow(design, reports), Path(folder, "b.parquet"))
        counted = ParquetEngine(design, folder).count(queries)
    once = ArrayEngine(design, reports).count(queries)
    assert counted == [a + b for a, b in zip(once, once, strict=True)]


def test_a_path_a_pattern_a_folder_and_a_list_name_files(tmp_path: Path) -> None:
    for name in ("w1", "w2"):
        pq.write_table(pa.table({"ill": ["no", "yes"]}), tmp_path / f"{name}.parquet")
    paths = [tmp_path / "w1.parquet", str(tmp_path / "w2.parquet")]
    sources = [tmp_path, str(tmp_path / "w?.parquet"), paths, [tmp_path / "w*"], paths[0]]
    found = [engine_for(TWO, one).count([Query("ill"), Query(())]) for one in sources]
    assert [ill.n for ill, _ in found] == [4, 4, 4, 4, 2]
    assert [everyone.n for _, everyone in found] == [4, 4, 4, 4, 2]


def test_several_blocks_of_a_wide_survey_add_to_whole_reports(tmp_path: Path) -> None:
    design = Design([Attribute(f"q{i}", ["no", "yes"]) for i in range(70)])
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 2, (500, 70))
    rows = kinds[rng.integers(0, 500, 300_000)]
    codes = {f"q{i}": rows[:, i].astype(np.uint8) for i in range(70)}
    labels = pa.array(["no", "yes"])
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(column.astype(np.int32)), labels)
        for name, column in codes.items()
    }
    pq.write_table(pa.table(columns), tmp_path / "wide.parquet")
    (counts,) = ParquetEngine(design, tmp_path).count([Query(design.names)])
    assert counts.n == 300_000
    assert len(counts.cells()[1]) == 500
    assert [counts] == ArrayEngine.from_codes(design, codes).count([Query(design.names)])


def test_a_refused_value_is_named_by_file_and_row(tmp_path: Path) -> None:
    column = ["no"] * 140_000 + ["has-HIV"]
    pq.write_table(pa.table({"ill": column}), tmp_path / "wave.parquet")
    with pytest.raises(ValueRefusedError, match=r'wave.parquet, row 140001, column "ill"') as bad:
        ParquetEngine(TWO, tmp_path).count([Query("ill")])
    assert "HIV" not in str(bad.value)


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    for name in ("a.parquet", "B.PARQUET"):
        pq.write_table(pa.table({"ill": ["no"]}), tmp_path / name)
    (tmp_path / "link.parquet").symlink_to(tmp_path / "a.parquet")
    a = tmp_path / "a.parquet"
    for paths, n in (([a, a], 1), ([tmp_path / "*.parquet", a], 1), (tmp_path, 2)):
        assert ParquetEngine(TWO, paths).count([Query("ill")])[0].n == n


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="there are no reports at"):
        ParquetEngine(TWO, tmp_path / "nothing*.parquet")
    pq.write_table(pa.table({"ill": ["no"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"age": ["no"]}), tmp_path / "b.parquet")
    with pytest.raises(ReportError, match=r"b.parquet needs .*'ill'"):
        ParquetEngine(TWO, tmp_path).count([Query("ill")])
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-9])
    with pytest.raises(ReportError, match=r"b.parquet cannot be read"):
        ParquetEngine(TWO, tmp_path)


def stated(path: Path, design: Design, reports: Reports) -> Path:
    """Write reports that state their design."""
    metadata = {
        "frankly.fingerprint": design.fingerprint,
        "frankly.design": json.dumps(design.document()),
    }
    pq.write_table(arrow(design, reports).replace_schema_metadata(metadata), path)
    return path


def test_reports_of_another_design_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mine = stated(tmp_path / "mine.parquet", TWO, some_reports(TWO, 9, rng))
    assert ParquetEngine(TWO, mine).count([Query("ill")])[0].n == 9
    other = Design([Attribute("ill", ["no", "yes", "both"]), TWO["sex"]])
    theirs = stated(tmp_path / "theirs.parquet", other, some_reports(other, 9, rng))
    with pytest.raises(FingerprintError, match=r"theirs.parquet .* made under"):
        ParquetEngine(TWO, [mine, theirs])


def test_a_second_wave_with_other_weights_adds_to_the_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    waves = [
        Design(TWO.attributes, forms=[Form(clear=["ill", "sex"], weight=w), Form(clear=["ill"])])
        for w in (1, 5)
    ]
    assert waves[0].fingerprint != waves[1].fingerprint
    for i, wave in enumerate(waves):
        stated(tmp_path / f"{i}.parquet", wave, some_reports(wave, 20, rng))
    both = ParquetEngine(waves[0], tmp_path).count([Query("ill", 0), Query("ill", 1)])
    assert sum(counts.n for counts in both) == 40
