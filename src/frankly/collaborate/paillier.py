"""Paillier: numbers that can be added while they are encrypted.

With g = n + 1 and the randomness of Damgård, Jurik and Nielsen: a ciphertext is
``(1 + m n) * hs**r mod n**2``, where ``hs = h**n``, ``h = -x**2`` and r has half the length of n.
The powers of hs come from a table, and whoever holds the key works modulo p and q.
"""

import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gmpy2
from gmpy2 import mpz

from frankly.errors import PartyError

__all__ = ["LEAST_BITS", "FixedBase", "PrivateKey", "PublicKey", "make_key"]

LEAST_BITS = 2048
ROUNDS = 40


@dataclass(frozen=True)
class PublicKey:
    """What everybody may know: n, and the base h of the randomness.

    Parameters
    ----------
    n
        Product of two secret primes.
    h
        Minus a secret square modulo n.
    """

    n: mpz
    h: mpz

    def __post_init__(self) -> None:
        whole = 1 < self.h < self.n and gmpy2.gcd(self.h, self.n) == 1
        if not whole or self.n % 4 != 1 or gmpy2.jacobi(self.h, self.n) != 1:
            raise PartyError(
                "this is no public key: n is a product of two primes of the form 4k + 3, and h is "
                "minus a square. Ask its holder for the file again"
            )
        if self.hs * self.hs % self.n2 == 1:
            raise PartyError(
                "this public key hides nothing: the powers of its h are 1 and -1, so whoever holds "
                "a ciphertext can read it. Ask its holder for another key"
            )

    @property
    def bits(self) -> int:
        """The length of n."""
        return int(self.n.bit_length())

    @cached_property
    def n2(self) -> mpz:
        """The modulus of ciphertexts."""
        return self.n * self.n

    @cached_property
    def hs(self) -> mpz:
        """The base of the randomness."""
        return gmpy2.powmod(self.h, self.n, self.n2)

    @property
    def bytes_each(self) -> int:
        """How many bytes a ciphertext takes."""
        return (2 * self.bits + 7) // 8

    def randomness(self) -> int:
        """Draw a fresh exponent, half as long as n."""
        return secrets.randbits((self.bits + 1) // 2)

    def encrypt(self, message: int, powers: "FixedBase") -> mpz:
        """Encrypt a whole number from 0 to n - 1; twice the same gives different ciphertexts."""
        if not 0 <= message < self.n:
            raise PartyError(
                "only whole numbers from 0 to n - 1 can be encrypted. Scale and round first"
            )
        return (1 + self.n * message) * powers.power(self.randomness()) % self.n2

    def refresh(self, cipher: mpz, powers: "FixedBase") -> mpz:
        """Give a ciphertext of the same number that nobody can link to the old one."""
        return cipher * powers.power(self.randomness()) % self.n2

    def add(self, *ciphers: mpz) -> mpz:
        """Add encrypted numbers."""
        total = mpz(1)
        for cipher in ciphers:
            total = total * cipher % self.n2
        return total

    def times(self, cipher: mpz, factor: int) -> mpz:
        """Multiply an encrypted number by a known one, which anybody can recognise: refresh it."""
        return gmpy2.powmod(cipher, factor % self.n, self.n2)

    def checked(self, cipher: mpz) -> mpz:
        """Refuse what cannot be a ciphertext."""
        if not 0 < cipher < self.n2 or gmpy2.gcd(cipher, self.n) != 1:
            raise PartyError("a number that was sent as a ciphertext is none under this key")
        return cipher

    def document(self) -> dict[str, str]:
        """Write the key as plain values."""
        return {"kind": "paillier public", "n": self.n.digits(16), "h": self.h.digits(16)}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], least: int = LEAST_BITS) -> "PublicKey":
        """Read a key, and refuse one that is too short."""
        try:
            key = cls(mpz(document["n"], 16), mpz(document["h"], 16))
        except (KeyError, TypeError, ValueError):
            raise PartyError("this is no Paillier key. Ask its holder for the file again") from None
        if key.bits < least:
            raise PartyError(f"a key of {key.bits} bits can be broken; take at least {least}")
        return key


@dataclass(frozen=True)
class FixedBase:
    """Powers of one base, from a table: a multiplication for each window of the exponent.

    All windows are multiplied, zero or not. The place that is read in the table does depend
    on the exponent, so this is for a party's own machine, not for one shared with strangers.

    Parameters
    ----------
    modulus
        The modulus.
    rows
        For each window, the base raised to every value the window can have.
    window
        How many bits a window has.
    """

    modulus: mpz
    rows: tuple[tuple[mpz, ...], ...]
    window: int

    @classmethod
    def build(cls, key: PublicKey, uses: int = 5) -> "FixedBase":
        """Build the table that costs least in all for this many uses."""
        length = (key.bits + 1) // 2
        window = min(range(1, 9), key=lambda w: math.ceil(length / w) * (2**w + uses))
        return cls(key.n2, windows(key.hs, key.n2, length, window), window)

    def power(self, exponent: int) -> mpz:
        """Raise the base to an exponent of at most the table's length."""
        if exponent >> (self.window * len(self.rows)):
            raise PartyError("the exponent is longer than the table of powers")
        digits = exponent_windows(exponent, self.window, len(self.rows))
        total = mpz(1)
        for row, digit in zip(self.rows, digits, strict=True):
            total = total * row[digit] % self.modulus
        return total


def windows(base: mpz, modulus: mpz, length: int, window: int) -> tuple[tuple[mpz, ...], ...]:
    """Raise the base to every value of every window."""
    rows = []
    for _ in range(math.ceil(length / window)):
        row = [mpz(1)]
        for _ in range(2**window - 1):
            row.append(row[-1] * base % modulus)
        rows.append(tuple(row))
        base = row[-1] * base % modulus
    return tuple(rows)


def exponent_windows(exponent: int, window: int, count: int) -> "bytes | list[int]":
    """Cut an exponent into windows, the lowest first."""
    if window == 8:
        return exponent.to_bytes(count, "little")
    mask = (1 << window) - 1
    return [(exponent >> (window * i)) & mask for i in range(count)]


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """What only the key holder knows: the two primes. It is never printed.

    Parameters
    ----------
    p, q
        The primes.
    public
        The public half.
    """

    p: mpz
    q: mpz
    public: PublicKey

    @cached_property
    def halves(self) -> tuple[tuple[mpz, mpz, mpz], ...]:
        """For each prime: itself, its square, and the inverse of L((n + 1)**(p - 1))."""
        return tuple(
            (p, p * p, gmpy2.invert((self.public.n // p) * (p - 1) % p, p))
            for p in (self.p, self.q)
        )

    def decrypt(self, cipher: mpz) -> int:
        """Open a ciphertext, modulo each prime, with powers that take the same time for all."""
        self.public.checked(cipher)
        # (n + 1)**(p - 1) is 1 + n (p - 1) modulo p**2, so L gives (n / p) (p - 1).
        parts = [
            (gmpy2.powmod_sec(cipher % p2, p - 1, p2) - 1) // p * inverse % p
            for p, p2, inverse in self.halves
        ]
        return int(parts[0] + self.p * ((parts[1] - parts[0]) * self.p_inverse % self.q))

    @cached_property
    def p_inverse(self) -> mpz:
        """The inverse of p modulo q."""
        return gmpy2.invert(self.p, self.q)

    def document(self) -> dict[str, str]:
        """Write the key as plain values: for a file only its holder can read."""
        public = self.public.document()
        primes = {"p": self.p.digits(16), "q": self.q.digits(16)}
        return {**public, "kind": "paillier private", **primes}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], least: int = LEAST_BITS) -> "PrivateKey":
        """Read a key."""
        public = PublicKey.from_document(document, least)
        p, q = mpz(document["p"], 16), mpz(document["q"], 16)
        if p * q != public.n:
            raise PartyError("the primes of this private key do not belong to its n")
        return cls(p, q, public)

    def to_bytes(self) -> bytes:
        """Give the file's content."""
        return (json.dumps(self.document(), indent=1) + "\n").encode()


def make_key(bits: int = 3072, least: int = LEAST_BITS) -> PrivateKey:
    """Make a key: two primes of the form 4k + 3 whose predecessors share only the factor 2.

    Parameters
    ----------
    bits
        The length of n.
    least
        The shortest that is accepted; only a study of broken keys lowers it.
    """
    if bits < least:
        raise PartyError(
            f"a Paillier key of {bits} bits can be broken; ask for at least {least}, better 3072"
        )
    while True:
        p, q = prime(bits // 2), prime(bits - bits // 2)
        if p != q and gmpy2.gcd(p - 1, q - 1) == 2 and (p * q).bit_length() == bits:
            break
    n = p * q
    while True:
        x = mpz(secrets.randbelow(int(n)))
        if gmpy2.gcd(x, n) == 1:
            return PrivateKey(p, q, PublicKey(n, -x * x % n))


def prime(bits: int) -> mpz:
    """Draw a prime of the form 4k + 3 with its two highest bits set."""
    while True:
        candidate = mpz(secrets.randbits(bits) | (3 << (bits - 2)) | 3)
        if gmpy2.is_prime(candidate, ROUNDS):
            return candidate
