"""Tree miner: what ID3 and CART share."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design
from frankly.estimate import Codes, Shares
from frankly.mine.grow import Limits, Splitter, grow
from frankly.mine.miner import Miner
from frankly.mine.settings import check_number, check_whole
from frankly.mine.tree import Node, Rule, Tree

__all__ = ["FITTED", "TreeMiner"]

FITTED = (
    "Shares come from a fitted model, which pulls them; the errors are chance alone and leave "
    "that out.\nmethod='inverse' fits no model; it takes shares below 0 as 0 and scales branches "
    "to add\nup to their node. For shares without a bias use estimate."
)


class TreeMiner(Miner):
    """A decision tree grown from shares of the truth, level by level.

    Parameters
    ----------
    design, target, method
        As for every miner.
    max_depth
        The most questions a path asks.
    min_leaf
        Nodes with a smaller share of all people are not divided.
    noise
        A node whose share is below this many of its standard errors is not divided, and
        predicts what the node above it predicts. People made up for a fitted joint count as
        real ones here.
    gain_noise
        A split whose gain is below this many of its standard errors is not made.

    Attributes
    ----------
    tree_
        The tree, as a value.
    """

    splitter: ClassVar[Splitter]

    def __init__(
        self,
        *,
        design: Design | None = None,
        target: str | None = None,
        method: str = "auto",
        max_depth: int = 6,
        min_leaf: float = 0.005,
        noise: float = 1.0,
        gain_noise: float = 0.0,
    ) -> None:
        super().__init__(design=design, target=target, method=method)
        self.max_depth = max_depth
        self.min_leaf = min_leaf
        self.noise = noise
        self.gain_noise = gain_noise

    def check(self) -> None:
        """Refuse limits that make no sense."""
        check_whole("max_depth", self.max_depth, 1)
        share = "a share of all people, from 0 to below 1"
        check_number("min_leaf", self.min_leaf, lambda least: 0 <= least < 1, share)
        errors = "a number of standard errors, at least 0"
        check_number("noise", self.noise, lambda noise: noise >= 0, errors)
        check_number("gain_noise", self.gain_noise, lambda noise: noise >= 0, errors)

    def limits(self) -> Limits:
        """Give the limits."""
        return Limits(self.max_depth, self.min_leaf, self.noise, self.gain_noise)

    def learn(self, shares: Shares) -> None:
        """Grow the tree."""
        root = grow(shares, self.target_, self.features_, self.splitter, self.limits())
        self.tree_ = self.planted(self.prune(root))

    def prune(self, root: Node) -> Node:
        """Cut back what was grown; nothing, unless a kind of tree says otherwise."""
        return root

    def planted(self, root: Node) -> Tree:
        """Give a root the names and labels of the design."""
        design = self.known_design()
        return Tree(root, self.target_, {a.name: a.values for a in design.attributes})

    def chances(self, codes: Mapping[str, Codes]) -> NDArray[np.float64]:
        """Give the class shares of the leaf that each row falls into."""
        return self.tree_.probabilities(codes)

    def looked_at(self) -> tuple[str, ...]:
        """Tell which attributes the tree asks; the first one, if it asks none."""
        used = {node.split.name for _, node in self.tree_.root.walk() if node.split is not None}
        return tuple(name for name in self.features_ if name in used) or self.features_[:1]

    def rules(self) -> tuple[Rule, ...]:
        """Give the tree as if-then rules, the most common first."""
        return self.tree_.rules()

    def summary(self) -> str:
        """Say the tree: one line a node, with class, share and gain."""
        impurity = self.splitter.impurity.name
        title = (
            f"{self.target_}   {type(self).__name__} tree from {self.n_reports_:,} reports, "
            f"{self.method_} estimate; gains in {impurity}; ± is half a 95% interval"
        )
        told = f"{title}\n{'─' * len(title)}\n{self.tree_}"
        return told if self.method_ == "inverse" else f"{told}\n{FITTED}"

    def learned(self) -> dict[str, Any]:
        """Give the tree as plain JSON values."""
        return {"tree": self.tree_.root.document()}

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""
        self.tree_ = self.planted(Node.from_document(learned["tree"]))
