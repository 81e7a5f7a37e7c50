"""Privacy: an attack on Adult, in 15 yes-or-no answers, with nothing but the reports."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import frankly as fk
from evidence.claim import Claim
from evidence.how_private import FILE, page
from evidence.sources import data
from frankly.judge import Audit
from frankly.reproduce.data import Bits, adult

GROUPS = {1: [15], 2: [8, 7], 4: [4, 4, 4, 3]}
THETAS = (0.1, 0.3, 0.5, 0.7)
LEVELS = (0.5, 0.8, 0.9, 0.95)


def attacked(bits: Bits, sizes: list[int], device: Any) -> Audit:
    """Randomize Adult under a design, and attack the reports; the truths only check."""
    names = list(bits.names)
    groups = [
        fk.Group(names[end - size : end], device)
        for end, size in zip(np.cumsum(sizes), sizes, strict=True)
    ]
    design = fk.Design(
        bits.attributes, groups=groups, target=bits.target, accept_infinite_epsilon=True
    )
    truths = dict(bits.codes)
    reports = fk.randomize(design, truths, fk.Tape.seeded(f"audit {sizes} {device}"))
    return fk.audit(design, reports, truths)


def one_group_claims(bits: Bits, found: dict[tuple[int, float], Audit]) -> Iterator[Claim]:
    """One group, as the papers propose it."""
    for theta, least, right in ((0.5, 0.75, 0.95), (0.1, 0.40, 0.93)):
        audit = found[1, theta]
        exposed, precision = audit.exposed[0.9], audit.precision[0.9] or 0.0
        weaker = next(a for a in audit.attacks if a.model.startswith("naive"))
        yield Claim(
            f"Adult, one group, theta {theta:g}: more than {100 * least:.0f} % of truth-tellers "
            f"are exposed at > .9, more than {100 * right:.0f} % rightly",
            f"{100 * exposed:.1f} %, {100 * precision:.1f} % right (naive Bayes "
            f"{100 * weaker.exposed(0.9):.1f} %)",
            exposed > least and precision > right,
        )
    alone = attacked(bits, [1] * 15, fk.Unrelated(0.5))
    marked = max(group.best.marked[0.8] for group in alone.groups)
    yield Claim(
        "one group a question at theta .5 exposes nobody: no coin's posterior passes 2/3",
        f"{marked:.0f} people marked at > .8",
        marked == 0,
    )
    flipped = attacked(bits, [15], fk.Flip(0.51))
    (group,) = flipped.groups
    restored = group.best.restored or 0.0
    yield Claim(
        "one flipped group at theta .51: more than 99 % of whole records are restored",
        f"{100 * restored:.2f} %",
        restored > 0.99,
    )


def untold_claims(found: dict[tuple[int, float], Audit]) -> Iterator[Claim]:
    """Without truths the audit says the same."""
    differences = {}
    for (groups, theta), audit in found.items():
        for level in LEVELS:
            stated = audit.strongest.exposed(level, real=False)
            real = audit.strongest.exposed(level)
            differences[groups, theta, level] = abs(stated - real)
    worst = max(differences, key=lambda key: differences[key])
    yield Claim(
        "without truths the exposed share is within .03 of the real one: 1, 2 and 4 groups, "
        "theta .1 to .7, at > .5, .8, .9 and .95",
        f"{len(differences)} shares, worst difference {differences[worst]:.4f} at {worst}",
        max(differences.values()) <= 0.03,
    )


def page_claims() -> Iterator[Claim]:
    """The documentation's numbers are the code's."""
    written, said = page(), FILE.read_text(encoding="utf-8")
    lines = zip(written.splitlines(), said.splitlines(), strict=False)
    different = sum(mine != yours for mine, yours in lines)
    yield Claim(
        "every number of docs/how-private.md is the one the code writes",
        f"{len(said.splitlines())} lines, {different} of them different",
        written == said,
    )


def claims() -> Iterator[Claim]:
    """Attack Adult in every design."""
    bits = adult(data())
    found = {
        (groups, theta): attacked(bits, sizes, fk.Unrelated(theta))
        for groups, sizes in GROUPS.items()
        for theta in THETAS
    }
    yield from one_group_claims(bits, found)
    yield from untold_claims(found)
    yield from page_claims()
