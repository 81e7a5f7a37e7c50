"""Array: reports in memory, in any kind of frame."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.count.accumulate import Block, accumulate, in_blocks, needed
from frankly.count.counts import Counts
from frankly.count.fingerprint import check_fingerprint
from frankly.count.query import Query
from frankly.design import Column, Design, arrow_columns, arrow_metadata, column_names
from frankly.design.spreadsheet import instead
from frankly.errors import ReportError, ValueRefusedError
from frankly.mechanism import Codes

__all__ = ["ArrayEngine"]

Rows = NDArray[np.intp] | None
Read = Callable[[int, str, Rows], Codes]
"""Give the codes of one attribute among the rows of one form."""


class ArrayEngine:
    """Count reports that are in memory.

    Labels become codes when a column is first asked for, and stay.

    Parameters
    ----------
    design
        What the reports answer.
    reports
        A pyarrow, pandas or polars table, or a dict of lists: one column an attribute, and
        a column ``form`` when the design has several forms.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> engine = ArrayEngine(design, {"ill": ["yes", "no", "no"]})
    >>> engine.count([Query("ill")])[0].table
    array([2, 1])
    """

    histograms = True

    def __init__(self, design: Design, reports: Any) -> None:
        check_fingerprint(design, arrow_metadata(reports), "this table")
        names = [name for name in design.names if name in column_names(reports)]
        if not names:
            raise ReportError(
                f"this table has none of the columns {list(design.names)}; "
                f"{instead(design.names, column_names(reports))}"
            )

        n = len(arrow_columns(reports, names[:1])[names[0]])

        @cache
        def column(name: str) -> Column:
            return Column.read(name, of_length(n, arrow_columns(reports, [name])[name], name))

        def read(form: int, name: str, rows: Rows) -> Codes:
            return column(name).codes(design.forms[form].reported(name), rows)

        forms = [str(index) for index in range(len(design.forms))]
        self.take(design, read, n, column("form").codes(forms) if len(forms) > 1 else None)

    @classmethod
    def from_codes(
        cls, design: Design, codes: Mapping[str, Codes], form: Codes | None = None
    ) -> "ArrayEngine":
        """Count reports that are codes already: positions among the values a form can report.

        Parameters
        ----------
        design
            What the reports answer.
        codes
            One array of whole numbers an attribute; where a form did not ask, anything.
        form
            Which form each row is of, when the design has several.
        """
        lengths = {len(column) for column in codes.values()}
        if len(lengths) != 1 or (form is None) != (len(design.forms) == 1):
            raise ReportError(
                "expected columns of one length, and the form of every row exactly when the design "
                f"has several forms; there are {len(codes)} columns and {len(design.forms)} form(s)"
            )

        def read(index: int, name: str, rows: Rows) -> Codes:
            column = codes[name] if rows is None else codes[name][rows]
            return in_range(column, len(design.forms[index].reported(name)), name)

        engine = cls.__new__(cls)
        known = None if form is None else in_range(form, len(design.forms), "form")
        engine.take(design, read, lengths.pop(), known)
        return engine

    def take(self, design: Design, read: Read, n: int, form: Codes | None) -> None:
        """Remember where the reports are; nothing is read yet."""
        self.design = design
        self.read = read
        self.rows: list[Rows] = [None]
        if form is not None:
            self.rows = [np.flatnonzero(form == index) for index in range(len(design.forms))]
        self.n = [n if rows is None else len(rows) for rows in self.rows]
        self.known: dict[tuple[int, str], Codes] = {}

    def codes(self, form: int, name: str) -> Codes:
        """Give the codes of one attribute among the rows of one form."""
        if (form, name) not in self.known:
            self.known[form, name] = self.read(form, name, self.rows[form])
        return self.known[form, name]

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries in one pass."""
        return accumulate(self.design, queries, self.blocks(needed(queries)), max(self.n))

    def blocks(self, wanted: Mapping[int, Sequence[str]]) -> Iterator[Block]:
        """Give the columns that are needed, form by form and block by block."""
        for form, names in wanted.items():
            columns = {name: self.codes(form, name) for name in names}
            yield from in_blocks(form, columns, self.n[form])


def of_length(n: int, column: Any, name: str) -> Any:
    """Refuse a column that is shorter or longer than the others."""
    if len(column) != n:
        raise ReportError(
            f'the columns differ in length: "{name}" has {len(column)} rows, others have {n}. '
            "Every row needs one value a column"
        )
    return column


def in_range(codes: Codes, size: int, name: str) -> Codes:
    """Refuse codes that stand for no value."""
    if not np.issubdtype(codes.dtype, np.integer):
        raise ReportError(f'the codes of "{name}" are whole numbers, not {codes.dtype}')
    wrong = (codes < 0) | (codes >= size)
    if wrong.any():
        raise ValueRefusedError(
            f'row {int(np.flatnonzero(wrong)[0]) + 1} of "{name}": a code is 0 to {size - 1}, the '
            "position of a label among the values that reports can have"
        )
    return codes
