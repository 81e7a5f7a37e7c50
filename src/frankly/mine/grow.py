"""Grow: a tree level by level. All tables of a level are asked for at once.

Whether a person belongs to a node is known only for clear attributes: they become conditions.
Protected attributes of a path stay axes of the table, which is corrected as a whole, and the
node's part is read off afterwards.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from frankly.design import Design
from frankly.estimate import Asked, Shares
from frankly.mine.impurity import Floats, Impurity, gain, gain_gradient
from frankly.mine.tree import Node, Path, Split, narrow

__all__ = ["Branches", "Limits", "Splitter", "grow"]

Branches = tuple[tuple[int, ...], ...]
"""Which codes of an attribute go down each branch."""

WIDEST = 10**7
"""A path whose tables would have more cells than this is not followed."""


class Splitter(Protocol):
    """How one kind of tree divides a node."""

    impurity: Impurity
    again: bool

    def divide(self, table: Floats, codes: Sequence[int], smallest: float) -> Branches:
        """Choose branches for the codes of one attribute, or none.

        Parameters
        ----------
        table
            Shares, none below 0: one row a code, one column a class.
        codes
            The codes that can occur here.
        smallest
            The smallest share a branch should have.
        """


@dataclass(frozen=True)
class Limits:
    """Where a tree stops growing.

    Attributes
    ----------
    max_depth
        The most questions a path asks.
    min_leaf
        Nodes with a smaller share of all people are not divided.
    noise
        Nodes whose share is below this many of its standard errors are not divided, and
        predict what the node above them predicts. People made up for a fitted joint count as
        real ones here.
    gain_noise
        Splits whose gain is below this many of its standard errors are not made.
    """

    max_depth: int = 6
    min_leaf: float = 0.005
    noise: float = 1.0
    gain_noise: float = 0.0


@dataclass
class Open:
    """A node that grows: its path and its classes, and later its split and its children."""

    path: Path
    classes: Floats
    share: float
    stderr: float
    why: str = ""
    split: Split | None = None
    children: list["Open"] = field(default_factory=list)

    def closed(self) -> Node:
        """Give the node and everything below as a value."""
        children = tuple(child.closed() for child in self.children)
        classes = tuple(float(one) for one in self.classes)
        return Node(self.share, self.stderr, classes, self.split, children, self.why)


@dataclass(frozen=True)
class Grower:
    """All that stays the same while one tree grows."""

    shares: Shares
    target: str
    features: tuple[str, ...]
    splitter: Splitter
    limits: Limits

    @property
    def design(self) -> Design:
        """What the reports answer."""
        return self.shares.design

    def grow(self) -> Node:
        """Grow the tree from everyone down."""
        (table,) = self.shares.tables([Asked((self.target,))])
        root = Open((), shares_within(np.maximum(table, 0.0)), 1.0, 0.0)
        level = [root]
        for _ in range(self.limits.max_depth):
            level = self.next_level([node for node in level if self.may_split(node)])
        for node in level:
            node.why = node.why or "deep enough"
        return root.closed()

    def may_split(self, node: Open) -> bool:
        """Tell whether a node is worth dividing; if not, say why."""
        if not node.why and node.share < self.limits.min_leaf:
            node.why = "too few people"
        if not node.why and node.classes.max() >= 1.0:
            node.why = "one class"
        return not node.why

    def next_level(self, nodes: Sequence[Open]) -> list[Open]:
        """Divide all nodes of a level with one call for all their tables."""
        asked = [self.questions(node) for node in nodes]
        wanted = list(dict.fromkeys(one for questions in asked for one in questions.values()))
        known = dict(zip(wanted, self.shares.tables(wanted), strict=True))
        children: list[Open] = []
        for node, questions in zip(nodes, asked, strict=True):
            tables = {
                name: self.part(known[one], one, node, name) for name, one in questions.items()
            }
            self.divide(node, questions, tables)
            children.extend(node.children)
        return children

    def questions(self, node: Open) -> dict[str, Asked]:
        """Name the table of every attribute that could divide a node."""
        asked = {}
        for name in self.features:
            allowed = dict(node.path).get(name)
            if allowed is not None and (not self.splitter.again or len(allowed) < 2):
                continue
            one = ask(self.design, node.path, name, self.target)
            if math.prod(self.design.sizes(one.names)) <= WIDEST:
                asked[name] = one
        return asked

    def part(self, table: Floats, asked: Asked, node: Open, name: str) -> Floats:
        """Read the node's own (values x classes) off a table over its path.

        Shares below 0 are taken as 0. That alone would add people, so the others are scaled back
        to the share of the node: the leaves of a tree add up to everyone.
        """
        allowed = dict(node.path)
        for axis, other in reversed(list(enumerate(asked.names[:-2]))):
            table = table.take(allowed[other], axis=axis).sum(axis=axis)
        if name in allowed:
            inside = np.isin(np.arange(len(table)), allowed[name])
            table = np.where(inside[:, np.newaxis], table, 0.0)
        table = np.maximum(table, 0.0)
        return node.share * table / table.sum() if table.sum() > 0 else table

    def divide(self, node: Open, asked: Mapping[str, Asked], tables: Mapping[str, Floats]) -> None:
        """Divide a node by the attribute with the largest gain, or say why not."""
        best: tuple[float, str, Branches] | None = None
        for name, table in tables.items():
            codes = dict(node.path).get(name, tuple(range(len(table))))
            branches = self.splitter.divide(table, codes, self.limits.min_leaf)
            if len(branches) < 2 or not table.sum() > 0:
                continue
            sorted_out = gain(self.splitter.impurity, gathered(table, branches))
            if best is None or sorted_out > best[0] + 1e-12:
                best = sorted_out, name, branches
        if best is None or best[0] <= 1e-12:
            node.why = self.stuck(node, tables)
            return
        found, name, branches = best
        split = Split(name, branches, found, self.gain_error(node, asked[name], tables, best))
        if found < self.limits.gain_noise * split.stderr:
            node.why = "the gain is within its error"
            return
        node.split = split
        node.children = [
            self.child(node, asked[name], name, (codes, tables[name])) for codes in branches
        ]

    def stuck(self, node: Open, tables: Mapping[str, Floats]) -> str:
        """Say why a node cannot be divided."""
        if tables:
            return "nothing sorts the classes further"
        asked = set(dict(node.path)) >= set(self.features)
        return "no question is left" if asked else "its tables would be too wide"

    def gain_error(
        self,
        node: Open,
        asked: Asked,
        tables: Mapping[str, Floats],
        best: tuple[float, str, Branches],
    ) -> float:
        """Give the standard error of a gain: its gradient, spread through the devices."""
        _, name, branches = best
        floor = 0.5 / self.shares.n
        slopes = gain_gradient(self.splitter.impurity, gathered(tables[name], branches), floor)
        cells = np.zeros_like(tables[name])
        for codes, slope in zip(branches, slopes, strict=True):
            cells[list(codes)] = slope
        return self.shares.spread(asked, self.laid(cells, asked, node.path))

    def laid(self, cells: Floats, asked: Asked, path: Path) -> Floats:
        """Lay a node's (values x classes) back into the table over its path; 0 elsewhere."""
        wide = np.zeros(self.design.sizes(asked.names))
        allowed = dict(path)
        inside = [list(allowed[name]) for name in asked.names[:-2]]
        rest = [list(range(size)) for size in cells.shape]
        wide[np.ix_(*inside, *rest)] = cells
        return wide

    def child(
        self, node: Open, asked: Asked, name: str, part: tuple[tuple[int, ...], Floats]
    ) -> Open:
        """Make the node at the end of one branch."""
        codes, table = part
        classes = table[list(codes)].sum(axis=0)
        inside = np.zeros_like(table)
        inside[list(codes)] = 1.0
        laid = self.laid(inside, asked, node.path)
        stderr, noise = self.shares.spread(asked, laid), self.shares.least_spread(asked, laid)
        share = float(classes.sum())
        path = narrow(node.path, name, codes)
        if share <= 0 or share < self.limits.noise * noise:
            why = "within noise" if share > 0 else "nobody"
            return Open(path, node.classes, share, stderr, why)
        return Open(path, shares_within(classes), share, stderr)


def grow(
    shares: Shares,
    target: str,
    features: Sequence[str],
    splitter: Splitter,
    limits: Limits,
) -> Node:
    """Grow a tree from shares of the truth.

    Parameters
    ----------
    shares
        Where the tables come from; one call a level.
    target, features
        What is predicted, and from what.
    splitter
        How nodes are divided.
    limits
        Where to stop.
    """
    return Grower(shares, target, tuple(features), splitter, limits).grow()


def ask(design: Design, path: Path, name: str, target: str) -> Asked:
    """Name the table of one attribute and the target, for the people of a path."""
    clear = {other for other, _ in path if is_clear(design, other)}
    hidden = sorted(other for other, _ in path if other not in clear and other != name)
    where = sorted(
        (other, design[other].values[code])
        for other, codes in path
        for code in codes
        if other in clear and other != name
    )
    return Asked((*hidden, name, target), tuple(where))


def is_clear(design: Design, name: str) -> bool:
    """Tell whether every form that asks this asks it in clear."""
    return all(name in form.clear for form in design.forms if form.asks([name]))


def gathered(table: Floats, branches: Branches) -> Floats:
    """Add the rows of a table that go down the same branch."""
    return np.stack([table[list(codes)].sum(axis=0) for codes in branches])


def shares_within(classes: Floats) -> Floats:
    """Give the classes' shares among some people."""
    total = classes.sum()
    return classes / total if total > 0 else np.full(len(classes), 1 / len(classes))
