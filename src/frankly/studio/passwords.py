"""Passwords: argon2 hashes, and as slow to test for a stranger as for a friend."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from starlette.exceptions import HTTPException

from frankly.store import SurveyError

__all__ = ["SHORTEST", "hash_password", "is_password"]

SHORTEST, LONGEST = 10, 1000

hasher = PasswordHasher()

AT_ONCE = threading.BoundedSemaphore(2)
"""Each hash takes 64 MiB on purpose: strangers who knock all at once wait, and fill no memory."""

WAITING = threading.BoundedSemaphore(8)
"""So many wait for it or have it. All pages share forty threads: who finds no room here comes
back, and the pages stay quick."""


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn to hash among a few; where there are many, say at once to come back."""
    if not WAITING.acquire(blocking=False):
        raise HTTPException(503, headers={"Retry-After": "2"})
    try:
        with AT_ONCE:
            yield
    finally:
        WAITING.release()


def hash_password(password: str) -> str:
    """Hash a password, or refuse one that is too short to be one.

    Examples
    --------
    >>> hash_password("a long enough one")[:9]
    '$argon2id'
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise SurveyError(
            f"a password needs at least {SHORTEST} characters; a sentence of your own is a good one"
        )
    with turn():
        return hasher.hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Tell whether it is the password; without an account as slowly as with one."""
    try:
        with turn():
            found = hasher.verify(kept or decoy(), password[:LONGEST])
    except (VerifyMismatchError, InvalidHashError):
        return False
    return found and kept is not None


@lru_cache(maxsize=1)
def decoy() -> str:
    """Give a hash that fits no password anybody types."""
    return hasher.hash("\x00" * 32)
