"""Pulled: any tables of truths, unbiased, from the counts of every form that can answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from frankly.count import Engine, Query
from frankly.design import Design
from frankly.errors import CannotBeToldError, NotAskedError
from frankly.estimate.combine import Combination
from frankly.estimate.mle import Seen
from frankly.mechanism import Table

__all__ = ["Asked", "Inverse", "Source"]

SMALL = 64
"""Cells of tables whose combination is remembered: a tree asks for the same ones over and over."""


@dataclass(frozen=True)
class Asked:
    """A table of truths that is wanted.

    Parameters
    ----------
    names
        The attributes, one axis each.
    where
        Pairs of attribute and label; only attributes that are clear. Each of them must have
        one of the labels that it is paired with.

    Examples
    --------
    >>> Asked(("ill", "smokes"), where=(("sex", "f"),)).every
    ('ill', 'smokes', 'sex')
    """

    names: tuple[str, ...]
    where: tuple[tuple[str, str], ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All attributes that one person must have been asked."""
        return tuple(dict.fromkeys((*self.names, *dict(self.where))))


class Source(Protocol):
    """Where shares come from."""

    def people(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell how many people there are of each kind."""

    def tables(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell which share of all people is of each kind."""

    def spread(self, asked: Asked, gradient: Table) -> float:
        """Tell the standard error of the sum of gradient times share."""

    def least_spread(self, asked: Asked, gradient: Table) -> float:
        """Tell what the standard error would be if made-up people were real ones."""


@dataclass(frozen=True)
class Counted:
    """What the forms that can answer saw of one wanted table.

    ``seen`` are counts where the conditions hold, ``n`` the reports of each form in all.
    """

    seen: tuple[Seen, ...]
    n: tuple[float, ...]

    @property
    def holds(self) -> float:
        """The share of people for whom the conditions hold."""
        return float(sum(seen.counts.sum() for seen in self.seen) / sum(self.n))

    @property
    def together(self) -> Combination | None:
        """What the forms say together about those for whom they hold; None if for nobody."""
        some = tuple(seen for seen in self.seen if seen.counts.sum())
        return Combination(some) if some else None


class Inverse:
    """The unbiased shares, pulled from counts form by form and combined.

    Examples
    --------
    >>> import frankly as fk
    >>> from frankly.count import ArrayEngine
    >>> ill = fk.Attribute("ill", ["no", "yes"])
    >>> design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    >>> source = Inverse(ArrayEngine(design, {"ill": ["yes"] * 320 + ["no"] * 680}))
    >>> source.tables([Asked(("ill",))])[0]
    array([0.86, 0.14])
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.known: dict[Asked, Counted] = {}
        self.small: dict[Asked, Combination | None] = {}
        self.large: dict[Asked, Combination | None] = {}

    @property
    def design(self) -> Design:
        """What the reports answer."""
        return self.engine.design

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """How many reports each form has."""
        queries = [Query((), form) for form in range(len(self.design.forms))]
        return tuple(counts.n for counts in self.engine.count(queries))

    @property
    def n(self) -> int:
        """How many reports there are."""
        return sum(self.numbers)

    def counted(self, wanted: Sequence[Asked]) -> list[Counted]:
        """Count what is not known yet, everything in one call of the engine."""
        new = [asked for asked in dict.fromkeys(wanted) if asked not in self.known]
        forms = {asked: answering(self.design, asked) for asked in new}
        queries = [Query(asked.names, form, asked.where) for asked in new for form in forms[asked]]
        answers = iter(self.engine.count(queries)) if queries else iter(())
        for asked in new:
            seen, n = [], []
            for form in forms[asked]:
                counts = np.ascontiguousarray(next(answers).table, dtype=np.float64)
                if self.numbers[form]:
                    seen.append(Seen(self.design.forms[form], asked.names, counts))
                    n.append(float(self.numbers[form]))
            if not seen:
                raise CannotBeToldError(
                    f"there are no reports that answer {list(asked.every)}: nothing can be "
                    "estimated yet"
                )
            self.known[asked] = Counted(tuple(seen), tuple(n))
        return [self.known[asked] for asked in wanted]

    def people(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell how many people there are of each kind; below zero by chance, perhaps."""
        return [people_behind(counted) for counted in self.counted(wanted)]

    def tables(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell which share of all people is of each kind."""
        return [people_behind(counted) / sum(counted.n) for counted in self.counted(wanted)]

    def spread(self, asked: Asked, gradient: Table) -> float:
        """Tell the standard error of the sum of gradient times share."""
        (counted,) = self.counted([asked])
        forms = self.together(asked, counted)
        if forms is None:
            return 0.0
        holds, gradient = counted.holds, np.asarray(gradient, dtype=np.float64)
        mean = float((gradient * forms.share).sum())
        among = mean**2 * holds * (1 - holds) / sum(counted.n)
        return float(np.sqrt(holds**2 * forms.variance_along(gradient) + among))

    def least_spread(self, asked: Asked, gradient: Table) -> float:
        """Tell the same: nobody is made up here."""
        return self.spread(asked, gradient)

    def together(self, asked: Asked, counted: Counted) -> Combination | None:
        """Combine the forms of a table, once; of large tables only the last is remembered."""
        small = counted.seen[0].counts.size <= SMALL
        known = self.small if small else self.large
        if asked not in known:
            if not small:
                known.clear()
            known[asked] = counted.together
        return known[asked]


def answering(design: Design, asked: Asked) -> list[int]:
    """Tell which forms ask all of it with clear conditions, or refuse with the form to add."""
    protected = [name for name, _ in asked.where if not is_clear_somewhere(design, name)]
    if protected:
        raise NotAskedError(
            f"{protected} is hidden by a device, so nobody knows for whom it holds. A condition "
            "must be clear: put a protected attribute among the names instead"
        )
    conditions = {name for name, _ in asked.where}
    forms = [
        form for form in design.asking(asked.every) if conditions <= set(design.forms[form].clear)
    ]
    if not forms:
        raise NotAskedError(
            f"no form asks all of {list(asked.every)} with {sorted(conditions)} in clear. "
            "Add one, or put the conditions among the names"
        )
    return forms


def is_clear_somewhere(design: Design, name: str) -> bool:
    """Tell whether some form asks this in clear."""
    return any(name in form.clear for form in design.forms)


def people_behind(counted: Counted) -> Table:
    """Pull the counts of every form and combine them; add up to the people asked."""
    if len(counted.seen) == 1:
        seen = counted.seen[0]
        return seen.form.pull(seen.counts, seen.names)
    together = counted.together
    if together is None:
        return np.zeros(counted.seen[0].form.sizes(counted.seen[0].names))
    return together.share * (counted.holds * sum(counted.n))
