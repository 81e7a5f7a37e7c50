"""Counts, which add up, and the engines that produce them."""

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.duckdb import DuckDBEngine
from frankly.count.engine import Engine
from frankly.count.given import GivenCounts
from frankly.count.parquet import ParquetEngine
from frankly.count.pooled import PooledEngine
from frankly.count.query import Query
from frankly.count.running import RunningCounts
from frankly.count.source import engine_for, open_reports
from frankly.count.spark import SparkEngine
from frankly.count.sql import PostgresEngine, SqliteEngine

__all__ = [
    "ArrayEngine",
    "Counts",
    "DuckDBEngine",
    "Engine",
    "GivenCounts",
    "ParquetEngine",
    "PooledEngine",
    "PostgresEngine",
    "Query",
    "RunningCounts",
    "SparkEngine",
    "SqliteEngine",
    "engine_for",
    "open_reports",
]
