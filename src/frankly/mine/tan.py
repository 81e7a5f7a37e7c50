"""TAN: naive Bayes in which every answer may also listen to one other answer.

Friedman, Geiger and Goldszmidt's tree-augmented naive Bayes: attributes are joined by the tree
that keeps the most mutual information given the class (Chow and Liu), and each depends on the
class and on its parent in the tree.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design
from frankly.errors import NotAskedError
from frankly.estimate import Asked, Codes, Shares
from frankly.estimate.text import percent
from frankly.mine.information import mutual_information
from frankly.mine.miner import Miner
from frankly.mine.naive_bayes import PEOPLE, finite, from_finite
from frankly.mine.settings import check_number

__all__ = ["TAN", "spanning_tree"]

Floats = NDArray[np.float64]


class TAN(Miner):
    """Learn tree-augmented naive Bayes from reports.

    Needs forms that ask pairs of attributes together with the class; modules of one question
    and the class cannot tell how answers go together.

    Parameters
    ----------
    design, target, method
        As for every miner.
    alpha
        People added to every cell.

    Attributes
    ----------
    parents_
        For each attribute the one it listens to, or None for the root.
    information_
        The mutual information with that parent given the class, in bits.

    Examples
    --------
    >>> import frankly as fk
    >>> names = ["ill", "smokes", "drinks"]
    >>> attributes = [fk.Attribute(name, ["no", "yes"]) for name in names]
    >>> design = fk.Design(attributes, target="ill")
    >>> answers = {"ill": ["no", "no", "yes"] * 9, "smokes": ["no", "yes", "yes"] * 9}
    >>> model = fk.TAN(design=design).fit({**answers, "drinks": ["no", "yes", "yes"] * 9})
    >>> model.parents_
    {'smokes': None, 'drinks': 'smokes'}
    """

    kind: ClassVar[str] = "tan"

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
        """Join the attributes by the best tree, and take each one's table from its family."""
        refuse_pairs(self.known_design(), self.target_)
        pairs = list(combinations(self.features_, 2))
        wanted = [Asked((self.target_,)), Asked((self.target_, self.features_[0]))]
        wanted += [Asked((self.target_, *pair)) for pair in pairs]
        classes, root, *found = (np.maximum(table, 0.0) for table in shares.people(wanted))
        tables = dict(zip(pairs, found, strict=True))
        bits = {pair: mutual_information(table) for pair, table in tables.items()}
        self.parents_ = spanning_tree(self.features_, bits)
        self.information_ = {
            name: bits[in_order(self.features_, name, parent)]
            for name, parent in self.parents_.items()
            if parent is not None
        }
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(classes) - np.log(classes.sum())
        self.log_prob_ = {
            name: self.given_family(root if parent is None else family(tables, parent, name))
            for name, parent in self.parents_.items()
        }

    def given_family(self, people: Floats) -> Floats:
        """Give the log shares along the last axis within each family."""
        total = people.sum(axis=-1, keepdims=True)
        smoothed = np.where(total > 0, people, 1.0) + self.alpha
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(smoothed) - np.log(smoothed.sum(axis=-1, keepdims=True)))

    def chances(self, codes: Mapping[str, Codes]) -> Floats:
        """Give the probability of every class, one row a person."""
        rows = len(codes[self.features_[0]])
        total: Floats = np.repeat(self.class_log_prior_[np.newaxis], rows, axis=0)
        for name, parent in self.parents_.items():
            logs = np.moveaxis(self.log_prob_[name], 0, -1)
            total += logs[codes[name]] if parent is None else logs[codes[parent], codes[name]]
        highest = total.max(axis=1, keepdims=True)
        shares = np.exp(total - np.where(np.isneginf(highest), 0.0, highest))
        lost = shares.sum(axis=1) == 0
        shares[lost] = np.exp(self.class_log_prior_)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def summary(self) -> str:
        """Say who listens to whom, and how much it tells given the class."""
        title = f"{self.target_}   TAN from {self.n_reports_:,} reports, {self.method_} estimate"
        classes = zip(self.classes_, np.exp(self.class_log_prior_), strict=True)
        lines = [title, "─" * len(title)]
        lines.append(
            "classes: " + ", ".join(f"{label} {percent(share)}" for label, share in classes)
        )
        for name, parent in self.parents_.items():
            if parent is None:
                lines.append(f"{name} listens to the class alone")
            else:
                bits = self.information_[name]
                lines.append(f"{name} listens to {parent} too: {bits:.3f} bits given the class")
        return "\n".join(lines)

    def learned(self) -> dict[str, Any]:
        """Give what was learned as plain JSON values."""
        return {
            "class_log_prior": finite(self.class_log_prior_),
            "parents": dict(self.parents_),
            "information": dict(self.information_),
            "log_prob": {name: finite(table) for name, table in self.log_prob_.items()},
        }

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""
        self.class_log_prior_ = from_finite(learned["class_log_prior"])
        self.parents_ = {name: learned["parents"][name] for name in learned["parents"]}
        self.information_ = dict(learned["information"])
        self.log_prob_ = {name: from_finite(learned["log_prob"][name]) for name in self.parents_}


def refuse_pairs(design: Design, target: str) -> None:
    """Refuse a design in which nobody is asked two attributes and the class."""
    if len(design.names) > 2 and not any(
        target in form.names and len(form.names) > 2 for form in design.forms
    ):
        raise NotAskedError(
            f"every form asks {target!r} with one other attribute at most, so nothing tells how "
            "two attributes go together. Use NaiveBayes, which needs no more, or add forms that "
            f"ask two attributes and {target!r}"
        )


def spanning_tree(
    names: Sequence[str], weights: Mapping[tuple[str, str], float]
) -> dict[str, str | None]:
    """Give every name its parent in the heaviest tree, grown from the first name (Prim)."""
    parents: dict[str, str | None] = {names[0]: None}
    while len(parents) < len(names):
        edges = [
            (weights[in_order(names, inside, outside)], inside, outside)
            for inside in parents
            for outside in names
            if outside not in parents
        ]
        _, inside, outside = max(edges, key=lambda edge: edge[0])
        parents[outside] = inside
    return parents


def in_order(names: Sequence[str], one: str, other: str) -> tuple[str, str]:
    """Give two names in the order they have among all."""
    return (one, other) if names.index(one) < names.index(other) else (other, one)


def family(tables: Mapping[tuple[str, str], Floats], parent: str, child: str) -> Floats:
    """Give the table of class, parent and child, in this order."""
    if (parent, child) in tables:
        return tables[parent, child]
    return tables[child, parent].swapaxes(1, 2)
