"""Zhan and Matwin 2007, Fig. 6: privacy of one answer against theta."""

import warnings

from frankly.errors import FaithfulWarning
from frankly.judge import printed_pse, privacy
from frankly.mechanism import Unrelated
from frankly.reproduce.figure import Cell, Column, Figure, Line, Note, Panel, Tone
from frankly.reproduce.lab import Lab

__all__ = ["figure"]

PRIORS = (0.1, 0.2, 0.3, 0.4, 0.5)
THETAS = tuple(step / 10 for step in range(11))
FINE = tuple(step / 50 for step in range(51))
COVER, PRIOR = 0.2, 0.3
"""Where the second chart looks: an unfair cover, where the printed sums part."""

READINGS: dict[str, tuple[str, Tone]] = {
    "components": ("2007,\ncomponents", "amber"),
    "simplified": ("2007, last line", "brick"),
    "zhan": ("Zhan 2007", "ink"),
}


def pse(theta: float, prior: float, cover: float) -> float:
    """Give the privacy of one yes-or-no answer, by the definition."""
    device = Unrelated(theta=theta, cover=[1 - cover, cover])
    return privacy(device, prior=prior).attributes["answer"].pse


def printed(theta: float, prior: float, cover: float, reading: str = "components") -> float:
    """Give the privacy of one answer as printed; the warning is what this figure is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaithfulWarning)
        return printed_pse(theta, prior, cover, reading)


def figure(lab: Lab) -> Figure:
    """Make Fig. 6, by the definition and as printed."""
    rows: list[tuple[Cell, ...]] = [
        (prior, theta, pse(theta, prior, 0.5), printed(theta, prior, 0.5), relative(theta, prior))
        for prior in lab.each(PRIORS)
        for theta in THETAS
    ]
    far = max(abs(float(row[2]) - float(row[3])) for row in rows)
    top = max(printed(theta, PRIOR, COVER, "zhan") for theta in FINE)
    return Figure(
        name="zhan-privacy",
        title="Privacy falls from 2W(1-W) to 0 as theta grows; the printed sums are right only "
        "for a fair cover",
        source="Zhan and Matwin 2007, Fig. 6 (sections 4.1 and 5.3)",
        claim="Privacy is 0 at theta 1, highest at theta 0, and grows as the share of yes, W, "
        "approaches one half.",
        found=f"All three hold: with a fair cover the definition and the printed sum agree to "
        f"{far:.0e}. With any other cover the three printed sums disagree with the definition and "
        f"with each other, because (1-Wy) stands where Wy belongs; at Wy {COVER} and W {PRIOR} "
        f"one of them climbs to {top:.2f}, where no more than {2 * PRIOR * (1 - PRIOR):.2f} "
        "is possible.",
        better="We compute the definition for any device, many values and whole groups. And "
        "because the curve's height mostly says how rare the answer is, we state it relative to "
        "no report at all (last column): that measures the protection.",
        caption="Exact, nobody sampled. PSE is the chance that a guess drawn from the posterior "
        "of the truth misses. Above: fair cover, printed sum as rings.",
        panels=(fair(), unfair()),
        columns=(
            Column("W", "g"),
            Column("theta", "g"),
            Column("PSE, definition", ".4f"),
            Column("PSE, printed", ".4f"),
            Column("share of the uncertainty left"),
        ),
        rows=rows,
    )


def relative(theta: float, prior: float) -> float:
    """Give the share of the uncertainty that a report leaves."""
    return pse(theta, prior, 0.5) / (2 * prior * (1 - prior))


def fair() -> Panel:
    """Draw the five curves, and the printed sums upon them."""
    lines = [Line("", FINE, [pse(t, prior, 0.5) for t in FINE], tone="teal") for prior in PRIORS]
    rings = [
        Line("", THETAS, [printed(t, prior, 0.5) for t in THETAS], look="hollow")
        for prior in PRIORS
    ]
    starts = [
        Note(
            0.02, pse(0, prior, 0.5) + (0.025 if prior == 0.5 else -0.028), f"W = {prior:g}", "teal"
        )
        for prior in PRIORS
    ]
    return Panel(
        "Fair cover: the definition (lines), as printed (rings)",
        "theta",
        "privacy of one answer (PSE)",
        (*lines, *rings),
        (-0.01, 1.01),
        (0, 0.56),
        percent=False,
        notes=starts,
    )


def unfair() -> Panel:
    """Draw the printed sums where the cover is not fair."""
    sound = Line("definition", FINE, [pse(t, PRIOR, COVER) for t in FINE], tone="teal")
    wrong = [
        Line(
            label,
            FINE[:-1],
            [printed(t, PRIOR, COVER, reading) for t in FINE[:-1]],
            tone=tone,
            look="dashed",
        )
        for reading, (label, tone) in READINGS.items()
    ]
    most = 2 * PRIOR * (1 - PRIOR)
    return Panel(
        f"Cover {COVER:g}, W = {PRIOR:g}: the printed sums part",
        "theta",
        "PSE",
        (sound, *wrong, Line("most possible", (0, 1), (most, most), tone="grey", look="dashed")),
        (0, 1),
        percent=False,
    )
