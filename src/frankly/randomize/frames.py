"""Kinds of tables: whatever kind came in, reports of the same kind go out.

pandas and polars are optional. They are imported here only once a caller has handed in a
frame of theirs.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from frankly.errors import ReportError

__all__ = ["dresser", "plain"]

Dresser = Callable[[pa.Table, Any], Any]
"""Makes reports look like the truths they came from."""


def dresser(truths: Any) -> Dresser:
    """Tell how reports are made to look like these truths, or refuse what is no table."""
    if isinstance(truths, Mapping):
        return dress_dict
    kind = f"{type(truths).__module__.split('.')[0]}.{type(truths).__name__}"
    if kind not in DRESSERS:
        raise ReportError(
            "truths are a pyarrow Table or RecordBatch, a pandas or polars DataFrame, or a dict "
            f"of columns, not {type(truths).__name__}"
        )
    return DRESSERS[kind]


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write labels out as texts."""
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def dress_batch(reports: pa.Table, truths: Any) -> Any:
    """Make one record batch."""
    del truths
    columns = [column.combine_chunks() for column in reports.columns]
    return pa.RecordBatch.from_arrays(columns, schema=reports.schema)


def dress_dict(reports: pa.Table, truths: Mapping[str, Any]) -> dict[str, Any]:
    """Make a dict of columns: arrays where arrays came, lists where lists came."""
    arrays = {name for name, column in truths.items() if isinstance(column, np.ndarray)}
    if arrays >= set(reports.column_names) & set(truths):
        arrays.add("form")
    return {
        name: as_array(plain(reports[name])) if name in arrays else reports[name].to_pylist()
        for name in reports.column_names
    }


def as_array(column: pa.ChunkedArray) -> Any:
    """Make a numpy array; of objects, with None, where some were not asked."""
    if column.null_count or pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    return column.to_numpy()


def dress_pandas(reports: pa.Table, truths: Any) -> Any:
    """Make a pandas frame with the index of the truths; it carries the design in its attrs."""
    import pandas as pd  # noqa: PLC0415 - the caller has it, others need not

    made = {
        name: pandas_column(reports[name], truth_of(truths, name)).set_axis(truths.index)
        for name in reports.column_names
    }
    frame = pd.DataFrame(made, index=truths.index)
    for key, text in reports.schema.metadata.items():
        frame.attrs[key.decode().replace(".", "_")] = text.decode()
    return frame


def truth_of(truths: Any, name: str) -> Any:
    """Give a column of truths; a column called form, which the design never asks, is none."""
    return None if name == "form" else truths.get(name)


def pandas_column(column: pa.ChunkedArray, truth: Any) -> Any:
    """Make a pandas column of the truth's own dtype; nullable where some were not asked."""
    import pandas as pd  # noqa: PLC0415 - the caller has it, others need not

    dtype: Any = np.dtype(np.int32) if truth is None else truth.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return column.to_pandas()
    if column.null_count and not pa.types.is_dictionary(column.type):
        kind = str(column.type).replace("int", "Int").replace("uInt", "UInt")
        return pd.Series(column.to_pylist(), dtype=kind.replace("bool", "boolean"))
    made = plain(column).to_pandas()
    texts = pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype)
    kept = texts or not pa.types.is_dictionary(column.type)
    return made.astype(dtype) if kept else made


def dress_polars(reports: pa.Table, truths: Any) -> Any:
    """Make a polars frame; texts stay texts, categories stay categories."""
    import polars as pl  # noqa: PLC0415 - the caller has it, others need not

    made = [
        pl.Series(name, plain(reports[name])).cast(polars_kind(reports[name], truths, name))
        for name in reports.column_names
    ]
    return pl.DataFrame(made)


def polars_kind(column: pa.ChunkedArray, truths: Any, name: str) -> Any:
    """Tell which of polars' types a column of reports gets."""
    import polars as pl  # noqa: PLC0415 - the caller has it, others need not

    kind = pl.Int32 if name == "form" else truths.schema.get(name, pl.Int32)
    if not pa.types.is_dictionary(column.type):
        return kind
    if isinstance(kind, pl.Enum):
        return pl.Enum(column.chunk(0).dictionary.to_pylist())
    return kind if kind == pl.Categorical else pl.String


def unchanged(reports: pa.Table, truths: Any) -> pa.Table:
    """Leave an Arrow table as it is."""
    del truths
    return reports


DRESSERS: Mapping[str, Dresser] = {
    "pyarrow.Table": unchanged,
    "pyarrow.RecordBatch": dress_batch,
    "pandas.DataFrame": dress_pandas,
    "polars.DataFrame": dress_polars,
}
"""For each kind of table, by module and name, how its reports are made."""
