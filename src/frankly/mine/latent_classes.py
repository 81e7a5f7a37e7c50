"""Latent classes: people who answer alike, found through the device."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from frankly.design import Design
from frankly.errors import CannotBeToldError, DesignError, NotAskedError
from frankly.estimate import Fit, Mixture, Shares, View, fit_mixture, views_of
from frankly.mine.latent_errors import Errors, errors, seen_by
from frankly.mine.miner import Learner
from frankly.mine.rows import reports_engine, truth_codes
from frankly.mine.settings import check_number, check_whole
from frankly.mine.tree import WIDE

__all__ = ["LatentClasses"]

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

ENDS = {"tolerance": 1e-7, "settled": 5e-3}
"""A climb may end here: with a class too many it is flat, and BIC tells it apart long before."""


class LatentClasses(Learner):
    """Find groups of people who answer alike (probabilistic clustering).

    Within a class, answers have nothing to do with each other. The model is fitted to whole
    reports by EM through the device, from several starts; with several numbers of classes to
    choose from, the one with the lowest BIC is kept.

    Parameters
    ----------
    design
        The survey the reports were made under.
    k
        How many classes, or several numbers to choose from.
    restarts
        From how many starts each fit climbs.
    seed
        Makes the starts, and nothing else, repeatable.
    prior
        People added to every cell, so that no share ends at 0.

    Attributes
    ----------
    weights_, weights_stderr_
        The share of every class, the largest first.
    profiles_, profiles_stderr_
        For each attribute that somebody answered the shares of its values within every class.
    bic_
        BIC for every number of classes that was tried and can be told: where many models fit
        equally well, their number cannot.

    Examples
    --------
    >>> import frankly as fk
    >>> names = ["smokes", "drinks", "bets"]
    >>> design = fk.Design([fk.Attribute(name, ["no", "yes"]) for name in names])
    >>> alike = ["no"] * 700 + ["yes"] * 300
    >>> model = fk.LatentClasses(design=design, k=(1, 2)).fit(dict.fromkeys(names, alike))
    >>> model.weights_
    array([0.7, 0.3])
    >>> model.predict({"smokes": ["yes"], "drinks": ["yes"], "bets": ["no"]})
    array([1])
    """

    kind: ClassVar[str] = "clusters"
    method: str = "em"

    def __init__(
        self,
        *,
        design: Design | None = None,
        k: int | Sequence[int] = (1, 2, 3, 4, 5),
        restarts: int = 5,
        seed: int = 0,
        prior: float = 1.0,
    ) -> None:
        self.design = design
        self.k = k
        self.restarts = restarts
        self.seed = seed
        self.prior = prior

    def numbers(self) -> tuple[int, ...]:
        """Give the numbers of classes to try."""
        several = isinstance(self.k, Iterable) and not isinstance(self.k, str)
        return tuple(self.k) if several else (self.k,)  # type: ignore[arg-type, return-value]

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not self.numbers():
            raise DesignError("k is a whole number, or several to choose from; here is none")
        for k in self.numbers():
            check_whole("k, how many classes there are,", k, 1)
        check_whole("restarts", self.restarts, 1)
        check_whole("seed", self.seed, 0)
        people = "a number of people added to every cell, at least 0"
        check_number("prior", self.prior, lambda prior: prior >= 0, people)

    def fit(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn from reports.

        Parameters
        ----------
        X
            Reports: a frame, a Parquet file or an engine.
        y
            Nothing; classes are found, not given.
        progress
            Called with the number of fits done and of all fits.
        """
        if y is not None:
            raise DesignError("latent classes are found, not given: call fit(reports) without y")
        self.check()
        engine = reports_engine(self.known_design(), None, X)
        if not engine.histograms:
            raise CannotBeToldError(
                "classes are fitted to whole reports, and this source counts only some tables of "
                "them. Give the reports themselves, or counts over all attributes of each form"
            )
        self.forget()
        self.set_names()
        self.n_reports_ = Shares(engine).n
        self.explore(views_of(engine), progress or unwatched)
        self.method_, self.why_ = "em", "a model of the truth, fitted to whole reports"
        return self

    def explore(self, views: Sequence[View], progress: Progress) -> None:
        """Fit every number of classes from every start, and keep the best."""
        if not views:
            raise CannotBeToldError("there are no reports yet, so there are no classes to find")
        numbers, fits = self.numbers(), {}
        asked = seen_by(views)
        for at, k in enumerate(numbers):
            tried = []
            for start in range(self.restarts if k > 1 else 1):
                drawn = Mixture.drawn(self.known_design(), k, self.seed + start)
                guess = Mixture(drawn.weights, {name: drawn.tables[name] for name in asked})
                tried.append(fit_mixture(views, guess, prior=self.prior, **ENDS))
                progress(at * self.restarts + start + 1, len(numbers) * self.restarts)
            fit = max(tried, key=lambda fit: fit.log_likelihood)
            fits[k] = fit, errors(views, fit.model)
        self.bic_ = {k: self.bic(fit) for k, (fit, known) in fits.items() if known.told}
        if not self.bic_:
            raise NotAskedError(
                f"{min(numbers)} classes cannot be told from these reports: many models fit them "
                "equally well. Classes show where one person answers at least three questions; "
                "add a form that asks more of them together, or look for fewer classes"
            )
        self.keep(*fits[min(self.bic_, key=lambda k: self.bic_[k])])

    def bic(self, fit: Fit) -> float:
        """Weigh how well a model fits against how many numbers it has."""
        sizes = [len(table[0]) - 1 for table in fit.model.tables.values()]
        free = fit.model.k - 1 + fit.model.k * sum(sizes)
        return -2 * fit.log_likelihood + free * math.log(self.n_reports_)

    def keep(self, fit: Fit, known: Errors) -> None:
        """Remember a fit, its classes in the order of their shares."""
        order = np.argsort(-fit.model.weights, kind="stable")
        told = [name for name in self.known_design().names if name in fit.model.tables]
        self.weights_ = fit.model.weights[order]
        self.weights_stderr_ = known.weights[order]
        self.profiles_ = {name: fit.model.tables[name][order] for name in told}
        self.profiles_stderr_ = {name: known.tables[name][order] for name in told}
        self.log_likelihood_ = fit.log_likelihood

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of every class for each row of true answers."""
        check_is_fitted(self, "weights_")
        codes = truth_codes(self.known_design(), self.features_, X)
        logs = np.log(self.weights_) + sum(
            np.log(np.maximum(self.profiles_[name], 1e-300)).T[column]
            for name, column in codes.items()
            if name in self.profiles_
        )
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Give the most likely class for each row of true answers, 0 for the largest."""
        found: NDArray[np.intp] = self.predict_proba(X).argmax(axis=1)
        return found

    def summary(self) -> str:
        """Say the classes: one column each, one line a value."""
        k = len(self.weights_)
        title = (
            f"{k} latent class{'es' * (k > 1)}   em estimate from {self.n_reports_:,} reports; "
            "± is half a 95% interval"
        )
        design = self.known_design()
        labels = {(name, v): f"{name} is {v}" for name in design.names for v in design[name].values}
        width = max(map(len, [*labels.values(), "share of all people"]))
        lines = [title, "─" * len(title)]
        lines.append(line("share of all people", width, self.weights_, self.weights_stderr_))
        for name in self.profiles_:
            for code, value in enumerate(design[name].values):
                share, error = self.profiles_[name][:, code], self.profiles_stderr_[name][:, code]
                lines.append(line(labels[name, value], width, share, error))
        tried = ", ".join(f"{k}: {bic:,.0f}" for k, bic in self.bic_.items())
        lines.append(f"BIC by number of classes: {tried}")
        untold = [str(k) for k in self.numbers() if k not in self.bic_]
        if untold:
            lines.append(f"{' or '.join(untold)} classes: many such models fit equally well")
        silent = [name for name in design.names if name not in self.profiles_]
        if silent:
            lines.append(f"nobody has answered yet: {', '.join(silent)}")
        return "\n".join(lines)

    def learned(self) -> dict[str, Any]:
        """Give the classes as plain JSON values."""
        return {
            "weights": self.weights_.tolist(),
            "weights_stderr": self.weights_stderr_.tolist(),
            "profiles": {name: table.tolist() for name, table in self.profiles_.items()},
            "profiles_stderr": {
                name: table.tolist() for name, table in self.profiles_stderr_.items()
            },
            "bic": [[k, bic] for k, bic in self.bic_.items()],
            "log_likelihood": self.log_likelihood_,
        }

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""
        self.weights_ = np.array(learned["weights"])
        self.weights_stderr_ = np.array(learned["weights_stderr"])
        self.profiles_ = {name: np.array(table) for name, table in learned["profiles"].items()}
        self.profiles_stderr_ = {
            name: np.array(table) for name, table in learned["profiles_stderr"].items()
        }
        self.bic_ = {int(k): float(bic) for k, bic in learned["bic"]}
        self.log_likelihood_ = float(learned["log_likelihood"])


def unwatched(done: int, total: int) -> None:
    """Take progress that nobody looks at."""
    del done, total


def line(label: str, width: int, shares: Floats, wrong: Floats) -> str:
    """Write one line of shares with their errors."""
    cells = [
        f"{share:7.1%} ± {WIDE * error:.1%}" for share, error in zip(shares, wrong, strict=True)
    ]
    return f"{label:<{width}}  {'  '.join(cells)}"
