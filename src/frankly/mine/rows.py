"""Rows: whatever people hand to a miner, as an engine of reports or as codes of truths."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from frankly.count import Engine, engine_for
from frankly.count.fingerprint import check_fingerprint
from frankly.design import (
    Design,
    arrow_columns,
    arrow_metadata,
    column_names,
    encode_truths,
)
from frankly.errors import ReportError
from frankly.estimate import Codes

__all__ = ["reports_engine", "truth_codes"]


def reports_engine(design: Design, target: str | None, X: Any, y: Any = None) -> Engine:
    """Give an engine over reports: one frame of everything, or X and y apart.

    Parameters
    ----------
    design
        What the reports answer.
    target
        The attribute whose reports ``y`` holds.
    X, y
        A frame, a file, an engine or counts alone; or reports of the features (a frame, or an
        array with one column a feature) and of the target.
    """
    if y is None:
        if is_array(X):
            raise ReportError(
                "an array of reports has no names, so it needs y, the reported classes. Give "
                "fit(X, y), or a table with named columns"
            )
        return engine_for(design, X)
    if target is None:
        raise ReportError("y was given, but there is no target for it to be the reports of")
    features = [name for name in design.names if name != target]
    if not is_array(X):
        check_fingerprint(design, arrow_metadata(X), "this table")
        features = [name for name in (*features, "form") if name in column_names(X)]
        columns = arrow_columns(X, features)
    else:
        columns = array_columns(X, features)
    return engine_for(design, {**columns, target: arrow(target, y)})


def truth_codes(design: Design, features: Sequence[str], X: Any) -> dict[str, Codes]:
    """Give the codes of true answers, feature by feature."""
    if is_array(X):
        columns = array_columns(X, features)
    elif isinstance(X, pa.Table | pa.RecordBatch) or hasattr(X, "keys") or hasattr(X, "columns"):
        columns = arrow_columns(X, features)
    else:
        columns = array_columns(np.asarray(X, dtype=object), features)
    return {name: encode_truths(design[name], columns[name]) for name in features}


def is_array(X: Any) -> bool:
    """Tell whether this is an array or a list of rows, which have no names."""
    return isinstance(X, np.ndarray) or (
        isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)
    )


def array_columns(X: Any, features: Sequence[str]) -> dict[str, Any]:
    """Give the columns of an array their names, or refuse an array of another width."""
    rows = np.asarray(X)
    if rows.ndim != 2:
        raise ReportError(
            f"expected a table with one row a person, that is an array with 2 axes; this one has "
            f"{rows.ndim}. Reshape your data"
        )
    if rows.shape[1] != len(features):
        raise ReportError(
            f"X has {rows.shape[1]} features, but {len(features)} are expected, in this order: "
            f"{list(features)}"
        )
    return {name: arrow(name, rows[:, i]) for i, name in enumerate(features)}


def arrow(name: str, values: Any) -> Any:
    """Give one column as Arrow; anything with values in a row will do."""
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(plain, list | tuple):
        return arrow_columns({name: list(plain)}, [name])[name]
    return arrow_columns({name: values}, [name])[name]
