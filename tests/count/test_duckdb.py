"""DuckDB: the laws of every engine, and what is its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from frankly.count import Engine, Query
from frankly.count.duckdb import DuckDBEngine, keep_room
from frankly.design import Attribute, Design
from frankly.errors import DesignError, EngineError, FingerprintError, ReportError
from tests.count.engine_laws import TWO, EngineLaws

REPORTS = pa.table({"ill": ["yes", "no", "no"], "sex": ["f", "f", "m"]})


class TestDuckDB(EngineLaws):
    @contextmanager
    def opened(self, design: Design, table: pa.Table) -> Iterator[Engine]:
        with DuckDBEngine(design, table) as engine:
            yield engine


def ill(engine: Engine) -> list[int]:
    table: list[int] = engine.count([Query("ill")])[0].table.tolist()
    return table


def test_parquet_and_csv_files_are_read_where_they_are(tmp_path: Path) -> None:
    for name in ("it's a.parquet", "b.parquet"):
        pq.write_table(REPORTS, tmp_path / name)
    pyarrow.csv.write_csv(REPORTS, tmp_path / "c.csv")
    sources: list[tuple[Any, list[int]]] = [
        (tmp_path / "b.parquet", [2, 1]),
        (str(tmp_path / "*.parquet"), [4, 2]),
        (tmp_path, [4, 2]),
        ([tmp_path / "it's a.parquet", tmp_path / "b.parquet"], [4, 2]),
        (tmp_path / "c.csv", [2, 1]),
    ]
    for source, expected in sources:
        with DuckDBEngine(TWO, source) as engine:
            assert ill(engine) == expected
    with pytest.raises(ReportError, match="one kind"):
        DuckDBEngine(TWO, [tmp_path / "b.parquet", tmp_path / "c.csv"])


def test_an_empty_field_of_a_csv_file_is_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text('ill,sex\nno,f\n"",m\n')
    engine = DuckDBEngine(TWO, tmp_path / "c.csv")
    with pytest.raises(ReportError, match="missing"):
        ill(engine)


def tabled(path: Path, text: str, *, x: list[str], s: list[str]) -> list[list[int]]:
    """Count what a file holds, as it stands there."""
    path.write_text(text, newline="")
    design = Design([Attribute("x", x), Attribute("s", s)])
    with DuckDBEngine(design, path) as engine:
        return [counts.table.tolist() for counts in engine.count([Query("x"), Query("s")])]


def test_nothing_about_a_csv_file_is_guessed(tmp_path: Path) -> None:
    a, fm = tmp_path / "a.csv", ["f", "m"]
    both = "x,s\n" + "a,f\n'a',m\n" * 100
    assert tabled(a, both, x=["a", "'a'"], s=fm) == [[100, 100], [100, 100]]
    tabs = both.replace(",", "\t")
    assert tabled(tmp_path / "a.tsv", tabs, x=["a", "'a'"], s=fm) == [[100, 100], [100, 100]]
    hashes = "x,s\n" + "a,f\n#b,m\n" * 3
    assert tabled(a, hashes, x=["a", "#b"], s=fm) == [[3, 3], [3, 3]]
    numbers = "\ufeffs,X,x\r\n2020,9,2021\r\n"
    assert tabled(a, numbers, x=["2020", "2021"], s=["2020", "2021"]) == [[0, 1], [1, 0]]
    a.write_text("x\na;b\nc;d\n")
    assert DuckDBEngine(Design([Attribute("x", ["a;b", "c;d"])]), a).count([Query("x")])[0].n == 2
    with pytest.raises(ReportError, match="differ in capitals"):
        DuckDBEngine(Design([Attribute(name, ["a", "b"]) for name in "xX"]), a)


def test_csv_files_with_columns_in_another_order_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ill,sex\nyes,f\n")
    (tmp_path / "b.csv").write_text("sex,name,ill\nm,x,no\nf,y,no\n")
    with DuckDBEngine(TWO, str(tmp_path / "*.csv")) as engine:
        assert engine.count([Query(["ill", "sex"])])[0].table.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize("row", ["a\n", "#b\n", "a,f,f\n", 'a,"f\n', "a,f\r\n"])
def test_a_torn_csv_file_is_named_among_others(tmp_path: Path, row: str) -> None:
    text = "ill,sex\n" + "no,f\n" * 5
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text(text + row, newline="")
    with pytest.raises(ReportError, match=r"b\.csv cannot be read"):
        ill(DuckDBEngine(TWO, str(tmp_path / "*.csv")))


def test_a_connection_a_relation_and_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("reports", REPORTS)
        connection.execute("CREATE SCHEMA s; CREATE TABLE s.kept AS SELECT * FROM reports")
        with DuckDBEngine(TWO, connection, table="s.kept") as engine:
            assert ill(engine) == [2, 1]
        relation = connection.sql("SELECT * FROM s.kept WHERE sex = 'f'")
        assert ill(DuckDBEngine(TWO, relation)) == [1, 1]
        assert connection.execute("SELECT 1").fetchone() == (1,), "the user's own is left open"
    with DuckDBEngine(TWO, path, table="s.kept") as engine:
        assert ill(engine) == [2, 1]
    with pytest.raises(DesignError, match="which one"):
        DuckDBEngine(TWO, path)
    with pytest.raises(EngineError, match="such a table"):
        ill(DuckDBEngine(TWO, path, table="other"))


def test_the_memory_limit_is_honoured() -> None:
    with DuckDBEngine(TWO, REPORTS, memory="123MB") as engine:
        found = engine.ask("SELECT current_setting('memory_limit')").column(0).to_pylist()
        assert found == ["117.3 MiB"]
        fetched = engine.ask("SELECT current_setting('autoinstall_known_extensions')")
        assert fetched.column(0).to_pylist() == [False]


def test_threads_are_no_more_than_there_is_memory_for() -> None:
    for limit, expected in {"200MB": 4, "60MB": 1, "10MB": 1, "1GB": 16}.items():
        with duckdb.connect(config={"memory_limit": limit, "threads": 16}) as connection:
            keep_room(connection)
            assert connection.execute("SELECT current_setting('threads')").fetchone() == (expected,)
    with DuckDBEngine(TWO, REPORTS, memory="60MB") as engine:
        assert engine.ask("SELECT current_setting('threads')").column(0).to_pylist() == [1]


def test_a_file_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    pq.write_table(REPORTS, tmp_path / "a.parquet")
    pq.write_table(REPORTS.select(["ill"]), tmp_path / "b.parquet")
    with pytest.raises(ReportError, match=r"b\.parquet needs exactly one column .*sex"):
        DuckDBEngine(TWO, tmp_path)


def test_reports_of_another_design_are_refused(tmp_path: Path) -> None:
    other = Design([Attribute("ill", ["no", "yes", "perhaps"])])
    stated = REPORTS.replace_schema_metadata({"frankly.fingerprint": other.fingerprint})
    pq.write_table(stated, tmp_path / "a.parquet")
    pyarrow.csv.write_csv(REPORTS, tmp_path / "a.csv")
    other.save(tmp_path / "a.csv.design.json")
    for source in (tmp_path / "a.parquet", tmp_path / "a.csv", stated):
        with pytest.raises(FingerprintError):
            DuckDBEngine(TWO, source)
    TWO.save(tmp_path / "a.csv.design.json")
    assert ill(DuckDBEngine(TWO, tmp_path / "a.csv")) == [2, 1]


def test_a_damaged_file_is_refused_without_its_words(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"ill": ["no", "yes"] * 5000, "sex": ["f"] * 10000}), path)
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(56)
    path.write_bytes(data)
    with pytest.raises(EngineError, match=r"could not count a\.parquet"):
        ill(DuckDBEngine(TWO, path))


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(EngineError, match=r"pip install 'frankly\[duckdb\]'"):
        DuckDBEngine(TWO, REPORTS)
