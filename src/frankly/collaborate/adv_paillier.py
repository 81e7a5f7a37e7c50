"""Games against the Paillier sum: two honest parties swap their counts.

Party 1 adds, party 4 holds the key, parties 2 and 3 only send.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from gmpy2 import mpz
from numpy.typing import NDArray

from frankly.collaborate.adv import Direct, Learned, Setting, Sight, bits_of
from frankly.collaborate.packing import Packing
from frankly.collaborate.paillier import FixedBase, PrivateKey
from frankly.collaborate.sums import seal

__all__ = ["paillier_settings"]

COUNTS = ([5000, 0, 812], [17, 4096, 9], [300, 20, 55], [1, 2, 3])


@dataclass(frozen=True)
class Summed:
    """One sum: every party's ciphertext, its envelope, and what the aggregator passes on."""

    ciphers: tuple[mpz, ...]
    sealed: tuple[bytes, ...]
    product: mpz


@dataclass(frozen=True)
class Bench:
    """A key and the table of its powers, made once for all games."""

    key: PrivateKey
    powers: FixedBase

    def play(self, coin: bool, a: int, b: int) -> Summed:
        """Run the real code: pack, encrypt, seal, multiply, refresh."""
        public = self.key.public
        packing = Packing(public.bits, 2**24, len(COUNTS))
        counts = [np.array(one) for one in COUNTS]
        if coin:
            counts[a], counts[b] = counts[b], counts[a]
        ciphers = [public.encrypt(packing.pack(one)[0], self.powers) for one in counts]
        sealed = [seal(secrets.token_bytes(32), self.wide(cipher)) for cipher in ciphers[1:]]
        product = public.refresh(public.add(*ciphers), self.powers)
        return Summed(tuple(ciphers), tuple(sealed), product)

    def wide(self, cipher: mpz) -> bytes:
        """Write a ciphertext as it travels."""
        return int(cipher).to_bytes(self.key.public.bytes_each, "big")

    def aggregator(self, run: Summed) -> NDArray[np.uint8]:
        """Give the bits of the two honest ciphertexts: their ends, and their ratio's."""
        ratio = self.key.public.add(run.ciphers[1], pow(run.ciphers[2], -1, self.key.public.n2))
        return bits_of(*(ends(self.wide(one)) for one in (*run.ciphers[1:3], ratio)))

    def outside(self, run: Summed) -> NDArray[np.uint8]:
        """Give the bits of the envelopes and of what is passed on."""
        return bits_of(*(ends(one) for one in run.sealed), ends(self.wide(run.product)))

    def holder(self, run: Summed) -> NDArray[np.uint8]:
        """Give what the key holder sees: envelopes, the product, and the randomness inside it."""
        inside = int(run.product % self.key.public.n).to_bytes(self.key.public.bytes_each, "big")
        return np.concatenate([self.outside(run), bits_of(ends(inside))])

    def opens(self, run: Summed) -> bool:
        """Open a single share, as the aggregator and the key holder could together."""
        packing = Packing(self.key.public.bits, 2**24, len(COUNTS))
        share = packing.unpack([self.key.decrypt(run.ciphers[1])], len(COUNTS[1]))
        return bool((share == COUNTS[2]).all())

    def bare(self, run: Summed) -> bool:
        """Check whether a ciphertext is a known number without any randomness."""
        packing = Packing(self.key.public.bits, 2**24, len(COUNTS))
        known = packing.pack(np.array(COUNTS[2]))[0]
        return bool(run.ciphers[1] == 1 + self.key.public.n * known)


def ends(data: bytes, each: int = 32) -> bytes:
    """Give the first and the last bytes."""
    return data[:each] + data[-each:]


def paillier_settings(key: PrivateKey, powers: FixedBase) -> list[Setting]:
    """List the games against the Paillier sum: the relay and every single party."""
    bench = Bench(key, powers)
    middle: Sequence[Sight] = (
        Sight("relay", Learned(bench.outside), "hidden"),
        Sight("aggregator", Learned(bench.aggregator), "hidden"),
        Sight("aggregator", Direct("bare ciphertext", bench.bare), "hidden"),
        Sight("key holder", Learned(bench.holder), "hidden"),
    )
    both = Sight("aggregator and key holder", Direct("opened", bench.opens), "caught")
    return [
        Setting("paillier", partial(bench.play, a=1, b=2), tuple(middle)),
        Setting(
            "paillier",
            partial(bench.play, a=0, b=2),
            (Sight("a sender", Learned(bench.outside), "hidden"),),
        ),
        Setting("paillier, roles in one hand", partial(bench.play, a=1, b=2), (both,), games=500),
    ]
