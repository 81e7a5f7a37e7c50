"""Asking: what one form hides and how, as devices along the axes of a table."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frankly.design import Form
from frankly.errors import DesignError, TooWideError
from frankly.judge.measure import log_odds
from frankly.mechanism import Axes, Mechanism, Table, Unrelated, Wish

__all__ = ["CELLS", "Asking", "asking_device"]

CELLS = 2**20
"""Entries of a channel that are still enumerated; beyond, closed forms."""

LONE = "answer"
"""What the question of a device without a survey is called."""


@dataclass(frozen=True)
class Asking:
    """One form's questions, and the device of each group along its axes.

    A device by itself is a form of one group here, so that theta may be anything in [0, 1],
    even where a survey would be refused because nothing could be estimated.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[Mechanism, Axes], ...]
    weight: int = 1

    @classmethod
    def of(cls, form: Form) -> "Asking":
        """Read a form of a design."""
        names = form.names
        devices = tuple(
            (group.device, tuple(names.index(name) for name in group.names))
            for group in form.groups
        )
        return cls(names, tuple(form.domains[name] for name in names), devices, form.weight)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many true values each question has."""
        return tuple(len(values) for values in self.values)

    @property
    def clear(self) -> tuple[str, ...]:
        """The questions that no device hides."""
        hidden = {axis for _, axes in self.groups for axis in axes}
        return tuple(name for axis, name in enumerate(self.names) if axis not in hidden)

    def protected(self) -> Iterator[tuple[str, int, int]]:
        """Give each hidden question, its group, and its place within the group."""
        for index, (_, axes) in enumerate(self.groups):
            for place, axis in enumerate(axes):
                yield self.names[axis], index, place

    def group_names(self, group: int) -> tuple[str, ...]:
        """Tell which questions a group hides."""
        return tuple(self.names[axis] for axis in self.groups[group][1])

    def group_sizes(self, group: int) -> tuple[int, ...]:
        """Tell how many values the questions of a group have."""
        return tuple(self.sizes[axis] for axis in self.groups[group][1])

    def seen_through(self, group: int, place: int) -> Mechanism:
        """Give a group's device as it acts on one of its questions."""
        device, axes = self.groups[group]
        return device if len(axes) == 1 else device.seen_through([place])

    def device_of(self, name: str) -> Mechanism | None:
        """Give the device as it acts on one question; None where that is sent as it is."""
        spots = ((group, place) for one, group, place in self.protected() if one == name)
        return next((self.seen_through(*spot) for spot in spots), None)

    def channel(self, group: int, place: int) -> Table:
        """Give the chances of each report (column) of one question given its truth (row)."""
        size = self.group_sizes(group)[place]
        return self.seen_through(group, place).push(np.eye(size), (0,)).T

    def epsilon(self, group: int) -> float:
        """Tell a group's epsilon in closed form."""
        return self.groups[group][0].epsilon(self.group_sizes(group))

    @property
    def record_epsilon(self) -> float:
        """Tell the epsilon of everything hidden; groups add up."""
        return math.fsum(self.epsilon(group) for group in range(len(self.groups)))

    def enumerated(self) -> float | None:
        """Tell the record's epsilon by trying all truths and reports; None when too many.

        Examples
        --------
        >>> one = asking_device(Unrelated(theta=0.7), None)
        >>> round(one.enumerated(), 4), round(one.record_epsilon, 4)
        (1.7346, 1.7346)
        """
        hidden = [axis for _, axes in self.groups for axis in axes]
        sizes = [self.sizes[axis] for axis in hidden]
        cells = math.prod(sizes)
        if cells**2 > CELLS:
            return None
        table: Table = np.eye(cells).reshape(*sizes, cells)
        for device, axes in self.groups:
            table = device.push(table, tuple(hidden.index(axis) for axis in axes))
        return log_odds(table.reshape(-1, cells).T)

    def push(self, table: Table, skip: int = -1, before: int = 0) -> Table:
        """Push a table of truths, leaving one group alone; ``before`` axes come first."""
        for index, (device, axes) in enumerate(self.groups):
            if index != skip:
                table = device.push(table, tuple(axis + before for axis in axes))
        return table

    def joint(self, names: Sequence[str], table: Table) -> Table:
        """Take this form's margin of a joint table over more names."""
        missing = [name for name in self.names if name not in names]
        if missing:
            raise DesignError(
                f"the joint is over {list(names)}, and the form also asks {missing}. Give a "
                "joint over all questions of the design, in their order"
            )
        kept = [names.index(name) for name in self.names]
        dropped = tuple(axis for axis in range(len(names)) if axis not in kept)
        order = sorted(kept)
        margin = table.sum(axis=dropped) if dropped else table
        return np.transpose(margin, [order.index(axis) for axis in kept])


def asking_device(device: Mechanism | Wish, prior: Table | None) -> Asking:
    """Let a device by itself hide one question, or a group of its cover's shape.

    Parameters
    ----------
    device
        Any device; its theta may be anything in [0, 1].
    prior
        Shares of the truths, which also say how many values there are; two if not given.
    """
    sizes = device_sizes(device, prior)
    names = tuple(LONE if len(sizes) == 1 else f"{LONE} {i + 1}" for i in range(len(sizes)))
    if isinstance(device, Unrelated) and isinstance(device.cover, Mapping):
        names = tuple(device.cover)
    values = tuple(value_names(size) for size in sizes)
    if isinstance(device, Wish):
        device = device.settle(names, values)
    if math.prod(sizes) > CELLS:
        raise TooWideError(f"a group of {math.prod(sizes):,} cells is more than {CELLS:,}")
    return Asking(names, values, ((device, tuple(range(len(sizes)))),))


def device_sizes(device: Mechanism | Wish, prior: Table | None) -> tuple[int, ...]:
    """Infer how many values each question has: from the prior, the cover, or two."""
    if prior is not None and prior.ndim:
        return tuple(prior.shape)
    if isinstance(device, Unrelated) and device.cover is not None:
        if isinstance(device.cover, Mapping):
            return tuple(len(part) for part in device.cover.values())
        return device.cover[0]
    rows = getattr(device, "rows", None)
    return (2,) if rows is None else (len(rows),)


def value_names(size: int) -> tuple[str, ...]:
    """Name the values of a question nobody has worded."""
    return ("no", "yes") if size == 2 else tuple(str(code) for code in range(size))
