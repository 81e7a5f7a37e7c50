"""Labels: drawn codes become columns that people and files can hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from frankly.design import Design, canonical
from frankly.mechanism import Codes
from frankly.randomize.draw import Drawn

__all__ = ["ReportColumn", "ReportSchema", "reported_values"]


def reported_values(design: Design, name: str) -> tuple[str, ...]:
    """Give every value that a report of this attribute can have, in any form."""
    forms = [form for form in design.forms if name in form.names]
    return tuple(dict.fromkeys(value for form in forms for value in form.reported(name)))


@dataclass(frozen=True)
class ReportColumn:
    """One attribute in the reports: its labels, and what each form makes of a code.

    Attributes
    ----------
    labels
        Every value a report can have, as Arrow data.
    lookups
        For each form the position of its own values among the labels; None where the form
        does not ask the attribute.
    """

    name: str
    labels: pa.Array
    lookups: tuple[NDArray[np.intp] | None, ...]

    @classmethod
    def of(cls, design: Design, name: str, truth: pa.DataType) -> "ReportColumn":
        """Plan the column; whole numbers and truth values keep the type of the truths."""
        values = reported_values(design, name)
        lookups = [
            np.array([values.index(value) for value in form.reported(name)])
            if name in form.names
            else None
            for form in design.forms
        ]
        return cls(name, in_type(values, truth), tuple(lookups))

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the column."""
        if not pa.types.is_string(self.labels.type):
            return self.labels.type
        return pa.dictionary(pa.from_numpy_dtype(code_type(len(self.labels))), pa.string())

    def dressed(self, codes: Codes, form: NDArray[np.intp]) -> pa.Array:
        """Write codes as labels; null where the person was not asked."""
        asked = np.array([lookup is not None for lookup in self.lookups])
        unasked = None if asked.all() else ~asked[form]
        own = self.common(codes, form).astype(code_type(len(self.labels)), copy=False)
        positions = pa.array(own, mask=unasked)
        if pa.types.is_dictionary(self.type):
            return pa.DictionaryArray.from_arrays(positions, self.labels)
        return self.labels.take(positions)

    def common(self, codes: Codes, form: NDArray[np.intp]) -> Codes:
        """Turn each form's own codes into positions among the labels of all forms."""
        common = codes
        for index, lookup in enumerate(self.lookups):
            if lookup is not None and (lookup != np.arange(len(lookup))).any():
                common = common.copy() if common is codes else common
                mine = form == index
                common[mine] = lookup[codes[mine]]
        return common


@dataclass(frozen=True)
class ReportSchema:
    """The columns of the reports of a design."""

    design: Design
    columns: tuple[ReportColumn, ...]

    @classmethod
    def of(cls, design: Design, truths: Mapping[str, pa.DataType]) -> "ReportSchema":
        """Plan the reports for truths of these types."""
        return cls(design, tuple(ReportColumn.of(design, n, truths[n]) for n in design.names))

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema, which carries the design and its fingerprint."""
        fields: list[Any] = [pa.field(column.name, column.type) for column in self.columns]
        if len(self.design.forms) > 1:
            fields.append(pa.field("form", pa.int32()))
        carried = {
            b"frankly.design": canonical(self.design.document()),
            b"frankly.fingerprint": self.design.fingerprint.encode(),
        }
        return pa.schema(fields, metadata=carried)

    def table(self, drawn: Drawn) -> pa.Table:
        """Write drawn codes as an Arrow table."""
        made = [column.dressed(drawn.columns[column.name], drawn.form) for column in self.columns]
        if len(self.design.forms) > 1:
            made.append(pa.array(drawn.form.astype(np.int32)))
        return pa.Table.from_arrays(made, schema=self.arrow)


def code_type(size: int) -> np.dtype[np.signedinteger[Any]]:
    """Give the smallest type of Arrow dictionary positions that pandas and polars read too."""
    return np.dtype(np.int8) if size <= 2**7 else np.dtype(np.int32)


def in_type(values: tuple[str, ...], truth: pa.DataType) -> pa.Array:
    """Write labels in the type of the truths, when that loses nothing of their text."""
    texts = pa.array(values, pa.string())
    if not pa.types.is_integer(truth) and not pa.types.is_boolean(truth):
        return texts
    try:
        typed = texts.cast(truth)
    except pa.ArrowInvalid:
        return texts
    back = tuple(str(value) for value in typed.to_pylist())
    return typed if [b.lower() for b in back] == [v.lower() for v in values] else texts
