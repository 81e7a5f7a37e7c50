"""Conditional shares: how common a truth is among those with another truth.

When the condition is clear its people can be looked at by themselves. When it is protected
nobody knows who they are; the ratio of two estimates then gets Fieller's interval, and is
not told at all where the condition's own share may be zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design, Speaks
from frankly.errors import DesignError
from frankly.estimate.estimate import (
    Estimate,
    Method,
    Target,
    estimate,
    estimate_seen,
    seen_by_form,
)
from frankly.estimate.interval import fieller
from frankly.estimate.mle import Seen
from frankly.estimate.text import conditional_text, contradiction
from frankly.mechanism import Table

__all__ = ["Conditional", "estimate_by"]

FLAT = 1e-9
"""A spread of a ratio so far below that of its parts is nothing but rounding."""


@dataclass(frozen=True, repr=False)
class Conditional(Speaks):
    """Shares of some names within each value of others; the last axes are the condition.

    ``told`` is False where the condition is so rare that nothing can be said. ``parts`` are
    the estimates behind: one for each value of a clear condition (None where nobody has it),
    otherwise a single one of all names together.
    """

    names: tuple[str, ...]
    by: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    method: Method
    target: Target
    share: Table
    stderr: Table
    told: NDArray[np.bool_]
    n: int
    parts: tuple[Estimate | None, ...]

    @property
    def conditions(self) -> list[str]:
        """The values of the condition in words, in the order of the last axes."""
        return [", ".join(values) for values in product(*self.values[len(self.names) :])]

    @property
    def contradiction(self) -> str:
        """What the forms say apart, where chance hardly explains it; otherwise nothing."""
        return contradiction(self.parts, self.conditions if len(self.parts) > 1 else ())

    def interval(self, level: float = 0.95) -> Table:
        """Give lower and upper ends along a last axis; endless where nothing can be told."""
        low, high = np.moveaxis(self.ends(level), -1, 0)
        inside = self.told
        low, high = np.where(inside, low, -np.inf), np.where(inside, high, np.inf)
        if self.method != "inverse":
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        return np.stack([low, high], axis=-1)

    def ends(self, level: float) -> Table:
        """Give the ends where something can be told, and any numbers elsewhere."""
        (first, *others), share = self.parts, self.share
        if first is not None and not others:
            return ratio_ends(first, len(self.names), level)
        nothing = np.zeros((*share.shape[: len(self.names)], 2))
        ends = [nothing if part is None else part.interval(level) for part in self.parts]
        return np.stack(ends, axis=-2).reshape(*share.shape, 2)

    def summary(self, level: float = 0.95) -> str:
        """Say the result in a small table for people."""
        return conditional_text(self, level)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Give the result as plain values, one row a cell; None where nothing can be told."""
        ends, rows = self.interval(level), []
        for at in np.ndindex(self.share.shape):
            labels = [self.values[axis][k] for axis, k in enumerate(at)]
            cell: dict[str, Any] = dict(zip((*self.names, *self.by), labels, strict=True))
            numbers = [self.share[at], self.stderr[at], *ends[at]]
            told = bool(self.told[at] and np.isfinite(ends[at]).all())  # at this very level
            known = [float(x) if told else None for x in numbers]
            rows.append(
                {**cell, **dict(zip(("share", "stderr", "low", "high"), known, strict=True))}
            )
        about: dict[str, Any] = {
            "names": list(self.names),
            "by": list(self.by),
            "method": self.method,
        }
        about |= {"target": self.target, "n": self.n, "level": level}
        return {**about, "rows": rows, "contradiction": self.contradiction}


def estimate_by(
    design: Design,
    reports: Any,
    names: Sequence[str] | str,
    by: Sequence[str] | str,
    method: Method = "inverse",
    *,
    target: Target = "population",
) -> Conditional:
    """Estimate shares within each value of a condition.

    Examples
    --------
    >>> import frankly as fk
    >>> ill, sex = fk.Attribute("ill", ["no", "yes"]), fk.Attribute("sex", ["f", "m"])
    >>> design = fk.Design([ill, sex], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    >>> reports = {"ill": ["yes", "no", "no", "no"] * 200, "sex": ["f", "f", "m", "m"] * 200}
    >>> print(fk.estimate_by(design, reports, "ill", by="sex"))
    ill by sex   inverse estimate from 800 reports
    ──────────────────────────────────────────────
    no given f     50.0%  ± 5.0%   [40.2%, 59.8%]
    yes given f    50.0%  ± 5.0%   [40.2%, 59.8%]
    no given m    150.0%  ± ?   [148.1%, 150.0%]
    yes given m   -50.0%  ± ?   [-50.0%, -48.1%]
    Chance hardly explains a share so far below 0% or above 100%. Were these reports made under
    this very survey? Perhaps they are true answers, or come from another theta.
    """
    asked = (names,) if isinstance(names, str) else tuple(names)
    given = (by,) if isinstance(by, str) else tuple(by)
    if not asked:
        raise DesignError("name at least one attribute whose shares are wanted within each value")
    if not given:
        raise DesignError("name at least one attribute to divide the people by")
    forms = [design.forms[i] for i in design.asking((*asked, *given))]
    if all(name in form.clear for form in forms for name in given):
        return within(design, reports, (asked, given), method, target)
    joint = estimate(design, reports, (*asked, *given), method, target=target)
    return divided(joint, asked, given)


def within(
    design: Design,
    reports: Any,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    method: Method,
    target: Target,
) -> Conditional:
    """Estimate among the people of each clear value by themselves."""
    asked, given = names
    seen = seen_by_form(design, reports, (*asked, *given))
    shape = design.sizes(given)
    parts: list[Estimate | None] = []
    for at in np.ndindex(shape):
        index = (..., *at)
        mine = [Seen(s.form, asked, np.asarray(s.counts[index])) for s in seen]
        some = tuple(s for s in mine if s.counts.sum())
        # Nobody of this value has answered: it cannot be told, and the others can.
        nobody = seen and not some
        parts.append(None if nobody else estimate_seen(design, some, asked, method, target))
    values = tuple(design[name].values for name in (*asked, *given))
    sizes = design.sizes(asked)

    def laid(cells: list[Any]) -> Any:
        full = [np.broadcast_to(one, sizes) for one in cells]
        return np.stack(full, axis=-1).reshape(*sizes, *shape)

    share = laid([0.0 if part is None else part.share for part in parts])
    stderr = laid([np.inf if part is None else part.stderr for part in parts])
    told = laid([part is not None for part in parts])
    n = sum(part.n for part in parts if part is not None)
    return Conditional(asked, given, values, method, target, share, stderr, told, n, tuple(parts))


def ratio(joint: Estimate, first: int) -> tuple[Table, Table, tuple[Table, Table, Table]]:
    """Give part, whole and their spread for every cell of a joint estimate."""
    share = joint.share
    axes = tuple(range(first))
    whole = np.broadcast_to(share.sum(axis=axes), share.shape)
    cells = joint.covariance.reshape(*share.shape, *share.shape)
    with_whole = cells.sum(axis=tuple(share.ndim + axis for axis in axes))
    whole_variance = with_whole.sum(axis=axes)
    rest = share.shape[first:]
    index = np.indices(share.shape)[first:]
    both = with_whole[(*np.indices(share.shape), *index)]
    diagonal = whole_variance[(*np.indices(rest), *np.indices(rest))]
    own = np.diag(joint.covariance).reshape(share.shape)
    return share, whole, (own, both, np.broadcast_to(diagonal, share.shape))


def ratio_ends(joint: Estimate, first: int, level: float) -> Table:
    """Give Fieller's ends; where every report said the same, those of the part alone.

    There the estimated spread of the ratio is nothing, which only says that nobody was seen yet.
    """
    part, whole, (own, both, below) = ratio(joint, first)
    ends = np.stack(fieller(part, whole, (own, both, below), level), axis=-1)
    share = part / np.where(whole > 0, whole, 1.0)
    flat = own - 2 * share * both + share**2 * below <= FLAT * np.maximum(below, own)
    alone = joint.interval(level) / np.where(whole > 0, whole, 1.0)[..., np.newaxis]
    rest = alone.sum(axis=tuple(range(first)), keepdims=True) - alone
    alone = np.where((share > 0.5)[..., np.newaxis], 1 - rest[..., ::-1], alone)
    return np.where((flat & np.isfinite(ends[..., 0]))[..., np.newaxis], alone, ends)


def divided(joint: Estimate, asked: tuple[str, ...], given: tuple[str, ...]) -> Conditional:
    """Divide a joint estimate by its condition, where the condition is there at all."""
    part, whole, (own, both, below) = ratio(joint, len(asked))
    told = (whole > 0) & (whole**2 > 1.96**2 * below)
    safe = np.where(told, whole, 1.0)
    share = np.where(told, part / safe, 0.0)
    variance = np.maximum(own - 2 * share * both + share**2 * below, 0.0)
    stderr = np.where(told, np.sqrt(variance) / safe, np.inf)
    about = (joint.values, joint.method, joint.target)
    return Conditional(asked, given, *about, share, stderr, told, joint.n, (joint,))
