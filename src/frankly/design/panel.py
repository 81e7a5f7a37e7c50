"""Panel: people who are asked again and again, and how much all surveys together may reveal."""

import math
from dataclasses import dataclass
from typing import Any

from frankly.errors import DesignError

__all__ = ["Panel"]


@dataclass(frozen=True)
class Panel:
    """A panel and its budget: what all its surveys together may reveal about one person.

    Epsilon adds up: the same question behind a fair coin costs 1.10 each time, 10.99 in ten
    surveys. A survey that would exceed the budget does not open.

    Parameters
    ----------
    name
        What the panel is called; surveys of one name share its budget.
    budget
        The largest sum of epsilons.

    Examples
    --------
    >>> Panel("nurses", 3.5).document()
    {'name': 'nurses', 'budget': 3.5}
    """

    name: str
    budget: float

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise DesignError("a panel needs a name: its surveys share one budget by it")
        if not 0 < self.budget < math.inf:
            raise DesignError(
                f"the budget of a panel is a number above 0, not {self.budget!r}: what all its "
                "surveys together may reveal about one person, as epsilon"
            )

    def document(self) -> dict[str, Any]:
        """Write the panel as plain JSON values."""
        return {"name": self.name, "budget": float(self.budget)}
