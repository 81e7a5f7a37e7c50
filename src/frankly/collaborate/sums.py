"""Sums: the two schemes over the steps of a session."""

import json
import secrets
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from frankly.collaborate.circle import Asked
from frankly.collaborate.masks import Hidden, Vector, add_up, hide, mask_key, pair_secrets
from frankly.collaborate.message import Message
from frankly.collaborate.seat import Steps
from frankly.collaborate.session import Session
from frankly.errors import HeadroomError, NoResultError, PartyError

__all__ = ["MaskSum", "Purse", "sum_over"]

NONCE = 12
"""How many bytes an envelope begins with that are drawn for it alone."""


class Hello(msgspec.Struct, frozen=True, array_like=True):
    """What a party says first: its key for this session, and the Paillier key if it holds it."""

    exchange: bytes
    paillier: bytes = b""


class Purse:
    """A party's secrets in one session; whoever only listens has none.

    Parameters
    ----------
    exchange
        The X25519 key made for this session.
    paillier
        Gives the Paillier key's file, for the key holder.
    """

    def __init__(self, exchange: X25519PrivateKey, paillier: Callable[[], bytes]) -> None:
        self.exchange, self.paillier = exchange, paillier


def sum_over(steps: Steps, purse: Purse | None) -> "MaskSum":
    """Greet everybody, and give the session's way to add."""
    session = steps.transcript.session
    everybody = range(len(session.parties))
    scheme = {"masks": MaskSum, "paillier": paillier_sum}[session.scheme]

    def hello() -> bytes:
        if purse is None:
            raise TypeError("whoever only listens says nothing")
        public = purse.exchange.public_key().public_bytes_raw()
        holds = session.scheme == "paillier" and session.names[steps.me or 0] == session.key_holder
        return msgspec.msgpack.encode(
            Hello(public, public_half(purse.paillier()) if holds else b"")
        )

    said = steps.step("hello", session.hash, everybody, hello)
    greetings = [read_hello(message, session) for message in said]
    return scheme(steps, purse, greetings)


def public_half(private: bytes) -> bytes:
    """Give what may be shown of a Paillier key's file: n and h, and nothing else."""
    document = json.loads(private)
    return json.dumps({name: document[name] for name in ("n", "h")}).encode()


def read_hello(message: Message, session: Session) -> Hello:
    """Read a greeting."""
    try:
        hello = msgspec.msgpack.decode(message.body, type=Hello)
    except msgspec.MsgspecError:
        raise PartyError(f"{session.names[message.sender]} greets in another language") from None
    if len(hello.exchange) != 32:
        raise PartyError(f"{session.names[message.sender]} greets without a key")
    return hello


class MaskSum:
    """Add by masks: one step a sum, and everybody adds for itself."""

    def __init__(self, steps: Steps, purse: Purse | None, greetings: Sequence[Hello]) -> None:
        self.steps, self.session = steps, steps.transcript.session
        self.everybody = range(len(greetings))
        self.secrets: dict[int, bytes] = {}
        if purse is not None and steps.me is not None:
            public = [greeting.exchange for greeting in greetings]
            self.secrets = pair_secrets(steps.me, purse.exchange, public)

    def key(self, other: int, step: int, about: bytes, seen: bytes) -> bytes:
        """Derive the key shared with one other party for one question in one step."""
        pair = (self.steps.me or 0, other)
        return mask_key(self.secrets[other], self.session.hash, step, about, seen, pair)

    def total(self, vector: Callable[[], Vector], asked: Asked) -> Vector:
        """Add everybody's numbers, modulo 2**64."""
        place = self.number(), asked.about, self.steps.transcript.head

        def share() -> bytes:
            keys = {other: self.key(other, *place) for other in self.secrets}
            hidden = hide(bounded(vector(), asked, self.session), self.steps.me or 0, keys)
            return hidden.astype("<u8").tobytes()

        said = self.steps.step("share", asked.about, self.everybody, share)
        total = add_up([read_hidden(message, asked.length, self.session) for message in said])
        return opened(total, asked, self.session)

    def number(self) -> int:
        """Tell which step comes next."""
        return int(getattr(self.steps, "now", 0))


def bounded(vector: Vector, asked: Asked, session: Session) -> Vector:
    """Refuse numbers above what was agreed: their sum could wrap around."""
    if not within(vector, 1, asked, session):
        raise HeadroomError(
            f"a party may bring up to {session.rows:,} rows in session {session.id}, and there "
            "are more here. Nothing was sent. Agree on a new session with more `rows`"
        )
    return vector


def read_hidden(message: Message, length: int, session: Session) -> Hidden:
    """Read masked numbers, and refuse another length than was asked."""
    if len(message.body) != 8 * length:
        raise NoResultError(
            f"{session.names[message.sender]} sends {len(message.body) // 8} numbers where "
            f"{length} were asked. Its survey or its version of frankly differs"
        )
    return np.frombuffer(message.body, dtype="<u8").astype(np.uint64)


def within(vector: Vector, parties: int, asked: Asked, session: Session) -> bool:
    """Tell whether numbers can be the sum of so many parties' counts."""
    most = parties * (asked.most or session.rows)
    return not vector.size or (int(vector.min()) >= 0 and int(vector.max()) <= most)


def small_cells(total: Vector, asked: Asked, session: Session) -> int:
    """Tell how many cells are too small to be opened; only counts have such cells."""
    if asked.most is not None:
        return 0
    return int(((total > 0) & (total < session.minimum_cell)).sum())


def opened(total: Vector, asked: Asked, session: Session) -> Vector:
    """Refuse a sum that no counts have, and one that shows too small a cell."""
    if not within(total, len(session.parties), asked, session):
        raise impossible(session)
    if small_cells(total, asked, session):
        raise too_small(session)
    return total


def impossible(session: Session) -> NoResultError:
    """Say that no counts add up to this, and what to do."""
    return NoResultError(
        f"the sums of session {session.id} are impossible: a party has sent numbers that are no "
        "counts, or its state was mixed up. There is no result. Find out whose, and begin a new "
        "session"
    )


def too_small(session: Session) -> NoResultError:
    """Say that some cell is too small to be opened, and what to do."""
    return NoResultError(
        f"some pooled cell holds fewer than {session.minimum_cell} people, less than session "
        f"{session.id} allows to be opened, so there is no result. Merge rare values, ask for "
        "smaller tables, or find more parties"
    )


def seal(key: bytes, data: bytes) -> bytes:
    """Close an envelope that one other party can open; no two are alike, even under one key."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, data, None)


def unseal(key: bytes, data: bytes, who: str) -> bytes:
    """Open an envelope."""
    try:
        return ChaCha20Poly1305(key).decrypt(data[:NONCE], data[NONCE:], None)
    except (InvalidTag, ValueError):
        raise PartyError(
            f"the envelope of {who} cannot be opened: it was sealed for another session or "
            "altered. Begin a new session"
        ) from None


def paillier_sum(steps: Steps, purse: Purse | None, greetings: Sequence[Hello]) -> MaskSum:
    """Load the second scheme only when it is wanted: it needs gmpy2."""
    from frankly.collaborate.paillier_sum import PaillierSum  # noqa: PLC0415

    return PaillierSum(steps, purse, greetings)
