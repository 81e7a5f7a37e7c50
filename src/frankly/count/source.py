"""Source: whatever somebody has, as an engine."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.csv_files import TEXTS
from frankly.count.duckdb import OWN, DuckDBEngine
from frankly.count.engine import Engine
from frankly.count.given import GivenCounts
from frankly.count.parquet import ParquetEngine
from frankly.count.spark import SparkEngine
from frankly.count.sql import is_url, sql_engine
from frankly.design import Design
from frankly.errors import FingerprintError

__all__ = ["engine_for", "open_reports"]


def open_reports(source: Any, design: Design, *, table: str | None = None) -> Any:
    """Open reports wherever they are, as an engine that counts them.

    Parameters
    ----------
    source
        A frame (pyarrow, pandas, polars, a dict of lists), Parquet or CSV files (a path, a
        folder, a pattern, a list), a database by URL (``postgresql://...#reports``,
        ``sqlite:///file.sqlite#reports``) or by connection (psycopg, sqlite3, DuckDB), a DuckDB
        file or relation, a Spark DataFrame, counts, or an engine.
    design
        What the reports answer.
    table
        The table's name, where the source is a database.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> type(open_reports({"ill": ["yes", "no"]}, design)).__name__
    'ArrayEngine'
    """
    kind = type(source).__module__.split(".")[0]
    if kind in ("duckdb", "_duckdb") or suffix_of(source) in OWN:
        return DuckDBEngine(design, source, table=table)
    if kind in ("psycopg", "sqlite3") or is_url(source):
        return sql_engine(design, source, table)
    if kind == "pyspark":
        return SparkEngine(design, source)
    return engine_for(design, source)


def suffix_of(source: Any) -> str:
    """Tell how the name of a file ends, or of the first of several."""
    if isinstance(source, list | tuple) and source:
        return suffix_of(source[0])
    return Path(source).suffix.lower() if isinstance(source, str | Path) else ""


def engine_for(design: Design, source: Any) -> Engine:
    """Choose the engine by what the reports are in.

    Parameters
    ----------
    design
        What the reports answer.
    source
        A frame, Parquet or CSV files (a path, a folder, a pattern, a list), counts, or an
        engine; `open_reports` opens databases and clusters.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> type(engine_for(design, {"ill": ["yes", "no"]})).__name__
    'ArrayEngine'
    """
    if isinstance(source, Engine):
        return same_design(design, source)
    if suffix_of(source) in TEXTS:
        return DuckDBEngine(design, source)
    several = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    if several and all(isinstance(one, Counts) for one in several):
        return GivenCounts(design, several)
    if several and all(isinstance(one, str | Path) for one in several):
        return ParquetEngine(design, source)
    return ArrayEngine(design, source)


def same_design(design: Design, engine: Engine) -> Engine:
    """Refuse an engine over the reports of another design."""
    mine = [form.fingerprint for form in design.forms]
    if mine != [form.fingerprint for form in engine.design.forms]:
        raise FingerprintError(
            f"the engine counts reports of design {engine.design.fingerprint[:12]}, but this "
            f"design is {design.fingerprint[:12]}. Use the design the reports were made under"
        )
    return engine
