"""Naive Bayes: every answer votes on the class, as if the others were not there."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from frankly.design import Design
from frankly.estimate import Asked, Codes, Shares
from frankly.estimate.text import percent
from frankly.mine.information import mutual_information
from frankly.mine.miner import Miner
from frankly.mine.settings import check_number

__all__ = ["NaiveBayes"]

Floats = NDArray[np.float64]

PEOPLE = "a number of people added to every cell, at least 0"


class NaiveBayes(Miner):
    """Learn naive Bayes from reports.

    Only the tables of each attribute with the class are needed, so modules will do. Where
    nothing is hidden the result is scikit-learn's `CategoricalNB`, bit for bit.

    Parameters
    ----------
    design
        The survey the reports were made under.
    target
        The class; by default the design's own target.
    method
        How shares of the truth are made: ``inverse`` (clipped at 0), ``em``, ``shrink``,
        ``map``; ``auto`` chooses by the design, and ``why_`` says why.
    alpha
        People added to every cell.

    Attributes
    ----------
    class_log_prior_, feature_log_prob_
        As in scikit-learn: log shares of the classes, and for each attribute the log shares
        of its values within each class.
    method_, why_
        What was chosen, and why.

    Examples
    --------
    >>> import frankly as fk
    >>> ill, smokes = fk.Attribute("ill", ["no", "yes"]), fk.Attribute("smokes", ["no", "yes"])
    >>> hidden = fk.Group(["ill", "smokes"], fk.Unrelated(theta=0.5))
    >>> design = fk.Design([ill, smokes], groups=[hidden], target="ill")
    >>> truths = {"ill": ["no", "no", "yes"] * 3000, "smokes": ["no", "no", "yes"] * 3000}
    >>> reports = fk.randomize(design, truths, fk.Tape.seeded(1))
    >>> model = fk.NaiveBayes(design=design).fit(reports)
    >>> model.predict({"smokes": ["no", "yes"]})
    array(['no', 'yes'], dtype=object)
    """

    kind: ClassVar[str] = "naive-bayes"
    wants: ClassVar[Literal["pairs", "joint"]] = "pairs"

    def __init__(
        self,
        *,
        design: Design | None = None,
        target: str | None = None,
        method: str = "auto",
        alpha: float = 1.0,
    ) -> None:
        super().__init__(design=design, target=target, method=method)
        self.alpha = alpha

    def check(self) -> None:
        """Refuse a number of people that cannot be added."""
        check_number("alpha", self.alpha, lambda alpha: alpha >= 0, PEOPLE)

    def learn(self, shares: Shares) -> None:
        """Learn from the table of every attribute with the class."""
        wanted = [Asked((self.target_,)), *(Asked((self.target_, n)) for n in self.features_)]
        classes, *tables = (np.maximum(table, 0.0) for table in shares.people(wanted))
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(classes) - np.log(classes.sum())
        self.feature_log_prob_ = [self.within_classes(table) for table in tables]

    def within_classes(self, people: Floats) -> Floats:
        """Give the log shares of an attribute's values within each class."""
        if not self.alpha:
            # A class in which nobody is left tells nothing about this attribute.
            people = np.where(people.sum(axis=1, keepdims=True) > 0, people, 1.0)
        smoothed = people + self.alpha
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(smoothed) - np.log(smoothed.sum(axis=1).reshape(-1, 1))
        return logs

    def joint_log(self, codes: Mapping[str, Codes]) -> Floats:
        """Give the log of the joint chance of answers and class, one row a person."""
        rows = len(codes[self.features_[0]])
        total: Floats = np.zeros((rows, len(self.classes_)))
        for name, logs in zip(self.features_, self.feature_log_prob_, strict=True):
            total += logs.T[codes[name]]
        total += self.class_log_prior_
        return total

    def predict_codes(self, codes: Mapping[str, Codes]) -> NDArray[np.intp]:
        """Give the position of the most likely class for codes of true answers."""
        return np.asarray(self.joint_log(codes).argmax(axis=1))

    def chances(self, codes: Mapping[str, Codes]) -> Floats:
        """Give the probability of every class, one row a person."""
        joint = self.joint_log(codes)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = self.class_log_prior_
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def summary(self) -> str:
        """Say the shares within each class, the most telling attributes first."""
        about = f"naive Bayes from {self.n_reports_:,} reports, {self.method_} estimate"
        title = f"{self.target_}   {about}"
        classes = np.exp(self.class_log_prior_)
        told = zip(self.features_, self.feature_log_prob_, strict=True)
        tables = {name: np.exp(logs) * classes[:, np.newaxis] for name, logs in told}
        order = sorted(tables, key=lambda name: -mutual_information(tables[name][np.newaxis]))
        width = max(map(len, self.features_))
        pairs = zip(self.classes_, classes, strict=True)
        lines = [title, "─" * len(title)]
        lines.append("classes: " + ", ".join(f"{label} {percent(share)}" for label, share in pairs))
        for name in order:
            within = np.exp(self.feature_log_prob_[self.features_.index(name)]).T
            values = zip(self.known_design()[name].values, within, strict=True)
            parts = [f"{value} {' | '.join(map(percent, row))}" for value, row in values]
            lines.append(f"{name:<{width}}  {', '.join(parts)}")
        return "\n".join([*lines, f"Each value's share within {' | '.join(self.classes_)}."])

    def learned(self) -> dict[str, Any]:
        """Give what was learned as plain JSON values."""
        tables = zip(self.features_, self.feature_log_prob_, strict=True)
        return {
            "classes": np.exp(self.class_log_prior_).tolist(),
            "class_log_prior": finite(self.class_log_prior_),
            "feature_log_prob": {name: finite(table) for name, table in tables},
        }

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""
        self.class_log_prior_ = from_finite(learned["class_log_prior"])
        tables = learned["feature_log_prob"]
        self.feature_log_prob_ = [from_finite(tables[name]) for name in self.features_]


def finite(logs: Floats) -> Any:
    """Write logs as JSON values, with None for the log of 0."""
    written = logs.astype(object)
    written[np.isneginf(logs)] = None
    return written.tolist()


def from_finite(logs: Any) -> Floats:
    """Read logs that `finite` wrote."""
    read = np.array(logs, dtype=np.float64)  # None becomes NaN
    return np.where(np.isnan(read), -np.inf, read)
