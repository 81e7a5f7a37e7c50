"""Our figure: accuracy against record epsilon and against exposure, every scheme on one picture."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frankly.design import Design
from frankly.judge import audit
from frankly.mechanism import Flip, Uniform, Unrelated
from frankly.reproduce.data import Bits, split
from frankly.reproduce.figure import Cell, Column, Figure, Line, Note, Panel, Tone
from frankly.reproduce.lab import Lab
from frankly.reproduce.soni_privacy import labelled
from frankly.reproduce.surveys import answered, hidden, interval, naive_bayes, right

__all__ = ["FAMILIES", "figure"]

FITS = 24
INFINITE = 16.0
"""Where an infinite epsilon is drawn."""


@dataclass(frozen=True)
class Family:
    """Schemes of one kind: how each is designed, and where it stands in the picture."""

    make: Callable[[Bits, float], Design]
    settings: tuple[float, ...]
    tone: Tone
    word: str


def in_groups(groups: int) -> Callable[[Bits, float], Design]:
    """Hide everything in so many groups of drawn answers."""
    return lambda bits, theta: hidden(bits.attributes, bits.target, Unrelated(theta=theta), groups)


def flipped(bits: Bits, theta: float) -> Design:
    """Hide everything by one flip."""
    return hidden(bits.attributes, bits.target, Flip(theta=theta))


def modules(bits: Bits, epsilon: float) -> Design:
    """Ask everybody one question and the class, hidden together."""
    device = Uniform(epsilon=epsilon)
    return Design.modules(bits.attributes, target=bits.target, mechanism=device)


FAMILIES: Mapping[str, Family] = {
    "modules": Family(modules, (0.5, 1, 2, 3), "teal", "epsilon"),
    "4 groups": Family(in_groups(4), (0.3, 0.5, 0.7), "amber", "theta"),
    "3 groups": Family(in_groups(3), (0.3, 0.5, 0.7), "amber", "theta"),
    "2 groups": Family(in_groups(2), (0.1, 0.3, 0.5, 0.7), "amber", "theta"),
    "1 group": Family(in_groups(1), (0.05, 0.1, 0.3, 0.5, 0.7), "ink", "theta"),
    "1 flip": Family(flipped, (0.51, 0.6, 0.7), "brick", "theta"),
}


@dataclass(frozen=True)
class Scheme:
    """One scheme: its record epsilon, its exposure, and accuracies."""

    family: str
    setting: float
    epsilon: float
    exposed: float
    mean: float
    low: float
    high: float


def measured(lab: Lab, bits: Bits, name: str, setting: float) -> Scheme:
    """Survey, mine and attack under one scheme; each survey has a split of its own."""
    family = FAMILIES[name]
    design = family.make(bits, setting)
    runs = []
    for run in range(lab.times(FITS)):
        train, test = split(bits, lab.seed + run)
        reports = answered(design, train, f"{lab.seed} {name} {setting} {run}")
        runs.append(right(naive_bayes(reports, "auto"), test))
    return Scheme(
        name,
        setting,
        design.epsilon,
        exposure(lab, design, bits, setting),
        *interval(np.array(runs)),
    )


def exposure(lab: Lab, design: Design, bits: Bits, setting: float) -> float:
    """Attack everybody's reports; who is known with certainty already needs no attack."""
    if math.isinf(design.epsilon):
        reports = answered(design, bits, f"{lab.seed} attack {setting}")
        found = audit(design, reports, labelled(bits))
        return found.groups[0].best.restored or 0.0
    reports = answered(design, bits, f"{lab.seed} attack {setting} {len(design.forms)}")
    return audit(design, reports, labelled(bits)).exposed[0.9]


def undisguised(lab: Lab, bits: Bits) -> float:
    """Give the mean accuracy of undisguised naive Bayes over the same splits."""
    design = in_groups(1)(bits, 1.0)
    parts = [split(bits, lab.seed + run) for run in range(lab.times(FITS))]
    models = [naive_bayes(answered(design, train, "clear"), "inverse") for train, _ in parts]
    tests = [test for _, test in parts]
    return float(np.mean([right(m, test) for m, test in zip(models, tests, strict=True)]))


def figure(lab: Lab) -> Figure:
    """Put every scheme on one picture."""
    bits = lab.adult()
    jobs = [(name, setting) for name, family in FAMILIES.items() for setting in family.settings]
    found = [measured(lab, bits, *job) for job in lab.each(jobs)]
    clear = undisguised(lab, bits)
    at = {(one.family, one.setting): one for one in found}
    one, two, paper = at["modules", 1], at["modules", 2], at["1 group", 0.1]
    return Figure(
        name="frontier",
        title=f"Modules reach {two.mean:.1%} at a record epsilon of 2 with nobody exposed; one big "
        f"group exposes {paper.exposed:.0%} for {paper.mean:.1%}",
        source="Ours: every scheme of the papers and modules, on one picture",
        claim="Accuracy is weighed against theta, or against the privacy of a single answer.",
        found="Neither says what a whole report gives away. By the epsilon of a whole record one "
        f"unrelated group at theta 0.1 stands at {paper.epsilon:.1f}, and an attack that has the "
        f"reports alone marks {paper.exposed:.0%} of its truth-tellers; one flip has no finite "
        "epsilon at all.",
        better="In modules everybody answers one question and the class. Naive Bayes needs no "
        f"more: {one.mean:.1%} at epsilon 1 and {two.mean:.1%} at 2, of {clear:.1%} undisguised, "
        "and below epsilon 2.3 no coin can be found at 90%, by theorem.",
        caption=f"Adult, {round(0.8 * bits.n):,} people to learn from; naive Bayes, method auto, "
        f"{lab.times(FITS)} surveys and splits a scheme; bars: 95% intervals of the mean. "
        f"Exposed: truth-tellers marked at more than 90%, rightly, by the stronger attack on "
        f"{bits.n:,} reports; for the flip: whole records turned back.",
        panels=panels(found, clear),
        columns=(
            Column("scheme", ""),
            Column("setting", ""),
            Column("record epsilon", ".1f"),
            Column("exposed"),
            Column("accuracy"),
            Column("± (95%)", ".2%"),
        ),
        rows=[row(one) for one in found],
    )


def row(one: Scheme) -> tuple[Cell, ...]:
    """Give one line of the table."""
    setting = f"{FAMILIES[one.family].word} {one.setting:g}"
    return one.family, setting, one.epsilon, one.exposed, one.mean, one.mean - one.low


def panels(found: Sequence[Scheme], clear: float) -> tuple[Panel, Panel]:
    """Draw accuracy against epsilon, and against exposure."""
    by_epsilon = Panel(
        "By what a whole record may reveal",
        "record epsilon",
        "accuracy",
        [*(drawn(found, family, epsilon_at) for family in FAMILIES), level(clear, 16.5)],
        (0, 16.5),
        SPAN,
        x_ticks=[*((float(e), str(e)) for e in (0, 1, 2, 3, 5, 8, 11, 14)), (INFINITE, "∞")],
        notes=names(((1.2, 0.802), (6.5, 0.782), (7.2, 0.8165), (15.8, 0.8165)), 0.2, clear),
    )
    by_exposure = Panel(
        "By what an attack finds",
        "exposed at more than 90%",
        "accuracy",
        [*(drawn(found, family, exposed_at) for family in FAMILIES), level(clear, 1)],
        (-0.03, 1.03),
        SPAN,
        x_percent=True,
        notes=names(((0.015, 0.8055), (0.10, 0.788), (0.44, 0.8145), (0.98, 0.8165)), 0.02, clear),
    )
    return by_epsilon, by_exposure


SPAN = (0.765, 0.826)


def level(clear: float, far: float) -> Line:
    """Draw the accuracy of undisguised answers."""
    return Line("", (0, far), (clear, clear), tone="grey", look="dashed")


def names(places: Sequence[tuple[float, float]], left: float, clear: float) -> tuple[Note, ...]:
    """Name the families where there is room."""
    modules, several, one, flip = places
    return (
        Note(*modules, "modules, epsilon 0.5 to 3" if left > 0.1 else "modules", "teal"),
        Note(*several, "2, 3 and 4 groups", "amber"),
        Note(*one, "1 group", "ink", "right" if left > 0.1 else "left"),
        Note(*flip, "1 flip", "brick", "right"),
        Note(left, clear + 0.0022, "undisguised", "grey"),
    )


def epsilon_at(one: Scheme) -> float:
    """Place a scheme by its epsilon."""
    return min(one.epsilon, INFINITE)


def exposed_at(one: Scheme) -> float:
    """Place a scheme by its exposure."""
    return one.exposed


def drawn(found: Sequence[Scheme], family: str, place: Callable[[Scheme], float]) -> Line:
    """Draw one family, named at its last point."""
    mine = sorted((one for one in found if one.family == family), key=place)
    look = "dots" if family == "1 flip" else "line"
    return Line(
        "",
        [place(one) for one in mine],
        [one.mean for one in mine],
        [one.low for one in mine],
        [one.high for one in mine],
        tone=FAMILIES[family].tone,
        look=look,  # type: ignore[arg-type]
    )
