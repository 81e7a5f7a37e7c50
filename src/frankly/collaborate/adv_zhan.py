"""Games against the printed protocols: each attack of the literature, and the repaired chain."""

import math
import secrets
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpz
from numpy.typing import NDArray

from frankly.collaborate.adv import Direct, Learned, Setting, Sight, bits_of
from frankly.collaborate.zhan import (
    PLACES,
    Chain,
    Decoys,
    Ring,
    fixed,
    largest,
    masked_sum,
    prior_times_product,
    product_chain,
)
from frankly.errors import FaithfulWarning

__all__ = ["logarithm", "zhan_settings"]

FACTORS = (fixed(0.31), fixed(0.072), fixed(0.55), fixed(0.48))
SHARES, MODULUS = (1200, 345, 77, 10), 10**6
PEOPLE, DECOYS = 30_000, 20


def quietly(function: Callable[..., Any], *words: Any, **more: Any) -> Any:
    """Play without a warning for each of ten thousand games."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaithfulWarning)
        return function(*words, **more)


def swap(numbers: Sequence[int], coin: bool, a: int, b: int) -> list[int]:
    """On tails, a and b change places: product and sum stay the same."""
    found = list(numbers)
    if coin:
        found[a], found[b] = found[b], found[a]
    return found


@dataclass(frozen=True)
class ChainGame:
    """Protocol 1: two parties have swapped their factors."""

    ring: Ring
    a: int
    b: int

    def play(self, coin: bool) -> Chain:
        """Run the real chain."""
        found: Chain = quietly(product_chain, self.ring, swap(FACTORS, coin, self.a, self.b))
        return found

    def raised(self, run: Chain) -> bool:
        """Check which of the two factors the first party raised by, as an eavesdropper can."""
        before, after = run.wires[0].numbers[0], run.wires[1].numbers[0]
        return bool(self.ring.key.public.times(mpz(before), FACTORS[self.b]) == after)

    def seen(self, party: int, run: Chain) -> NDArray[np.uint8]:
        """Give the ends of all that one party sends, receives or is left with."""
        numbers = [w.numbers[0] for w in run.wires if party in (w.sender, w.receiver)]
        if party == self.ring.n - 2:
            numbers.append(run.cipher)
        return self.bits(numbers)

    def all_wires(self, run: Chain) -> NDArray[np.uint8]:
        """Give the ends of all that is sent."""
        return self.bits([wire.numbers[0] for wire in run.wires])

    def bits(self, numbers: Sequence[int | mpz]) -> NDArray[np.uint8]:
        """Give the ends of some ciphertexts as bits."""
        width = self.ring.key.public.bytes_each
        wide = [int(number).to_bytes(width, "big") for number in numbers]
        return bits_of(*(number[:32] + number[-64:] for number in wide))


def logarithm(base: mpz, power: mpz, modulus: mpz, most: int) -> int | None:
    """Find the exponent up to ``most`` by baby steps and giant steps.

    Examples
    --------
    >>> logarithm(mpz(5), mpz(5) ** 77 % 10007, mpz(10007), 100)
    77
    """
    step = math.isqrt(most) + 1
    babies: dict[mpz, int] = {}
    value = mpz(1)
    for k in range(step):
        babies.setdefault(value, k)
        value = value * base % modulus
    giant = gmpy2.invert(value, modulus)
    for k in range(step + 1):
        if power in babies:
            return k * step + babies[power]
        power = power * giant % modulus
    return None


@dataclass(frozen=True)
class SearchGame:
    """Protocol 1 with a factor of six digits that nobody told; the coin is whether it is odd."""

    ring: Ring

    def play(self, coin: bool) -> Chain:
        """Run the chain with a secret factor whose parity is the coin."""
        secret = 2 * (1 + secrets.randbelow(499_999)) + coin
        found: Chain = quietly(product_chain, self.ring, [secret, 1, 1, 1])
        return found

    def parity(self, run: Chain) -> bool:
        """Recover the factor from two neighbouring messages."""
        before, after = (mpz(wire.numbers[0]) for wire in run.wires[:2])
        found = logarithm(before, after, self.ring.key.public.n2, 10**6)
        return bool(found is not None and found % 2)


def first_share(ring: Ring, coin: bool) -> Chain:
    """Run Protocol 2 with the shares of the first two parties swapped on tails."""
    found: tuple[int, Chain] = quietly(masked_sum, ring, swap(SHARES, coin, 0, 1), MODULUS)
    return found[1]


def stripped(ring: Ring, run: Chain) -> bool:
    """Open the first party's message with the key, and take it modulo X."""
    return ring.key.decrypt(mpz(run.wires[0].numbers[0])) % MODULUS == SHARES[1]


@dataclass(frozen=True)
class Hidden:
    """What the first party is shown of two classes' shares, and two places in the first list."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    places: tuple[int, int]


def shown(ring: Ring, decoys: Decoys, coin: bool) -> Hidden:
    """Run Protocol 3 for two classes whose shares add up to 1.

    Of two places in the first list one holds the share: the first on heads, the second on tails.
    """
    count = 1 + secrets.randbelow(PEOPLE - 1)
    lists, shares = [], [fixed(count / PEOPLE), fixed((PEOPLE - count) / PEOPLE)]
    for share in shares:
        words = (ring, ring.encrypt(share), ring.encrypt(1))
        run = quietly(prior_times_product, *words, people=PEOPLE, t=DECOYS, decoys=decoys)
        lists.append(tuple(int(number) for number in run.wires[1].numbers))
    real = lists[0].index(shares[0])
    other = secrets.choice([k for k in range(DECOYS + 1) if k != real])
    return Hidden(lists[0], lists[1], (other, real) if coin else (real, other))


def off_grid(number: int) -> float:
    """Tell how far a number is from being a share of PEOPLE."""
    share = number * PEOPLE
    return abs(share - round(share / (1 << PLACES)) * (1 << PLACES)) / (1 << PLACES)


def by_grid(run: Hidden) -> bool:
    """Guess the place whose number could be a share."""
    first, second = (off_grid(run.first[place]) for place in run.places)
    return second < first


def by_sum(run: Hidden) -> bool:
    """Guess the place whose number adds up to 1 with one of the other class's list."""

    def gap(place: int) -> int:
        return min(abs(run.first[place] + other - (1 << PLACES)) for other in run.second)

    first, second = (gap(place) for place in run.places)
    return second < first


def gaps(ring: Ring, fresh: bool, coin: bool) -> tuple[int, int]:
    """Search for the largest of 0, 10 or 20, and 30; give the sizes the key holder reads."""
    scores = [ring.encrypt(score) for score in (0, 20 if coin else 10, 30)]
    _, run = quietly(largest, ring, scores, bits=8, fresh=fresh)
    n = int(ring.key.public.n)
    opened = [ring.key.decrypt(mpz(number)) for number in run.wires[0].numbers]
    sizes = [min(number, n - number) for number in opened]
    return sizes[0], sizes[2]


def zhan_settings(ring: Ring, small: Ring) -> list[Setting]:
    """List the games against the printed protocols.

    Parameters
    ----------
    ring
        Four parties with a real key.
    small
        Four parties with a short key, for attacks on numbers that are in clear anyway.
    """
    printed, repaired = replace(ring, rerandomise=False), replace(ring, rerandomise=True)
    return [*chains(printed, repaired), *sums_and_decoys(ring, small)]


def chains(printed: Ring, repaired: Ring) -> list[Setting]:
    """List the games against Protocol 1, as printed and refreshed."""
    as_printed = ChainGame(printed, 0, 1)
    search = SearchGame(printed)
    settings = [
        Setting(
            "protocol 1 as printed",
            as_printed.play,
            (Sight("relay", Direct("algebraic check", as_printed.raised), "caught"),),
        ),
        Setting(
            "protocol 1 as printed, six digits",
            search.play,
            (Sight("relay", Direct("baby step, giant step", search.parity), "caught"),),
            games=1000,
        ),
    ]
    one_two, two_three, one_three = (ChainGame(repaired, a, b) for a, b in ((0, 1), (1, 2), (0, 2)))
    sights = {
        one_two: (
            Sight("relay", Learned(one_two.all_wires), "hidden"),
            Sight("relay", Direct("algebraic check", one_two.raised), "hidden"),
            Sight("party 3", Learned(partial(one_two.seen, 2)), "hidden"),
            Sight("party 4", Learned(partial(one_two.seen, 3)), "hidden"),
        ),
        two_three: (Sight("party 1", Learned(partial(two_three.seen, 0)), "hidden"),),
        one_three: (Sight("party 2", Learned(partial(one_three.seen, 1)), "hidden"),),
    }
    refreshed = [Setting("protocol 1 refreshed", game.play, who) for game, who in sights.items()]
    return [*settings, *refreshed]


def sums_and_decoys(ring: Ring, small: Ring) -> list[Setting]:
    """List the games against Protocols 2 and 3 and against the search for the largest."""
    strip = Direct("taken modulo X", partial(stripped, ring))
    sizes = Direct("sizes of the gaps", lambda run: run[0] > run[1])
    grid, total = Direct("k/N grid", by_grid), Direct("adds up to 1", by_sum)
    return [
        Setting(
            "protocol 2", partial(first_share, ring), (Sight("key holder", strip, "caught"),), 2000
        ),
        Setting(
            "protocol 3, real decoys",
            partial(shown, small, "real"),
            (Sight("party 1", grid, "caught"),),
        ),
        Setting(
            "protocol 3, grid decoys",
            partial(shown, small, "grid"),
            (Sight("party 1", grid, "told"), Sight("party 1", total, "caught")),
        ),
        Setting(
            "largest, one blind",
            partial(gaps, small, False),
            (Sight("key holder", sizes, "caught"),),
        ),
        Setting(
            "largest, fresh blinds",
            partial(gaps, small, True),
            (Sight("key holder", sizes, "told"),),
        ),
    ]
