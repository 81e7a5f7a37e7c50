"""Passwords: argon2 hashes, and as slow to test for a stranger as for a friend."""

import threading
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from frankly.store import SurveyError

__all__ = ["SHORTEST", "hash_password", "is_password"]

SHORTEST, LONGEST = 10, 1000

hasher = PasswordHasher()

AT_ONCE = threading.BoundedSemaphore(2)
"""Each hash takes 64 MiB on purpose: strangers who knock all at once wait, and fill no memory."""


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
    with AT_ONCE:
        return hasher.hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Tell whether it is the password; without an account as slowly as with one."""
    try:
        with AT_ONCE:
            found = hasher.verify(kept or decoy(), password[:LONGEST])
    except (VerifyMismatchError, InvalidHashError):
        return False
    return found and kept is not None


@lru_cache(maxsize=1)
def decoy() -> str:
    """Give a hash that fits no password anybody types."""
    return hasher.hash("\x00" * 32)
