"""Collaborate: secure sums of ten parties with 450 counts, beside phe and in bytes."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from frankly.bench.measure import Row, cpu
from frankly.collaborate.masks import hide, mask_key, pair_secrets
from frankly.collaborate.message import Message, write_message
from frankly.collaborate.packing import Packing
from frankly.collaborate.paillier import FixedBase, PrivateKey, make_key
from frankly.collaborate.sums import seal

__all__ = ["rows"]

PARTIES, COUNTS, BITS = 10, 450, 3072
ROWS = (2**32 - 1) // PARTIES
"""Slots of 32 bits."""

SAMPLE = 12
"""Counts that phe encrypts one by one; its time for all of them is scaled from these."""


def rows() -> Iterator[Row | str]:
    """Measure secure sums; a text says what could not be measured."""
    counts = np.random.default_rng(1).integers(0, 3000, COUNTS)
    yield from mask_rows(counts)
    key = make_key(BITS)
    powers: list[FixedBase] = []
    table = cpu(lambda: powers.append(FixedBase.build(key.public, uses=10_000)), repeat=1)
    yield f"the table of powers, built once for a key of {BITS} bits, takes {table:.2f} s"
    if find_spec("phe") is None:
        yield "phe is not installed, and never shipped: run make bench"
        return
    yield from beside_phe(key, powers[0], counts)


def mask_rows(counts: Any) -> Iterator[Row]:
    """Measure one party's masks: time and bytes, against what we allow."""
    keys = [X25519PrivateKey.generate() for _ in range(PARTIES)]
    public = [key.public_key().public_bytes_raw() for key in keys]

    def party() -> bytes:
        shared = pair_secrets(0, keys[0], public)
        masks = {
            j: mask_key(s, b"session", 1, b"asked", b"seen", (0, j)) for j, s in shared.items()
        }
        return hide(counts, 0, masks).tobytes()

    repeat = 50
    spent = cpu(lambda: [party() for _ in range(repeat)], repeat=7) / repeat
    yield Row("masks of one party, beside 1 ms", spent, 0.001, 1, "at most")
    size = len(message(party()))
    yield Row(
        "message of one party, beside 8 bytes a count and 1 kB",
        size, 8 * COUNTS + 1000, 1, "at most", "bytes",
    )  # fmt: skip


def message(body: bytes) -> bytes:
    """Give a whole signed message, as it travels."""
    empty = bytes(32)
    said = Message(empty, 1, "share", 0, empty, empty, body)
    return write_message(said.signed(Ed25519PrivateKey.generate()))


def beside_phe(key: PrivateKey, powers: FixedBase, counts: Any) -> Iterator[Row]:
    """Measure one party's Paillier share beside phe, packed by hand and one by one."""
    from phe import PaillierPublicKey  # noqa: PLC0415 - GPL: only here, and never shipped

    packing = Packing(BITS, ROWS, PARTIES)
    public = PaillierPublicKey(int(key.public.n))

    def ours() -> bytes:
        ciphers = [key.public.encrypt(number, powers) for number in packing.pack(counts)]
        whole = b"".join(int(one).to_bytes(key.public.bytes_each, "big") for one in ciphers)
        return seal(bytes(32), whole)

    def by_hand() -> None:
        for number in packing.pack(counts):
            public.raw_encrypt(number)

    def one_by_one() -> None:
        for count in counts[:SAMPLE]:
            public.encrypt(int(count))

    mine = cpu(lambda: [ours() for _ in range(5)], repeat=5) / 5
    packed = cpu(by_hand)
    single = cpu(one_by_one) * COUNTS / SAMPLE
    yield Row("Paillier share, beside phe packed by hand", mine, packed, 12, "at least")
    yield Row("Paillier share, beside phe one a count", mine, single, 1000, "at least")
    size, theirs = len(message(ours())), COUNTS * key.public.bytes_each
    yield Row("message, beside phe one a count", size, theirs, 0.012, "at most", "bytes")
