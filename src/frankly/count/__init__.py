"""Counts, which add up, and the engines that produce them."""

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.engine import Engine
from frankly.count.query import Query

__all__ = ["ArrayEngine", "Counts", "Engine", "Query"]
