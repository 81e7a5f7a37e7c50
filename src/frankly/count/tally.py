"""Tally: the kernel. Columns of codes become one number a row, and the numbers are counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly.design import smallest_type
from frankly.mechanism import Codes

__all__ = ["Cells", "Tallied", "cells_of", "distinct_rows", "fuse"]

Tallied = NDArray[np.int64]
"""How many reports there are of each kind."""

Cells = NDArray[np.unsignedinteger[Any]]
"""Codes of many cells, one row a cell and one column an attribute."""

WIDEST = 2**63


def fuse(columns: Sequence[Codes], sizes: Sequence[int], n: int) -> Codes:
    """Give every row the number of its cell in the table over these columns.

    The smallest type that holds the number is used: half the bytes is half the time.

    Examples
    --------
    >>> fuse([np.array([0, 1, 1]), np.array([2, 0, 2])], [2, 3], 3)
    array([2, 3, 5], dtype=uint8)
    """
    kind = smallest_type(int(np.prod(sizes, dtype=object)))
    if not columns:
        return np.zeros(n, dtype=kind)
    fused: Codes = columns[0].astype(kind)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        fused *= kind.type(size)
        np.add(fused, column, out=fused, casting="unsafe")
    return fused


def rank(columns: Sequence[Codes], sizes: Sequence[int], n: int) -> tuple[Codes, int]:
    """Give every row a number, so that rows compare as their codes do, however wide they are.

    Where the next column no longer fits into 63 bits, the numbers so far are replaced by
    their ranks: there are never more of them than rows.
    """
    ranked, span = np.zeros(n, dtype=np.uint64), 1
    for column, size in zip(columns, sizes, strict=True):
        if span * size > WIDEST:
            kept, places = np.unique(ranked, return_inverse=True)
            ranked, span = places.astype(np.uint64), len(kept)
        ranked = ranked * np.uint64(size) + column.astype(np.uint64)
        span *= size
    return ranked.astype(smallest_type(span)), span


def distinct_rows(
    columns: Sequence[Codes], sizes: Sequence[int], weights: Tallied
) -> tuple[Cells, Tallied]:
    """Give each different row once, in order, with the sum of its weights.

    Examples
    --------
    >>> rows, counts = distinct_rows([np.array([1, 0, 1])], [2], np.array([1, 1, 1]))
    >>> rows.tolist(), counts.tolist()
    ([[0], [1]], [1, 2])
    """
    kind = smallest_type(max(sizes, default=1))
    if not len(weights):
        return np.empty((0, len(columns)), dtype=kind), np.empty(0, dtype=np.int64)
    ranked, _ = rank(columns, sizes, len(weights))
    order = np.argsort(ranked, kind="stable")
    ranked = ranked[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    rows = np.empty((len(starts), len(columns)), dtype=kind)
    for i, column in enumerate(columns):
        rows[:, i] = column[order[starts]]
    return rows, np.add.reduceat(weights[order], starts)


def cells_of(table: Tallied) -> tuple[Cells, Tallied]:
    """Give the cells of a table that are not empty, in order, and their counts."""
    kind = smallest_type(max(table.shape, default=1))
    flat = np.flatnonzero(table)
    codes = np.unravel_index(flat, table.shape) if table.ndim else ()
    rows = np.empty((len(flat), table.ndim), dtype=kind)
    for i, column in enumerate(codes):
        rows[:, i] = column
    return rows, table.ravel()[flat]
