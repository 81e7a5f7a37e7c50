"""Masks cancel exactly, are bound to everything, and are made by no code of ours."""

import inspect

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from hypothesis import given
from hypothesis import strategies as st

from frankly.collaborate import masks
from frankly.collaborate.masks import Vector, add_up, hide, mask_key, pair_secrets
from frankly.errors import PartyError

counts = st.lists(st.integers(-(2**62), 2**62), min_size=4, max_size=4)


def keys_of(n: int) -> list[dict[int, bytes]]:
    """Agree on the keys of all pairs, as a session does."""
    private = [X25519PrivateKey.generate() for _ in range(n)]
    public = [key.public_key().public_bytes_raw() for key in private]
    shared = [pair_secrets(me, key, public) for me, key in enumerate(private)]
    return [
        {j: mask_key(secret, b"s", 1, b"a", b"h", (me, j)) for j, secret in pairs.items()}
        for me, pairs in enumerate(shared)
    ]


KEYS = {n: keys_of(n) for n in (3, 5, 10)}


@given(st.sampled_from([3, 5, 10]), st.data())
def test_masks_cancel_modulo_two_to_the_64(n: int, data: st.DataObject) -> None:
    vectors = [np.array(data.draw(counts)) for _ in range(n)]
    hidden = [hide(vector, me, KEYS[n][me]) for me, vector in enumerate(vectors)]
    expected = [sum(int(v[i]) for v in vectors) for i in range(4)]
    wrapped = [(total + 2**63) % 2**64 - 2**63 for total in expected]
    assert add_up(hidden).tolist() == wrapped


def test_sums_at_the_edge_come_out_whole() -> None:
    edge = np.array([2**63 - 1, -(2**63), 0, -1])
    zero = np.zeros(4, dtype=np.int64)
    hidden = [hide(vector, me, KEYS[3][me]) for me, vector in enumerate([edge, zero, zero])]
    assert np.array_equal(add_up(hidden), edge)


def rfc_5869(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF-SHA256 of 32 bytes, written from RFC 5869 with nothing but HMAC."""

    def hmac(key: bytes, data: bytes) -> bytes:
        mac = HMAC(key, SHA256())
        mac.update(data)
        return mac.finalize()

    return hmac(hmac(salt, secret), info + b"\1")


def test_a_mask_is_known_from_the_standards_alone() -> None:
    me = X25519PrivateKey.from_private_bytes(bytes(range(32)))
    other = X25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
    public = [key.public_key().public_bytes_raw() for key in (me, other, other)]
    secret = pair_secrets(0, me, public)[1]
    assert secret == other.exchange(me.public_key())
    key = mask_key(secret, b"session hash", 7, b"\xa5", b"\x0f", (1, 0))
    assert key == rfc_5869(secret, b"session hash", b"frankly mask 2|7|a5|0f|0|1")
    stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(24))
    words = [int.from_bytes(stream[at : at + 8], "little") for at in (0, 8, 16)]
    hidden: Vector = np.array([5, 6, 7])
    assert hide(hidden, 0, {1: key}).tolist() == [
        (value + word) % 2**64 for value, word in zip([5, 6, 7], words, strict=True)
    ]
    assert hide(hidden, 1, {0: key}).tolist() == [
        (value - word) % 2**64 for value, word in zip([5, 6, 7], words, strict=True)
    ]


def test_a_mask_is_bound_to_session_step_question_history_and_pair() -> None:
    keys = {
        mask_key(secret, session, step, about, seen, pair)
        for secret in (b"a" * 32, b"b" * 32)
        for session in (b"s", b"t")
        for step in (1, 11)
        for about in (b"", b"a", b"a|")
        for seen in (b"", b"a", b"|a")
        for pair in ((0, 1), (0, 2), (1, 2))
    }
    assert len(keys) == 2 * 2 * 2 * 3 * 3 * 3
    one, other = (mask_key(b"a", b"s", 1, b"a", b"h", pair) for pair in ((0, 1), (1, 0)))
    assert one == other


def test_two_parties_are_too_few() -> None:
    me = X25519PrivateKey.generate()
    public = me.public_key().public_bytes_raw()
    with pytest.raises(PartyError, match="at least 3 parties"):
        pair_secrets(0, me, [public, public])


def test_a_key_that_gives_everybody_the_same_secret_is_refused() -> None:
    me = X25519PrivateKey.generate()
    public = me.public_key().public_bytes_raw()
    with pytest.raises(PartyError, match="no key"):
        pair_secrets(0, me, [public, bytes(32), public])


def test_no_cipher_of_our_own() -> None:
    source = inspect.getsource(masks)
    assert "numpy.random" not in source
    assert "np.random" not in source
    for name in ("X25519PrivateKey", "HKDF", "ChaCha20"):
        assert getattr(masks, name).__module__.startswith("cryptography.")
