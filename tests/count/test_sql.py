"""SQL: PostgreSQL and SQLite obey the laws of every engine, and fail in words."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pytest

import frankly as fk
from frankly.count import ArrayEngine, Engine, PostgresEngine, Query, SqliteEngine
from frankly.count.select import quoted
from frankly.design import Attribute, Design
from frankly.errors import DesignError, EngineError, ReportError, ValueRefusedError
from tests.count.engine_laws import TWO, EngineLaws
from tests.live import Postgres

REPORTS = pa.table({"ill": ["yes", "no", "no"], "sex": ["f", "f", "m"]})
KINDS = {"string": "text", "int64": "bigint", "double": "double precision", "bool": "boolean"}
KINDS |= {"float": "real"}


@pytest.fixture(scope="module")
def url(postgres: Postgres) -> str:
    """One database for all tests here."""
    return postgres.database()


def fill(connection: Any, table: pa.Table, mark: str) -> None:
    """Make a table called reports and put the rows in."""
    columns = [f"{quoted(name)} {KINDS[str(table[name].type)]}" for name in table.column_names]
    connection.execute("DROP TABLE IF EXISTS reports")
    connection.execute(f"CREATE TABLE reports ({', '.join(columns)})")
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    connection.cursor().executemany(
        f"INSERT INTO reports VALUES ({', '.join([mark] * len(columns))})", rows
    )
    connection.commit()


class TestPostgres(EngineLaws):
    @pytest.fixture(autouse=True)
    def server(self, url: str) -> None:
        self.url = url

    @contextmanager
    def opened(self, design: Design, table: pa.Table) -> Iterator[Engine]:
        with psycopg.connect(self.url) as connection:
            fill(connection, table, "%s")
        with PostgresEngine(design, self.url, "public.reports") as engine:
            yield engine


class TestSqlite(EngineLaws):
    rows = True

    @pytest.fixture(autouse=True)
    def file(self, tmp_path: Path) -> None:
        self.path = tmp_path / "survey.sqlite"

    @contextmanager
    def opened(self, design: Design, table: pa.Table) -> Iterator[Engine]:
        with closing(sqlite3.connect(self.path)) as connection:
            fill(connection, spoken(design, table), "?")
        with SqliteEngine(design, self.path, "reports") as engine:
            yield engine


def spoken(design: Design, table: pa.Table) -> pa.Table:
    """Write truth values as words: SQLite knows no others."""
    for i, name in enumerate(table.column_names):
        if pa.types.is_boolean(table[name].type):
            words = [design[name].values[value] for value in table[name].to_pylist()]
            table = table.set_column(i, name, pa.chunked_array([words]))
    return table


def test_a_url_names_database_and_table(url: str, tmp_path: Path) -> None:
    path = tmp_path / "my survey.sqlite"
    with closing(sqlite3.connect(path)) as lite, psycopg.connect(url) as connection:
        fill(lite, REPORTS, "?")
        fill(connection, REPORTS, "%s")
    for source in (f"{url}#public.reports", f"{url}#reports", f"sqlite:///{path}#reports"):
        with fk.open(source, TWO) as engine:
            assert engine.count([Query("ill")])[0].table.tolist() == [2, 1]
    for source in (url, f"sqlite:///{path}"):
        with fk.open(source, TWO, table="reports") as engine:
            assert engine.count([Query("ill")])[0].table.tolist() == [2, 1]
        with pytest.raises(DesignError, match="#reports"):
            fk.open(source, TWO)


def test_a_connection_of_the_users_stays_open_and_in_its_transaction(url: str) -> None:
    with psycopg.connect(url) as connection:
        fill(connection, REPORTS, "%s")
        connection.execute("INSERT INTO reports VALUES ('yes', 'm')")
        with fk.open(connection, TWO, table="reports") as engine:
            assert engine.count([Query("ill")])[0].table.tolist() == [2, 2]
        connection.rollback()
        assert fk.open(connection, TWO, table="reports").count([Query("ill")])[0].n == 3
    with closing(sqlite3.connect(":memory:")) as lite:
        fill(lite, REPORTS, "?")
        with fk.open(lite, TWO, table="reports") as engine:
            assert engine.count([Query("ill")])[0].n == 3
        assert lite.execute("SELECT 1").fetchone() == (1,)


class Lengths(psycopg.adapt.Loader):
    """Read a value as nothing but its length."""

    def load(self, data: Any) -> Any:
        return [len(data)]


def test_a_connection_may_read_rows_in_ways_of_its_own(url: str) -> None:
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as connection:
        for kind in ("int4", "int8", "text"):
            connection.adapters.register_loader(kind, Lengths)
        fill(connection, REPORTS, "%s")
        engine = fk.open(connection, TWO, table="reports")
        assert engine.count([Query("ill")])[0].table.tolist() == [2, 1]
    with closing(sqlite3.connect(":memory:")) as lite:
        fill(lite, REPORTS, "?")
        lite.row_factory = lambda cursor, row: {
            column[0]: value for column, value in zip(cursor.description, row, strict=True)
        }
        engine = fk.open(lite, TWO, table="reports")
        assert engine.count([Query("ill")])[0].table.tolist() == [2, 1]
        assert isinstance(lite.execute("SELECT 1 AS one").fetchone(), dict)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("numeric", ["1", "0.50", "0.0000001"]),
        ("numeric(6, 2)", ["1.00", "-0.50"]),
        ("real", ["0.1", "1.0", "1e-07"]),
        ("date", ["2020-01-31", "infinity"]),
        ("timestamptz", ["2020-01-31 10:00:00.5+00", "2020-01-31 10:00:00+00"]),
        ("char(3)", ["f  ", "men"]),
        ("jsonb", ['"f"', "1.0"]),
        ("interval", ["1 day", "1 mon"]),
        ("bytea", [r"\x6601", r"\x6d"]),
    ],
)
def test_a_condition_matches_what_the_server_writes(
    url: str, kind: str, labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    design = Design([Attribute("a", labels), Attribute("sex", ["f", "m"])])
    queries = [Query("a"), *(Query("sex", where=[("a", label)]) for label in labels)]
    monkeypatch.setattr(PostgresEngine, "limit", 1)
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS reports; SET timezone TO 'UTC'")
        connection.execute(f"CREATE TABLE reports (a {kind}, sex text)")
        for label in labels:
            connection.execute(f"INSERT INTO reports VALUES ('{label}', 'f')")
        counted = fk.open(connection, design, table="reports").count(queries)
        assert counted[0].table.tolist() == [1] * len(labels)
        assert [one.n for one in counted[1:]] == [1] * len(labels)
        connection.rollback()


def test_what_cannot_be_read_is_told_without_its_value(url: str) -> None:
    design = Design([Attribute("day", ["2020-01-31", "2020-02-29"])])
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS reports")
        connection.execute("CREATE TABLE reports AS SELECT date '12345-06-07' AS day")
        with pytest.raises(ValueRefusedError, match="none of the 2") as refused:
            fk.open(connection, design, table="reports").count([Query("day")])
        assert "12345" not in str(refused.value)
        connection.rollback()
    with closing(sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)) as lite:
        lite.execute("CREATE TABLE reports (day NUMBER)")
        lite.execute("INSERT INTO reports VALUES ('secret')")
        sqlite3.register_converter("NUMBER", int)
        try:
            with pytest.raises(EngineError) as failed:
                fk.open(lite, design, table="reports").count([Query("day")])
        finally:
            sqlite3.converters.pop("NUMBER")
        assert "secret" not in str(failed.value)
        assert failed.value.__cause__ is None


def test_all_tables_of_a_call_are_of_one_moment_and_one_round_trip(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(url) as connection:
        fill(connection, REPORTS, "%s")
    asked = []
    with PostgresEngine(TWO, url, "reports") as engine:
        monkeypatch.setattr(PostgresEngine, "limit", 1)
        plain = PostgresEngine.ask

        def ask(self: PostgresEngine, many: Sequence[str]) -> list[Any]:
            asked.append(len(many))
            return plain(self, many)

        monkeypatch.setattr(PostgresEngine, "ask", ask)
        engine.count([Query("ill", where=[("sex", sex)]) for sex in "fm"])
        assert asked == [1, 3], "the columns once, then both conditions and the check together"


def test_many_attributes_need_several_queries_of_one_trip(url: str) -> None:
    design = Design([Attribute(f"q{i}", ["no", "yes"]) for i in range(70)])
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2, (50, 70))
    reports = {f"q{i}": [("no", "yes")[bit] for bit in bits[:, i]] for i in range(70)}
    with psycopg.connect(url) as connection:
        fill(connection, pa.table(reports), "%s")
    queries = [Query(f"q{i}") for i in range(70)]
    with PostgresEngine(design, url, "reports") as engine:
        assert engine.count(queries) == ArrayEngine(design, reports).count(queries)


def test_a_database_that_drops_the_connection_is_an_error_without_its_words(url: str) -> None:
    with psycopg.connect(url) as connection:
        fill(connection, REPORTS, "%s")
        connection.execute("DROP VIEW IF EXISTS slow")
        connection.execute(
            "CREATE VIEW slow AS SELECT ill, sex FROM reports WHERE pg_sleep(20) IS NOT NULL"
        )
    engine = PostgresEngine(TWO, url, "slow")
    pid = engine.connection.info.backend_pid

    def drop() -> None:
        with psycopg.connect(url, autocommit=True) as other:
            busy = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'"
            while not other.execute(busy, [pid]).fetchone():
                time.sleep(0.05)
            other.execute("SELECT pg_terminate_backend(%s)", [pid])

    killer = threading.Thread(target=drop)
    killer.start()
    with pytest.raises(EngineError, match="did it stay there") as refused:
        engine.count([Query("ill")])
    killer.join()
    assert "127.0.0.1" not in str(refused.value)
    with psycopg.connect(url) as connection:
        connection.execute("DROP VIEW slow")


def test_a_server_that_is_not_there_is_told_without_its_address() -> None:
    with pytest.raises(EngineError, match="Is the server there") as refused:
        fk.open("postgresql://me:hidden@127.0.0.1:1/survey#reports", TWO)
    assert "hidden" not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)


def test_a_table_or_a_file_that_is_not_there_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="such a table"), fk.open(f"{url}#nothing", TWO) as engine:
        engine.count([Query("ill")])
    with pytest.raises(EngineError):
        fk.open(f"sqlite:///{tmp_path}/none.sqlite#reports", TWO)
    assert list(tmp_path.iterdir()) == [], "no empty database is made"


def test_values_of_mixed_kinds_in_sqlite_are_compared_by_their_text() -> None:
    design = Design([Attribute("a", ["1", "x"])])
    with closing(sqlite3.connect(":memory:")) as lite:
        lite.execute("CREATE TABLE reports (a)")
        lite.executemany("INSERT INTO reports VALUES (?)", [(1,), ("x",), ("1",)])
        engine = fk.open(lite, design, table="reports")
        assert engine.count([Query("a")])[0].table.tolist() == [2, 1]
        lite.execute("INSERT INTO reports VALUES (NULL)")
        with pytest.raises(ReportError, match="row 4"):
            engine.count([Query("a")])
