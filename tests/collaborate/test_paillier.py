"""Paillier: against a textbook of a few lines, and at the limits of its packing."""

import json
import secrets
import stat
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from frankly.collaborate.packing import Packing
from frankly.collaborate.paillier import FixedBase, PrivateKey, PublicKey, make_key
from frankly.collaborate.paillier_sum import read_key
from frankly.collaborate.party import paillier_key
from frankly.collaborate.state import State
from frankly.collaborate.sums import public_half
from frankly.errors import HeadroomError, PartyError
from tests.collaborate.rooms import agreed, hospitals

messages = st.integers(0, 2**2046)


def textbook_decrypt(cipher: int, p: int, q: int) -> int:
    """Paillier (1999), scheme 1 with g = n + 1: plain Python, no CRT, no library."""
    n = p * q
    lam = (p - 1) * (q - 1) // 2
    return (pow(cipher, lam, n * n) - 1) // n * pow(lam, -1, n) % n


def textbook_encrypt(message: int, n: int) -> int:
    """The same scheme: (1 + n)**m r**n with r drawn from all of 1 to n - 1."""
    r = 1 + secrets.randbelow(n - 1)
    return pow(1 + n, message, n * n) * pow(r, n, n * n) % (n * n)


@settings(max_examples=10)
@given(message=messages)
def test_the_textbook_opens_what_we_encrypt(
    key: PrivateKey, powers: FixedBase, message: int
) -> None:
    cipher = int(key.public.encrypt(message, powers))
    assert textbook_decrypt(cipher, int(key.p), int(key.q)) == message
    assert key.decrypt(mpz(cipher)) == message


@settings(max_examples=5)
@given(message=messages)
def test_we_open_what_the_textbook_encrypts(key: PrivateKey, message: int) -> None:
    assert key.decrypt(mpz(textbook_encrypt(message, int(key.public.n)))) == message


def test_a_key_worked_by_hand() -> None:
    # p = 7, q = 11: n = 77, n**2 = 5929. With h = -4 = 73, hs = 73**77 mod 5929 = 215.
    public = PublicKey(mpz(77), mpz(73))
    assert public.hs == pow(73, 77, 5929) == 215
    powers = FixedBase.build(public)
    # (1 + 77 * 42) * 215**5 mod 5929, in plain Python
    assert (1 + 77 * 42) * powers.power(5) % 5929 == (1 + 77 * 42) * pow(215, 5) % 5929
    private = PrivateKey(mpz(7), mpz(11), public)
    assert {private.decrypt(public.encrypt(m, powers)) for m in range(77)} == set(range(77))


@settings(max_examples=10)
@given(a=st.integers(0, 2**1000), b=st.integers(0, 2**1000), k=st.integers(0, 2**40))
def test_encrypted_numbers_add_and_multiply(
    key: PrivateKey, powers: FixedBase, a: int, b: int, k: int
) -> None:
    public = key.public
    one, two = public.encrypt(a, powers), public.encrypt(b, powers)
    assert key.decrypt(public.add(one, two)) == a + b
    assert key.decrypt(public.times(one, k)) == a * k
    assert key.decrypt(public.refresh(one, powers)) == a


def test_the_same_number_twice_gives_different_ciphertexts(
    key: PrivateKey, powers: FixedBase
) -> None:
    ciphers = {int(key.public.encrypt(0, powers)) for _ in range(50)}
    ciphers |= {int(key.public.refresh(mpz(1), powers)) for _ in range(50)}
    assert len(ciphers) == 100


@given(exponent=st.integers(0, 2**1024 - 1), uses=st.sampled_from([1, 5, 100, 5000]))
@settings(max_examples=12)
def test_the_table_of_powers_gives_powers(key: PrivateKey, exponent: int, uses: int) -> None:
    tables = TABLES.setdefault(uses, FixedBase.build(key.public, uses))
    assert tables.power(exponent) == gmpy2.powmod(key.public.hs, exponent, key.public.n2)


TABLES: dict[int, FixedBase] = {}


def test_the_primes_have_the_form_the_scheme_needs(key: PrivateKey) -> None:
    assert key.p % 4 == key.q % 4 == 3
    assert gmpy2.gcd(key.p - 1, key.q - 1) == 2
    assert key.public.bits == 2048
    assert gmpy2.is_prime(key.p, 50)
    assert gmpy2.is_prime(key.q, 50)
    assert gmpy2.jacobi(key.public.h, key.public.n) == 1


@pytest.mark.parametrize("cipher", [0, -1, "n", "n2", "p"])
def test_what_is_no_ciphertext_is_refused(key: PrivateKey, cipher: int | str) -> None:
    named = {"n": key.public.n, "n2": key.public.n2, "p": key.p}
    with pytest.raises(PartyError, match="none under this key"):
        key.decrypt(named[cipher] if isinstance(cipher, str) else mpz(cipher))


def test_short_keys_and_wrong_keys_are_refused(key: PrivateKey) -> None:
    with pytest.raises(PartyError, match="2048"):
        make_key(1024)
    document = key.document()
    with pytest.raises(PartyError, match="do not belong"):
        PrivateKey.from_document({**document, "p": document["q"]})
    with pytest.raises(PartyError, match="no public key"):
        PublicKey.from_document({"n": document["n"], "h": "0"})
    with pytest.raises(PartyError, match="no Paillier key"):
        PublicKey.from_document({"n": "not a number", "h": "1"})
    with pytest.raises(PartyError, match="can be broken"):
        PublicKey.from_document(make_key(512, least=512).public.document())


def test_a_greeting_with_a_key_that_hides_nothing_is_refused(key: PrivateKey) -> None:
    shown = json.loads(public_half(key.to_bytes()))
    assert read_key(json.dumps(shown).encode(), 2048) == key.public
    minus_one = (key.public.n - 1).digits(16)
    with pytest.raises(PartyError, match="hides nothing"):
        read_key(json.dumps({**shown, "h": minus_one}).encode(), 2048)
    for rubbish in (b"", b"[" * 2000, b"[" * 10**5, b"3", b"[1]", b"\xff", b'{"n": 5, "h": 4}'):
        with pytest.raises(PartyError, match=r"no Paillier key|without a Paillier key"):
            read_key(rubbish, 2048)


def test_a_key_is_kept_private_and_shown_by_half(tmp_path: Path, key: PrivateKey) -> None:
    session = agreed(hospitals(tmp_path), scheme="paillier")
    state = State(tmp_path / "state")
    written = paillier_key(session, state)
    assert stat.S_IMODE((state.folder / "paillier.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(state.folder.stat().st_mode) == 0o700
    shown = json.loads(public_half(written))
    assert shown.keys() == {"n", "h"}
    assert PrivateKey.from_document(json.loads(key.to_bytes())) == key
    assert key.p.digits(16) not in repr(key)


counts = st.lists(st.integers(0, 1000), min_size=0, max_size=60)


@given(parts=st.lists(counts, min_size=1, max_size=7), bits=st.integers(64, 3072))
def test_packed_sums_come_out_as_plain_sums(parts: list[list[int]], bits: int) -> None:
    length = min(map(len, parts))
    rows = [np.array(part[:length], dtype=np.int64) for part in parts]
    packing = Packing(bits, 1000, len(parts))
    packed = [packing.pack(row) for row in rows]
    added = [sum(column) for column in zip(*packed, strict=True)]
    assert all(number < 2 ** (bits - 1) for number in added)
    assert np.array_equal(packing.unpack(added, length), sum(rows))


@given(
    most=st.integers(1, 2**50),
    parties=st.integers(1, 50),
    bits=st.integers(70, 3072),
    length=st.integers(1, 200),
)
def test_the_largest_counts_fill_their_slots_and_no_more(
    most: int, parties: int, bits: int, length: int
) -> None:
    packing = Packing(bits, most, parties)
    packed = packing.pack(np.full(length, most))
    total = packing.unpack([number * parties for number in packed], length)
    assert (total == most * parties).all()
    assert (most * parties) >> packing.width == 0


@pytest.mark.parametrize("value", [-1, 101])
def test_a_count_that_would_spill_over_is_refused(value: int) -> None:
    packing = Packing(64, 100, 3)
    with pytest.raises(HeadroomError, match="from 0 to 100") as refused:
        packing.pack(np.array([5, value, 7]))
    assert str(value) not in str(refused.value).replace("100", "")


def test_sums_that_spill_over_are_refused() -> None:
    packing = Packing(64, 100, 3)
    (packed,) = packing.pack(np.full(3, 100))
    with pytest.raises(HeadroomError, match="spill"):
        packing.unpack([packed << packing.width], 3)
    assert packing.unpack([3 * packed], 3).tolist() == [300] * 3
    with pytest.raises(HeadroomError, match="no counts"):
        packing.unpack([3 * packed + 1], 3)
    with pytest.raises(HeadroomError, match="longer or shorter"):
        packing.unpack([packed, packed], 3)
    with pytest.raises(HeadroomError, match="no room"):
        Packing(16, 2**20, 3)
