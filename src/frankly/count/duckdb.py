"""DuckDB: files, Arrow tables and DuckDB's own tables, within a memory limit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from frankly.count.csv_files import TEXTS, csv_header, csv_table
from frankly.count.fingerprint import check_fingerprint
from frankly.count.groups import GroupingEngine
from frankly.count.parquet import found, opened
from frankly.count.plan import Job
from frankly.count.select import literal, stacked, table_name
from frankly.design import Design, arrow_metadata
from frankly.design.spreadsheet import instead, unreadable
from frankly.errors import DesignError, EngineError, ReportError

__all__ = ["DuckDBEngine"]

SETTINGS = {
    "autoinstall_known_extensions": "false",  # nothing is fetched from anywhere
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
THREAD = 45 * 2**20
"""Bytes for each thread. With 12 MB each, 16 threads ran out of memory over 100,000,000 rows."""

OWN = {".duckdb", ".ddb"}


class DuckDBEngine(GroupingEngine):
    """Count reports with DuckDB, whose memory has a limit.

    Parameters
    ----------
    design
        What the reports answer. A file that states another design is refused.
    source
        Parquet or CSV files (a path, a folder, a pattern, a list), an Arrow table, a DuckDB
        file, a connection or a relation.
    table
        The table's name, where the source is a DuckDB file or a connection.
    memory
        How much DuckDB may keep in memory; more lets more threads work, one for every 45 MiB.
        A connection of yours keeps its own settings.

    Examples
    --------
    >>> from frankly.count import Query
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> with DuckDBEngine(design, pa.table({"ill": ["yes", "no", "no"]})) as engine:
    ...     engine.count([Query("ill")])[0].table
    array([2, 1])
    """

    limit = 4096

    def __init__(
        self, design: Design, source: Any, *, table: str | None = None, memory: str = "200MB"
    ) -> None:
        super().__init__(design, "this table")
        self.duckdb = installed()
        kind = type(source).__name__
        self.connection: Any = source if kind == "DuckDBPyConnection" else None
        self.relation: Any = source if kind == "DuckDBPyRelation" else None
        self.own = self.connection is None
        self.headers: dict[Path, list[str]] = {}
        self.view = self.looked_at(source, table, {**SETTINGS, "memory_limit": memory})
        if self.own and self.connection is not None:
            self.connection.execute("SET enable_progress_bar = false")  # stdout is for results
            keep_room(self.connection)

    def looked_at(self, source: Any, table: str | None, settings: dict[str, str]) -> str:
        """Give what stands after FROM; open what must be opened."""
        if isinstance(source, str | Path) and Path(source).suffix.lower() in OWN:
            self.place = Path(source).name
            with self.asking():
                self.connection = self.duckdb.connect(str(source), read_only=True, config=settings)
            return table_name(named(table))
        if self.connection is not None:
            self.place = f"the table {named(table)}"
            return table_name(named(table))
        if self.relation is not None:
            return "frankly_reports"
        self.connection = self.duckdb.connect(config=settings)
        if isinstance(source, str | Path | list | tuple):
            return self.files(source)
        check_fingerprint(self.design, arrow_metadata(source), self.place)
        self.connection.register("frankly_reports", source)
        return "frankly_reports"

    def files(self, paths: str | Path | Sequence[str | Path]) -> str:
        """Check every file, and give all of them as one table."""
        files = found(paths)
        self.place = files[0].name if len(files) == 1 else f"{len(files)} files"
        kinds = {path.suffix.lower() in TEXTS for path in files}
        if len(kinds) > 1:
            raise ReportError("some of the files are Parquet and some are CSV: give one kind")
        columns = {path: header(self.design, path) for path in files}
        refuse_other_columns(self.design, columns)
        if kinds == {True}:
            self.headers = columns
            return csv_table(columns, wanted(self.design))
        names = ", ".join(literal(str(path)) for path in files)
        return f"read_parquet([{names}], union_by_name = true)"

    def columns(self) -> Sequence[str]:
        """Tell the names of the columns."""
        if self.headers:
            return next(iter(self.headers.values()))
        return list(self.ask(f"SELECT * FROM {self.view} LIMIT 0").column_names)  # noqa: S608

    def groups(self, jobs: Sequence[Job]) -> list[Any]:
        """Give the groups of every job, all in one query."""
        table = self.ask(stacked(self.design, jobs, self.view))
        which = table.column(0).to_numpy()
        parts = [table.take(pa.array(np.flatnonzero(which == i))) for i in range(len(jobs))]
        return [
            part.select([*job.names, "frankly_n"]) for job, part in zip(jobs, parts, strict=True)
        ]

    def ask(self, query: str) -> Any:
        """Run a query, and give its answer as an Arrow table."""
        with self.asking():
            if self.relation is not None:
                return self.relation.query("frankly_reports", query).to_arrow_table()
            return self.connection.sql(query).to_arrow_table()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn what DuckDB says into an error that never holds a value."""
        try:
            yield
        except (self.duckdb.Error, pa.ArrowException) as error:
            if self.headers and isinstance(error, self.duckdb.InvalidInputException):
                raise unreadable(self.broken()) from None
            raise EngineError(
                f"DuckDB could not count {self.place} ({type(error).__name__}). Its own words may "
                "hold answers, so they are not shown. Is the file whole, is there such a table, "
                "and is there room on the disk for what does not fit into memory?"
            ) from None

    def broken(self) -> Path:
        """Find the CSV file that cannot be read."""
        for path, names in self.headers.items():
            table = csv_table({path: names}, wanted(self.design))
            try:
                self.connection.sql(f"SELECT count(COLUMNS(*)) FROM {table}").fetchall()  # noqa: S608
            except self.duckdb.Error:
                return path
        return path

    def close(self) -> None:
        """Close what was opened here; a connection of yours stays open."""
        if self.own and self.connection is not None:
            self.connection.close()

    def __enter__(self) -> "DuckDBEngine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def installed() -> Any:
    """Give the package, or say how to get it."""
    try:
        return import_module("duckdb")
    except ModuleNotFoundError:
        raise EngineError(
            "DuckDB is not installed. Get it with: pip install 'frankly[duckdb]'"
        ) from None


def keep_room(connection: Any) -> None:
    """Let as many threads work as there is memory for: each reads its own part of a file."""
    asked = "SELECT current_setting('memory_limit'), current_setting('threads')"
    limit, threads = connection.execute(asked).fetchone()
    number, unit = limit.split()
    room = float(number) * 1024 ** UNITS.index(unit)
    connection.execute(f"SET threads = {max(1, min(threads, int(room / THREAD)))}")


def named(table: str | None) -> str:
    """Refuse a database without the name of a table in it."""
    if not table:
        raise DesignError(
            'a database holds many tables. Say which one holds the reports: table="reports"'
        )
    return table


def header(design: Design, path: Path) -> list[str]:
    """Tell a file's columns, and refuse reports of another design."""
    if path.suffix.lower() not in TEXTS:
        with opened(path) as file:
            check_fingerprint(design, file.schema_arrow.metadata or {}, path.name)
            return list(file.schema_arrow.names)
    beside = path.with_name(f"{path.name}.design.json")
    if beside.is_file():
        made = Design.load(beside)
        stated = {b"frankly.fingerprint": made.fingerprint.encode()}
        carried = {**stated, b"frankly.design": beside.read_bytes()}
        check_fingerprint(design, carried, path.name)
    return csv_header(path)


def wanted(design: Design) -> list[str]:
    """Name the columns that reports can have."""
    return [*design.names, *(["form"] if len(design.forms) > 1 else [])]


def refuse_other_columns(design: Design, columns: dict[Path, list[str]]) -> None:
    """Refuse files of which one lacks what another has."""
    asked = [name for name in wanted(design) if any(name in c for c in columns.values())]
    for path, there in columns.items():
        missing = [name for name in asked if there.count(name) != 1]
        if missing:
            raise ReportError(
                f"{path.name} needs exactly one column for each of {missing}, as the other files "
                f"have; {instead(design.names, there)}"
            )
