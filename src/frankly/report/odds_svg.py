"""Odds SVG: how far a report moves a guess, question by question."""

from frankly.judge import AttributePrivacy, PrivacyStatement
from frankly.judge.text import at_most, from_to, in_hundred
from frankly.report.chart import WIDTH, document, line, mark, middle, room, short, text

__all__ = ["odds_svg"]

LEFT, RIGHT, TOP, ROW = 16, WIDTH - 16, 84, 46
MANY = 12

BESIDE, BELOW = 42, 16
"""So many letters fit into one line; the height of a second one."""


def odds_svg(statement: PrivacyStatement) -> str:
    """Draw for every question the report that moves a guess most.

    A hollow dot is the guess before, a full dot the guess after, on a line from 0 to 100 in
    100. Questions are sorted by how far they move.

    Parameters
    ----------
    statement
        What `privacy` stated.

    Examples
    --------
    >>> from frankly import Unrelated, privacy
    >>> odds_svg(privacy(Unrelated(theta=0.5), prior=0.1)).count("<circle")
    2
    """
    every = sorted(statement.attributes.values(), key=lambda one: -rise(one))
    shown = every[:MANY]
    most = f"; the {MANY} of {len(every)} that move most" if every[MANY:] else ""
    captions = (f"○ before, ● after a report{most}", short(f"Prior: {statement.basis}", 60))
    parts = [text(LEFT, 24, title_of(shown), "title")]
    parts += [text(LEFT, 42 + 16 * i, words, "small") for i, words in enumerate(captions)]
    below = 0 if all(room(label(one) + moved(one)) <= BESIDE for one in shown) else BELOW
    for row, one in enumerate(shown):
        parts += row_of(one, TOP + (ROW + below) * row, below)
    about = "; ".join(said(one) for one in shown)
    return document(title_of(shown), about, TOP + (ROW + below) * len(shown) + 4, parts)


def rise(one: AttributePrivacy) -> float:
    """Tell how far a guess rises."""
    report, truth = one.measure.most_moved()
    return float(one.posterior[report, truth] - one.prior[truth])


def title_of(shown: list[AttributePrivacy]) -> str:
    """State the finding."""
    if not shown:
        return "Nothing is protected"
    return f"One answer moves a guess ≤ {at_most(rise(shown[0]))} points"


def said(one: AttributePrivacy) -> str:
    """Say one row in words."""
    report, truth = one.measure.most_moved()
    before, after = float(one.prior[truth]), float(one.posterior[report, truth])
    return (
        f"{one.name}: a report of {one.reports[report]} raises a guess of {one.values[truth]} from "
        f"{in_hundred(before)} to {in_hundred(after)}"
    )


def label(one: AttributePrivacy) -> str:
    """Name a question and its report."""
    return f"{one.name}: reported “{one.reports[one.measure.most_moved()[0]]}”"


def moved(one: AttributePrivacy) -> str:
    """Say how far its guess moves."""
    report, truth = one.measure.most_moved()
    return from_to(float(one.prior[truth]), float(one.posterior[report, truth]))


def row_of(one: AttributePrivacy, y: float, below: float) -> list[str]:
    """Draw one question; where names are long the report and the figure stand below the name."""
    report, truth = one.measure.most_moved()
    before, after = float(one.prior[truth]), float(one.posterior[report, truth])
    start, end = (LEFT + (RIGHT - LEFT) * share for share in (before, after))
    words = [text(LEFT, y + 10, label(one))]
    if below:
        answer = short(f"reported “{one.reports[report]}”", BESIDE - len(moved(one)))
        words = [text(LEFT, y + 10, middle(one.name, BESIDE)), text(LEFT, y + 10 + below, answer)]
    y += below
    return [
        *words,
        text(RIGHT, y + 10, moved(one), "", "end"),
        line(LEFT, y + 24, RIGHT, y + 24, "track"),
        line(start, y + 24, end, y + 24, "move"),
        mark(start, y + 24, "before"),
        mark(end, y + 24, "after"),
    ]
