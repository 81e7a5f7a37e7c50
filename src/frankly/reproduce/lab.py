"""Lab: what every experiment needs: the data, a seed, how often, and somebody who watches."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from frankly.reproduce.data import Bits, adult, wdbc, wisconsin
from frankly.reproduce.openml import adult_from_openml

__all__ = ["Lab"]

T = TypeVar("T")


def nobody(done: int, total: int | None) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Lab:
    """Where an experiment is made.

    Parameters
    ----------
    folder
        Where the UCI files lie; by default the folder that ``FRANKLY_DATA`` names, and
        without one Adult comes from OpenML and WDBC stands in for Wisconsin Original.
    seed
        Where all chance starts.
    repeats
        How often everything is repeated; by default as often as the paper did where that is
        cheap, less where a model is fitted.
    progress
        Told how far the work is: done, total.
    """

    folder: Path | None = None
    seed: int = 0
    repeats: int | None = None
    progress: Callable[[int, int | None], None] = field(default=nobody, compare=False)

    @property
    def data(self) -> Path | None:
        """Where the UCI files lie, if anybody said."""
        named = os.environ.get("FRANKLY_DATA")
        return self.folder or (Path(named) if named else None)

    def adult(self, *, test: bool = True) -> Bits:
        """Read Adult: everybody, or ``adult.data`` alone."""
        if self.data is None:
            return adult_from_openml(test=test)
        return adult(self.data, test=test)

    def cancer(self) -> tuple[Bits, str]:
        """Read a breast-cancer set, and tell which: Wisconsin Original, or the bundled WDBC."""
        if self.data is None:
            return wdbc(), "Wisconsin Diagnostic"
        return wisconsin(self.data), "Wisconsin Original"

    def times(self, usual: int) -> int:
        """Tell how often to repeat something that is usually repeated so often."""
        return self.repeats or usual

    def chance(self, *where: int) -> np.random.Generator:
        """Give chance of its own to one part of an experiment."""
        return np.random.default_rng([self.seed, *where])

    def each(self, items: Sequence[T]) -> Iterator[T]:
        """Go through items, telling whoever watches."""
        for done, item in enumerate(items):
            self.progress(done, len(items))
            yield item
        self.progress(len(items), len(items))
