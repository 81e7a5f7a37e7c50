"""Miner: what all miners share. A miner is one file: it says how it learns from shares.

The face is scikit-learn's: keywords in, `fit` returns the miner, what was learned ends in an
underscore. What differs is what goes in: `fit` and `score` take *reports* and see through the
device; `predict` takes true answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from frankly.count import Engine
from frankly.design import Design, page_of
from frankly.errors import CannotBeToldError, DesignError, NotAskedError
from frankly.estimate import Accuracy, Asked, Codes, Shares, Target, accuracy_of
from frankly.mine.rows import reports_engine, truth_codes
from frankly.mine.saved import write

__all__ = ["Learner", "Miner"]

Floats = NDArray[np.float64]


class Learner(BaseEstimator, ABC):  # type: ignore[misc]
    """Anything that learns from shares of the truth: with a class to predict, or without.

    A subclass names its ``kind``, says what it ``wants`` (shares of pairs with the target, or
    joint shares of many attributes), and writes `learn`, `learned` and `restore`.
    """

    kind: ClassVar[str]
    wants: ClassVar[Literal["pairs", "joint"]] = "joint"

    design: Design | None
    method: str
    target: str | None = None

    def check(self) -> None:
        """Refuse settings that make no sense; a miner that has settings says which."""

    def learn(self, shares: Shares) -> None:
        """Learn from shares of the truth; everything learned ends in an underscore.

        A learner that needs whole reports writes `fit` instead.
        """
        del shares
        raise TypeError(f"{type(self).__name__} learns from whole reports, not from shares")

    @abstractmethod
    def learned(self) -> dict[str, Any]:
        """Give what was learned as plain JSON values."""

    @abstractmethod
    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""

    @abstractmethod
    def summary(self) -> str:
        """Say what was learned, for people."""

    def __str__(self) -> str:
        """Say what was learned; before that, the settings."""
        return self.summary() if hasattr(self, "method_") else repr(self)

    def _repr_html_(self) -> str:
        return page_of(str(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if hasattr(self, "method_"):
            return {"text/plain": str(self), "text/html": self._repr_html_()}
        return super()._repr_mimebundle_(**kwargs)

    def known_design(self) -> Design:
        """Give the design, or say that it is missing."""
        if not isinstance(self.design, Design):
            raise DesignError(
                f"{type(self).__name__} needs the design the reports were made under: "
                f"{type(self).__name__}(design=Design.load('survey.json'))"
            )
        return self.design

    def known_target(self) -> str | None:
        """Give the attribute to predict, if this miner predicts one."""
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from reports.

        Parameters
        ----------
        X
            Reports: a frame, a Parquet file, an engine or counts; or, with ``y``, the reports
            of the features only, as a frame or an array.
        y
            Reports of the target.
        """
        self.check()
        design, target = self.known_design(), self.known_target()
        shares = Shares(reports_engine(design, target, X, y), self.method, target, wants=self.wants)
        self.take(shares)
        return self

    def take(self, shares: Shares) -> None:
        """Learn, and remember what from."""
        self.forget()
        self.set_names()
        self.n_reports_ = shares.n
        self.learn(shares)
        self.method_, self.why_ = shares.method, shares.why

    def forget(self) -> None:
        """Count as not fitted, until something was learned: a refused fit leaves no model."""
        if hasattr(self, "method_"):
            del self.method_

    def set_names(self) -> None:
        """Remember which attributes are looked at."""
        names = [name for name in self.known_design().names if name != self.known_target()]
        self.features_ = tuple(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, with the design and its fingerprint; `load` reads it."""
        check_is_fitted(self, "method_")
        write(self, path)


class Miner(ClassifierMixin, Learner):  # type: ignore[misc]
    """A classifier learned from reports.

    A subclass writes `learn`, and `chances`: the probability of every class for true answers.

    Parameters
    ----------
    design
        The survey the reports were made under.
    target
        The class; by default the design's own target.
    method
        How shares of the truth are made; ``auto`` chooses by the design and says why.
    """

    def __init__(
        self, *, design: Design | None = None, target: str | None = None, method: str = "auto"
    ) -> None:
        self.design = design
        self.target = target
        self.method = method

    @abstractmethod
    def chances(self, codes: Mapping[str, Codes]) -> Floats:
        """Give the probability of every class, one row a person, from codes of true answers."""

    def known_target(self) -> str:
        """Give the class, or say that it is missing or unknown."""
        design = self.known_design()
        target = self.target if self.target is not None else design.target
        if target is None:
            raise DesignError(
                "which attribute is to be predicted? Give target=..., one of "
                f"{list(design.names)}, or name it in the design"
            )
        if target not in design.names:
            raise NotAskedError(
                f"the target {target!r} is none of the design's attributes {list(design.names)}"
            )
        if len(design.names) == 1:
            raise DesignError(
                f"the design asks {target!r} alone: there is nothing to predict it from"
            )
        return target

    def set_names(self) -> None:
        """Remember which attributes are looked at, and the classes."""
        super().set_names()
        self.target_ = self.known_target()
        self.classes_ = np.array(self.known_design()[self.target_].values, dtype=object)

    def take(self, shares: Shares) -> None:
        """Learn, unless the reports speak of one class only."""
        (classes,) = shares.people([Asked((self.known_target(),))])
        if (classes > 1e-6).sum() < 2:
            raise CannotBeToldError(
                "as far as these reports tell there is only one class, so nothing can be learned "
                "about how the classes differ. Look at estimate(design, reports, target), and "
                "collect more reports, or choose another target"
            )
        super().take(shares)

    def predict_codes(self, codes: Mapping[str, Codes]) -> NDArray[np.intp]:
        """Give the position of the most likely class for codes of true answers."""
        return np.asarray(self.chances(codes).argmax(axis=1))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the most likely class for each row of true answers.

        Parameters
        ----------
        X
            A frame with a column for each of ``features_``, or an array with these columns.
        """
        check_is_fitted(self, "method_")
        found = self.predict_codes(truth_codes(self.known_design(), self.features_, X))
        labels: NDArray[Any] = self.classes_[found]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of every class for each row of true answers."""
        check_is_fitted(self, "method_")
        return self.chances(truth_codes(self.known_design(), self.features_, X))

    def score(self, X: Any, y: Any = None) -> float:
        """Estimate the accuracy on true answers from *reports*, corrected for the device.

        The estimate is unbiased, so with few reports it may leave [0, 1]. `frankly.accuracy`
        gives it with its error and a confusion matrix.
        """
        check_is_fitted(self, "method_")
        return float(self.accuracy(reports_engine(self.known_design(), self.target_, X, y)).share)

    def accuracy(self, engine: Engine, target: Target = "population") -> Accuracy:
        """Estimate accuracy and confusion matrix from an engine over reports."""
        names = self.looked_at()
        return accuracy_of(engine, names, self.target_, self.predict_codes, about=target)

    def looked_at(self) -> tuple[str, ...]:
        """Tell which attributes a prediction depends on; test reports must hold them all."""
        return self.features_
