"""CART: divide in two where the classes part best, then cut back what is not worth its size."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design
from frankly.mine.grow import Branches, Splitter
from frankly.mine.impurity import GINI, Floats, Impurity
from frankly.mine.settings import check_number
from frankly.mine.tree import Node
from frankly.mine.tree_miner import TreeMiner

__all__ = ["CART", "SUBSETS", "pruned"]

SUBSETS = 12
"""Of so many values all subsets are tried, 2,047 of them, when there are three classes or more."""

Held = NDArray[np.bool_]
"""Which values are on the left side, one row a cut."""


class Binary:
    """Two branches, chosen by gini; an attribute may divide a path again.

    With two classes the best subset of values is found among those ordered by class share; with
    more, among all subsets. Of more than `SUBSETS` values one is then set against the rest.
    """

    impurity: Impurity = GINI
    again: bool = True

    def divide(self, table: Floats, codes: Sequence[int], smallest: float) -> Branches:
        """Give the two sets of codes that lose most impurity, or none."""
        there = [code for code in codes if table[code].sum() > 0]
        if len(there) < 2:
            return ()
        left, held = cuts(table[there])
        right = table[there].sum(axis=0) - left
        lost = -self.impurity.whole(left) - self.impurity.whole(np.maximum(right, 0.0))
        lost[np.minimum(left.sum(axis=1), right.sum(axis=1)) < smallest] = -np.inf
        best = int(np.argmax(lost))
        if lost[best] == -np.inf:
            return ()
        return sides(codes, table, [there[place] for place in np.flatnonzero(held[best])])


def cuts(table: Floats) -> tuple[Floats, Held]:
    """Give the class shares of every left side worth trying, and which rows it holds."""
    values, classes = table.shape
    if classes == 2:
        order = np.argsort(table[:, 1] / table.sum(axis=1), kind="stable")
        held = np.argsort(order) <= np.arange(values - 1)[:, np.newaxis]
        return np.cumsum(table[order], axis=0)[:-1], held
    held = subsets(values) if values <= SUBSETS else np.eye(values, dtype=np.bool_)
    return held.astype(np.float64) @ table, held


def subsets(values: int) -> Held:
    """Give all ways to divide some values in two, those beside the first one as rows.

    Examples
    --------
    >>> subsets(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 0, 1]])
    """
    numbers = np.arange(2 ** (values - 1) - 1)[:, np.newaxis]
    others = (numbers >> np.arange(values - 1)) & 1 == 1
    return np.hstack([np.ones((len(numbers), 1), dtype=np.bool_), others])


def sides(codes: Sequence[int], table: Floats, chosen: Sequence[int]) -> Branches:
    """Give both sides, the first code's side first; values nobody has join the larger side."""
    there = table.sum(axis=1) > 0
    rest = [code for code in codes if there[code] and code not in chosen]
    left_is_larger = table[list(chosen)].sum() >= table[rest].sum()
    left = tuple(c for c in codes if c in chosen or (not there[c] and left_is_larger))
    both = left, tuple(code for code in codes if code not in left)
    return both if codes[0] in left else both[::-1]


class CART(TreeMiner):
    """Grow a tree of two-way splits by gini, and prune it by cost and complexity.

    Parameters
    ----------
    design, target, method, max_depth, min_leaf, noise, gain_noise
        See `TreeMiner`.
    ccp_alpha
        A split stays if it lowers the gini impurity by more than this, as a share of all
        people, for every leaf it adds.

    Examples
    --------
    >>> import frankly as fk
    >>> job = fk.Attribute("job", ["cook", "guard", "nurse"])
    >>> design = fk.Design([job, fk.Attribute("ill", ["no", "yes"])])
    >>> ill = ["no", "yes", "no"] * 30 + ["no", "yes", "yes"] * 10
    >>> reports = {"job": [*job.values] * 40, "ill": ill}
    >>> model = fk.CART(design=design, target="ill", method="inverse", max_depth=1)
    >>> for rule in model.fit(reports).rules():
    ...     print(rule)
    if job is cook or nurse then ill is no (87.5%; 66.7% ± 8.4% of all people)
    if job is guard then ill is yes (100.0%; 33.3% ± 8.4% of all people)
    """

    kind: ClassVar[str] = "cart"
    splitter: ClassVar[Splitter] = Binary()

    def __init__(  # noqa: PLR0913 - scikit-learn reads the parameters off this signature
        self,
        *,
        design: Design | None = None,
        target: str | None = None,
        method: str = "auto",
        max_depth: int = 6,
        min_leaf: float = 0.005,
        noise: float = 1.0,
        gain_noise: float = 0.0,
        ccp_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            design=design,
            target=target,
            method=method,
            max_depth=max_depth,
            min_leaf=min_leaf,
            noise=noise,
            gain_noise=gain_noise,
        )
        self.ccp_alpha = ccp_alpha

    def check(self) -> None:
        """Refuse limits that make no sense."""
        super().check()
        check_number("ccp_alpha", self.ccp_alpha, lambda alpha: alpha >= 0, "a number, at least 0")

    def prune(self, root: Node) -> Node:
        """Cut back the weakest links."""
        return pruned(root, self.ccp_alpha)


def pruned(root: Node, alpha: float) -> Node:
    """Cut the weakest link again and again, until every split is worth more than alpha.

    Examples
    --------
    >>> from frankly.mine.tree import Split
    >>> leaves = Node(0.5, 0.0, (1.0, 0.0)), Node(0.5, 0.0, (0.9, 0.1))
    >>> root = Node(1.0, 0.0, (0.95, 0.05), Split("smokes", ((0,), (1,)), 0.005, 0.0), leaves)
    >>> [len(list(pruned(root, alpha).walk())) for alpha in (0.0, 0.004, 0.006)]
    [3, 3, 1]
    """
    while root.split is not None:
        weakest = min(worth(node) for _, node in root.walk() if node.split is not None)
        if alpha == 0 or weakest > alpha:
            return root
        root = cut(root, weakest)
    return root


def risk(node: Node) -> float:
    """Give a node's impurity as a share of all people."""
    return max(node.share, 0.0) * (1 - sum(share**2 for share in node.classes))


def worth(node: Node) -> float:
    """Tell how much impurity a node's splits save for every leaf they add."""
    leaves = [below for _, below in node.walk() if below.split is None]
    return (risk(node) - sum(map(risk, leaves))) / (len(leaves) - 1)


def cut(node: Node, weakest: float) -> Node:
    """Make leaves of all nodes that are worth no more than this."""
    if node.split is None:
        return node
    if worth(node) <= weakest:
        return node.leaf("not worth its leaves")
    children = tuple(cut(child, weakest) for child in node.children)
    return Node(node.share, node.stderr, node.classes, node.split, children)
