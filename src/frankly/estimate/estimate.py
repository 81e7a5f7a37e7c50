"""Estimate: counts of reports in, shares of truths out, each with its uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from frankly.count import Query, engine_for
from frankly.design import Design, Speaks
from frankly.errors import CannotBeToldError, DesignError
from frankly.estimate.combine import Combination
from frankly.estimate.heterogeneity import difference
from frankly.estimate.interval import score_interval
from frankly.estimate.mle import Seen, likeliest, one_draw
from frankly.estimate.project import project
from frankly.estimate.text import contradiction, table_text
from frankly.mechanism import Table

__all__ = ["METHODS", "Estimate", "Method", "Target", "estimate", "estimate_seen", "seen_by_form"]

Method = Literal["inverse", "mle", "project"]
Target = Literal["population", "people"]
METHODS: tuple[Method, ...] = ("inverse", "mle", "project")
TARGETS: tuple[Target, ...] = ("population", "people")

RARE = 5
"""A joint cell that fewer reports show has an interval that covers less than it says."""


@dataclass(frozen=True, repr=False)
class Estimate(Speaks):
    """Shares of the truth over some names, estimated from reports.

    Attributes
    ----------
    names
        The attributes, one axis each.
    method
        How: ``inverse`` (unbiased, may leave [0, 1]), ``mle`` or ``project`` (inside it).
    target
        What the errors are about: the population, or these very people (coin only).
    share
        The estimated shares.
    seen, places
        What each form saw, and the form's place in the design.
    certificate
        For ``mle``: how much log-likelihood per report may still be missing.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    method: Method
    target: Target
    share: Table
    seen: tuple[Seen, ...]
    places: tuple[int, ...]
    certificate: float | None = None

    @property
    def n(self) -> int:
        """How many reports were used."""
        return int(sum(seen.counts.sum() for seen in self.seen))

    @cached_property
    def combined(self) -> Combination:
        """What all forms say together: unbiased shares and their moments."""
        return Combination(self.seen)

    @cached_property
    def forms_p(self) -> float:
        """How probable it is that the forms differ as much by chance; 1 where none can differ."""
        if len(self.seen) == 1 or self.combined.wide:
            return 1.0
        return difference(self.names, [(seen,) for seen in self.seen]).p

    @property
    def contradiction(self) -> str:
        """What the forms say apart, where chance hardly explains it; otherwise nothing."""
        return contradiction([self])

    @property
    def people(self) -> Table:
        """The shares as far as these people can have them; their own spread follows."""
        return np.clip(self.combined.share, 0.0, 1.0)

    @cached_property
    def covariance(self) -> Table:
        """The covariance of all cells, flattened in the order of ``share.ravel()``."""
        sampled = self.combined.covariance
        if self.target == "population":
            return sampled
        people = self.people.ravel()
        return np.asarray(sampled - (np.diag(people) - np.outer(people, people)) / self.n)

    @cached_property
    def stderr(self) -> Table:
        """The standard error of every cell."""
        variance = self.combined.moments.variance
        if self.target == "people":
            variance = variance - self.people * (1 - self.people)
        return np.sqrt(np.maximum(variance, 0.0) / self.n)

    @property
    def rare(self) -> int:
        """How many cells were seen too rarely for their intervals to cover at their level.

        Only where several devices, or devices and clear answers, make up a cell: the score
        then has more than two values, and three moments say too little about it.
        """
        binomial = len(self.names) == 1 or one_draw(self.seen) is not None
        if binomial or not any(list(seen.form.devices(self.names)) for seen in self.seen):
            return 0
        sightings = np.sum([seen.counts for seen in self.seen], axis=0)
        return int((sightings < RARE).sum())

    def interval(self, level: float = 0.95) -> Table:
        """Give lower and upper ends, along a last axis of length two.

        For ``mle`` and ``project`` they lie inside [0, 1] and hold the share. Where the
        unbiased share lies outside, the inner end is moved in with it: an interval that was
        merely cut off would claim a certainty that nobody has.
        """
        sampled = self.target == "population"
        low, high = score_interval([self.combined.moments], level, sampled=sampled)
        if self.method != "inverse":
            shift = self.people - self.combined.share
            low = np.minimum(np.clip(low + np.minimum(shift, 0.0), 0.0, 1.0), self.share)
            high = np.maximum(np.clip(high + np.maximum(shift, 0.0), 0.0, 1.0), self.share)
        return np.stack([low, high], axis=-1)

    def summary(self, level: float = 0.95) -> str:
        """Say the result in a small table for people."""
        return table_text(self, level)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Give the result as plain values, one row a cell."""
        ends = self.interval(level)
        rows = []
        for at in np.ndindex(self.share.shape):
            labels = [self.values[axis][k] for axis, k in enumerate(at)]
            cell: dict[str, Any] = dict(zip(self.names, labels, strict=True))
            low, high = (float(end) for end in ends[at])
            number = {"share": float(self.share[at]), "stderr": float(self.stderr[at])}
            rows.append({**cell, **number, "low": low, "high": high})
        return {
            "names": list(self.names),
            "method": self.method,
            "target": self.target,
            "n": self.n,
            "level": level,
            "rows": rows,
            "contradiction": self.contradiction,
        }


def estimate(
    design: Design,
    reports: Any,
    names: Sequence[str] | str,
    method: Method = "inverse",
    *,
    target: Target = "population",
) -> Estimate:
    """Estimate the shares of all combinations of some attributes.

    Parameters
    ----------
    design
        The survey the reports were made under.
    reports
        A frame, a Parquet file, an engine, or counts.
    names
        The attributes to look at together.
    method
        ``inverse``, ``mle`` or ``project``.
    target
        ``population`` when the people are a sample, ``people`` when the question is about
        these very people.

    Examples
    --------
    >>> import frankly as fk
    >>> ill = fk.Attribute("ill", ["no", "yes"])
    >>> design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    >>> reports = {"ill": ["yes"] * 320 + ["no"] * 680}
    >>> print(fk.estimate(design, reports, ["ill"]))
    ill   inverse estimate from 1,000 reports
    ─────────────────────────────────────────
    no     86.0%  ± 3.0%   [80.1%, 91.6%]
    yes    14.0%  ± 3.0%   [8.4%, 19.9%]
    """
    asked = (names,) if isinstance(names, str) else tuple(names)
    if method not in METHODS:
        raise DesignError(f"method {method!r} is none of {', '.join(METHODS)}")
    return estimate_seen(design, seen_by_form(design, reports, asked), asked, method, target)


def estimate_seen(
    design: Design, seen: tuple[Seen, ...], names: tuple[str, ...], method: Method, target: Target
) -> Estimate:
    """Estimate the shares from what each form saw."""
    if target not in TARGETS:
        raise DesignError(f"target is {' or '.join(TARGETS)}, not {target!r}")
    if not seen:
        raise CannotBeToldError(
            f"there are no reports that answer {list(names)}: nothing can be estimated yet"
        )
    values = tuple(design[name].values for name in names)
    places = tuple([form is one.form for form in design.forms].index(True) for one in seen)
    plain = Estimate(names, values, "inverse", target, np.empty(0), seen, places)
    share, certificate = plain.combined.share, None
    if method == "project":
        share = project(share)
    if method == "mle":
        share, certificate = likeliest(seen, share)
    return Estimate(names, values, method, target, share, seen, places, certificate)


def seen_by_form(design: Design, reports: Any, names: tuple[str, ...]) -> tuple[Seen, ...]:
    """Count the reports of every form that asks all these names."""
    if not names or len(set(names)) != len(names):
        raise DesignError("name at least one attribute, and each only once")
    forms = design.asking(names)
    answers = engine_for(design, reports).count([Query(names, form) for form in forms])
    return tuple(
        Seen(design.forms[form], names, counts.table.astype(np.float64))
        for form, counts in zip(forms, answers, strict=True)
        if counts.n
    )
