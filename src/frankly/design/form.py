"""Form: what one respondent is asked, and how it is hidden."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from frankly.design.attribute import Attribute
from frankly.design.canonical import canonical
from frankly.errors import DesignError, NotAskedError
from frankly.mechanism import Axes, Mechanism, Table, Wish

__all__ = ["Form", "Group"]


@dataclass(frozen=True, init=False)
class Group:
    """Questions that one toss hides together.

    Examples
    --------
    >>> from frankly.mechanism import Flip
    >>> Group(["ill"], Flip(theta=0.7)).names
    ('ill',)
    """

    names: tuple[str, ...]
    mechanism: Mechanism | Wish

    def __init__(self, names: Sequence[str], mechanism: Mechanism | Wish) -> None:
        object.__setattr__(self, "names", (names,) if isinstance(names, str) else tuple(names))
        object.__setattr__(self, "mechanism", mechanism)
        if not self.names:
            raise DesignError("a group hides at least one question, and this one has none")
        if not isinstance(mechanism, Mechanism | Wish):
            raise DesignError(
                f"the group {list(self.names)} needs a mechanism such as Unrelated(theta=0.7), "
                f"not {type(mechanism).__name__}. A question without one is simply left out of "
                "the groups: it is then asked in clear"
            )

    @property
    def device(self) -> Mechanism:
        """The mechanism, fitted to the group's questions."""
        if isinstance(self.mechanism, Wish):
            raise DesignError(
                "this group's device is fixed only when its questions are known: "
                "put the group into a Design first"
            )
        return self.mechanism


@dataclass(frozen=True, init=False)
class Form:
    """What one respondent is asked: groups with their devices, and clear attributes.

    Parameters
    ----------
    groups
        Questions hidden together, each group by its own device.
    clear
        Attributes that are asked and sent as they are.
    weight
        How often the form is drawn, relative to the others.
    """

    groups: tuple[Group, ...]
    clear: tuple[str, ...]
    weight: int
    domains: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, Mapping[str, Any]]

    def __init__(
        self, groups: Sequence[Group] = (), clear: Sequence[str] = (), weight: int = 1
    ) -> None:
        object.__setattr__(self, "groups", tuple(groups))
        object.__setattr__(self, "clear", tuple(clear))
        object.__setattr__(self, "domains", {})
        object.__setattr__(self, "answers", {})
        if isinstance(weight, str) or not weight >= 1 or weight % 1:
            raise DesignError(f"the weight of a form is a whole number above 0, not {weight!r}")
        object.__setattr__(self, "weight", int(weight))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every attribute asked, group by group, then the clear ones."""
        return (*(name for group in self.groups for name in group.names), *self.clear)

    def settle(self, attributes: Sequence[Attribute]) -> "Form":
        """Fit the form to the attributes of its design, or refuse it."""
        known = {attribute.name: attribute.values for attribute in attributes}
        check_names(self.names, known)
        groups = [
            Group(g.names, g.mechanism.settle(g.names, [known[name] for name in g.names]))
            for g in self.groups
        ]
        clear, asked = set(self.clear), set(self.names)
        form = Form(groups, [name for name in known if name in clear], self.weight)
        object.__setattr__(form, "domains", {name: known[name] for name in self.names})
        mine = [a for a in attributes if a.name in asked]
        object.__setattr__(form, "answers", {a.name: a.answers() for a in mine})
        return form

    def asks(self, names: Sequence[str]) -> bool:
        """Tell whether this form asks all of these."""
        return set(names) <= set(self.names)

    def sizes(self, names: Sequence[str]) -> tuple[int, ...]:
        """Tell how many true values each of these has."""
        return tuple(len(self.domains[name]) for name in names)

    def reported(self, name: str) -> tuple[str, ...]:
        """Tell the values that reports of one attribute can have."""
        for group in self.groups:
            if name in group.names:
                return group.device.reported(self.domains[name])
        return self.domains[name]

    def devices(self, names: Sequence[str]) -> Iterator[tuple[Mechanism, Axes]]:
        """Give each group's device as it acts on a table with these names, and its axes."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise NotAskedError(
                f"this form does not ask {missing}; it asks {list(self.names)}. "
                "Choose another form, or add one that asks them all"
            )
        for group in self.groups:
            kept = [i for i, name in enumerate(group.names) if name in names]
            if kept:
                axes = tuple(names.index(group.names[i]) for i in kept)
                whole = len(kept) == len(group.names)
                yield group.device if whole else group.device.seen_through(kept), axes

    def push(self, table: Table, names: Sequence[str]) -> Table:
        """Turn a table of truths into the table of reports to expect."""
        for device, axes in self.devices(names):
            table = device.push(table, axes)
        return table

    def push_score(self, score: Table, names: Sequence[str]) -> Table:
        """Turn a score of reports into its expectation given the truth."""
        for device, axes in self.devices(names):
            score = device.push_score(score, axes)
        return score

    def pull(self, table: Table, names: Sequence[str], power: int = 1) -> Table:
        """Turn a table of reports into the table of truths behind it."""
        for device, axes in self.devices(names):
            table = device.pull(table, axes, power)
        return table

    def pull_score(self, score: Table, names: Sequence[str]) -> Table:
        """Turn a score of truths into a score of reports with the same mean."""
        for device, axes in self.devices(names):
            score = device.pull_score(score, axes)
        return score

    def pull_range(self, names: Sequence[str]) -> tuple[Table, Table]:
        """Tell the smallest and the largest score that one report adds to each cell."""
        low, high = np.zeros((1,) * len(names)), np.ones((1,) * len(names))
        if any(name in self.clear for name in names) is False:
            low = np.ones_like(high)
        for device, axes in self.devices(names):
            sizes = self.sizes([names[axis] for axis in axes])
            ends = [lay(end, axes, len(names)) for end in device.pull_range(sizes)]
            corners = np.stack(np.broadcast_arrays(*(a * b for a in (low, high) for b in ends)))
            low, high = corners.min(axis=0), corners.max(axis=0)
        shape = self.sizes(names)
        return np.broadcast_to(low, shape), np.broadcast_to(high, shape)

    @property
    def epsilon(self) -> float:
        """The largest log-odds a whole report of this form can shift; groups add up."""
        return math.fsum(g.device.epsilon(self.sizes(g.names)) for g in self.groups)

    def document(self) -> dict[str, Any]:
        """Write the form as plain JSON values."""
        groups = [{"names": list(g.names), "mechanism": g.device.document()} for g in self.groups]
        document: dict[str, Any] = {"groups": groups, "clear": list(self.clear)}
        if self.weight != 1:
            document["weight"] = self.weight
        return {key: value for key, value in document.items() if value}

    @property
    def fingerprint(self) -> str:
        """The form's identity: what is answered and how it is hidden, without its weight."""
        document = {key: part for key, part in self.document().items() if key != "weight"}
        document["answers"] = self.answers
        return hashlib.sha256(canonical(document)).hexdigest()


def lay(table: Table, axes: Axes, ndim: int) -> Table:
    """Lay a group's table along its axes of a wider one."""
    table = np.asarray(table)
    wide = table.reshape((*table.shape, *[1] * (ndim - table.ndim)))
    return np.moveaxis(wide, range(len(axes)), axes)


def check_names(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> None:
    """Refuse a form that asks nothing, something unknown, or one thing twice."""
    if not names:
        raise DesignError("a form must ask something: give it groups or clear attributes")
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise DesignError(
            f"the form asks {unknown}, which the design does not know. "
            f"Its attributes are {sorted(known)}"
        )
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise DesignError(
            f"the form asks {twice} twice. One report holds one answer to a question, and two "
            "would reveal more than either: keep it in one group, or clear"
        )
