"""Compare: devices for one yes-or-no question at equal privacy, not at equal theta."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from frankly.advise.line import lines_of
from frankly.design import Attribute, Design, Group, Speaks
from frankly.errors import DesignError
from frankly.judge import privacy
from frankly.judge.text import number, table_text
from frankly.mechanism import Flip, Kuk, Mangat, Mechanism, Unrelated

__all__ = ["FAMILIES", "Compared", "Comparison", "compare_devices"]

FAMILIES: Mapping[str, Callable[[float], Mechanism]] = {
    "unrelated, fair cover": Unrelated,
    "unrelated, 30% cover": lambda told: Unrelated(told, [0.7, 0.3]),
    "flip": lambda told: Flip((1 + told) / 2),
    "Kuk, two cards": lambda told: Kuk((1 + told) / 2, (1 - told) / 2, draws=2),
    "Mangat": Mangat,
}
"""Devices whose reports tell more as a number goes from 0 to 1."""


@dataclass(frozen=True)
class Compared:
    """One device at the wanted privacy: its setting, its privacy, and its error."""

    name: str
    told: float
    epsilon: float
    pse: float
    stderr: float


@dataclass(frozen=True, repr=False)
class Comparison(Speaks):
    """Devices at equal privacy; the smaller error is the better device."""

    by: str
    wanted: float
    share: float
    n: int
    devices: tuple[Compared, ...]

    def summary(self) -> str:
        """Say it in a table."""
        head = ("device", "", "told", "epsilon", "PSE", "± points")
        rows = [
            (
                d.name,
                "",
                f"{d.told:.3f}",
                number(d.epsilon),
                f"{d.pse:.3f}",
                f"{100 * d.stderr:.2f}",
            )
            for d in self.devices
        ]
        title = (
            f"Devices at equal {self.by} ({self.wanted:g}): share {self.share:g}, {self.n:,} people"
        )
        return "\n".join([title, *table_text(head, rows)])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        rows = [{**vars(d), "epsilon": endless(d.epsilon)} for d in self.devices]
        about = {"by": self.by, "wanted": self.wanted, "share": self.share, "n": self.n}
        return {**about, "devices": rows}


def endless(epsilon: float) -> float | str:
    """Write an epsilon for JSON."""
    return "infinite" if math.isinf(epsilon) else epsilon


def compare_devices(
    wanted: float, by: Literal["epsilon", "pse"] = "epsilon", *, share: float = 0.1, n: int = 1000
) -> Comparison:
    """Set every device to the same privacy, and compare what it costs.

    Parameters
    ----------
    wanted
        The privacy that all devices are set to.
    by
        By which notion: ``epsilon``, or ``pse`` at the given share.
    share, n
        The share to be estimated, and how many people answer.

    Examples
    --------
    A flip is an unrelated question with a fair cover, at another theta:

    >>> both = {d.name: d for d in compare_devices(1.0).devices}
    >>> flip, fair = both["flip"], both["unrelated, fair cover"]
    >>> round(flip.stderr, 4) == round(fair.stderr, 4) < both["unrelated, 30% cover"].stderr
    True
    """
    if by == "pse" and not 0 < wanted < 2 * share * (1 - share):
        raise DesignError(
            f"a PSE between 0 and {2 * share * (1 - share):.3f} is possible for a share of "
            f"{share:g}; {wanted:g} is not"
        )
    found = [one for name in FAMILIES if (one := at_privacy(name, wanted, by, share, n))]
    return Comparison(by, wanted, share, n, tuple(sorted(found, key=lambda d: d.stderr)))


def at_privacy(name: str, wanted: float, by: str, share: float, n: int) -> Compared | None:
    """Set one device to a privacy; None where it cannot keep it."""

    def private(told: float) -> bool:
        one = privacy(FAMILIES[name](told), share).attributes["answer"]
        return one.epsilon <= wanted if by == "epsilon" else one.pse >= wanted

    low, high = 0.0005, 1.0
    if not private(low):
        return None
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if private(middle) else (low, middle)
    device = FAMILIES[name](low)
    one = privacy(device, share).attributes["answer"]
    question = Attribute("answer", ["no", "yes"])
    design = Design([question], groups=[Group(["answer"], device)], accept_infinite_epsilon=True)
    (line,) = lines_of(design, ["answer"], [1])
    error = math.sqrt(line.variance(share) / n)
    return Compared(name, low, one.epsilon, one.pse, error)
