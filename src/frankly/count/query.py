"""Query: which table of reports is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

from frankly.design import Design
from frankly.errors import DesignError, NotAskedError

__all__ = ["Query"]


@dataclass(frozen=True, init=False)
class Query:
    """A table of reports: one axis a name, from one form, perhaps only where labels match.

    Parameters
    ----------
    names
        The attributes, in the order of the table's axes; none asks for the number of reports.
    form
        Which form of the design; counts of different forms are never mixed.
    where
        Pairs of attribute and reported label. Every attribute named must have one of the labels
        that it is paired with.

    Examples
    --------
    >>> Query(["ill"], where=[("sex", "f")])
    Query(names=('ill',), form=0, where=(('sex', 'f'),))
    """

    names: tuple[str, ...]
    form: int = 0
    where: tuple[tuple[str, str], ...] = ()

    def __init__(
        self, names: Sequence[str], form: int = 0, where: Sequence[tuple[str, str]] = ()
    ) -> None:
        object.__setattr__(self, "names", (names,) if isinstance(names, str) else tuple(names))
        object.__setattr__(self, "form", form)
        object.__setattr__(self, "where", tuple((name, label) for name, label in where))

    def check(self, design: Design) -> None:
        """Refuse a query that the design's form cannot answer."""
        if not 0 <= self.form < len(design.forms):
            raise NotAskedError(f"the design has {len(design.forms)} form(s), not one {self.form}")
        form = design.forms[self.form]
        missing = sorted({*self.names, *dict(self.where)} - set(form.names))
        if missing:
            raise NotAskedError(
                f"form {self.form} does not ask {missing}; it asks {list(form.names)}. "
                "Choose another form, or add one that asks them all"
            )
        if len(set(self.names)) < len(self.names):
            raise DesignError(f"a table has one axis a name, but {list(self.names)} repeats one")
        for name, label in self.where:
            if label not in form.reported(name):
                raise DesignError(
                    f"reports of {name!r} can be {list(form.reported(name))}; "
                    f"{label!r} is none of them, so nothing could ever match"
                )

    def codes(self, design: Design) -> tuple[tuple[str, int], ...]:
        """Give the conditions as codes."""
        form = design.forms[self.form]
        return tuple((name, form.reported(name).index(label)) for name, label in self.where)
