"""Turn: the workers of one file take turns, and whoever waits is woken at once.

SQLite lets one connection write at a time too, but whoever finds the door closed sleeps and asks
again, each time later. Our lock is a courtesy: where it cannot be had, SQLite's own must do.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["turn"]


@contextmanager
def turn(path: str) -> Iterator[bool]:
    """Wait for our turn, and pass it on; give whether it was another's when we came.

    The lock lies on an empty file at ``path``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, turn(f"{folder}/turn") as waited:
    ...     waited
    False
    """
    file, waited = -1, False
    with suppress(ImportError, OSError):
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on every system

        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            waited = True
            flock(file, LOCK_EX)
    try:
        yield waited
    finally:
        if file >= 0:
            os.close(file)
