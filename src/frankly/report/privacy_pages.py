"""Privacy pages: the same statement as tables, which HTML and Markdown then dress."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from frankly.judge import Audit, PrivacyStatement
from frankly.judge.text import at_most, cover_text, direct_text, in_hundred, number, percent

__all__ = ["GLOSSARY", "Section", "audit_section", "finding", "sections"]


@dataclass(frozen=True)
class Section:
    """One table with its heading and a sentence above it."""

    heading: str
    lead: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


WHO = "Truth-tellers (where a flip turns most answers: people whose were turned)"

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("epsilon", "The largest log-odds that a report shifts; infinite: some report is proof."),
    ("PSE", "How often a guess misses that is drawn as likely as the report makes it."),
    ("least PSE", "PSE of the question in the group that is protected least."),
    ("left", "PSE as a share of what it would be without any report."),
    ("bits", "What one report tells on average; one bit is a whole yes or no."),
    ("own sent", "How often chance lets people's own answers through; the papers call it theta."),
    (
        "if one leaks",
        "How surely the other answers were told straight once one is known and agrees.",
    ),
    ("surest", "The surest that any whole report can make it that own answers were sent."),
    ("exposed", f"{WHO} whose coin a whole report gives away, more than 90% surely."),
    ("after mining", "PSE when the whole report and how answers go together are known as well."),
    ("> 90%", f"{WHO} of whom the report says so more than 90% surely."),
    ("right", "How often it was so, of those above 90%; empty where nobody is."),
    ("AUC", "How well own answers are told from drawn ones: 0.5 is blind guessing, 1 never errs."),
    ("restored", "People whose turned answers were turned back right; only behind a flip."),
)
"""Every figure in one sentence."""


def finding(statement: PrivacyStatement) -> str:
    """State the most important thing in a sentence."""
    if not statement.attributes:
        return "Nothing is protected: every answer is sent as it is"
    if statement.direct:
        return sentence(direct_text(statement))
    if math.isinf(statement.record.epsilon):
        return "Some report proves something about its sender"
    if statement.exposed_by_cover:
        return sentence(cover_text(statement))
    what = "the protected answers move no" if statement.clear else "no report moves a"
    most = at_most(statement.record.change)
    return f"Whatever was known before, {what} guess by more than {most} points"


def sentence(words: str) -> str:
    """Begin with a capital, and leave people's own names as they wrote them."""
    return words[0].upper() + words[1:]


def sections(statement: PrivacyStatement) -> list[Section]:
    """Lay a statement out as tables."""
    return [question_section(statement), group_section(statement), form_section(statement)]


def question_section(statement: PrivacyStatement) -> Section:
    """Lay out what reports of each question tell."""
    mined = any(one.after is not None for one in statement.attributes.values())
    head = ("question", "report", "guess before", "after", "PSE", "left", "epsilon", "bits")
    rows = []
    for one in statement.attributes.values():
        report, truth = one.measure.most_moved()
        row = (
            one.name,
            one.reports[report],
            f"{one.values[truth]}: {in_hundred(float(one.prior[truth]))}",
            in_hundred(float(one.posterior[report, truth])),
            f"{one.pse:.3f}",
            percent(one.relative),
            number(one.epsilon),
            f"{one.information:.3f}",
        )
        after = "" if one.after is None else f"{one.after:.3f}"
        rows.append((*row, after) if mined else row)
    lead = f"The report that moves a guess most. Prior: {statement.basis}."
    return Section(
        "What one answer tells", lead, (*head, "after mining") if mined else head, tuple(rows)
    )


def group_section(statement: PrivacyStatement) -> Section:
    """Lay out what hides together."""
    rows = []
    for group in statement.groups:
        share = group.exposed.get(0.9)
        bound = "" if group.bound is None else percent(group.bound)
        known = "" if group.bound is None else "unknown" if share is None else percent(share)
        told = "" if group.theta is None else in_hundred(group.theta)
        leak = percent(group.leaks) if group.leaks else "nothing else"
        rows.append(
            (
                ", ".join(group.names),
                told,
                number(group.epsilon),
                f"{group.pse:.3f}",
                leak,
                bound,
                known,
            )
        )
    head = (
        "hidden together",
        "own sent",
        "epsilon",
        "least PSE",
        "if one leaks",
        "surest",
        "exposed",
    )
    lead = "One draw of chance decides for all answers of a group."
    return Section("What hides together", lead, head, tuple(dict.fromkeys(rows)))


def form_section(statement: PrivacyStatement) -> Section:
    """Lay out what one person is asked."""
    rows = [
        (
            f"form {index}",
            ", ".join(form.names),
            ", ".join(form.clear) or "nothing",
            number(form.epsilon),
        )
        for index, form in enumerate(statement.forms)
    ]
    head = ("who gets", "is asked", "in clear", "epsilon")
    most = f"A whole report has an epsilon of {number(statement.record.epsilon)} at most."
    proof = "Some whole report is proof: the largest epsilon is infinite."
    lead = proof if math.isinf(statement.record.epsilon) else most
    return Section("What one person reveals", lead, head, tuple(rows))


def audit_section(audit: Audit) -> Section:
    """Lay out what attackers found."""
    rows: list[Sequence[str]] = []
    for attack in audit.attacks:
        for group in attack.groups:
            best, right = group.best, group.best.precision[0.9]
            rows.append(
                (
                    attack.model,
                    ", ".join(group.names),
                    *(percent(best.exposed[level]) for level in (0.5, 0.8, 0.9, 0.95)),
                    "" if right is None else percent(right),
                    f"{best.auc:.3f}",
                    "" if best.restored is None else percent(best.restored),
                )
            )
    how = "checked against the truths" if audit.checked else "by the posteriors themselves"
    head = ("attack", "group", "> 50%", "> 80%", "> 90%", "> 95%", "right", "AUC", "restored")
    told = [place for place in range(len(head)) if any(row[place] for row in rows)]
    lead = f"{audit.verdict()} From {audit.people:,} reports, {how}."
    return Section(
        "What an attacker finds", lead, tuple(head[place] for place in told),
        tuple(tuple(row[place] for place in told) for row in rows),
    )  # fmt: skip
