"""SQL: any table of a PostgreSQL or SQLite database, by URL or by connection.

PostgreSQL groups the rows itself, all groupings of the same rows in one pass and all passes in
one round trip. SQLite knows no such groupings; reading the rows out and counting them here is
3.5 times as fast as one grouping after another.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from frankly.count.accumulate import Block, accumulate, needed, parted
from frankly.count.counts import Counts
from frankly.count.groups import Condition, GroupingEngine
from frankly.count.plan import Job
from frankly.count.query import Query
from frankly.count.select import by_number, by_text, grouped, quoted, table_name
from frankly.design import Column, Design
from frankly.design.spreadsheet import instead
from frankly.errors import DesignError, EngineError, FranklyError, ReportError

__all__ = ["PostgresEngine", "SqliteEngine", "is_url", "sql_engine"]

BATCH = 2**14
"""Rows read out of SQLite at a time."""

MASKED = 31
"""PostgreSQL tells apart groupings of this many columns in one query."""

POSTGRES = ("postgresql", "postgres")

READ = {
    "bool": "bool.BoolLoader",
    **dict.fromkeys(("int2", "int4", "int8"), "numeric.IntLoader"),
    **dict.fromkeys(("float4", "float8"), "numeric.FloatLoader"),
}
"""How values of PostgreSQL are read; those of other types are what the server writes."""


def is_url(source: Any) -> bool:
    """Tell whether a text is the address of a database.

    Examples
    --------
    >>> is_url("sqlite:///survey.sqlite"), is_url("reports.parquet")
    (True, False)
    """
    return isinstance(source, str) and urlsplit(source).scheme in (*POSTGRES, "sqlite")


def sql_engine(design: Design, source: Any, table: str | None = None) -> Any:
    """Open a table of a database.

    Parameters
    ----------
    design
        What the reports answer.
    source
        A URL (``postgresql://host/database#reports``, ``sqlite:///file.sqlite#reports``), or
        a connection of psycopg or sqlite3.
    table
        The table's name, perhaps with its schema; or the URL's fragment says it.
    """
    if isinstance(source, sqlite3.Connection):
        return SqliteEngine(design, source, named(table))
    if not is_url(source):
        return PostgresEngine(design, source, named(table))
    address, _, fragment = source.partition("#")
    name = named(table or unquote(fragment))
    if urlsplit(source).scheme in POSTGRES:
        return PostgresEngine(design, address, name)
    return SqliteEngine(design, Path(unquote(address.removeprefix("sqlite:///"))), name)


def named(table: str | None) -> str:
    """Refuse a database without the name of a table in it."""
    if not table:
        raise DesignError(
            'a database holds many tables. Say which one holds the reports: table="reports", or '
            "#reports at the end of the URL"
        )
    return table


class PostgresEngine(GroupingEngine):
    """Count reports in a PostgreSQL table.

    Parameters
    ----------
    design
        What the reports answer.
    source
        A URL or a psycopg connection. A connection of yours stays open.
    table
        The table's name, perhaps with its schema.
    """

    def __init__(self, design: Design, source: Any, table: str) -> None:
        super().__init__(design, f"the table {table}")
        self.psycopg = installed()
        self.view = table_name(table)
        self.own = isinstance(source, str)
        self.kinds: dict[str, int] = {}
        with self.asking():
            self.connection = self.psycopg.connect(source) if self.own else source

    def columns(self) -> Sequence[str]:
        """Tell the names of the columns."""
        (cursor,) = self.ask([f"SELECT * FROM {self.view} LIMIT 0"])  # noqa: S608 - quoted
        self.kinds = {column.name: column.type_code for column in cursor.description}
        return [column.name for column in cursor.description]

    def groups(self, jobs: Sequence[Job]) -> list[Any]:
        """Give the groups of every job: one query for those over the same rows."""
        found: dict[int, Any] = {}
        alike = list(parts(jobs))
        queries = [
            grouped(self.design, [jobs[i] for i in part], self.view, self.test) for part in alike
        ]
        for part, cursor in zip(alike, self.ask(queries), strict=True):
            names = [column.name for column in cursor.description]
            with self.asking():
                rows = cursor.fetchall()
            for k, i in enumerate(part):
                mine = [row for row in rows if row[0] == k]
                places = [*(names.index(name, 1) for name in jobs[i].names), len(names) - 1]
                found[i] = in_columns([*jobs[i].names, "n"], [[r[p] for r in mine] for p in places])
        return [found[i] for i in range(len(jobs))]

    def test(self, condition: Condition) -> str:
        """Write the test of one condition: of what `cursor` gives, and of nothing else."""
        column, kind = quoted(condition.name), self.kinds[condition.name]
        types = self.psycopg.adapters.types
        if kind in (types["float4"].oid, types["float8"].oid):
            text = f"CAST({column} AS VARCHAR)"  # 0.1 stored in four bytes is sent as 0.1
            number = text if kind == types["float4"].oid else column
            return by_number(f"CAST({number} AS DOUBLE PRECISION)", condition)
        padded = kind == types["bpchar"].oid  # a cast would cut off what fills a label up
        return by_text(f"concat({column})" if padded else f"CAST({column} AS VARCHAR)", condition)

    def ask(self, queries: Sequence[str]) -> list[Any]:
        """Run queries in one round trip, over one and the same state of the table."""
        with self.asking(), self.connection.transaction():
            if self.own:
                self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            with self.connection.pipeline():
                return [self.cursor().execute(query) for query in queries]

    def cursor(self) -> Any:
        """Open a cursor that reads values our way, however the connection was set up."""
        cursor = self.connection.cursor(row_factory=self.psycopg.rows.tuple_row)
        read = {self.psycopg.adapters.types[name].oid: loader for name, loader in READ.items()}
        for kind in {*self.kinds.values(), *read}:
            module, loader = read.get(kind, "string.TextLoader").split(".")
            found = getattr(import_module(f"psycopg.types.{module}"), loader)
            cursor.adapters.register_loader(kind, found)
        return cursor

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn what the database says into an error that holds no value and no address."""
        try:
            yield
        except self.psycopg.Error as error:
            raise EngineError(told(self.place, type(error).__name__)) from None

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        if self.own:
            self.connection.close()

    def __enter__(self) -> "PostgresEngine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def told(place: str, kind: str) -> str:
    """Say what a database could not do, without its own words."""
    return (
        f"the database could not count {place} ({kind}). Its own words may hold answers or "
        "addresses, so they are not shown. Is the server there, did it stay there, and is there "
        "such a table that you may read? Nothing was counted; try again"
    )


def parts(jobs: Sequence[Job]) -> Iterator[list[int]]:
    """Put together the jobs that count the same rows, as many as one query can tell apart."""
    order = sorted(range(len(jobs)), key=lambda i: (jobs[i].form, jobs[i].where))
    for _, same in groupby(order, key=lambda i: (jobs[i].form, jobs[i].where)):
        part: list[int] = []
        for i in same:
            names = {name for j in (*part, i) for name in jobs[j].names}
            if part and len(names) > MASKED:
                yield part
                part = []
            part.append(i)
        yield part


def in_columns(names: Sequence[str], columns: Sequence[list[Any]]) -> Any:
    """Make an Arrow table of what a database sent."""
    return pa.Table.from_arrays([pa.array(column) for column in columns], names=list(names))


def installed() -> Any:
    """Give the package, or say how to get it."""
    try:
        return import_module("psycopg")
    except ModuleNotFoundError:
        raise EngineError(
            "psycopg, which speaks to PostgreSQL, is not installed. Get it with: "
            "pip install 'frankly[server]'"
        ) from None


class SqliteEngine:
    """Count reports in an SQLite table, read out some rows at a time.

    Parameters
    ----------
    design
        What the reports answer.
    source
        A file, which is opened for reading only, or a connection. A connection of yours
        stays open.
    table
        The table's name.
    """

    histograms = True

    def __init__(self, design: Design, source: Path | sqlite3.Connection, table: str) -> None:
        self.design = design
        self.place = f"the table {table}"
        self.view = table_name(table)
        self.own = isinstance(source, Path)
        with self.asking():
            self.connection = opened(source) if isinstance(source, Path) else source

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries in one pass over the table."""
        for query in queries:
            query.check(self.design)
        with self.asking():
            (rows,) = self.ask(f"SELECT count(*) FROM {self.view}").fetchone()  # noqa: S608
            return accumulate(self.design, queries, self.blocks(needed(queries)), rows)

    def ask(self, query: str) -> sqlite3.Cursor:
        """Run a query whose rows are tuples, however the connection was set up."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor.execute(query)

    def blocks(self, wanted: Mapping[int, Sequence[str]]) -> Iterator[Block]:
        """Give the columns that are needed, some rows at a time."""
        names = sorted({name for names in wanted.values() for name in names})
        names += ["form"] if len(self.design.forms) > 1 else []
        self.refuse_missing(names)
        chosen = ", ".join(map(quoted, names)) or "1"
        cursor = self.ask(f"SELECT {chosen} FROM {self.view}")  # noqa: S608
        before = 0
        while rows := cursor.fetchmany(BATCH):
            columns = {
                name: self.column(name, values, before)
                for name, values in zip(names, zip(*rows, strict=True), strict=False)
            }
            yield from parted(self.design, columns, wanted, len(rows))
            before += len(rows)

    def column(self, name: str, values: Sequence[Any], before: int) -> Column:
        """Read one column of some rows; SQLite keeps kinds of values side by side."""
        try:
            column = pa.array(values)
        except pa.ArrowException:
            column = pa.array([None if value is None else str(value) for value in values])
        return Column.read(name, column, place=self.place, before=before)

    def refuse_missing(self, names: Sequence[str]) -> None:
        """Refuse a table in which a column is missing."""
        cursor = self.ask(f"SELECT * FROM {self.view} LIMIT 0")  # noqa: S608
        there = [column[0] for column in cursor.description]
        missing = [name for name in names if there.count(name) != 1]
        if missing:
            raise ReportError(
                f"{self.place} needs exactly one column for each of {missing}; "
                f"{instead(self.design.names, there)}"
            )

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn what SQLite says, or a converter of the connection, into an error of ours."""
        try:
            yield
        except FranklyError:
            raise
        except (sqlite3.Error, ValueError) as error:
            raise EngineError(told(self.place, type(error).__name__)) from None

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        if self.own:
            self.connection.close()

    def __enter__(self) -> "SqliteEngine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def opened(path: Path) -> sqlite3.Connection:
    """Open a file for reading only; it must be there."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
