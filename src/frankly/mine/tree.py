"""Tree: a value made of nodes. It predicts, speaks, lists its rules and becomes JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.estimate.interval import z_value

__all__ = ["WIDE", "Node", "Path", "Rule", "Split", "Tree"]

WIDE = z_value(0.95)
"""Half of a 95 % interval, in standard errors: what every ± of a model stands for."""

Path = tuple[tuple[str, tuple[int, ...]], ...]
"""What holds in a node: attributes, and the codes that each may have."""


@dataclass(frozen=True)
class Split:
    """How a node is divided: by one attribute, each branch holding some of its codes.

    ``gain`` is the impurity lost within the node, ``stderr`` the standard error of it.
    """

    name: str
    branches: tuple[tuple[int, ...], ...]
    gain: float
    stderr: float


@dataclass(frozen=True)
class Node:
    """Some people: their estimated share of all, their classes, and how they are divided.

    Attributes
    ----------
    share, stderr
        The estimated share of all people, and its standard error.
    classes
        The share of each class within the node.
    split, children
        How the node is divided, or None and nobody for a leaf.
    why
        Why a leaf was not divided further.
    """

    share: float
    stderr: float
    classes: tuple[float, ...]
    split: Split | None = None
    children: tuple["Node", ...] = ()
    why: str = ""

    @property
    def guess(self) -> int:
        """The most common class."""
        return int(np.argmax(self.classes))

    def leaf(self, why: str) -> "Node":
        """Give the node without what hangs below it."""
        return replace(self, split=None, children=(), why=why)

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, "Node"]]:
        """Give this node and all below it, each before its children, with their paths."""
        yield path, self
        if self.split is not None:
            for codes, child in zip(self.split.branches, self.children, strict=True):
                yield from child.walk(narrow(path, self.split.name, codes))

    def document(self) -> dict[str, Any]:
        """Write the node as plain JSON values."""
        own = {"share": self.share, "stderr": self.stderr, "classes": list(self.classes)}
        if self.split is None:
            return {**own, "why": self.why}
        branches = zip(self.split.branches, self.children, strict=True)
        return {
            **own,
            "name": self.split.name,
            "gain": self.split.gain,
            "gain_stderr": self.split.stderr,
            "branches": [{"codes": list(codes), **child.document()} for codes, child in branches],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Node":
        """Read a node from plain JSON values."""
        own = (document["share"], document["stderr"], tuple(document["classes"]))
        if "name" not in document:
            return cls(*own, why=document["why"])
        branches = tuple(tuple(branch["codes"]) for branch in document["branches"])
        split = Split(document["name"], branches, document["gain"], document["gain_stderr"])
        return cls(*own, split, tuple(cls.from_document(one) for one in document["branches"]))


def narrow(path: Path, name: str, codes: tuple[int, ...]) -> Path:
    """Add a condition; one on the same attribute takes the place of an older, wider one."""
    return (*(one for one in path if one[0] != name), (name, codes))


@dataclass(frozen=True)
class Rule:
    """One leaf as a sentence: if all conditions hold, then this class; ± is half a 95% interval.

    Examples
    --------
    >>> print(Rule((("smokes", ("yes",)),), "ill", "yes", 0.8, 0.25, 0.01))
    if smokes is yes then ill is yes (80.0%; 25.0% ± 2.0% of all people)
    """

    conditions: tuple[tuple[str, tuple[str, ...]], ...]
    target: str
    guess: str
    probability: float
    share: float
    stderr: float

    def __str__(self) -> str:
        """Say the rule."""
        said = " and ".join(f"{name} is {' or '.join(labels)}" for name, labels in self.conditions)
        return (
            f"if {said or 'nothing is known'} then {self.target} is {self.guess} "
            f"({self.probability:.1%}; {self.share:.1%} ± {WIDE * self.stderr:.1%} of all people)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the rule as plain values."""
        return {
            "if": {name: list(labels) for name, labels in self.conditions},
            "then": {self.target: self.guess},
            "probability": self.probability,
            "share": self.share,
            "stderr": self.stderr,
        }


@dataclass(frozen=True)
class Tree:
    """A decision tree over named attributes.

    Parameters
    ----------
    root
        The node of all people.
    target
        The attribute that is predicted.
    values
        The labels of every attribute, target included.

    Examples
    --------
    >>> leaves = Node(0.5, 0.1, (1.0, 0.0)), Node(0.5, 0.1, (0.2, 0.8))
    >>> root = Node(1.0, 0.0, (0.6, 0.4), Split("smokes", ((0,), (1,)), 0.3, 0.1), leaves)
    >>> words = ("no", "yes")
    >>> tree = Tree(root, "ill", {"smokes": words, "ill": words})
    >>> tree.probabilities({"smokes": np.array([1, 0])})
    array([[0.2, 0.8],
           [1. , 0. ]])
    >>> print(tree)
    everyone: no 60.0%, 100.0% of all; split by smokes, gain 0.300 ± 0.196
      smokes is no: no 100.0%, 50.0% ± 19.6% of all
      smokes is yes: yes 80.0%, 50.0% ± 19.6% of all
    """

    root: Node
    target: str
    values: Mapping[str, tuple[str, ...]]

    @property
    def depth(self) -> int:
        """How many questions the longest path asks."""
        return depth_of(self.root)

    def leaves(self) -> Iterator[tuple[Path, Node]]:
        """Give every leaf with its path."""
        return ((path, node) for path, node in self.root.walk() if node.split is None)

    def probabilities(self, codes: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
        """Give the class shares of the leaf that each row of codes falls into."""
        n = len(next(iter(codes.values())))
        found = np.empty((n, len(self.root.classes)))
        todo = [(self.root, np.arange(n))]
        while todo:
            node, rows = todo.pop()
            if node.split is None:
                found[rows] = node.classes
                continue
            column = codes[node.split.name][rows]
            for held, child in zip(node.split.branches, node.children, strict=True):
                todo.append((child, rows[np.isin(column, held)]))
        return found

    def rules(self) -> tuple[Rule, ...]:
        """Give every leaf as a rule, the most common first."""
        target = self.values[self.target]
        rules = [
            Rule(
                tuple((name, self.labels(name, codes)) for name, codes in path),
                self.target,
                target[node.guess],
                node.classes[node.guess],
                node.share,
                node.stderr,
            )
            for path, node in self.leaves()
        ]
        return tuple(sorted(rules, key=lambda rule: -rule.share))

    def labels(self, name: str, codes: Sequence[int]) -> tuple[str, ...]:
        """Give the labels of some codes."""
        return tuple(self.values[name][code] for code in codes)

    def __str__(self) -> str:
        """Draw the tree as indented lines; ± is half a 95% interval."""
        return "\n".join(self.lines(self.root, "everyone", ""))

    def lines(self, node: Node, name: str, indent: str) -> Iterator[str]:
        """Say one node and all below it."""
        guess = f"{self.values[self.target][node.guess]} {node.classes[node.guess]:.1%}"
        error = f" ± {WIDE * node.stderr:.1%}" if name != "everyone" else ""
        line = f"{indent}{name}: {guess}, {node.share:.1%}{error} of all"
        if node.split is None:
            yield line
            return
        yield f"{line}; split by {node.split.name}, {gain_text(node.split)}"
        for codes, child in zip(node.split.branches, node.children, strict=True):
            words = " or ".join(self.labels(node.split.name, codes))
            yield from self.lines(child, f"{node.split.name} is {words}", indent + "  ")


def depth_of(node: Node) -> int:
    """Tell how many splits the longest way down has."""
    return 1 + max(map(depth_of, node.children)) if node.children else 0


def gain_text(split: Split) -> str:
    """Say a gain with half of its 95 % interval."""
    return f"gain {split.gain:.3f} ± {WIDE * split.stderr:.3f}"
