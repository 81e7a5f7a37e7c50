"""Privacy as text: one screen that a person can read aloud."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frankly.judge.statement import AttributePrivacy, GroupPrivacy, PrivacyStatement

__all__ = [
    "at_most",
    "cover_text",
    "from_to",
    "in_hundred",
    "number",
    "statement_text",
    "table_text",
]

MILLION = 10**6

MANY = 12
"""More questions than this are cut to the least protected ones on a screen."""


def in_hundred(share: float) -> str:
    """Say a share as people out of a hundred, or of as many as it takes to tell it from none.

    Examples
    --------
    >>> in_hundred(0.24), in_hundred(0.004), in_hundred(0.0001), in_hundred(1.0)
    ('24 in 100', '4 in 1000', '1 in 10000', '100 in 100')
    """
    people, rare = 100, min(share, 1 - share)
    while 0 < rare * people < 0.95 and people < MILLION:
        people *= 10
    if 0 < rare * people < 0.5:
        few = "fewer than 1" if share < 0.5 else f"more than {people - 1}"
        return f"{few} in {people}"
    return f"{people * share:.0f} in {people}"


def from_to(before: float, after: float, way: str = " → ") -> str:
    """Say how a guess moves, out of as many people before as after.

    Examples
    --------
    >>> from_to(0.1, 0.25), from_to(0.0004, 0.17)
    ('10 → 25 in 100', '4 in 10000 → 17 in 100')
    """
    first, last = in_hundred(before), in_hundred(after)
    alike = first.partition(" in ")[2] == last.partition(" in ")[2]
    return f"{first.partition(' in ')[0] if alike else first}{way}{last}"


def at_most(share: float, digits: int = 0) -> str:
    """Write a share in points that it does not exceed.

    Examples
    --------
    >>> at_most(0.2523), at_most(0.0121, 1), at_most(0.25)
    ('26', '1.3', '25')
    """
    return f"{math.ceil(100 * share * 10**digits - 1e-6) / 10**digits:.{digits}f}"


def number(epsilon: float) -> str:
    """Write an epsilon with two decimals, and the endless one in words."""
    return "infinite" if math.isinf(epsilon) else f"{epsilon:.2f}"


def percent(share: float) -> str:
    """Write a share without decimals, but never some as none or nearly all as all.

    Examples
    --------
    >>> percent(0.24), percent(0.004), percent(0.9996), percent(0.0001), percent(1.0)
    ('24%', '0.4%', '> 99.9%', '< 0.1%', '100%')
    """
    if 0 < share < 0.0095 or 0.9905 < share < 1:
        if not 0.0005 <= share < 0.9995:
            return "< 0.1%" if share < 0.5 else "> 99.9%"
        return f"{100 * share:.1f}%"
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
    beyond = " beyond what is sent in clear" if statement.clear else ""
    said = (
        f"Record epsilon {number(record.epsilon)} ({how}): no guess about {whom} moves by more\n"
        f"than {at_most(record.change)} points{beyond}, whatever was known before."
    )
    if statement.direct:
        said += f"\nBut {direct_text(statement)}: nothing protects them."
    if statement.exposed_by_cover:
        said += f"\nBut {cover_text(statement)}."
    return [said]


def direct_text(statement: "PrivacyStatement") -> str:
    """Say who sends as it is what others send protected."""
    each = [f"{name} by {in_hundred(share)}" for name, share in statement.direct.items()]
    return f"some people send as it is what others send protected ({', '.join(each)})"


def cover_text(statement: "PrivacyStatement") -> str:
    """Say whom an asked cover gives away."""
    least = "at least " if len([g for g in statement.groups if g.exposed_by_cover]) > 1 else ""
    return (
        "whoever knows what people answered as cover finds out for certain what "
        f"{least}{in_hundred(statement.exposed_by_cover)} people really answered"
    )


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
            f"were told straight with {percent(group.leaks)}"
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
        notes.append(
            f"1 crafted report in 100 moves a share by at most {at_most(worst, 1)} points."
        )
    if statement.faithful:
        notes.append("Faithful: PSE and recoverability as printed in the papers, not as they are.")
    return notes
