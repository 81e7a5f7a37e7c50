"""Mixture: a model of the truth. Within each class, attributes have nothing to do with each other.

With the class one of the attributes this is naive Bayes; with hidden classes it is latent class
analysis. Either way whole tables of shares follow from it, over any names.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design
from frankly.errors import NotAskedError, TooWideError
from frankly.mechanism import Table

__all__ = ["Mixture"]

CELLS = 10**7
LEAST = 1e-12
FAR = 600.0


@dataclass(frozen=True)
class Mixture:
    """Classes with their weights, and for each attribute its shares within every class.

    Parameters
    ----------
    weights
        The share of each class among the truths.
    tables
        For each attribute ``table[class, value]``; rows add up to one.
    target
        The attribute that *is* the class, or None when the classes are hidden.

    Examples
    --------
    >>> smokes = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> model = Mixture(np.array([0.75, 0.25]), {"smokes": smokes}, target="ill")
    >>> model.margin(("ill", "smokes"))
    array([[0.675, 0.075],
           [0.125, 0.125]])
    >>> model.margin(("smokes",))
    array([0.8, 0.2])
    """

    weights: Table
    tables: Mapping[str, Table]
    target: str | None = None

    def __post_init__(self) -> None:
        if self.target is not None and self.target not in self.tables:
            same = {self.target: np.eye(len(self.weights))}
            object.__setattr__(self, "tables", {**self.tables, **same})

    @property
    def k(self) -> int:
        """How many classes there are."""
        return len(self.weights)

    def margin(self, names: Sequence[str]) -> Table:
        """Give the joint shares over some names, one axis each."""
        unknown = [name for name in names if name not in self.tables]
        if unknown:
            raise NotAskedError(f"the model knows nothing about {unknown}")
        return np.asarray(self.weights @ self.within(names).reshape(self.k, -1)).reshape(
            [self.tables[name].shape[1] for name in names]
        )

    def within(self, names: Sequence[str]) -> Table:
        """Give the joint shares within each class: the class first, then one axis a name."""
        sizes = [self.tables[name].shape[1] for name in names]
        cells = math.prod(sizes)
        if self.k * cells > CELLS:
            raise TooWideError(
                f"a table over {len(names)} attributes would have {cells:,} cells in each of "
                f"{self.k:,} classes. Ask for fewer names at once, or merge values"
            )
        joint = np.ones((self.k, 1))
        for name in names:
            joint = (joint[:, :, np.newaxis] * self.tables[name][:, np.newaxis, :]).reshape(
                self.k, -1
            )
        return joint.reshape(self.k, *sizes)

    def logs(self) -> Table:
        """Give all free numbers in one row, as logarithms."""
        free = [table for name, table in self.tables.items() if name != self.target]
        parts = [self.weights, *(table.ravel() for table in free)]
        return np.log(np.maximum(np.concatenate(parts), LEAST))

    def moved(self, logs: Table) -> "Mixture":
        """Give the same model with other numbers; every row is made to add up to one."""
        numbers = np.exp(np.clip(logs, -FAR, FAR))  # an extrapolated step may go anywhere
        weights, place, tables = numbers[: self.k], self.k, {}
        for name, table in self.tables.items():
            if name != self.target:
                part = numbers[place : place + table.size].reshape(table.shape)
                tables[name] = part / part.sum(axis=1, keepdims=True)
                place += table.size
        return Mixture(weights / weights.sum(), tables, self.target)

    def mirrored(self, names: Sequence[str]) -> "Mixture":
        """Give the model of the people who are the opposite in every one of these."""
        turn = self.target in names
        order: NDArray[np.intp] = np.arange(self.k)[:: -1 if turn else 1]
        tables = {
            name: table[order][:, :: -1 if name in names else 1]
            for name, table in self.tables.items()
            if name != self.target
        }
        return Mixture(self.weights[order], tables, self.target)

    def distance(self, other: "Mixture") -> float:
        """Tell the largest difference between the numbers of two models."""
        apart = [np.abs(self.weights - other.weights).max()]
        apart += [np.abs(self.tables[name] - other.tables[name]).max() for name in self.tables]
        return float(max(apart))

    @classmethod
    def drawn(cls, design: Design, k: int, seed: int) -> "Mixture":
        """Draw a model with k hidden classes to start from."""
        rng = np.random.default_rng(seed)
        tables = {
            attribute.name: rng.dirichlet(np.full(attribute.size, 2.0), size=k)
            for attribute in design.attributes
        }
        return cls(np.full(k, 1 / k), tables)
