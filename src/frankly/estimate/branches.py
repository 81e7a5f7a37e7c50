"""Branches: the ways in which a report may have come about, for fitting a model to reports.

The chance of a report's answers to one group, given the class, is a sum over a few branches:
told straight; turned round; drawn from the cover, which says nothing about the person; or, for a
matrix, one branch a truth. Each branch has a weight and, unless it is silent, says what the
truth would have been. Groups multiply.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankly.count import Counts, Engine, Query
from frankly.design import Form
from frankly.errors import DesignError
from frankly.estimate.mixture import Mixture
from frankly.mechanism import Codes, Flip, Matrix, Mechanism, Table, Unrelated
from frankly.mechanism.cover import spread

__all__ = ["Branch", "View", "views_of"]

BLOCK = 256
"""Attributes are looked up together in blocks of up to this many cells."""


@dataclass(frozen=True)
class Block:
    """Some attributes of one branch: their truth, as the number of a cell of their joint table."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    cells: NDArray[np.intp]


@dataclass(frozen=True)
class Branch:
    """One way in which the reports of one group may have come about; no blocks: it is silent."""

    weight: Table
    blocks: tuple[Block, ...]

    def chance(self, model: Mixture) -> Table:
        """Give the chance of this branch and its reports within every class."""
        chance = np.repeat(self.weight[:, np.newaxis], model.k, axis=1)
        for block in self.blocks:
            chance *= model.within(block.names).reshape(model.k, -1).T[block.cells]
        return chance

    def add(self, mass: Table, tables: Mapping[str, Table]) -> None:
        """Add the mass of every report and class to the tables of this branch's attributes."""
        for block in self.blocks:
            size = math.prod(block.sizes)
            columns = [np.bincount(block.cells, column, size) for column in mass.T]
            joint = np.stack(columns).reshape(-1, *block.sizes)
            for axis, name in enumerate(block.names):
                others = tuple(1 + i for i in range(len(block.sizes)) if i != axis)
                tables[name] += joint.sum(axis=others)


@dataclass(frozen=True)
class View:
    """The different whole reports of one form: how many of each, and their branches by group.

    ``number`` is the form's place in the design; forms without reports have no view.
    """

    number: int
    form: Form
    counts: Table
    groups: tuple[tuple[Branch, ...], ...]

    def chances(self, model: Mixture) -> tuple[list[list[Table]], list[Table], Table]:
        """Give the chance of every branch, of every group, and of the report with its class."""
        branches = [[branch.chance(model) for branch in group] for group in self.groups]
        groups = [np.sum(parts, axis=0) if len(parts) > 1 else parts[0] for parts in branches]
        joint = np.repeat(model.weights[np.newaxis, :], len(self.counts), axis=0)
        for chance in groups:
            joint *= chance
        return branches, groups, joint

    def log_likelihood(self, model: Mixture) -> float:
        """Tell how likely the model makes these reports."""
        total = self.chances(model)[2].sum(axis=1)
        return float(self.counts @ np.log(np.maximum(total, 1e-300)))

    def expect(self, model: Mixture, weights: Table, tables: Mapping[str, Table]) -> float:
        """Add the people expected in every class and cell; tell the log-likelihood.

        Reports that were drawn throughout say nothing, and nothing is added for them.
        """
        branches, groups, joint = self.chances(model)
        total = np.maximum(joint.sum(axis=1), 1e-300)
        mass = joint * (self.counts / total)[:, np.newaxis]
        weights += mass.sum(axis=0) - self.silent(model, self.counts / total)
        for parts, chance, group in zip(branches, groups, self.groups, strict=True):
            share = np.divide(mass, chance, out=np.zeros_like(mass), where=chance > 0)
            for part, branch in zip(parts, group, strict=True):
                if branch.blocks:
                    branch.add(part * share, tables)
        return float(self.counts @ np.log(total))

    def silent(self, model: Mixture, scale: Table) -> Table:
        """Tell how many people of each class are expected behind reports that say nothing."""
        whole = scale
        for group in self.groups:
            mute = [branch.weight for branch in group if not branch.blocks]
            if not mute:
                return np.zeros(model.k)
            whole = whole * mute[0]
        return np.asarray(model.weights * whole.sum())

    def told(self, model: Mixture) -> list[Table]:
        """Give for each group the chance that a report tells its answers straight.

        The groups come in the order of the form, devices only.
        """
        branches, groups, joint = self.chances(model)
        total = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        odds = [
            np.divide(joint * parts[0], chance, out=np.zeros_like(joint), where=chance > 0) / total
            for parts, chance in zip(branches, groups, strict=True)
        ]
        return [odd.sum(axis=1) for odd in odds[: len(self.form.groups)]]


def views_of(engine: Engine) -> list[View]:
    """Count the whole reports of every form, and lay out how each may have come about."""
    design = engine.design
    queries = [Query(form.names, i) for i, form in enumerate(design.forms)]
    pairs = enumerate(zip(design.forms, engine.count(queries), strict=True))
    return [view(number, form, counts) for number, (form, counts) in pairs if counts.n]


def view(number: int, form: Form, counts: Counts) -> View:
    """Lay out how the reports of one form may have come about."""
    rows, numbers = counts.cells()
    columns = {name: rows[:, i] for i, name in enumerate(counts.names)}
    groups = []
    for group in form.groups:
        own = {name: columns[name] for name in group.names}
        groups.append(BRANCHES[type(group.device)](group.device, own, form.sizes(group.names)))
    if form.clear:
        clear = {name: columns[name] for name in form.clear}
        sure = np.ones(len(rows))
        groups.append((Branch(sure, blocks(clear, form.sizes(form.clear))),))
    return View(number, form, numbers.astype(np.float64), tuple(groups))


def blocks(columns: Mapping[str, Codes], sizes: Sequence[int]) -> tuple[Block, ...]:
    """Put attributes into blocks that are looked up together."""
    made: list[Block] = []
    for (name, codes), size in zip(columns.items(), sizes, strict=True):
        cells = codes.astype(np.intp)
        last = made[-1] if made else None
        if last is not None and math.prod(last.sizes) * size <= BLOCK:
            made[-1] = Block((*last.names, name), (*last.sizes, size), last.cells * size + cells)
        else:
            made.append(Block((name,), (size,), cells))
    return tuple(made)


def drawn(device: Mechanism, own: Mapping[str, Codes], sizes: Sequence[int]) -> tuple[Branch, ...]:
    """Told straight, or drawn from the cover."""
    if not isinstance(device, Unrelated):
        raise DesignError(f"{type(device).__name__} draws no substitutes")
    theta, codes = float(device.theta), tuple(own.values())
    cover = np.broadcast_to(spread(device.cover, sizes, tuple(range(len(sizes)))), tuple(sizes))
    straight = np.full(len(codes[0]), theta)
    return Branch(straight, blocks(own, sizes)), Branch((1 - theta) * cover[codes], ())


def turned(device: Mechanism, own: Mapping[str, Codes], sizes: Sequence[int]) -> tuple[Branch, ...]:
    """Told straight, or all turned round."""
    if not isinstance(device, Flip):
        raise DesignError(f"{type(device).__name__} turns nothing round")
    theta, n = float(device.theta), len(next(iter(own.values())))
    other = {name: 1 - codes.astype(np.intp) for name, codes in own.items()}
    return (
        Branch(np.full(n, theta), blocks(own, sizes)),
        Branch(np.full(n, 1 - theta), blocks(other, sizes)),
    )


def by_truth(
    device: Mechanism, own: Mapping[str, Codes], sizes: Sequence[int]
) -> tuple[Branch, ...]:
    """One branch for each truth that may be behind the report."""
    if not isinstance(device, Matrix):
        raise DesignError(f"{type(device).__name__} is no matrix")
    ((name, codes),) = own.items()
    return tuple(
        Branch(row[codes], blocks({name: np.full(len(codes), truth)}, sizes))
        for truth, row in enumerate(device.chances)
    )


Lay = Callable[[Mechanism, Mapping[str, Codes], Sequence[int]], tuple[Branch, ...]]

BRANCHES: dict[type[Mechanism], Lay] = {Unrelated: drawn, Flip: turned, Matrix: by_truth}
"""How each registered device's reports may have come about."""
