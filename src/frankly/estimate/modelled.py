"""Modelled: any tables of truths from a model that was fitted to the reports."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from frankly.errors import NotAskedError
from frankly.estimate.mixture import Mixture
from frankly.estimate.pulled import Asked, Inverse, answering
from frankly.mechanism import Table

__all__ = ["Model", "Modelled"]


class Model(Protocol):
    """A joint distribution of the truth."""

    def margin(self, names: Sequence[str]) -> Table:
        """Give the joint shares over some names, one axis each."""


class Modelled:
    """Tables of the truth from a fitted model.

    Parameters
    ----------
    pulled
        The unbiased shares from the same reports: they say how sure anything can be.
    model
        The fitted model.
    mixture
        Naive Bayes: the model itself, or where its made-up people come from.
    made_up
        How many made-up people were added to the reports.
    """

    def __init__(
        self, pulled: Inverse, model: Model, mixture: Mixture, *, made_up: float = 0.0
    ) -> None:
        self.pulled, self.model, self.mixture, self.made_up = pulled, model, mixture, made_up

    def tables(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell which share of all people is of each kind."""
        return [self.table(asked) for asked in wanted]

    def table(self, asked: Asked) -> Table:
        """Take one table from the model."""
        held = self.model.margin(asked.every)[self.where(asked)]
        return np.asarray(held.sum(axis=tuple(range(len(asked.names), held.ndim))))

    def where(self, asked: Asked) -> Any:
        """Give the places of the conditions in a table whose last axes they are."""
        values = {name: self.pulled.design[name].values for name in dict(asked.where)}
        codes = [
            [labels.index(label) for other, label in asked.where if other == name]
            for name, labels in values.items()
        ]
        return (..., *np.ix_(*codes))

    def people(self, wanted: Sequence[Asked]) -> list[Table]:
        """Tell how many people there are of each kind, among all who reported."""
        return [table * self.pulled.n for table in self.tables(wanted)]

    def spread(self, asked: Asked, gradient: Table) -> float:
        """Tell the standard error of the sum of gradient times share.

        A fitted joint lies between what the reports say by themselves and naive Bayes, nearer to
        the surer of them. Both come from the same reports, so their errors are added up as if
        they always went the same way.
        """
        reports = self.from_reports(asked, gradient)
        made_up = self.from_made_up(asked, gradient)
        if not made_up or self.mixture.target is None:
            return reports
        weight = made_up**2 / (made_up**2 + reports**2)
        return weight * reports + (1 - weight) * min(reports, self.from_pairs(asked, gradient))

    def least_spread(self, asked: Asked, gradient: Table) -> float:
        """Tell what the standard error would be if made-up people were real ones."""
        reports = self.from_reports(asked, gradient)
        made_up = self.from_made_up(asked, gradient)
        both = float(np.hypot(reports, made_up))
        return reports * made_up / both if both and self.made_up else reports

    def from_made_up(self, asked: Asked, gradient: Table) -> float:
        """Tell the error that made-up people alone would leave, if they were real; 0 for none."""
        if not self.made_up:
            return 0.0
        share = self.table(asked)
        mean = float((gradient * share).sum())
        return float(np.sqrt(max(float((gradient**2 * share).sum()) - mean**2, 0.0) / self.made_up))

    def from_reports(self, asked: Asked, gradient: Table) -> float:
        """Tell the error from the reports alone: of the table, or of the pairs it is made from."""
        try:
            answering(self.pulled.design, asked)
        except NotAskedError:
            return self.from_pairs(asked, gradient)
        return self.pulled.spread(asked, gradient)

    def from_pairs(self, asked: Asked, gradient: Table) -> float:
        """Carry the errors of all pairs with the class through naive Bayes (delta method)."""
        target, mixture = self.mixture.target, self.mixture
        if target is None:
            raise NotAskedError(
                f"no form asks all of {list(asked.every)} of one person, so nobody can say how "
                "sure this is. Add a form that asks them all"
            )
        names = [name for name in asked.every if name != target]
        slope = self.by_class(asked, gradient, names)
        means = slope
        for name in reversed(names):
            means = np.einsum("k...v,kv->k...", means, mixture.tables[name])
        own = Asked((target,))
        variance = self.pulled.spread(own, (1 - len(names)) * means) ** 2
        for name in names:
            kept = slope
            for axis in reversed(range(len(names))):
                if names[axis] != name:
                    weights = mixture.tables[names[axis]]
                    kept = np.einsum("k...v,kv->k...", np.moveaxis(kept, axis + 1, -1), weights)
            variance += self.pulled.spread(Asked((target, name)), kept) ** 2
        return float(np.sqrt(variance))

    def by_class(self, asked: Asked, gradient: Table, names: Sequence[str]) -> Table:
        """Lay a gradient out with the class first, then the other names; 0 where it is not."""
        wide = np.zeros(self.pulled.design.sizes(asked.every))
        conditions = len(asked.every) - len(asked.names)
        wide[self.where(asked)] = np.expand_dims(gradient, tuple(range(-conditions, 0)))
        axes = [asked.every.index(name) for name in names]
        target = self.mixture.target
        if target in asked.every:
            return wide.transpose([asked.every.index(target), *axes])
        return np.repeat(wide.transpose(axes)[np.newaxis], self.mixture.k, axis=0)
