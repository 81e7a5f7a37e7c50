"""Project: the nearest table of shares that is possible."""

import numpy as np

from frankly.mechanism import Table

__all__ = ["project"]


def project(table: Table) -> Table:
    """Move a table that adds up to one to the nearest one without negative cells.

    Examples
    --------
    >>> project(np.array([0.7, 0.5, -0.2]))
    array([0.6, 0.4, 0. ])
    """
    cells = np.sort(table, axis=None)[::-1]
    surplus = (np.cumsum(cells) - 1) / np.arange(1, cells.size + 1)
    level = surplus[np.flatnonzero(cells > surplus)[-1]]
    nearest: Table = np.clip(table - level, 0.0, 1.0)
    return nearest
