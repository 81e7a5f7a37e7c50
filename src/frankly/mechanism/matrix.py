"""Matrix: any channel from the answer to one question to its report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from frankly.errors import DesignError
from frankly.mechanism.base import Axes, Codes, Domains, Mechanism, Table
from frankly.mechanism.exact import LARGEST, Rows, exact, integers, share_out
from frankly.mechanism.tape import Tape

__all__ = ["Matrix"]


class MatrixDocument(
    msgspec.Struct, tag_field="kind", tag="matrix", forbid_unknown_fields=True, frozen=True
):
    """A matrix in the survey document."""

    rows: list[list[float]]
    reports: list[str] | None = None
    scores: list[list[float]] | None = None


@dataclass(frozen=True, init=False)
class Matrix(Mechanism):
    """Report by a known table of chances: ``rows[truth][report]``, for one question.

    Parameters
    ----------
    rows
        One row of weights for each true value. Rows are scaled to one common total, so
        whole numbers and decimals both work.
    reports
        The values a report can have, when they are not those of the question. A channel
        with more reports than truths needs them.
    scores
        What each report adds to the estimate of each truth, ``scores[truth][report]``:
        a left inverse of the channel. By default the inverse or, with more reports than
        truths, the one with the least variance when all truths are equally common.

    Examples
    --------
    Mangat's device: whoever has the property says so, the others tell the truth in 7 of 10.

    >>> Matrix([[7, 3], [0, 10]]).push(np.array([0.8, 0.2]), axes=(0,))
    array([0.56, 0.44])
    """

    kind: ClassVar[str] = "matrix"
    Document: ClassVar[type[msgspec.Struct]] = MatrixDocument

    rows: tuple[tuple[int, ...], ...]
    reports: tuple[str, ...] | None
    scores: tuple[tuple[float, ...], ...] | None

    def __init__(
        self,
        rows: Rows,
        reports: Sequence[str] | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        object.__setattr__(self, "rows", common_total(rows))
        object.__setattr__(self, "reports", None if reports is None else tuple(map(str, reports)))
        object.__setattr__(self, "scores", None if scores is None else as_scores(scores, self.rows))

    @property
    def chances(self) -> Table:
        """The channel as probabilities."""
        rows = np.array(self.rows, dtype=float)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    @property
    def inverse(self) -> Table:
        """What each report adds to the estimate of each truth: one row a truth."""
        chances = self.chances
        if self.scores is not None:
            scores = np.array(self.scores)
            return np.asarray(np.linalg.solve(scores @ chances.T, scores))  # undo the rounding
        if chances.shape[0] == chances.shape[1]:
            return np.asarray(np.linalg.inv(chances.T), dtype=np.float64)
        common = chances.mean(axis=0)
        precise = np.divide(chances, common, out=np.zeros_like(chances), where=common > 0)
        return np.asarray(np.linalg.solve(precise @ chances.T, precise))

    def settle(self, names: Sequence[str], domains: Domains) -> Mechanism:
        """Refuse a channel that does not fit its question or cannot be undone."""
        if len(names) != 1:
            raise DesignError(
                f"a matrix hides one question, the group asks {len(names)}. "
                "Give each question its own group, or use Unrelated for the whole group"
            )
        truths, seen = self.chances.shape
        if truths != len(domains[0]):
            raise DesignError(
                f"the matrix has {truths} rows and {names[0]!r} has {len(domains[0])} values. "
                "Give one row of chances for each true value"
            )
        if len(self.reported(domains[0])) != seen or len(set(self.reported(domains[0]))) != seen:
            raise DesignError(
                f"the matrix has {seen} columns but {len(self.reported(domains[0]))} names for "
                "them. Give `reports`, one different name for each column"
            )
        if not all(report.strip() for report in self.reported(domains[0])):
            raise DesignError(
                f"a report of {names[0]!r} has an empty name, and an empty cell in a table means "
                "that nothing was asked. Give every column a name in `reports`"
            )
        self.refuse_loss(truths)
        return self

    def refuse_loss(self, truths: int) -> None:
        """Refuse a channel through which different truths look alike."""
        if np.linalg.matrix_rank(self.chances, tol=1e-9) < truths:
            raise DesignError(
                "the matrix sends different truths with the same chances, so they cannot be told "
                "apart again. Make its rows linearly independent"
            )
        if self.scores is not None and not np.allclose(
            np.array(self.scores) @ self.chances.T, np.eye(truths), atol=1e-6
        ):
            raise DesignError(
                "`scores` do not undo the matrix: the expected score of each truth must be 1 for "
                "itself and 0 for the others. Leave `scores` out to have them computed"
            )

    def reported(self, domain: Sequence[str]) -> tuple[str, ...]:
        """Tell the values a report can have."""
        return tuple(domain) if self.reports is None else self.reports

    def push(self, table: Table, axes: Axes) -> Table:
        """Turn a table of truths into the table of reports to expect."""
        return along(table, self.chances, axes)

    def push_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of reports into its expectation given the truth."""
        return along(score, self.chances.T, axes)

    def pull(self, table: Table, axes: Axes, power: int = 1) -> Table:
        """Turn a table of reports into the table of truths behind it."""
        return along(table, (self.inverse**power).T, axes)

    def pull_score(self, score: Table, axes: Axes) -> Table:
        """Turn a score of truths into a score of reports with the same mean."""
        return along(score, self.inverse, axes)

    def pull_range(self, sizes: Sequence[int]) -> tuple[Table, Table]:
        """Tell the smallest and the largest score that one report adds to each cell."""
        del sizes
        return self.inverse.min(axis=1), self.inverse.max(axis=1)

    def epsilon(self, sizes: Sequence[int]) -> float:
        """Tell the largest log-odds that one report can shift between two truths."""
        del sizes
        worst = 0.0
        for column in zip(*self.rows, strict=True):
            if max(column) == 0:
                continue
            if min(column) == 0:
                return math.inf
            worst = max(worst, math.log(Fraction(max(column), min(column))))
        return worst

    def draw(self, truth: Sequence[Codes], sizes: Sequence[int], tape: Tape) -> list[Codes]:
        """Draw the reports of many people: one draw each, whatever the truth."""
        del sizes
        drawn = tape.below(sum(self.rows[0]), len(truth[0]))
        ends = np.cumsum(np.array(self.rows, dtype=np.int64), axis=1)
        report = np.empty_like(truth[0])
        for value, row in enumerate(ends):
            mine = truth[0] == value
            report[mine] = np.searchsorted(row, drawn[mine], side="right")
        return [report]

    def document(self) -> dict[str, Any]:
        """Write the device as plain JSON values."""
        document: dict[str, Any] = {"kind": self.kind, "rows": [list(row) for row in self.rows]}
        if self.reports is not None:
            document["reports"] = list(self.reports)
        if self.scores is not None:
            document["scores"] = [list(row) for row in self.scores]
        return document

    @classmethod
    def read(cls, document: MatrixDocument) -> Self:
        """Make the device from its validated document."""
        return cls(document.rows, document.reports, document.scores)


def as_scores(given: ArrayLike, rows: Sequence[Sequence[int]]) -> tuple[tuple[float, ...], ...]:
    """Read scores that have the shape of the channel, or refuse them."""
    try:
        scores = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        scores = np.empty(0)
    shape = (len(rows), len(rows[0]))
    if scores.shape != shape:
        raise DesignError(
            f"`scores` are numbers in the shape of the matrix, scores[truth][report]: {shape[0]} "
            f"rows of {shape[1]}. Leave them out to have them computed"
        )
    return tuple(map(tuple, scores.tolist()))


def along(table: Table, matrix: Table, axes: Axes) -> Table:
    """Carry one axis of a table through a matrix."""
    (axis,) = axes
    return np.moveaxis(np.tensordot(table, matrix, axes=([axis], [0])), -1, axis)


def common_total(rows: Rows) -> tuple[tuple[int, ...], ...]:
    """Scale rows of chances to whole numbers with one common total.

    Examples
    --------
    >>> common_total([[0.5, 0.5], [1, 2]])
    ((3, 3), (2, 4))
    """
    try:
        chances = [[exact(weight) for weight in row] for row in rows]
    except (TypeError, ValueError, OverflowError) as error:
        raise DesignError("a matrix is rows of chances, rows[truth][report], all finite") from error
    if not chances or len({len(row) for row in chances}) != 1 or not chances[0]:
        raise DesignError("a matrix needs rows of equal length: rows[truth][report]")
    if any(min(row) < 0 or not any(row) for row in chances):
        raise DesignError("the rows of a matrix are chances: none negative, no row all zero")
    whole, total = [], 1
    for row in chances:
        whole.append(integers(row) or [])
        total = math.lcm(total, sum(whole[-1]))
        if not 0 < total <= LARGEST:
            return rounded(chances)
    return tuple(tuple(weight * (total // sum(row)) for weight in row) for row in whole)


def rounded(chances: Sequence[Sequence[Fraction]]) -> tuple[tuple[int, ...], ...]:
    """Round rows to the nearest total that one word can draw."""
    rows = [share_out(row, 2**31) for row in chances]
    divisor = math.gcd(*(weight for row in rows for weight in row))
    return tuple(tuple(weight // divisor for weight in row) for row in rows)
