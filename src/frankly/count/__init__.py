"""Counts, which add up, and the engines that produce them."""

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.engine import Engine
from frankly.count.given import GivenCounts
from frankly.count.parquet import ParquetEngine
from frankly.count.query import Query
from frankly.count.source import engine_for

__all__ = [
    "ArrayEngine",
    "Counts",
    "Engine",
    "GivenCounts",
    "ParquetEngine",
    "Query",
    "engine_for",
]
