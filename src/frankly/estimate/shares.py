"""Shares: reports in, shares of the truth out; all that a miner asks.

A miner names tables and gets shares of the truth, whatever the devices were and whatever
stands behind: one form or many, the unbiased inverse or a model fitted to whole reports.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from frankly.count import Engine
from frankly.design import Design
from frankly.errors import CannotBeToldError, DesignError, NotAskedError
from frankly.estimate.auto import MINING, Wants, choose, shares_a_coin
from frankly.estimate.branches import View, views_of
from frankly.estimate.em import fit_mixture
from frankly.estimate.joint import fit_joint
from frankly.estimate.mixture import Mixture
from frankly.estimate.modelled import Modelled
from frankly.estimate.pulled import Asked, Inverse, Source
from frankly.estimate.shrink import clipped, shrunken, within
from frankly.mechanism import Table

__all__ = ["Asked", "Shares"]


class Shares:
    """Shares of the truth behind the reports that an engine can count.

    Parameters
    ----------
    engine
        Anything that can count reports.
    method
        ``inverse``: unbiased, cells may leave [0, 1]. ``em``: naive Bayes fitted to whole
        reports through the device. ``shrink``: naive Bayes from pairs with the class, small
        differences shrunken. ``map``: joint shares, helped by naive Bayes. ``auto``: chosen
        by the design.
    target
        The class, when one attribute is to be predicted from the others.
    wants
        ``pairs`` when only tables of one attribute with the target will be asked.

    Attributes
    ----------
    method
        How the shares are made.
    why
        Why that method, in a sentence.

    Examples
    --------
    >>> import frankly as fk
    >>> from frankly.count import ArrayEngine
    >>> ill = fk.Attribute("ill", ["no", "yes"])
    >>> design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    >>> shares = Shares(ArrayEngine(design, {"ill": ["yes"] * 320 + ["no"] * 680}))
    >>> shares.tables([Asked(("ill",))])[0]
    array([0.86, 0.14])
    >>> round(shares.spread(Asked(("ill",)), np.array([0.0, 1.0])), 4)
    0.0295
    """

    def __init__(
        self,
        engine: Engine,
        method: str = "inverse",
        target: str | None = None,
        *,
        wants: Wants = "joint",
    ) -> None:
        if target is not None and target not in engine.design.names:
            raise NotAskedError(
                f"the target {target!r} is none of the design's attributes "
                f"{list(engine.design.names)}. Name one of them"
            )
        if method not in (*MINING, "auto"):
            raise DesignError(f"method {method!r} is none of auto, {', '.join(MINING)}")
        self.engine, self.target = engine, target
        self.pulled = Inverse(engine)
        self.method, self.why = method, "it was set beforehand"
        if method == "auto":
            self.method, self.why = choose(
                engine.design, target, wants, histograms=engine.histograms
            )

    @property
    def design(self) -> Design:
        """What the reports answer."""
        return self.pulled.design

    @property
    def n(self) -> int:
        """How many reports there are."""
        return self.pulled.n

    @cached_property
    def source(self) -> Source:
        """Where the shares come from; fitted when first needed."""
        if self.method == "inverse":
            return self.pulled
        if not self.n:
            raise CannotBeToldError("there are no reports yet: nothing can be estimated")
        makers: dict[str, Callable[[], Source]] = {
            "em": lambda: self.of_mixture(self.fitted_by_em()),
            "shrink": lambda: self.of_mixture(shrunken(self.pulled, self.needed_target())),
            "map": self.of_joint,
        }
        return makers[self.method]()

    def of_mixture(self, mixture: Mixture) -> Source:
        """Take the shares from naive Bayes."""
        return Modelled(self.pulled, mixture, mixture)

    def of_joint(self) -> Source:
        """Take the shares from a fitted joint."""
        views: Sequence[View] = ()
        if self.target is None:
            mixture = self.independent()
        elif shares_a_coin(self.design, self.target):
            mixture, views = self.fitted_by_em(), self.views
        else:
            mixture = shrunken(self.pulled, self.target)
        self.need_histograms()
        joint = fit_joint(self.engine, mixture)
        return Modelled(self.pulled, joint, mixture, made_up=joint.pseudo * self.n, views=views)

    @cached_property
    def views(self) -> list[View]:
        """The whole reports of every form, counted once."""
        return views_of(self.engine)

    def fitted_by_em(self) -> Mixture:
        """Fit naive Bayes to whole reports, from the clipped inverse."""
        self.need_histograms()
        target = self.needed_target()
        pairs = [Asked((target, name)) for name in self.design.names if name != target]
        classes, *tables = self.pulled.tables([Asked((target,)), *pairs])
        # A few people in every cell: EM never moves away from a share of 0.
        shares = np.maximum(classes, 0.02)
        start = within(pairs, [np.maximum(table, 0.0) + 0.02 / table.size for table in tables])
        return fit_mixture(self.views, Mixture(clipped(shares), start, target)).model

    def independent(self) -> Mixture:
        """Give the model in which attributes have nothing to do with each other."""
        wanted = [Asked((name,)) for name in self.design.names]
        tables = [clipped(table)[np.newaxis] for table in self.pulled.tables(wanted)]
        return Mixture(np.ones(1), dict(zip(self.design.names, tables, strict=True)))

    def needed_target(self) -> str:
        """Give the target, or say that this method needs one."""
        if self.target is None:
            raise DesignError(f"method {self.method!r} needs a target; use 'inverse' or 'map'")
        return self.target

    def need_histograms(self) -> None:
        """Refuse an engine that cannot count whole reports."""
        if not self.engine.histograms:
            raise CannotBeToldError(
                f"method {self.method!r} needs counts of whole reports, which this engine cannot "
                "give. Use method='inverse', or 'auto', which chooses by what can be counted"
            )

    def tables(self, wanted: Sequence[Asked]) -> list[Table]:
        """Give joint shares of the truth among all people, one axis a name.

        Everything is counted in one call of the engine. With ``where`` a table adds up to
        the share of those for whom it holds.
        """
        return self.source.tables(wanted)

    def people(self, wanted: Sequence[Asked]) -> list[Table]:
        """Give the same as numbers of people: those of the forms that asked all of it.

        Where nothing is hidden these are exactly the counts.
        """
        return self.source.people(wanted)

    def spread(self, asked: Asked, gradient: Table) -> float:
        """Give the standard error of the sum of gradient times share over a table."""
        return self.source.spread(asked, gradient)

    def least_spread(self, asked: Asked, gradient: Table) -> float:
        """Give that error as it would be if made-up people were real ones: what is less is noise.

        Only a fitted joint has any; for all else this is `spread`.
        """
        return self.source.least_spread(asked, gradient)
