"""Masks: each pair of parties shares a secret number; one adds it, the other takes it away.

A party's counts plus its masks are uniformly random to everybody who lacks one of its pair
secrets. Over all parties the masks cancel, so the sum of what was sent is the sum of the counts,
exactly, in whole numbers modulo 2**64.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from frankly.errors import PartyError

__all__ = ["Hidden", "Vector", "add_up", "hide", "mask_key", "pair_secrets"]

Vector = NDArray[np.int64]
"""Counts of one party, or of all."""

Hidden = NDArray[np.uint64]
"""Counts of one party under its masks."""

LEAST = 3
"""With two parties each would learn the other's counts from the sum."""


def pair_secrets(me: int, mine: X25519PrivateKey, public: Sequence[bytes]) -> dict[int, bytes]:
    """Agree on a secret with every other party (X25519).

    Parameters
    ----------
    me
        This party's position in the roster.
    mine
        Its private key, made for this one session.
    public
        Everybody's public key, in the order of the roster.
    """
    if len(public) < LEAST:
        raise PartyError(
            f"masks need at least {LEAST} parties and there are {len(public)}: with two, each "
            "could subtract its own counts from the sum and read the other's"
        )
    try:
        return {
            other: mine.exchange(X25519PublicKey.from_public_bytes(key))
            for other, key in enumerate(public)
            if other != me
        }
    except ValueError:
        raise PartyError(
            "a party greets with what is no key: everybody could know the secret shared with it. "
            "Nothing was sent. It must run frankly party join, unchanged"
        ) from None


def mask_key(
    secret: bytes, session: bytes, step: int, about: bytes, seen: bytes, pair: tuple[int, int]
) -> bytes:
    """Derive the key of one pair's mask in one step of one session (HKDF-SHA256).

    All of it enters, so no mask is ever used twice. A party whose old state was put back, and
    who is then asked another question or shown other messages, has other masks.

    Parameters
    ----------
    secret
        What the pair shares.
    session
        Hash of the session, and so of the survey.
    step, about
        Which step it is, and the hash of the question it answers.
    seen
        Head of the transcript before the step.
    pair
        The two parties' positions, in either order.

    Examples
    --------
    >>> one = mask_key(b"s" * 32, b"session", 1, b"age", b"head", (0, 1))
    >>> one == mask_key(b"s" * 32, b"session", 1, b"ill", b"head", (0, 1))
    False
    """
    low, high = sorted(pair)
    info = f"frankly mask 2|{step}|{about.hex()}|{seen.hex()}|{low}|{high}".encode()
    return HKDF(SHA256(), 32, salt=session, info=info).derive(secret)


def hide(counts: Vector, me: int, keys: Mapping[int, bytes]) -> Hidden:
    """Add this party's masks to its counts.

    Parameters
    ----------
    counts
        Whole numbers, negative ones included.
    me
        This party's position in the roster.
    keys
        For every other party the key of the mask shared with it, used for nothing else.

    Examples
    --------
    >>> key = bytes(32)
    >>> hidden = hide(np.array([3, 4]), 0, {1: key}), hide(np.array([5, 6]), 1, {0: key})
    >>> add_up(hidden)
    array([ 8, 10])
    """
    hidden: Hidden = counts.astype(np.int64).view(np.uint64).copy()
    zeros = bytes(8 * counts.size)
    for other, key in keys.items():
        stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(zeros)
        mask = np.frombuffer(stream, dtype="<u8")
        # The earlier of the two adds, the later takes away; numpy wraps around at 2**64.
        hidden = hidden + mask if me < other else hidden - mask
    return hidden


def add_up(hidden: Sequence[Hidden]) -> Vector:
    """Add what all parties have sent; the masks cancel."""
    total = np.zeros_like(hidden[0])
    for one in hidden:
        total = total + one
    return total.view(np.int64)
