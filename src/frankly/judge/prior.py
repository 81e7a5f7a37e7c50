"""Prior: what a collector is taken to know before a report comes in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from frankly.count import engine_for
from frankly.design import Design
from frankly.errors import DesignError
from frankly.estimate import estimate
from frankly.estimate.branches import views_of
from frankly.estimate.estimate import seen_by_form
from frankly.judge.asking import Asking
from frankly.judge.fitted import fitted_classes, fitted_joint
from frankly.judge.measure import shares_of
from frankly.mechanism import Table

__all__ = ["Given", "Prior", "estimated_prior", "prior_of", "worst_shares"]

Given = float | ArrayLike | Mapping[str, float | ArrayLike] | Literal["worst"] | None
"""A prior as people give it: shares of each question by name, one question's shares, "worst"."""

WIDE = 2**18
"""A joint of more cells than this is not estimated from reports here."""

RAKES, SETTLED = 1000, 1e-12
"""Rounds in which margins settle, and how near they are then; most settle in a few."""


@dataclass(frozen=True)
class Prior:
    """Shares of each question's truths, where they come from, and perhaps the joint of all."""

    shares: Mapping[str, Table]
    basis: str
    names: tuple[str, ...] = ()
    joint: Table | None = None
    worst: bool = False

    def of(self, name: str, channel: Table) -> Table:
        """Give the shares of one question's truths: given, worst for this channel, or all alike."""
        if self.worst:
            return worst_shares(channel)
        return self.shares.get(name, np.full(len(channel), 1 / len(channel)))


def prior_of(
    given: Given, askings: Sequence[Asking], joint: tuple[tuple[str, ...], Table] | None
) -> Prior:
    """Read a prior; a joint's own margins are the prior when no other is given."""
    if isinstance(given, str):
        if given != "worst":
            raise DesignError(f'a prior is shares or "worst", not {given!r}')
        return Prior({}, "the worst one for each question", worst=True)
    sizes = {name: size for one in askings for name, size in zip(one.names, one.sizes, strict=True)}
    if joint is not None:
        names, table = joint
        return Prior(
            margins(names, checked(table, names, sizes)), "given with a joint", names, table
        )
    if given is None:
        return Prior({}, "every answer equally likely")
    if not isinstance(given, Mapping):
        if len(sizes) != 1:
            raise DesignError(
                f"a prior for {len(sizes)} questions is given by name, such as "
                f"{{{next(iter(sizes))!r}: [0.9, 0.1]}}"
            )
        given = dict.fromkeys(sizes, given)
    unknown = sorted(set(given) - set(sizes))
    if unknown:
        raise DesignError(f"the prior speaks of {unknown}; the questions are {list(sizes)}")
    shares = {name: shares_of(np.asarray(one), sizes[name], name) for name, one in given.items()}
    hidden = {name for one in askings for name, _, _ in one.protected()}
    others = "" if hidden <= set(shares) else ", all answers alike for the rest"
    return Prior(shares, f"given{others}")


def checked(table: Table, names: Sequence[str], sizes: Mapping[str, int]) -> Table:
    """Refuse a joint of the wrong shape, or one that is no distribution."""
    shape = tuple(sizes[name] for name in names)
    if table.shape != shape or not table.min() >= 0 or not abs(table.sum() - 1) <= 1e-6:
        raise DesignError(
            f"a joint over {list(names)} has the shape {shape}, no negative share, and adds up to "
            f"1; this one has the shape {table.shape}"
        )
    return table


def margins(names: Sequence[str], table: Table) -> dict[str, Table]:
    """Give the shares of each question from the joint."""
    every = range(table.ndim)
    return {
        name: np.asarray(table.sum(axis=tuple(other for other in every if other != axis)))
        for axis, name in enumerate(names)
    }


def worst_shares(channel: Table) -> Table:
    """Find the prior under which one report moves a guess most.

    Between the two truths whose chances of a report differ most, by a factor L, the prior
    1 / (1 + sqrt(L)) moves by tanh(log(L) / 4), and no other moves more. Where a report
    proves a truth, one in a hundred is taken.

    Examples
    --------
    >>> worst_shares(np.array([[0.8, 0.2], [0.2, 0.8]]))
    array([0.333, 0.667])
    """
    least = np.maximum(channel.min(axis=0), channel.max(axis=0) / 99**2)
    ratio = np.divide(channel.max(axis=0), least, out=np.ones_like(least), where=least > 0)
    report = int(ratio.argmax())
    high, low = int(channel[:, report].argmax()), int(channel[:, report].argmin())
    shares = np.zeros(len(channel))
    if high == low:
        return np.full(len(channel), 1 / len(channel))
    shares[high] = 1 / (1 + math.sqrt(ratio[report]))
    shares[low] = 1 - shares[high]
    return shares


def estimated_prior(design: Design, reports: Any) -> Prior:
    """Estimate the prior from reports, and the joint where whole reports can be counted.

    How answers go together comes from a model with hidden classes, fitted through the device, or
    from all combinations where they foretell better: the same that an audit attacks with. It
    knows that even when no form asks them all. How common they are comes from the likeliest
    shares, as `estimate` gives them. Of a question that nobody has answered all answers are held
    alike.
    """
    engine = engine_for(design, reports)
    answered = [name for name in design.names if seen_by_form(design, engine, (name,))]
    rest = "" if len(answered) == len(design.names) else ", all answers alike where there are none"
    basis = f"estimated from the reports{rest}"
    shares = {one.name: np.full(one.size, 1 / one.size) for one in design.attributes}
    for name in answered or design.names:
        shares[name] = estimate(design, engine, name, "mle").share
    if engine.histograms and math.prod(design.sizes(design.names)) <= WIDE:
        model = fitted_classes(design, views_of(engine))[1].model
        joint = (fitted_joint(engine, model) or model).margin(design.names)
        joint = raked(joint, list(shares.values()))
        return Prior(margins(design.names, joint), basis, design.names, joint)
    return Prior(shares, basis)


def raked(table: Table, shares: Sequence[Table]) -> Table:
    """Bring a joint to these margins, leaving how its axes go together as it is.

    Examples
    --------
    >>> raked(np.array([[0.4, 0.1], [0.1, 0.4]]), [np.array([0.9, 0.1]), np.array([0.8, 0.2])])
    array([[0.773, 0.127],
           [0.027, 0.073]])
    """
    for _ in range(RAKES):
        apart = 0.0
        for axis, wanted in enumerate(shares):
            others = tuple(other for other in range(table.ndim) if other != axis)
            found = table.sum(axis=others, keepdims=True)
            shape = [-1 if other == axis else 1 for other in range(table.ndim)]
            goal = wanted.reshape(shape)
            table = table * np.divide(goal, found, out=np.zeros_like(found), where=found > 0)
            apart = max(apart, float(np.abs(goal - found).max()))
        if apart < SETTLED:
            break
    return table
