"""Engine: anything that can count reports."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from frankly.count.counts import Counts
from frankly.count.query import Query
from frankly.design import Design

__all__ = ["Engine"]


@runtime_checkable
class Engine(Protocol):
    """Anything that can count reports: memory, files, a database, a cluster, several parties."""

    @property
    def design(self) -> Design:
        """What the reports answer."""

    @property
    def histograms(self) -> bool:
        """Whether whole reports can be counted, all attributes of a form at once."""

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries, in one pass where that is possible."""
