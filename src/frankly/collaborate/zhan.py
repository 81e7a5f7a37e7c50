"""Zhan: the protocols of section 3 of Zhan (2007) as printed, for study.

They classify one record at a time and were called private; `frankly bench adv` shows what each
of them gives away, which is why every use warns. For work use a `Circle`.

Party n, the last, holds the key. Numbers are fixed-point: a probability g is the whole number
nearest to ``g * 2**PLACES``. What the paper calls horizontal is the vertical formula: with
questions held by different parties and a class known to all, Protocol 1 is exact.
"""

import secrets
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from gmpy2 import mpz

from frankly.collaborate.paillier import FixedBase, PrivateKey
from frankly.errors import FaithfulWarning, HeadroomError, PartyError

__all__ = [
    "PLACES",
    "Chain",
    "Ring",
    "Wire",
    "fixed",
    "largest",
    "masked_sum",
    "prior_times_product",
    "product_chain",
    "stopped_sum",
]

PLACES = 62
Decoys = Literal["real", "grid"]


@dataclass(frozen=True)
class Wire:
    """What one party sends to another; whoever listens sees all of them."""

    sender: int
    receiver: int
    numbers: tuple[int | mpz, ...]


@dataclass(frozen=True)
class Ring:
    """The parties of a protocol: how many, the key, and the table of its powers.

    Parameters
    ----------
    n
        How many parties; the last holds the key.
    key
        Its key. Only the steps of the last party use the private half.
    powers
        Powers for fresh randomness.
    rerandomise
        Whether every forwarded ciphertext is refreshed. The paper does not.
    """

    n: int
    key: PrivateKey
    powers: FixedBase
    rerandomise: bool = False

    def __post_init__(self) -> None:
        if self.n < 3:
            raise PartyError("the protocols need three parties: first, last but one, and last")

    def encrypt(self, number: int) -> mpz:
        """Encrypt with fresh randomness."""
        return self.key.public.encrypt(number, self.powers)

    def forward(self, cipher: mpz) -> mpz:
        """Pass a ciphertext on: refreshed, or as it is."""
        return self.key.public.refresh(cipher, self.powers) if self.rerandomise else cipher


@dataclass(frozen=True)
class Chain:
    """Where a protocol ends: a ciphertext with one party, and everything that was sent."""

    cipher: mpz
    wires: tuple[Wire, ...]


def warn(what: str) -> None:
    """Say on every use that this is for study."""
    warnings.warn(
        f"{what} of Zhan (2007) is here for study: it gives more away than its theorems say. "
        "Run frankly bench adv, and use a circle with masks or paillier for work",
        FaithfulWarning,
        stacklevel=3,
    )


def fixed(probability: float, places: int = PLACES) -> int:
    """Write a probability as a whole number.

    Examples
    --------
    >>> fixed(0.25, places=4)
    4
    """
    return round(probability * (1 << places))


def refuse_overflow(ring: Ring, bits: int) -> None:
    """Refuse numbers that would wrap around the modulus."""
    if bits >= ring.key.public.bits - 2:
        raise HeadroomError(
            f"the product needs {bits} bits and the key has {ring.key.public.bits}: it would "
            "wrap around and mean nothing. Use fewer places, fewer parties or a longer key"
        )


def product_chain(ring: Ring, factors: Sequence[int]) -> Chain:
    """Multiply one factor a party (Protocol 1).

    The last party encrypts its own; each other raises what it got to its own factor. A factor
    of 0, a value never seen, makes the ciphertext 1 for everybody to see.

    Parameters
    ----------
    ring
        The parties.
    factors
        One whole number a party, the key holder's last.
    """
    warn("Protocol 1")
    refuse_overflow(ring, sum(int(factor).bit_length() for factor in factors))
    last = ring.n - 1
    cipher = ring.encrypt(factors[last])
    wires = [Wire(last, 0, (cipher,))]
    for party in range(last):
        cipher = ring.forward(ring.key.public.times(cipher, factors[party]))
        if party < last - 1:
            wires.append(Wire(party, party + 1, (cipher,)))
    return Chain(cipher, tuple(wires))


def masked_sum(ring: Ring, shares: Sequence[int], modulus: int) -> tuple[int, Chain]:
    """Add one share a party under masks R X (Protocol 2); the key holder reads the sum mod X.

    The key holder knows X, so the masks hide nothing from it.
    """
    warn("Protocol 2")
    if sum(shares) >= modulus or min(shares) < 0:
        raise HeadroomError("X must be larger than the sum of the shares, which are whole numbers")
    public = ring.key.public
    largest_mask = int(public.n) // (2 * ring.n * modulus)
    if largest_mask < 2:
        raise HeadroomError("X is too large for the key: the masks would wrap around")
    cipher, wires = mpz(1), []
    for party, share in enumerate(shares):
        masked = share + (1 + secrets.randbelow(largest_mask)) * modulus
        cipher = public.add(cipher, ring.encrypt(masked))
        if party < ring.n - 1:
            wires.append(Wire(party, party + 1, (cipher,)))
    return ring.key.decrypt(cipher) % modulus, Chain(cipher, tuple(wires))


def stopped_sum(ring: Ring, shares: Sequence[int]) -> Chain:
    """Add one share a party and stop before the key holder opens it.

    The paper stops Protocol 2 at the last party but one, where the masks are still inside and
    the key holder's share is missing. Here the key holder speaks first and there are no masks.
    """
    warn("Protocol 2, stopped,")
    last = ring.n - 1
    cipher = ring.encrypt(shares[last])
    wires = [Wire(last, 0, (cipher,))]
    for party in range(last):
        cipher = ring.key.public.add(cipher, ring.encrypt(shares[party]))
        if party < last - 1:
            wires.append(Wire(party, party + 1, (cipher,)))
    return Chain(cipher, tuple(wires))


def prior_times_product(
    ring: Ring, prior: mpz, product: mpz, *, people: int, t: int = 20, decoys: Decoys = "real"
) -> Chain:
    """Multiply the class's share and the product of the factors (Protocol 3).

    The last but one hides the encrypted share among t decoys. The last opens them all and tells
    the first, which raises the product to each; the last but one picks the right one.

    Parameters
    ----------
    ring
        The parties.
    prior, product
        Ciphertexts that the last party but one holds.
    people
        How many people there are; ``grid`` decoys are shares of so many.
    t
        How many decoys.
    decoys
        ``real``: any number, as printed. ``grid``: numbers that could be a share.
    """
    warn("Protocol 3")
    refuse_overflow(ring, 2 * PLACES + ring.n * PLACES)
    first, middle, last = 0, ring.n - 2, ring.n - 1
    place = secrets.randbelow(t + 1)
    hidden = [ring.encrypt(decoy(people, decoys)) for _ in range(t)]
    hidden.insert(place, ring.forward(prior))
    clear = [ring.key.decrypt(cipher) for cipher in hidden]
    raised = [ring.forward(ring.key.public.times(product, number)) for number in clear]
    wires = (
        Wire(middle, last, tuple(hidden)),
        Wire(last, first, tuple(clear)),
        Wire(middle, first, (product,)),
        Wire(first, middle, tuple(raised)),
    )
    return Chain(raised[place], wires)


def decoy(people: int, kind: Decoys) -> int:
    """Draw a number to hide a share among."""
    if kind == "real":
        return secrets.randbelow(2**PLACES)
    return fixed((1 + secrets.randbelow(people)) / people)


def largest(
    ring: Ring, scores: Sequence[mpz], *, bits: int, fresh: bool = True
) -> tuple[int, Chain]:
    """Find the largest of encrypted scores.

    The paper refers to a protocol we could not find; this one is ours. The holder of the scores
    sends every difference, swapped by a coin and multiplied by a random number; the key holder
    answers with signs. It learns how large the blinded differences are.

    Parameters
    ----------
    ring
        The parties.
    scores
        Ciphertexts that the last party but one holds.
    bits
        The length of the largest score.
    fresh
        Whether every difference has a random number of its own. With one for all, the key
        holder reads the ratios of the gaps.
    """
    warn("The search for the largest score")
    refuse_overflow(ring, bits + 66)
    public, last = ring.key.public, ring.n - 1
    pairs = list(combinations(range(len(scores)), 2))
    common = 1 + secrets.randbits(64)
    swaps = [secrets.randbelow(2) for _ in pairs]
    sent = []
    for (a, b), swap in zip(pairs, swaps, strict=True):
        gap = public.add(scores[a], public.times(scores[b], -1))
        blind = 1 + secrets.randbits(64) if fresh else common
        sent.append(ring.forward(public.times(gap, -blind if swap else blind)))
    signs = [sign(ring.key.decrypt(cipher), int(public.n)) for cipher in sent]
    wins = [0] * len(scores)
    for (a, b), swap, told in zip(pairs, swaps, signs, strict=True):
        wins[a if (told >= 0) != bool(swap and told) else b] += 1
    wires = (Wire(last - 1, last, tuple(sent)), Wire(last, last - 1, tuple(signs)))
    return max(range(len(scores)), key=lambda k: wins[k]), Chain(mpz(1), wires)


def sign(number: int, modulus: int) -> int:
    """Read the sign of a number modulo n."""
    return 0 if number == 0 else (1 if number < modulus // 2 else -1)
