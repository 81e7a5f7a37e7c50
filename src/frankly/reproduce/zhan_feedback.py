"""Zhan and Matwin 2007, section 3.4: what it costs to ask whether the classifier was right.

The paper lets everybody run the classifier on her personal record and send right or wrong
along, so that the collector learns P(Y(cc)). Whoever sends a record on which the classifier
does something else than that bit says cannot have sent her personal record: it is the truth.
"""

import numpy as np

from frankly.mechanism import Unrelated
from frankly.mine.miner import Miner
from frankly.reproduce.data import Bits, split
from frankly.reproduce.figure import Cell, Column, Figure, Line, Panel
from frankly.reproduce.lab import Lab
from frankly.reproduce.simulate import Floats
from frankly.reproduce.surveys import answered, hidden, interval, naive_bayes, right

__all__ = ["figure", "told_on"]

THETAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = 100


def figure(lab: Lab) -> Figure:
    """Simulate the leak, and what is gained by it."""
    train, test = split(lab.adult(), lab.seed)
    design = hidden(train.attributes, train.target, Unrelated(theta=0.5))
    model = naive_bayes(answered(design, train, f"{lab.seed} feedback"), "em")
    truth = right(model, test)
    found = {theta: many(lab, model, test, theta) for theta in lab.each(THETAS)}
    half = np.mean([runs[:, 0].mean() for runs in found.values()])
    rows: list[tuple[Cell, ...]] = []
    for theta, runs in found.items():
        exposed, low, _ = interval(runs[:, 0])
        errors = runs[:, 1:].std(axis=0, ddof=1)
        rows.append((theta, exposed, exposed - low, float(errors[0]), float(errors[1])))
    return Figure(
        name="zhan-feedback",
        title=f"One bit of feedback proves the coin of {half:.0%} of the truth-tellers, at every "
        "theta",
        source="Zhan and Matwin 2007, section 3.4",
        claim="Each respondent applies the classifier to her personal data and communicates the "
        "number of correct predictions, 0 or 1; the collector does not know the personal values.",
        found=f"Right for a truth and right for a fair cover are independent, and the latter is "
        f"a coin of one half. So for half of the truth-tellers ({half:.1%} over "
        f"{len(THETAS)} thetas) the bit contradicts the record that was sent: it is the truth, "
        "with certainty. Not one substitute is mistaken for a truth.",
        better="P(Y(cc)) follows from the cover (1/2 for a fair one), so we compute it and never "
        f"ask. The estimate stays unbiased around the true {truth:.1%}; its standard error grows "
        f"from {100 * rows[4][4]:.2f} to {100 * rows[4][3]:.2f} points at theta 0.5, which is "
        "what the exposed coins had paid for.",
        caption=f"Adult, {test.n:,} people to test on, naive Bayes; {lab.times(REPEATS)} "
        "simulated tests a theta. Bars: 95% intervals of the mean (narrower than the dots).",
        panels=panels(rows),
        columns=(
            Column("theta", "g"),
            Column("truth-tellers exposed for certain"),
            Column("± (95%)", ".2%"),
            Column("standard error, P(Y(cc)) computed", ".2%"),
            Column("standard error, asked", ".2%"),
        ),
        rows=rows,
    )


def panels(rows: list[tuple[Cell, ...]]) -> tuple[Panel, Panel]:
    """Draw who is exposed, and what it buys."""
    numbers = np.array(rows, dtype=float).T
    thetas, exposed, error, computed, asked = (column.tolist() for column in numbers)
    low = [e - d for e, d in zip(exposed, error, strict=True)]
    high = [e + d for e, d in zip(exposed, error, strict=True)]
    leak = Panel(
        "Truth-tellers whose coin is proven",
        "theta",
        "share of truth-tellers",
        (
            Line("asked", thetas, exposed, low, high, tone="brick"),
            Line("computed", thetas, [0.0] * len(thetas), tone="teal"),
        ),
        (0, 1),
        (-0.02, 1),
    )
    price = Panel(
        "Standard error of the estimated accuracy",
        "theta",
        "points",
        (
            Line("asked", thetas, [100 * e for e in asked], tone="brick"),
            Line("computed", thetas, [100 * e for e in computed], tone="teal"),
        ),
        (0, 1),
        (0, 6),
        percent=False,
    )
    return leak, price


def many(lab: Lab, model: Miner, test: Bits, theta: float) -> Floats:
    """Repeat the test; a row has the exposed share and both estimates of the accuracy."""
    chance = lab.chance(34, round(100 * theta))
    truth = model.predict_codes(test.codes) == test.codes[test.target]
    runs = [told_on(model, test, truth, theta, chance) for _ in range(lab.times(REPEATS))]
    return np.array(runs)


def told_on(
    model: Miner, test: Bits, truth: np.ndarray, theta: float, chance: np.random.Generator
) -> tuple[float, float, float]:
    """Run one test as section 3.4 has it.

    Parameters
    ----------
    model, test
        The classifier, and the people.
    truth
        Whether the classifier is right about each of them.
    theta, chance
        The coin.
    """
    cover = {name: chance.integers(0, 2, test.n, dtype=np.uint8) for name in test.names}
    feedback = model.predict_codes(cover) == cover[test.target]
    straight = chance.random(test.n) < theta
    seen = np.where(straight, truth, feedback)
    proven = seen != feedback
    agreement = seen.mean()
    computed = (agreement - (1 - theta) / 2) / theta
    asked = (agreement - (1 - theta) * feedback.mean()) / theta
    return float((proven & straight).sum() / straight.sum()), float(computed), float(asked)
