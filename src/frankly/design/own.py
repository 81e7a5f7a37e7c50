"""Own device: which chances a die, a coin or a birthday can make exactly."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from frankly.design.form import Form, Group
from frankly.errors import DesignError
from frankly.mechanism import Unrelated

__all__ = ["SIDES", "check_own_device"]

SIDES = {"die": 6, "coin": 2, "birthday": 12}
"""Equally likely outcomes of one throw; a birthday is known by its month."""


def check_own_device(forms: Sequence[Form], own: str | None) -> None:
    """Refuse a design whose chances do not come out even on the device people bring."""
    if own is None:
        return
    if own not in SIDES:
        raise DesignError(f"own_device is one of {sorted(SIDES)}, not {own!r}")
    if len(forms) > 1:
        raise DesignError(
            "people who bring their own die all get the same form, because the page must not "
            "decide anything for them. Keep one form, or let the page draw (no own_device)"
        )
    for group in forms[0].groups:
        if getattr(group.device, "asked", False):
            raise DesignError(
                f"the group {list(group.names)} asks people for its substitutes (asked), and with "
                f"a {own} of their own they throw for them. Keep one: no `asked`, or no own_device"
            )
        for weights in chances(group, forms[0]):
            if not even(weights, SIDES[own]):
                raise DesignError(
                    f"a {own} has {SIDES[own]} equally likely sides, and the group "
                    f"{list(group.names)} has chances that they cannot make exactly. Use a theta "
                    f"in steps of 1/{SIDES[own]} and covers whose weights share {SIDES[own]} sides"
                )


def chances(group: Group, form: Form) -> Iterable[Sequence[int]]:
    """List what must be thrown for a group: the toss, then each question's substitute."""
    device = group.device
    if not isinstance(device, Unrelated) or not (
        device.cover is None or isinstance(device.cover, Mapping)
    ):
        yield ()
        return
    yield (device.theta.numerator, device.theta.denominator - device.theta.numerator)
    for name, size in zip(group.names, form.sizes(group.names), strict=True):
        yield (1,) * size if device.cover is None else device.cover[name]


def even(weights: Sequence[int], sides: int) -> bool:
    """Tell whether the sides can be shared out by these weights, at least one each."""
    parts = [Fraction(weight * sides, sum(weights)) for weight in weights]
    return bool(parts) and all(part.denominator == 1 and part > 0 for part in parts)
