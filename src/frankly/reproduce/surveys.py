"""Surveys record by record, with the same coin, counts and miners that users call."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from frankly.count import ArrayEngine
from frankly.design import Attribute, Design, Group
from frankly.estimate import Shares
from frankly.mechanism import Codes, Mechanism
from frankly.mine import NaiveBayes
from frankly.mine.miner import Miner
from frankly.randomize import Tape, draw_blocks
from frankly.reproduce.data import Bits

__all__ = [
    "answered",
    "grouped",
    "hidden",
    "interval",
    "learned",
    "naive_bayes",
    "reported",
    "right",
]

Floats = NDArray[np.float64]


def grouped(names: Sequence[str], count: int) -> list[list[str]]:
    """Deal names into groups of neighbours, as even as can be.

    Examples
    --------
    >>> grouped(["a", "b", "c", "d", "e"], 2)
    [['a', 'b', 'c'], ['d', 'e']]
    """
    return [list(map(str, part)) for part in np.array_split(np.array(names), count)]


def hidden(
    attributes: Sequence[Attribute], target: str, device: Mechanism, groups: int = 1
) -> Design:
    """Design a survey that hides everything, in so many groups, each by such a device."""
    names = [attribute.name for attribute in attributes]
    parts = [Group(part, device) for part in grouped(names, groups)]
    return Design(attributes, groups=parts, target=target, accept_infinite_epsilon=True)


def reported(design: Design, bits: Bits, seed: str) -> tuple[dict[str, Codes], Codes]:
    """Draw everybody's reports, and the form of each."""
    blocks = list(draw_blocks(design, bits.codes, Tape.seeded(seed)))
    columns = {n: np.concatenate([block.columns[n] for block in blocks]) for n in bits.names}
    return columns, np.concatenate([block.form for block in blocks])


def answered(design: Design, bits: Bits, seed: str) -> ArrayEngine:
    """Let everybody answer a survey."""
    columns, form = reported(design, bits, seed)
    return ArrayEngine.from_codes(design, columns, form if len(design.forms) > 1 else None)


def learned(miner: Miner, shares: Shares) -> Miner:
    """Let a miner learn from shares, which several miners may use."""
    miner.take(shares)
    return miner


def naive_bayes(engine: ArrayEngine, method: str) -> Miner:
    """Learn naive Bayes from reports."""
    return NaiveBayes(design=engine.design, method=method).fit(engine)


def right(miner: Miner, test: Bits) -> float:
    """Tell the accuracy on true answers."""
    return float((miner.predict_codes(test.codes) == test.codes[test.target]).mean())


def interval(runs: Floats) -> tuple[float, float, float]:
    """Give the mean of runs, and the ends of its 95 % interval (Student's t).

    Examples
    --------
    >>> [round(end, 2) for end in interval(np.array([0.7, 0.8, 0.9]))]
    [0.8, 0.55, 1.05]
    """
    mean, many = float(runs.mean()), len(runs)
    if many == 1:
        return mean, mean, mean
    error = float(runs.std(ddof=1) / np.sqrt(many) * t.ppf(0.975, many - 1))
    return mean, mean - error, mean + error
