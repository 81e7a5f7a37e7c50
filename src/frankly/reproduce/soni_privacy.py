"""Soni and Shrivastva, section 3.5: privacy by the number of groups."""

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from frankly.design import Attribute, Design, Group
from frankly.judge import Asking, audit, privacy, pse_after
from frankly.mechanism import Mechanism
from frankly.reproduce.data import VALUES, Bits
from frankly.reproduce.figure import Cell, Column, Figure, Line, Panel
from frankly.reproduce.lab import Lab
from frankly.reproduce.soni_trees import GROUPS, device
from frankly.reproduce.surveys import answered, grouped, hidden

__all__ = ["after_a_leak", "figure"]

THETA: Mapping[str, float] = {"related": 0.7, "unrelated": 0.5}


def after_a_leak(device: Mechanism, known: float, other: float) -> float:
    """Tell the privacy of an answer once another one of its group has leaked.

    Parameters
    ----------
    device
        What hides the group.
    known, other
        The shares of yes of the answer that leaked and of the one that is guessed; they are
        held to be unrelated, so only the coin tells.

    Examples
    --------
    >>> from frankly.mechanism import Flip
    >>> after_a_leak(Flip(theta=0.7), 0.3, 0.3)
    0.0
    """
    pair = [Attribute("known", VALUES), Attribute("other", VALUES)]
    group = Group(["known", "other"], device)
    design = Design(pair, groups=[group], accept_infinite_epsilon=True)
    joint = np.outer([1 - known, known], [1 - other, other])
    return round(pse_after(Asking.of(design.forms[0]), joint, "other", ["known"]), 12)


def mean_after(bits: Bits, device: Mechanism, groups: int) -> float:
    """Average that over all pairs of questions; a coin of one's own tells nothing."""
    share = {name: float(column.mean()) for name, column in bits.codes.items()}
    place = {name: g for g, part in enumerate(grouped(bits.names, groups)) for name in part}
    alone = {name: entry(device, share[name]) for name in bits.names}
    found = [
        after_a_leak(device, share[a], share[b]) if place[a] == place[b] else alone[b]
        for a in bits.names
        for b in bits.names
        if a != b
    ]
    return float(np.mean(found))


def entry(device: Mechanism, prior: float) -> float:
    """Give the privacy of one answer by itself."""
    return privacy(device, prior=prior).attributes["answer"].pse


def measured(lab: Lab, bits: Bits, kind: str, groups: int) -> tuple[float, float, float]:
    """Give the privacy of an entry, after a leak, and what an attack on the reports finds."""
    coin = device(kind, THETA[kind])
    own = float(np.mean([entry(coin, float(column.mean())) for column in bits.codes.values()]))
    design = hidden(bits.attributes, bits.target, coin, groups)
    engine = answered(design, bits, f"{lab.seed} privacy {kind} {groups}")
    found = audit(design, engine, labelled(bits))
    if kind == "unrelated":
        return own, mean_after(bits, coin, groups), found.exposed[0.9]
    restored = [group.best.restored or 0.0 for group in found.groups]
    return own, mean_after(bits, coin, groups), reduce(lambda a, b: a + b, restored) / groups


def labelled(bits: Bits) -> dict[str, Sequence[str]]:
    """Give the truths as labels, as an audit takes them."""
    words = np.array(VALUES)
    return {name: words[column].tolist() for name, column in bits.codes.items()}


def figure(lab: Lab) -> Figure:
    """Measure privacy by groups, in three ways."""
    bits = lab.adult()
    jobs = [(kind, groups) for kind in THETA for groups in GROUPS]
    rows: list[tuple[Cell, ...]] = [
        (kind, THETA[kind], groups, *measured(lab, bits, kind, groups))
        for kind, groups in lab.each(jobs)
    ]
    one, four = rows[0], rows[3]
    return Figure(
        name="soni-privacy",
        title=f"More groups contain a leak, but a flip of {-(-len(bits.names) // 4)} answers is "
        f"still turned back for {float(four[5]):.0%} of people",
        source="Soni and Shrivastva, section 3.5 (privacy against the number of groups)",
        claim="By increasing the number of groups the privacy level increases.",
        found="Not for a single answer: its privacy is the same for any number of groups "
        f"({float(one[3]):.3f}). It does after one true answer leaks: the other answers keep "
        f"{float(one[4]):.3f} of it with one related group and {float(four[4]):.3f} with four.",
        better="We look at what the collector really holds: whole reports. An audit that knows "
        "nothing but the design turns related groups back to the truth for "
        f"{float(one[5]):.1%} of people with one group and {float(four[5]):.1%} with four; of "
        f"unrelated ones it marks {float(rows[4][5]):.0%} of the truth-tellers (more than 90% "
        f"sure) with one group and {float(rows[7][5]):.0%} with four. Small groups of drawn "
        "answers, or modules, are the remedy (`frontier`).",
        caption=f"Adult, {bits.n:,} people, 15 answers, neighbouring questions grouped; related "
        f"theta {THETA['related']:g}, unrelated {THETA['unrelated']:g}, fair cover. Privacy "
        "(PSE) exact, mean over answers; attacks checked against the truths, one survey each, "
        "sampling error below half a point.",
        panels=tuple(panel(rows, kind) for kind in THETA),
        columns=(
            Column("device", ""),
            Column("theta", "g"),
            Column("groups", "d"),
            Column("PSE of an answer", ".4f"),
            Column("PSE after another leaks", ".4f"),
            Column("restored (related), exposed (unrelated)"),
        ),
        rows=rows,
    )


def panel(rows: Sequence[Sequence[Cell]], kind: str) -> Panel:
    """Draw the three measures against the number of groups."""
    mine = np.array([row[2:] for row in rows if row[0] == kind], dtype=float).T
    groups, own, leaked, attacked = (column.tolist() for column in mine)
    word = "restored\nby an attack" if kind == "related" else "coins found\nby an attack"
    lines = (
        Line(word, groups, attacked, tone="brick"),
        Line("privacy of\nan answer", groups, own, tone="grey", look="dashed"),
        Line("privacy after\nanother leaks", groups, leaked, tone="teal"),
    )
    title = "Related: one flip a group" if kind == "related" else "Unrelated: one draw a group"
    return Panel(
        f"{title}, theta {THETA[kind]:g}",
        "groups",
        "PSE; share of people",
        lines,
        (0.9, 4.1),
        (0, 1.02),
        percent=False,
        x_ticks=[(float(g), str(g)) for g in GROUPS],
    )
