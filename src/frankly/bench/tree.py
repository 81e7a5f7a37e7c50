"""Tree: CART of depth 6 beside scikit-learn's, in clear and behind a device."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from frankly.bench.count import SIZES, values
from frankly.bench.measure import Row, cpu
from frankly.count import ArrayEngine
from frankly.design import Attribute, Design, Group
from frankly.mechanism import Unrelated
from frankly.mine import CART

__all__ = ["rows"]

ROWS = 10**6
DEPTH = 6

Answers = NDArray[np.uint8]


def attributes() -> list[Attribute]:
    """Make fourteen questions and a class."""
    questions = [Attribute(f"q{i}", values(size)) for i, size in enumerate(SIZES)]
    return [*questions, Attribute("class", ["no", "yes"])]


DESIGNS = {
    "all in clear": Design(attributes()),
    "class and three questions behind one coin": Design(
        attributes(), groups=[Group(["q0", "q1", "q3", "class"], Unrelated(theta=0.7))]
    ),
}


def made_up(n: int) -> tuple[Answers, Answers]:
    """Make up answers to all questions, and a class that depends on some of them."""
    rng = np.random.default_rng(1)
    answers = np.stack([rng.integers(0, size, n, np.uint8) for size in SIZES], axis=1)
    lean = 1.0 * (answers[:, 4] > 2) + 0.8 * (answers[:, 9] > 4) + 0.7 * answers[:, 0]
    lean += answers[:, 1] * answers[:, 7] / 8 - 1.2 * (answers[:, 12] % 3 == 0) - 1.0
    return answers, (rng.random(n) < 1 / (1 + np.exp(-lean))).astype(np.uint8)


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure growing a tree; in clear ours tries more, all subsets of values, not only cuts."""
    answers, label = made_up(int(ROWS * scale))
    peer = DecisionTreeClassifier(max_depth=DEPTH)
    theirs = cpu(lambda: peer.fit(answers, label))
    for what, design in DESIGNS.items():
        pairs = zip(design.names, [*answers.T, label], strict=True)
        codes = {name: np.ascontiguousarray(column) for name, column in pairs}
        ours = cpu(partial(grown, design, ArrayEngine.from_codes(design, codes)))
        work = f"tree of depth {DEPTH}, {len(label):,} x 14, {what}, beside DecisionTreeClassifier"
        yield Row(work, ours=ours, peer=theirs, bar=1, better="at most")


def grown(design: Design, engine: ArrayEngine) -> CART:
    """Grow a tree as deep as the peer's."""
    model = CART(design=design, target="class", max_depth=DEPTH, min_leaf=0.0, method="inverse")
    return model.fit(engine)
