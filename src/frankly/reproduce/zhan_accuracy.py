"""Zhan and Matwin 2007, Figs 2 to 5: mean and variance of accuracy against theta."""

from dataclasses import dataclass

import numpy as np

from frankly.count import ArrayEngine
from frankly.errors import CannotBeToldError
from frankly.mechanism import Unrelated
from frankly.reproduce.data import Bits, split
from frankly.reproduce.figure import Cell, Column, Figure, Line, Panel, Tone
from frankly.reproduce.lab import Lab
from frankly.reproduce.simulate import Floats, Kinds, accuracies, kinds, majority
from frankly.reproduce.surveys import answered, hidden, interval, naive_bayes, right

__all__ = ["THETAS", "adult", "cancer"]

THETAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Section 5.1; theta 0 is there too, and nothing can be learned at it."""

SURVEYS, FITS = 1000, 20


@dataclass(frozen=True)
class Runs:
    """The accuracies of many surveys at one theta: as printed, clipped, and by EM."""

    theta: float
    printed: Floats
    clipped: Floats
    ours: Floats


def adult(lab: Lab) -> Figure:
    """Make Figs 2 and 4: Adult."""
    bits = lab.adult()
    train, test = split(bits, lab.seed)
    runs = [simulated(lab, train, test, theta) for theta in lab.each(THETAS)]
    floor, clear = bounds(kinds(train), kinds(test))
    low = next(run for run in runs if run.theta == 0.1)
    gap = 100 * (clear - low.ours.mean())
    return Figure(
        name="zhan-adult",
        title=f"Adult: at theta 0.1 the papers' inverse loses {points(clear, low.printed)} points "
        f"of accuracy, naive Bayes fitted through the device {gap:.1f}",
        source="Zhan and Matwin 2007, Figs 2 and 4 (section 5.2)",
        claim="When theta moves from 1 towards 0 the mean accuracy falls and its variance grows; "
        "close to 1 the classifier equals the one from undisguised data.",
        found=f"Both hold. From theta 0.3 on nothing is lost ({clear:.1%} undisguised); at 0.05 "
        f"the mean is {runs[0].printed.mean():.1%}, below the {floor:.1%} of always saying the "
        "commoner class. At theta 0 the inverse divides by zero, so only that baseline is drawn.",
        better="A whole report betrays much about its own coin. EM through the device uses that: "
        f"{low.ours.mean():.1%} at theta 0.1 and {runs[0].ours.mean():.1%} at 0.05. The same "
        "leak is why one big group is not our default: see `soni-privacy` and `frontier`.",
        caption=caption(lab, train, test, "Adult, 14 questions and the class"),
        panels=panels(runs, floor, clear, (0.70, 0.83)),
        columns=COLUMNS,
        rows=rows(runs, floor),
    )


def cancer(lab: Lab) -> Figure:
    """Make Figs 3 and 5: Breast Cancer."""
    bits, which = lab.cancer()
    train, test = split(bits, lab.seed)
    runs = [simulated(lab, train, test, theta) for theta in lab.each(THETAS)]
    floor, clear = bounds(kinds(train), kinds(test))
    low = next(run for run in runs if run.theta == 0.2)
    return Figure(
        name="zhan-cancer",
        title=f"Breast cancer, {train.n} people: the inverse needs theta "
        f"{enough(runs, clear, 'printed')} to come within two points, EM through the device "
        f"{enough(runs, clear, 'ours')}",
        source="Zhan and Matwin 2007, Figs 3 and 5 (section 5.2)",
        claim="As for Adult: the mean falls and the variance grows when theta moves towards 0.",
        found=f"Both hold, and with {train.n} people it hurts earlier: at theta 0.2 the inverse "
        f"gives {low.printed.mean():.1%} ({clear:.1%} undisguised, {floor:.1%} for the commoner "
        "class). Which breast-cancer set the paper took cannot be told from its text.",
        better=f"EM through the device: {low.ours.mean():.1%} at theta 0.2. Redundant questions "
        "make a report's coin easy to guess, for the analyst as for anybody else.",
        caption=caption(lab, train, test, f"Breast Cancer {which}, {len(bits.names) - 1} scores"),
        panels=panels(runs, floor, clear, (0.4, 1.0)),
        columns=COLUMNS,
        rows=rows(runs, floor),
    )


def simulated(lab: Lab, train: Bits, test: Bits, theta: float) -> Runs:
    """Simulate many surveys at one theta: by their counts, and a few record by record."""
    told, tested = kinds(train), kinds(test)
    surveys, place = lab.times(SURVEYS), round(100 * theta)
    printed = accuracies(told, tested, theta, surveys, lab.chance(place), rule="raw")
    clipped = accuracies(told, tested, theta, surveys, lab.chance(place))
    return Runs(theta, printed, clipped, fitted(lab, train, test, theta))


def fitted(lab: Lab, train: Bits, test: Bits, theta: float) -> Floats:
    """Give the accuracies of naive Bayes fitted through the device."""
    design = hidden(train.attributes, train.target, Unrelated(theta=theta))
    method = "em" if theta < 1 else "inverse"
    seeds = [f"{lab.seed} {theta} {run}" for run in range(lab.times(FITS) if theta < 1 else 1)]
    floor = majority(kinds(train), kinds(test))
    return np.array([mined(answered(design, train, seed), method, test, floor) for seed in seeds])


def mined(engine: ArrayEngine, method: str, test: Bits, floor: float) -> float:
    """Give a model's accuracy; where reports tell of one class only, that class is all it says."""
    try:
        return right(naive_bayes(engine, method), test)
    except CannotBeToldError:
        return floor


def bounds(train: Kinds, test: Kinds) -> tuple[float, float]:
    """Give the accuracy of always saying the commoner class, and of undisguised answers."""
    clear = accuracies(train, test, 1.0, 1, np.random.default_rng(0))
    return majority(train, test), float(clear[0])


def enough(runs: list[Runs], clear: float, whose: str) -> str:
    """Say from which theta on the mean stays within two points of undisguised answers."""
    near = [run.theta for run in runs if getattr(run, whose).mean() > clear - 0.02]
    far = [run.theta for run in runs if run.theta not in near]
    return f"{min(theta for theta in near if theta > max(far, default=0)):g}"


def points(clear: float, runs: Floats) -> str:
    """Say how many points are lost."""
    return f"{100 * (clear - runs.mean()):.1f}"


def panels(
    runs: list[Runs], floor: float, clear: float, span: tuple[float, float]
) -> tuple[Panel, Panel]:
    """Draw means with the middle 90 % of surveys, and variances."""
    thetas = [run.theta for run in runs]
    means = Panel(
        "Mean accuracy, and the middle 90% of surveys",
        "theta, the chance that a record is told straight",
        "accuracy",
        (
            middle("as printed", [run.printed for run in runs], thetas, floor),
            middle("EM through\nthe device", [run.ours for run in runs], thetas, None),
            Line("undisguised", (0, 1), (clear, clear), tone="grey", look="dashed"),
            Line("commoner\nclass", (0, 1), (floor, floor), tone="grey", look="dashed"),
            Line("", (0,), (floor,), tone="ink", look="hollow"),
        ),
        (0, 1),
        span,
    )
    variances = Panel(
        "Variance of the accuracy between surveys",
        "theta",
        "variance (log scale)",
        (
            spread("as printed", [(run.theta, run.printed) for run in runs], "ink"),
            spread("EM", [(run.theta, run.ours) for run in runs], "teal"),
        ),
        (0, 1),
        log=True,
    )
    return means, variances


def spread(label: str, runs: list[tuple[float, Floats]], tone: Tone) -> Line:
    """Draw variances, where there is any."""
    found = [(theta, float(run.var())) for theta, run in runs if run.var() > 1e-12]
    return Line(label, [at for at, _ in found], [size for _, size in found], tone=tone)


def middle(label: str, runs: list[Floats], thetas: list[float], floor: float | None) -> Line:
    """Draw the mean of many surveys and where the middle 90 % of them lie."""
    start = [] if floor is None else [floor]
    low, high = np.quantile(np.array([np.resize(run, 5000) for run in runs]), [0.05, 0.95], axis=1)
    at = [0.0, *thetas] if start else thetas
    means = [*start, *(float(run.mean()) for run in runs)]
    ends = [*start, *low.tolist()], [*start, *high.tolist()]
    return Line(label, at, means, *ends, tone="ink" if start else "teal")


COLUMNS = (
    Column("theta", "g"),
    Column("inverse as printed, mean"),
    Column("variance", ".2e"),
    Column("inverse clipped, mean"),
    Column("EM, mean"),
    Column("EM, ± (95%)"),
    Column("EM, variance", ".2e"),
)


def rows(runs: list[Runs], floor: float) -> list[tuple[Cell, ...]]:
    """Give the table; nothing can be learned at theta 0."""
    found: list[tuple[Cell, ...]] = [(0.0, floor, 0.0, floor, floor, 0.0, 0.0)]
    for run in runs:
        mean, low, _ = interval(run.ours)
        spread = float(run.ours.var(ddof=1)) if len(run.ours) > 1 else 0.0
        found.append(
            (
                run.theta,
                float(run.printed.mean()),
                float(run.printed.var()),
                float(run.clipped.mean()),
                mean,
                mean - low,
                spread,
            )
        )
    return found


def caption(lab: Lab, train: Bits, test: Bits, what: str) -> str:
    """Say how it was made."""
    return (
        f"{what}; {train.n:,} people to learn from, {test.n:,} true records to test on. One "
        f"unrelated group, fair cover. {lab.times(SURVEYS):,} surveys a theta by their counts "
        f"(inverse), {lab.times(FITS)} record by record (EM). Band: 5th to 95th percentile."
    )
