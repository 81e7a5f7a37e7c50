"""Turn: the workers of one file take turns, and whoever waits asks again soon.

SQLite lets one connection write at a time too, but whoever finds its door closed asks again ever
later, up to a tenth of a second. Our lock is a courtesy: where it cannot be had, or whoever has it
was halted, SQLite's own must do.
"""

import os
import threading
import time
import weakref
from contextlib import suppress

try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None  # type: ignore[assignment]

__all__ = ["Turn"]

SOON, LATER = 0.0001, 0.005
"""Seconds between two looks whether a turn is over: at first, and at most."""

PATIENCE = 5.0
"""Seconds after which whoever has the turn is taken for halted."""


class Turn:
    """A place where processes, and the threads of each, wait for each other.

    Entering gives whether it was another's turn when we came. The lock lies on an empty file that
    stays open: to open it anew for each batch takes longer than to take the lock.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Turn(f"{folder}/turn") as waited:
    ...     waited
    False
    """

    def __init__(self, path: str) -> None:
        self.path, self.file, self.inside = path, -1, threading.Lock()

    def __enter__(self) -> bool:
        waited = not self.inside.acquire(blocking=False)
        if waited:
            self.inside.acquire()
        try:
            return self.lock() or waited
        except BaseException:
            self.inside.release()
            raise

    def lock(self) -> bool:
        """Wait for other processes; tell whether it was the turn of one."""
        try:
            if self.file < 0:
                self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                weakref.finalize(self, os.close, self.file)
            if fcntl is not None:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with suppress(OSError):
                self.wait()
            return True
        except OSError:  # no place for it
            return False
        return False

    def wait(self) -> None:
        """Wait until the turn of another process is over."""
        end, pause = time.monotonic() + PATIENCE, SOON
        while time.monotonic() < end:
            time.sleep(pause)
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pause = min(2 * pause, LATER)
            else:
                return

    def __exit__(self, *error: object) -> None:
        try:
            if fcntl is not None and self.file >= 0:
                with suppress(OSError):  # there was no lock to be had
                    fcntl.flock(self.file, fcntl.LOCK_UN)
        finally:
            self.inside.release()
