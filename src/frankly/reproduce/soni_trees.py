"""Soni and Shrivastva: ID3 and CART from one to four groups, by theta and device."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from frankly.estimate import Shares
from frankly.mechanism import Flip, Mechanism, Unrelated
from frankly.mine import CART, ID3
from frankly.mine.tree_miner import TreeMiner
from frankly.reproduce.data import Bits, split
from frankly.reproduce.figure import Cell, Column, Figure, Line, Panel, Tone
from frankly.reproduce.lab import Lab
from frankly.reproduce.simulate import Floats
from frankly.reproduce.surveys import answered, hidden, interval, learned, right

__all__ = ["cart", "id3"]

GROUPS = (1, 2, 3, 4)
THETAS: Mapping[str, tuple[float, ...]] = {
    "related": (0.55, 0.6, 0.7, 0.9),
    "unrelated": (0.1, 0.3, 0.5, 0.7),
}
TONES: Mapping[int, Tone] = {1: "ink", 2: "teal", 3: "amber", 4: "brick"}
MINERS: Mapping[str, type[TreeMiner]] = {"ID3": ID3, "CART": CART}
INVERSES, FITS = 8, 3
"""Surveys a point: by the inverse, and fitted through the device."""


@dataclass(frozen=True)
class Point:
    """One scheme: which device, theta and number of groups; which miner; how shares are made."""

    device: str
    theta: float
    groups: int
    miner: str
    method: str


@dataclass(frozen=True)
class Found:
    """What trees of one scheme reached: accuracies, and gains of the root."""

    accuracy: Floats
    gain: Floats


def device(kind: str, theta: float) -> Mechanism:
    """Make a device by the papers' word for it."""
    return Flip(theta=theta) if kind == "related" else Unrelated(theta=theta)


def surveyed(lab: Lab, parts: tuple[Bits, Bits], kind: str, theta: float) -> dict[Point, Found]:
    """Grow all trees of one device and theta; ID3 and CART learn from the same shares."""
    train, test = parts
    found: dict[Point, Found] = {}
    for groups in GROUPS:
        design = hidden(train.attributes, train.target, device(kind, theta), groups)
        for method, usual in (("inverse", INVERSES), ("map", FITS)):
            runs: dict[str, list[tuple[float, float]]] = {name: [] for name in MINERS}
            for run in range(lab.times(usual)):
                engine = answered(design, train, f"{lab.seed} {kind} {theta} {groups} {run}")
                shares = Shares(engine, method, train.target)
                for name, miner in MINERS.items():
                    tree = learned(miner(design=design, method=method), shares)
                    runs[name].append((right(tree, test), gain(tree)))
            for name, pairs in runs.items():
                columns = np.array(pairs).T
                found[Point(kind, theta, groups, name, method)] = Found(*columns)
    return found


def gain(tree: TreeMiner) -> float:
    """Give the gain of a tree's root; 0 when it is not divided."""
    top = tree.tree_.root.split
    return 0.0 if top is None else top.gain


def undisguised(parts: tuple[Bits, Bits]) -> dict[str, tuple[float, float]]:
    """Give accuracy and root gain of the trees from the truths."""
    train, test = parts
    design = hidden(train.attributes, train.target, Unrelated(theta=1))
    shares = Shares(answered(design, train, "clear"), "inverse", train.target)
    trees = {name: learned(miner(design=design), shares) for name, miner in MINERS.items()}
    return {name: (right(tree, test), gain(tree)) for name, tree in trees.items()}


@dataclass(frozen=True)
class Experiment:
    """All trees: what each scheme reached, and what undisguised answers give."""

    found: Mapping[Point, Found]
    clear: Mapping[str, tuple[float, float]]
    people: tuple[int, int]

    def mean(self, kind: str, theta: float, groups: int, how: tuple[str, str]) -> float:
        """Give the mean accuracy of one scheme; ``how`` is the miner and the method."""
        return float(self.found[Point(kind, theta, groups, *how)].accuracy.mean())


@lru_cache(maxsize=1)
def experiment(lab: Lab) -> Experiment:
    """Grow all trees, once for both figures."""
    parts = split(lab.adult(), lab.seed)
    found: dict[Point, Found] = {}
    for kind, theta in lab.each(jobs()):
        found |= surveyed(lab, parts, kind, theta)
    return Experiment(found, undisguised(parts), (parts[0].n, parts[1].n))


def jobs() -> list[tuple[str, float]]:
    """List devices and thetas."""
    return [(kind, theta) for kind, thetas in THETAS.items() for theta in thetas]


def id3(lab: Lab) -> Figure:
    """Compare ID3 by the inverse with ID3 from a joint fitted through the device."""
    return figure(lab, "ID3", "bits")


def cart(lab: Lab) -> Figure:
    """Compare CART by the inverse with CART from a joint fitted through the device."""
    return figure(lab, "CART", "Gini")


def figure(lab: Lab, name: str, unit: str) -> Figure:
    """Compare the two ways to one kind of tree."""
    all_trees = experiment(lab)
    hard = all_trees.mean("unrelated", 0.3, 4, (name, "inverse"))
    ours = all_trees.mean("unrelated", 0.3, 4, (name, "map"))
    accuracy, gained = all_trees.clear[name]
    off = all_trees.found[Point("related", 0.6, 4, name, "inverse")].gain.mean()
    learn, test = all_trees.people
    return Figure(
        name=f"soni-{name.lower()}",
        title=f"{name} from four groups at theta 0.3: {hard:.1%} by the inverse, {ours:.1%} from a "
        "joint fitted through the device",
        source=f"Soni and Shrivastva, sections 3 and 4 ({name}, one to four groups)",
        claim="ID3 and CART can be grown from one to four groups; the authors call schemes beyond "
        "three groups not very useful for their undesirable performance, and compare gain and "
        "accuracy without printing them.",
        found="With the inverse the authors are right: every group that a path of the tree touches "
        "multiplies its error by 1/theta (unrelated) or 1/(2 theta - 1) (related). The gain of the "
        f"root suffers too: {gained:.3f} ({unit}) undisguised, {off:.3f} on average with four "
        "related groups at 0.6, because the best of many noisy gains is chosen.",
        better="Grown from a joint fitted to whole reports, with naive Bayes where they thin out, "
        f"{name} reaches {ours:.1%} with four groups at theta 0.3 ({accuracy:.1%} undisguised), "
        "and four groups are useful after all.",
        caption=f"Adult, {learn:,} people to learn from, {test:,} true records to test on; "
        f"neighbouring questions grouped; {lab.times(INVERSES)} surveys a point (inverse), "
        f"{lab.times(FITS)} (fitted joint); bands: 95% intervals of the mean. Lines are named by "
        "their number of groups; dashed: undisguised.",
        panels=panels(all_trees, name, unit),
        columns=(
            Column("device", ""),
            Column("groups", "d"),
            Column("theta", "g"),
            Column("inverse"),
            Column("inverse, ± (95%)"),
            Column("fitted"),
            Column("fitted, ± (95%)"),
            Column("root gain, inverse", ".4f"),
            Column("root gain, fitted", ".4f"),
        ),
        rows=[row(all_trees, name, job, groups) for job in jobs() for groups in GROUPS],
        wide=True,
    )


def row(trees: Experiment, name: str, job: tuple[str, float], groups: int) -> tuple[Cell, ...]:
    """Give one line of the table."""
    cells: list[Cell] = [job[0], groups, job[1]]
    both = [trees.found[Point(*job, groups, name, method)] for method in ("inverse", "map")]
    for one in both:
        mean, low, _ = interval(one.accuracy)
        cells += [mean, mean - low]
    return (*cells, *(float(one.gain.mean()) for one in both))


def panels(trees: Experiment, name: str, unit: str) -> tuple[Panel, ...]:
    """Draw accuracies and gains, the inverse left, ours right."""
    charts = []
    for kind in THETAS:
        for method, said in (("inverse", "inverse"), ("map", "fitted")):
            lines = [line(trees.found, (kind, name, method), g, "accuracy") for g in GROUPS]
            lines.append(level(kind, trees.clear[name][0]))
            charts.append(Panel(f"{kind}, {said}", "theta", "", lines, None, (0.6, 0.84)))
    for kind in THETAS:
        lines = [line(trees.found, (kind, name, "inverse"), g, "gain") for g in GROUPS]
        lines.append(level(kind, trees.clear[name][1]))
        title, top = f"root gain ({unit}), {kind}", 5 * trees.clear[name][1]
        charts.append(Panel(title, "theta", "", lines, None, (0, top), percent=False))
    return tuple(charts)


def level(kind: str, height: float) -> Line:
    """Draw what undisguised answers give."""
    ends = (THETAS[kind][0], THETAS[kind][-1])
    return Line("", ends, (height, height), tone="grey", look="dashed")


def line(found: Mapping[Point, Found], which: tuple[str, str, str], groups: int, what: str) -> Line:
    """Draw one number of groups over theta."""
    kind, name, method = which
    runs = [getattr(found[Point(kind, t, groups, name, method)], what) for t in THETAS[kind]]
    mean, low, high = zip(*map(interval, runs), strict=True)
    return Line(str(groups), THETAS[kind], mean, low, high, tone=TONES[groups])
