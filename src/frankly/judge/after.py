"""After mining: what the whole report and a mined joint say about one truth.

Before mining a collector looks at one report of one question. After mining she holds the
whole report, knows how all answers go together, and perhaps some truths from elsewhere.
The measure stays the same expected miss; what grew is what is held.
"""

import math
from collections.abc import Sequence

import numpy as np

from frankly.errors import TooWideError
from frankly.judge.asking import Asking
from frankly.judge.measure import miss
from frankly.mechanism import Table

__all__ = ["held_after", "pse_after", "spread_out", "surest"]

CELLS = 2**24

NEVER = 1e-15
"""What is less likely than this is a zero that rounding has blurred."""


def pse_after(asking: Asking, joint: Table, name: str, known: Sequence[str] = ()) -> float:
    """Tell the expected miss about one truth given the whole report and the joint.

    Parameters
    ----------
    asking
        The form.
    joint
        How common every combination of true answers is: one axis a question of the form.
    name
        The question whose truth is guessed.
    known
        Questions whose true answer the collector knows from elsewhere (Zhan and Matwin's
        scenario I). Clear questions are always known.

    Examples
    --------
    Two answers that go together, each behind a coin of its own:

    >>> from frankly import Attribute, Design, Group, Unrelated
    >>> ill, smokes = Attribute("ill", ["no", "yes"]), Attribute("smokes", ["no", "yes"])
    >>> coin = Unrelated(theta=0.5)
    >>> design = Design([ill, smokes], groups=[Group(["ill"], coin), Group(["smokes"], coin)])
    >>> together = np.array([[0.4, 0.15], [0.09, 0.36]])
    >>> round(pse_after(Asking.of(design.forms[0]), together, "smokes"), 4)
    0.3553
    """
    return miss(held_after(asking, joint, name, known))


def held_after(asking: Asking, joint: Table, name: str, known: Sequence[str] = ()) -> Table:
    """Give how common one truth (first axis) is together with all that is held of a person."""
    held = (one for one in known if one != name)
    axes = [asking.names.index(one) for one in (name, *held)]
    cells = joint.size * math.prod(asking.sizes[axis] for axis in axes)
    if cells > CELLS:
        raise TooWideError(
            f"privacy after mining would take {cells:,} cells, more than {CELLS:,}. Ask for it "
            "with fewer questions a form, or leave the joint out"
        )
    return asking.push(spread_out(joint, axes), before=len(axes))


def surest(held: Table) -> float:
    """Tell the largest posterior of any truth (first axis), whatever is held of a person.

    Examples
    --------
    >>> round(surest(np.array([[0.3, 0.3], [0.1, 0.3]])), 4)
    0.75
    """
    whole = held.sum(axis=0)
    seen = whole > NEVER
    return float((held[:, seen] / whole[seen]).max(initial=0.0))


def spread_out(joint: Table, axes: Sequence[int]) -> Table:
    """Repeat some truths as axes of their own in front, so that pushing leaves them alone."""
    table = joint
    for done, axis in enumerate(reversed(axes)):
        size = joint.shape[axis]
        mark = np.eye(size).reshape(
            size, *[1] * (done + axis), size, *[1] * (joint.ndim - axis - 1)
        )
        table = mark * table[None]
    return table
