"""Cores: over an SQLite file workers keep to a core each, where there are as many cores.

The loop of a worker and its thread that stores take turns. The system cannot know that: it wakes
the one while the other still runs, so on a core where another worker is at work, and that other
worker waits while the first one's core has nothing to do. With fewer workers there is room, and
with PostgreSQL the server's own processes have to go where there is some.
"""

import os
from contextlib import suppress

from frankly.store import is_sqlite

__all__ = ["cores", "keep_to"]


def cores(url: str, workers: int) -> list[int | None]:
    """Tell which core each worker keeps to; None where it goes where there is room.

    Examples
    --------
    >>> cores("postgresql://frankly@localhost/frankly", 2)
    [None, None]
    """
    if hasattr(os, "sched_getaffinity"):  # not on every system
        ours = sorted(os.sched_getaffinity(0))
        if is_sqlite(url) and 1 < workers == len(ours):
            return list(ours)
    return [None] * workers


def keep_to(core: int | None, process: int) -> None:
    """Keep a process to a core, if the system lets us: it would do without."""
    if core is not None:
        with suppress(OSError):
            os.sched_setaffinity(process, {core})
