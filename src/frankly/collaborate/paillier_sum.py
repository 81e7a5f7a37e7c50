"""Paillier sum: counts travel encrypted and sealed; one party adds, another opens the sum."""

import json
from collections.abc import Callable, Sequence

import numpy as np
from gmpy2 import mpz

from frankly.collaborate.circle import Asked
from frankly.collaborate.masks import Vector
from frankly.collaborate.message import Message
from frankly.collaborate.packing import Packing
from frankly.collaborate.paillier import FixedBase, PrivateKey, PublicKey
from frankly.collaborate.seat import Steps
from frankly.collaborate.sums import (
    Hello,
    MaskSum,
    Purse,
    impossible,
    opened,
    seal,
    small_cells,
    too_small,
    unseal,
)
from frankly.errors import HeadroomError, NoResultError, PartyError

__all__ = ["PaillierSum"]

IMPOSSIBLE = b"no sum"
"""What the key holder says instead of numbers that no counts add up to."""


class PaillierSum(MaskSum):
    """Add encrypted numbers.

    Three steps a sum. Everybody sends its encrypted counts to the aggregator, in an envelope
    that neither the relay nor the key holder can open. The aggregator multiplies, refreshes
    and passes on one ciphertext. The key holder opens that one and tells the sum.
    """

    def __init__(self, steps: Steps, purse: Purse | None, greetings: Sequence[Hello]) -> None:
        super().__init__(steps, purse, greetings)
        names = self.session.names
        self.adds, self.opens = (
            names.index(role) for role in (self.session.aggregator, self.session.key_holder)
        )
        self.public = read_key(greetings[self.opens].paillier, self.session.bits)
        self.private: PrivateKey | None = None
        self.powers: FixedBase | None = None
        if purse is not None and steps.me == self.opens:
            self.private = PrivateKey.from_document(json.loads(purse.paillier()))

    def total(self, vector: Callable[[], Vector], asked: Asked) -> Vector:
        """Add everybody's numbers; only the sum is ever opened."""
        about, length = asked.about, asked.length
        packing = Packing(self.public.bits, asked.most or self.session.rows, len(self.everybody))
        others = [party for party in self.everybody if party != self.adds]
        place = self.number(), about, self.steps.transcript.head

        def share() -> bytes:
            return seal(self.key(self.adds, *place), self.share(vector(), packing))

        def product() -> bytes:
            own = self.read(self.share(vector(), packing), packing.needed(length))
            return self.product(own, shares)

        def total() -> bytes:
            return self.open(added[0].body, packing, asked)

        shares = self.steps.step("share", about, others, share)
        added = self.steps.step("product", about, [self.adds], product)
        said = self.steps.step("sum", about, [self.opens], total)[0].body
        if not said:
            raise too_small(self.session)
        if said == IMPOSSIBLE:
            raise impossible(self.session)
        if len(said) != 8 * length:
            raise NoResultError("the key holder tells a sum of another length than was asked")
        return opened(np.frombuffer(said, dtype="<i8").astype(np.int64), asked, self.session)

    def share(self, vector: Vector, packing: Packing) -> bytes:
        """Encrypt this party's numbers."""
        packed = packing.pack(vector)
        powers = self.table(len(packed))
        return self.write([self.public.encrypt(number, powers) for number in packed])

    def product(self, own: Sequence[mpz], shares: Sequence[Message]) -> bytes:
        """Open the envelopes, add what is in them and our own, and make it unrecognisable."""
        everyone = [own]
        for message in shares:
            who = self.session.names[message.sender]
            key = self.key(message.sender, message.step, message.about, message.seen)
            sealed = unseal(key, message.body, who)
            everyone.append(self.read(sealed, len(own)))
        powers = self.table(len(own))
        columns = zip(*everyone, strict=True)
        added = [self.public.refresh(self.public.add(*column), powers) for column in columns]
        return self.write(added)

    def open(self, body: bytes, packing: Packing, asked: Asked) -> bytes:
        """Open the sum and tell it, unless it is impossible or a cell is too small to be told."""
        if self.private is None:
            raise TypeError("only the key holder opens")
        ciphers = self.read(body, packing.needed(asked.length))
        packed = [self.private.decrypt(cipher) for cipher in ciphers]
        try:
            total = packing.unpack(packed, asked.length)
        except HeadroomError:
            return IMPOSSIBLE
        return b"" if small_cells(total, asked, self.session) else total.astype("<i8").tobytes()

    def table(self, uses: int) -> FixedBase:
        """Give the powers of the key's base, made once."""
        if self.powers is None:
            self.powers = FixedBase.build(self.public, uses)
        return self.powers

    def write(self, ciphers: Sequence[mpz]) -> bytes:
        """Write ciphertexts, all of one length."""
        return b"".join(int(one).to_bytes(self.public.bytes_each, "big") for one in ciphers)

    def read(self, data: bytes, count: int) -> list[mpz]:
        """Read ciphertexts, and refuse another number of them than was asked."""
        each = self.public.bytes_each
        if len(data) != each * count:
            raise PartyError(
                "a party sends more or fewer ciphertexts than were asked. Its survey or its "
                "version of frankly differs"
            )
        parts = [data[at : at + each] for at in range(0, len(data), each)]
        return [self.public.checked(mpz(int.from_bytes(part, "big"))) for part in parts]


def read_key(data: bytes, bits: int) -> PublicKey:
    """Read the key holder's public key, of the size that was agreed on."""
    try:
        # Two numbers of `bits` take half as many hexadecimal digits; more is no key.
        document = json.loads(data) if len(data) < bits else {}
    except (ValueError, RecursionError):
        raise PartyError("the key holder greets without a Paillier key") from None
    key = PublicKey.from_document(document)
    if key.bits != bits:
        raise PartyError(f"{bits} bits were agreed on, and the key holder's key has {key.bits}")
    return key
