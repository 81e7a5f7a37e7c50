"""Frame: the columns of any table people keep, as Arrow columns."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from frankly.errors import ReportError

__all__ = ["arrow_columns", "arrow_metadata", "column_names"]

CARRIED = ("frankly.design", "frankly.fingerprint")
"""What our tables carry; in the attrs of a pandas frame with an underscore."""


def column_names(frame: Any) -> list[str]:
    """Tell the names of a frame's columns.

    Examples
    --------
    >>> column_names({"ill": ["no", "yes"]})
    ['ill']
    """
    return [str(key) for key in keys_of(frame)]


def keys_of(frame: Any) -> list[Any]:
    """Give what a frame calls its columns; pandas numbers those that have no names."""
    if isinstance(frame, Mapping):
        return list(frame)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return list(frame.schema.names)
    if type(frame).__name__ == "LazyFrame":
        raise ReportError("this frame has not been read yet. Give frame.collect()")
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):
        return list(frame.columns)
    raise ReportError(
        "expected a table with named columns (pyarrow, pandas, polars, or a dict of lists), "
        f"not {type(frame).__name__}"
    )


def arrow_columns(frame: Any, names: Iterable[str]) -> dict[str, Any]:
    """Give some columns of a frame as Arrow columns of equal length.

    Parameters
    ----------
    frame
        A pyarrow Table or RecordBatch, a pandas or polars frame, or a dict of lists or arrays.
    names
        The columns wanted; every one must be there, once.

    Examples
    --------
    >>> arrow_columns({"ill": ["no", "yes"]}, ["ill"])["ill"].type
    DataType(string)
    """
    keys = keys_of(frame)
    columns = {name: arrow_column(frame, name, keys) for name in names}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ReportError(
            f"the columns {sorted(columns)} differ in length ({sorted(lengths)} rows). "
            "Every row needs one value a column"
        )
    return columns


def arrow_column(frame: Any, name: str, keys: list[Any]) -> Any:
    """Give one column as an Arrow ChunkedArray."""
    there = [str(key) for key in keys]
    if there.count(name) != 1:
        what = "is there more than once" if name in there else "is missing"
        raise ReportError(f'the column "{name}" {what}. The columns of this table are {there}')
    values = frame[keys[there.index(name)]]
    try:
        if isinstance(values, pa.ChunkedArray):
            return values
        if isinstance(values, pa.Array):
            return pa.chunked_array([values])
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        return pa.chunked_array([pa.array(values, from_pandas=True)])
    except (pa.ArrowException, TypeError, ValueError):
        # Arrow's own message would quote the value.
        raise ReportError(
            f'the column "{name}" cannot be read: its values are of mixed or unknown kinds. '
            "Give all of them as text, or all as whole numbers"
        ) from None


def arrow_metadata(frame: Any) -> Mapping[bytes, bytes]:
    """Give what a table carries beside its rows: for our own, the design and its fingerprint."""
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame.schema.metadata or {}
    attrs = getattr(frame, "attrs", {})
    carried = {key: attrs.get(key.replace(".", "_")) for key in CARRIED}
    return {key.encode(): str(text).encode() for key, text in carried.items() if text}
