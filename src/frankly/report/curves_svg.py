"""Curves SVG: lines over theta or epsilon, labelled where they end."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle

import numpy as np

from frankly.advise import Advice, Candidate
from frankly.judge import privacy
from frankly.mechanism import Mechanism, Unrelated
from frankly.report.chart import WIDTH, document, line, mark, text

__all__ = ["front_svg", "pse_svg"]

LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 44, WIDTH - 20, 76, 256, 300
HIGHEST = 0.25
"""Wider intervals than ± 25 points are not drawn."""

NARROW = WIDTH - 84
"""Where curves end that are named at their right."""

DASHES = ("", "8 3", "2 3", "9 3 2 3")
"""How curves differ that are named at their ends: none by its colour."""

Points = Sequence[tuple[float, float]]


def pse_svg(
    device: Callable[[float], Mechanism] = Unrelated,
    priors: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
) -> str:
    """Draw privacy (PSE) over theta, one curve a prior: the papers' figure, by definition.

    Parameters
    ----------
    device
        Makes the device of a theta.
    priors
        Shares of the second of two values.

    Examples
    --------
    >>> pse_svg().count('class="curve"')
    5
    """
    thetas = np.linspace(0, 1, 41)
    curves = {
        f"{100 * prior:.0f}%": [
            (float(theta), privacy(device(float(theta)), prior).pse) for theta in thetas
        ]
        for prior in priors
    }
    title = "More truth told, fewer guesses missed"
    about = "PSE before mining, by definition; a line a prior"
    return plotted(title, about, curves, ("theta", "PSE"))


def front_svg(advice: Advice, notion: str = "epsilon", *, called: str = "advised") -> str:
    """Draw the error of every layout over what privacy it costs; the chosen one is marked.

    Parameters
    ----------
    advice
        What `advise` found.
    notion
        ``epsilon``, ``posterior`` or ``pse``.
    called
        What the chosen one is called.
    """
    curves: dict[str, list[tuple[float, float]]] = {}
    for one in advice.candidates:
        if one.error <= HIGHEST and math.isfinite(one.epsilon):
            curves.setdefault(one.layout, []).append(place(one, notion))
    curves = {name: sorted(points) for name, points in curves.items()}
    best = advice.best
    chosen = place(best, notion) if best is not None and math.isfinite(best.cost(notion)) else None
    title = advice.sentence() if best is None else f"{called.capitalize()}: {best.layout}"
    people = advice.candidates[0].n if advice.candidates else 0
    about = f"Widest interval, {people:,} people, {advice.level:.0%} sure"
    axes = ({"epsilon": "record epsilon"}.get(notion, notion), "± points")
    return plotted(cut(title), about, curves, axes, chosen=chosen, called=called, right=NARROW)


def cut(title: str) -> str:
    """Keep a title within the picture."""
    return title if len(title) <= 40 else "These wishes cannot all be met"


def place(one: Candidate, notion: str) -> tuple[float, float]:
    """Find where a candidate stands."""
    return abs(one.cost(notion)), 100 * one.error


def plotted(
    title: str,
    about: str,
    curves: Mapping[str, Points],
    axes: tuple[str, str],
    *,
    chosen: tuple[float, float] | None = None,
    called: str = "advised",
    right: float = RIGHT,
) -> str:
    """Draw curves over two axes that start at nought; left of ``NARROW`` they are named there."""
    above = chosen is not None and not chosen[1] <= 100 * HIGHEST
    points = [point for curve in curves.values() for point in curve] + ([chosen] if chosen else [])
    wide = nice(max((x for x, _ in points), default=1.0))
    high = nice(max((y for _, y in (points[:-1] if above else points)), default=100 * HIGHEST))

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = LEFT + (right - LEFT) * point[0] / wide
        return x, BOTTOM - (BOTTOM - TOP) * point[1] / high

    parts = [text(LEFT - 28, 24, title, "title"), text(LEFT - 28, 42, about[:60], "small")]
    for step in range(5):
        y = BOTTOM - (BOTTOM - TOP) * step / 4
        x = LEFT + (right - LEFT) * step / 4
        parts += [
            line(LEFT, y, right, y, "grid"),
            text(LEFT - 6, y + 4, f"{high * step / 4:g}", "small", "end"),
            text(x, BOTTOM + 16, f"{wide * step / 4:g}", "small", "middle"),
        ]
    parts += [
        text((LEFT + right) / 2, BOTTOM + 34, axes[0], "small", "middle"),
        text(LEFT - 28, TOP - 10, axes[1], "small"),
    ]
    placed = {name: [at(point) for point in curve] for name, curve in curves.items()}
    dashes = cycle(DASHES[:1] if right == RIGHT else DASHES)
    parts += map(drawn, placed.values(), dashes)
    parts += (labels if right == RIGHT else end_labels)(placed)
    if chosen is not None:
        parts += marked(at((chosen[0], high)) if above else at(chosen), called, above=above)
    if not curves:
        parts += [text((LEFT + right) / 2, y, said, "", "middle") for y, said in NONE]
    told = "; ".join(
        f"{name}: " + ", ".join(f"{x:.3g} → {y:.3g}" for x, y in curve)
        for name, curve in curves.items()
    )
    return document(title, f"{about}. {axes[1]} by {axes[0]}. {told}", HEIGHT, parts)


NONE = (
    (160, f"No way to ask gives ± {100 * HIGHEST:.0f} points or less."),
    (178, "Ask more people."),
)
"""What stands where there is no curve."""


def marked(at: tuple[float, float], called: str, *, above: bool) -> list[str]:
    """Mark the chosen one: by a dot, or by an arrow at the upper edge."""
    x, y = at
    if not above:
        return [mark(x, y, "chosen", 6), text(x + 9, y - 6, called, "label")]
    anchor = "start" if x < (LEFT + NARROW) / 2 else "end"
    beside = x + (10 if anchor == "start" else -10)
    return [
        f'<path class="chosen" d="M{x:.1f} {y:.1f}l-7 12h14z"/>',
        text(beside, y + 12, f"{called}: above;", "label", anchor),
        text(beside, y + 25, "ask more people", "label", anchor),
    ]


def nice(most: float) -> float:
    """Find a round number that is not below the largest."""
    scale = 10.0 ** math.floor(math.log10(max(most, 1e-9)))
    return next(
        scale * step
        for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
        if scale * step >= most - 1e-12
    )


def drawn(points: Points, dash: str = "") -> str:
    """Draw one curve; a single point is a dot."""
    if len(points) == 1:
        return mark(*points[0], "after", 3)
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="curve"{dashed} d="M{path}"/>'


def labels(curves: Mapping[str, Points]) -> list[str]:
    """Name each curve on itself: where it starts or, if all start together, one after another."""
    starts = {round(curve[0][0]) for curve in curves.values() if curve}
    parts = []
    for place, (name, curve) in enumerate(curves.items()):
        if curve:
            step = 0 if len(starts) > 1 else min(3 + 5 * place, len(curve) - 1)
            x, y = curve[step]
            parts.append(text(x + 5, y + 4, name, "label"))
    return parts


def end_labels(curves: Mapping[str, Points]) -> list[str]:
    """Name curves at their ends, one below the other where they would touch, each by a line."""
    ends = sorted((curve[-1][1], curve[-1][0], name) for name, curve in curves.items() if curve)
    floor = TOP - 13.0
    parts: list[str] = []
    for place, (y, x, name) in enumerate(ends):
        floor = max(floor + 13, min(y, BOTTOM - 13 * (len(ends) - place - 1)))
        parts.append(line(x + 2, y, NARROW + 16, floor, "grid"))
        parts.append(text(NARROW + 19, floor + 4, name, "label"))
    return parts
