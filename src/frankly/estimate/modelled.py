"""Modelled: any tables of truths from a model that was fitted to the reports."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from frankly.errors import NotAskedError
from frankly.estimate.branches import View
from frankly.estimate.em_errors import covariance
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
    views
        The whole reports that naive Bayes was fitted to, if it was not made from pairs.
    """

    def __init__(
        self,
        pulled: Inverse,
        model: Model,
        mixture: Mixture,
        *,
        made_up: float = 0.0,
        views: Sequence[View] = (),
    ) -> None:
        self.pulled, self.model, self.mixture, self.made_up = pulled, model, mixture, made_up
        self.views = views

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
        naive = self.from_naive(asked, gradient)
        return weight * reports + (1 - weight) * min(reports, naive)

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

    def from_naive(self, asked: Asked, gradient: Table) -> float:
        """Tell the error of naive Bayes, as it was fitted: to whole reports or from pairs."""
        if self.covariance is None:
            return self.from_pairs(asked, gradient)
        means, kept = self.through_naive(asked, gradient)
        mixture = self.mixture
        slopes = {name: mixture.weights[:, np.newaxis] * slope for name, slope in kept.items()}
        rows = [by_logs(mixture.weights, means)]
        for name, table in mixture.tables.items():
            if name != mixture.target:
                rows.append(by_logs(table, slopes.get(name, np.zeros_like(table))).ravel())
        slope = np.concatenate(rows)
        return float(np.sqrt(max(float(slope @ self.covariance @ slope), 0.0)))

    @cached_property
    def covariance(self) -> Table | None:
        """What chance does to naive Bayes, where it was fitted to whole reports."""
        return covariance(self.views, self.mixture) if self.views else None

    def from_pairs(self, asked: Asked, gradient: Table) -> float:
        """Carry the errors of all pairs with the class through naive Bayes (delta method)."""
        target = self.mixture.target
        if target is None:
            raise NotAskedError(
                f"no form asks all of {list(asked.every)} of one person, so nobody can say how "
                "sure this is. Add a form that asks them all"
            )
        means, kept = self.through_naive(asked, gradient)
        variance = self.pulled.spread(Asked((target,)), (1 - len(kept)) * means) ** 2
        for name, slope in kept.items():
            variance += self.pulled.spread(Asked((target, name)), slope) ** 2
        return float(np.sqrt(variance))

    def through_naive(self, asked: Asked, gradient: Table) -> tuple[Table, dict[str, Table]]:
        """Give the mean gradient of every class, and of every class and value of each name."""
        tables = self.mixture.tables
        names = [name for name in asked.every if name != self.mixture.target]
        slope = self.by_class(asked, gradient, names)
        means = slope
        for name in reversed(names):
            means = np.einsum("k...v,kv->k...", means, tables[name])
        kept = {}
        for name in names:
            left = slope
            for axis in reversed(range(len(names))):
                if names[axis] != name:
                    moved = np.moveaxis(left, axis + 1, -1)
                    left = np.einsum("k...v,kv->k...", moved, tables[names[axis]])
            kept[name] = left
        return means, kept

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


def by_logs(shares: Table, slope: Table) -> Table:
    """Turn a slope by shares into one by their logarithms; each row goes on adding up to one."""
    mean = (shares * slope).sum(axis=-1, keepdims=True)
    return np.asarray(shares * (slope - mean))
