"""Trees from reports: how far they stay behind the trees that saw the truth.

Means over 3 random splits of Adult x 20 randomizations; ID3 and CART learn from the same
reports, and a gap is to the undisguised tree of the same split. About five minutes on one core.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from evidence.claim import Claim
from evidence.sources import data
from frankly.count import ArrayEngine
from frankly.design import Design, Group
from frankly.estimate import Shares
from frankly.mechanism import Flip, Mechanism, Uniform, Unrelated
from frankly.mine import CART, ID3
from frankly.randomize import Tape, draw
from frankly.reproduce.data import Bits, adult, split

SPLITS, REPEATS = 3, 20
KINDS = (ID3, CART)


@dataclass(frozen=True)
class Runs:
    """Accuracies of one kind of tree, and those of the trees that saw the truth."""

    found: Sequence[float]
    clear: Sequence[float]

    @property
    def mean(self) -> float:
        return float(np.mean(self.found))

    @property
    def gap(self) -> float:
        return float(np.mean(self.clear)) - self.mean

    @property
    def error(self) -> float:
        return float(np.std(self.found, ddof=1) / np.sqrt(len(self.found)))


@cache
def people() -> Bits:
    return adult(data())


def grouped(device: Mechanism, groups: int) -> Design:
    """Hide everything, neighbours together."""
    parts = np.array_split(np.array(people().names), groups)
    hides = [Group([str(name) for name in part], device) for part in parts]
    return Design(people().attributes, groups=hides, target="class", accept_infinite_epsilon=True)


def modules(epsilon: float) -> Design:
    """Ask everybody the class and one question, together behind one device."""
    device = Uniform(epsilon=epsilon)
    return Design.modules(people().attributes, target="class", mechanism=device)


def accuracy(kind: type[ID3] | type[CART], shares: Shares, test: Bits) -> float:
    model = kind(design=shares.design, target="class")
    model.take(shares)
    return float((model.predict_codes(test.codes) == test.codes["class"]).mean())


@cache
def in_clear(seed: int) -> Mapping[str, float]:
    """Grow trees on the truth of one split."""
    train, test = split(people(), seed)
    design = Design(people().attributes, target="class")
    shares = Shares(ArrayEngine.from_codes(design, train.codes), "inverse", "class")
    return {kind.__name__: accuracy(kind, shares, test) for kind in KINDS}


def measure(design: Design) -> dict[str, Runs]:
    """Randomize each split's training people again and again, and grow both trees."""
    found: dict[str, list[float]] = {kind.__name__: [] for kind in KINDS}
    clear: dict[str, list[float]] = {kind.__name__: [] for kind in KINDS}
    for seed in range(SPLITS):
        train, test = split(people(), seed)
        for repeat in range(REPEATS):
            drawn = draw(design, train.codes, Tape.seeded(f"trees {seed} {repeat}"))
            form = drawn.form if len(design.forms) > 1 else None
            engine = ArrayEngine.from_codes(design, drawn.columns, form)
            shares = Shares(engine, "auto", "class")
            for kind in KINDS:
                found[kind.__name__].append(accuracy(kind, shares, test))
                clear[kind.__name__].append(in_clear(seed)[kind.__name__])
    return {name: Runs(found[name], clear[name]) for name in found}


def at_most(what: str, runs: Runs, most: float) -> Claim:
    """Claim a gap."""
    text = f"{what}: at most {most} behind the tree that saw the truth"
    return Claim(text, f"{runs.gap:.4f} ± {runs.error:.4f}", holds=runs.gap <= most)


def at_least(what: str, runs: Runs, least: float) -> Claim:
    """Claim an accuracy."""
    text = f"{what}: accuracy at least {least}"
    return Claim(text, f"{runs.mean:.4f} ± {runs.error:.4f}", holds=runs.mean >= least)


def claims() -> Iterator[Claim]:
    one_coin = measure(grouped(Unrelated(theta=0.1), 1))
    flipped = measure(grouped(Flip(theta=0.51), 1))
    for name in one_coin:
        yield at_most(f"{name}, one unrelated group, theta .1", one_coin[name], 0.013)
        yield at_most(f"{name}, one flipped group, theta .51", flipped[name], 0.003)
    for groups in (3, 4):
        for name, runs in measure(grouped(Unrelated(theta=0.3), groups)).items():
            yield at_least(f"{name}, {groups} unrelated groups, theta .3", runs, 0.805)
    for epsilon, least in ((1, 0.798), (2, 0.806)):
        runs = measure(modules(epsilon))["ID3"]
        yield at_least(f"ID3 from 14 modules, record epsilon {epsilon}", runs, least)
