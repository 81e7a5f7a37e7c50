"""Privacy as text: one screen that a person can read aloud."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frankly.judge.statement import AttributePrivacy, GroupPrivacy, PrivacyStatement

__all__ = ["in_hundred", "number", "statement_text", "table_text"]

MANY = 12
"""More questions than this are cut to the least protected ones on a screen."""


def in_hundred(share: float) -> str:
    """Say a share as people out of a hundred, or of a thousand when it is small.

    Examples
    --------
    >>> in_hundred(0.24), in_hundred(0.004), in_hundred(1.0)
    ('24 in 100', '4 in 1000', '100 in 100')
    """
    if 0 < share < 0.0095 or 0.9905 < share < 1:
        return f"{1000 * share:.0f} in 1000"
    return f"{100 * share:.0f} in 100"


def number(epsilon: float) -> str:
    """Write an epsilon with two decimals, and the endless one in words."""
    return "infinite" if math.isinf(epsilon) else f"{epsilon:.2f}"


def percent(share: float) -> str:
    """Write a share without decimals."""
    return f"{100 * share:.0f}%"


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out rows under a head, the first two columns to the left."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    laid = []
    for row in (head, *rows):
        cells = [
            f"{cell:<{w}}" if i < 2 else f"{cell:>{w}}"
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        laid.append("  ".join(cells).rstrip())
    return [laid[0], "─" * max(map(len, laid)), *laid[1:]]


def statement_text(statement: "PrivacyStatement") -> str:
    """Say a privacy statement on one screen."""
    title = f"Privacy of {statement.title}" if statement.title else "Privacy"
    lines = [f"{title}   prior: {statement.basis}", *record_lines(statement), ""]
    worst = sorted(statement.attributes.values(), key=lambda one: (-one.epsilon, one.pse))
    lines += table_text(HEAD, [attribute_row(one) for one in worst[:MANY]])
    if len(worst) > MANY:
        lines.append(f"and {len(worst) - MANY} questions that are protected at least as well")
    lines += ["", *dict.fromkeys(group_line(group) for group in statement.groups[:MANY])]
    if len(statement.groups) > MANY:
        lines.append(f"and {len(statement.groups) - MANY} more groups")
    lines += note_lines(statement)
    return "\n".join(lines)


HEAD = ("question", "report", "guess before", "and after", "PSE", "left", "epsilon", "bits")


def record_lines(statement: "PrivacyStatement") -> list[str]:
    """Say what one whole report reveals."""
    record = statement.record
    how = "found by trying every report" if record.enumerated else "in closed form"
    if not statement.attributes:
        return ["Nothing is protected: every answer is sent as it is, and its collector knows it."]
    if math.isinf(record.epsilon):
        return [CERTAIN]
    whom = "a protected answer" if statement.clear else "anybody"
    said = (
        f"Record epsilon {number(record.epsilon)} ({how}): no guess about {whom} moves by more\n"
        f"than {100 * record.change:.0f} points, whatever was known before."
    )
    if statement.direct:
        said += f"\nBut {direct_text(statement)}: nothing protects them."
    return [said]


def direct_text(statement: "PrivacyStatement") -> str:
    """Say who sends as it is what others send protected."""
    each = [f"{name} by {in_hundred(share)}" for name, share in statement.direct.items()]
    return f"some people send as it is what others send protected ({', '.join(each)})"


CERTAIN = "Record epsilon: infinite. Some report proves something about its sender for certain."


def attribute_row(one: "AttributePrivacy") -> tuple[str, ...]:
    """Say one question: the report that moves a guess most, and the figures."""
    report, truth = one.measure.most_moved()
    return (
        one.name,
        one.reports[report],
        f"{one.values[truth]}: {in_hundred(float(one.prior[truth]))}",
        in_hundred(float(one.posterior[report, truth])),
        f"{one.pse:.3f}" if one.after is None else f"{one.pse:.3f} → {one.after:.3f}",
        percent(one.relative),
        number(one.epsilon),
        f"{one.information:.3f}",
    )


def group_line(group: "GroupPrivacy") -> str:
    """Say what goes together, and how well its coin is hidden."""
    names = ", ".join(group.names[:4]) + (" …" if len(group.names) > 4 else "")
    said = [f"{names}: epsilon {number(group.epsilon)}, least PSE {group.pse:.3f}"]
    if group.leaks:
        said.append(
            f"one toss hides all {len(group.names)}: if one answer leaks and agrees, the others "
            f"are true with {percent(group.leaks)}"
        )
    said.append(coin_line(group))
    if group.exposed_by_cover is not None:
        said.append(
            f"whoever knows the asked cover finds out {percent(group.exposed_by_cover)} of people"
        )
    return "; ".join(part for part in said if part)


def coin_line(group: "GroupPrivacy") -> str:
    """Say how many truth-tellers a whole report gives away."""
    if group.bound is None:
        return ""
    share = group.exposed.get(0.9)
    if share is None:
        how = "give reports" if group.theta is None else "run an audit"
        return f"how many coins a whole report exposes takes a joint: {how}"
    if group.bound <= 0.9:
        return f"no coin can be exposed beyond {percent(group.bound)}"
    return f"{percent(share)} of {group.who} are exposed at more than 90%"


def note_lines(statement: "PrivacyStatement") -> list[str]:
    """Say what else there is to know."""
    notes = []
    if statement.clear:
        notes.append(f"Sent in clear: {', '.join(statement.clear)}.")
    worst = max((one.poisoning for one in statement.attributes.values()), default=0.0)
    if statement.attributes and math.isfinite(worst):
        notes.append(f"1 crafted report in 100 moves a share by at most {100 * worst:.1f} points.")
    if statement.faithful:
        notes.append("Faithful: PSE and recoverability as printed in the papers, not as they are.")
    return notes
