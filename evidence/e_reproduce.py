"""The papers' figures: printed numbers met, the leak shown, and all of it fast enough."""

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evidence.claim import Claim
from evidence.sources import data, oracle
from frankly.reproduce import FIGURES, Lab
from frankly.reproduce.data import split
from frankly.reproduce.lu_range import limits
from frankly.reproduce.lu_shop import Shop
from frankly.reproduce.simulate import accuracies, kinds, majority
from frankly.reproduce.write import write
from frankly.reproduce.zhan_accuracy import THETAS
from frankly.reproduce.zhan_related import PRINTED, means

MINUTES = 15


def claims() -> Iterator[Claim]:
    """Check the figures."""
    lab = Lab(data())
    yield seven(lab)
    yield fast(lab)
    yield worked()
    yield from everything(lab)


def seven(lab: Lab) -> Claim:
    """Zhan and Matwin 2007, Fig. 7: the means, as an independent reading of the table has them."""
    names = {"related": "flip", "unrelated": "unrelated"}
    table = json.loads(oracle("seeds/paper_printed.json").read_text())["fig7_adult"]
    wanted = {
        (names[kind], float(theta)): mean
        for kind, column in table.items()
        for theta, (mean, _) in column.items()
    }
    ours = {(d, t): mean for d, column in PRINTED.items() for t, (mean, _) in column.items()}
    found = {key: float(runs.mean()) for key, runs in means(lab).items()}
    far = max(abs(found[device, theta] - mean) for (device, theta), mean in ours.items())
    figure = f"{len(wanted)} means from 1,000 surveys each, largest difference {far:.4f}"
    return Claim(
        "Fig. 7's means are within .01 of the printed ones (adult.data alone, unclipped)",
        figure,
        far <= 0.01 and ours == wanted,
    )


def fast(lab: Lab) -> Claim:
    """Zhan and Matwin's whole figure: 12 thetas, 1000 surveys each."""
    train, test = map(kinds, split(lab.adult(), 0))
    start = time.process_time()
    runs = [accuracies(train, test, theta, 1000, np.random.default_rng(1)) for theta in THETAS]
    floor = majority(train, test)
    spent = time.process_time() - start
    figure = f"{spent:.1f} s of one core; means {floor:.3f} (theta 0) to {runs[-1].mean():.3f}"
    return Claim(
        "The 12 x 1000 surveys on Adult take at most 10 s on one core", figure, spent <= 10
    )


def worked() -> Claim:
    """Lu's shop and feasible range, against numbers from an independent program."""
    given = json.loads(oracle("seeds/worked_examples.json").read_text())
    shop, shown, lu = Shop(), given["shop_003_section5"], given["lu_eq5"]
    weeks = (shop.everybody(), shop.chosen(shown["inputs"]["response2"]))
    right = weeks == (shown["project1"]["week"], shown["project2"]["week"])
    ends = limits(lu["theta"], lu["p"] / lu["s_v"])
    far = max(abs(a - b) for a, b in zip(ends, lu["feasible_x"], strict=True))
    return Claim(
        "Lu's shop earns 21,000 and 26,300, and the feasible range is the oracle's",
        f"{weeks[0]:,.0f} and {weeks[1]:,.0f}; range off by {far:.0e}",
        right and far < 1e-9,
    )


def everything(lab: Lab) -> Iterator[Claim]:
    """Make all figures, as ``frankly reproduce all`` does."""
    start, made = time.process_time(), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in FIGURES.items():
            made[name] = entry.make(lab)
            write(made[name], Path(folder))
        files = len(list(Path(folder).iterdir()))
    spent = (time.process_time() - start) / 60
    yield Claim(
        f"`frankly reproduce all` takes less than {MINUTES} minutes on two cores",
        f"{spent:.1f} minutes of one core, {files} files for {len(made)} figures",
        spent < MINUTES and files == 4 * len(FIGURES),
    )
    exposed = [float(row[1]) for row in made["zhan-feedback"].rows]
    yield Claim(
        "A bit of feedback proves the coin of half of the truth-tellers, at every theta",
        f"{min(exposed):.2%} to {max(exposed):.2%} over {len(exposed)} thetas",
        all(abs(share - 0.5) < 0.005 for share in exposed),
    )
