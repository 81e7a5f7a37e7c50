"""Shares: reports in, shares of the truth out; all that a miner asks.

A miner names tables and gets shares of the truth, whatever the devices were and whatever
stands behind: one form or many, the unbiased inverse or a model fitted to whole reports.
"""

from collections.abc import Sequence
from typing import Literal

from frankly.count import Engine
from frankly.design import Design
from frankly.errors import DesignError, NotAskedError
from frankly.estimate.pulled import Asked, Inverse, Source
from frankly.mechanism import Table

Wants = Literal["pairs", "joint"]

__all__ = ["Asked", "Shares"]


class Shares:
    """Shares of the truth behind the reports that an engine can count.

    Parameters
    ----------
    engine
        Anything that can count reports.
    method
        ``inverse``: unbiased, cells may leave [0, 1].
    target
        The class, when one attribute is to be predicted from the others.

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
        del wants
        if method == "auto":
            method = "inverse"
        if method != "inverse":
            raise DesignError(f"method {method!r} is none of inverse")
        self.target = target
        self.pulled = Inverse(engine)
        self.method, self.why = method, "unbiased shares, as was wanted"
        self.source: Source = self.pulled

    @property
    def design(self) -> Design:
        """What the reports answer."""
        return self.pulled.design

    @property
    def n(self) -> int:
        """How many reports there are."""
        return self.pulled.n

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
