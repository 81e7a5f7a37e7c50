"""Message: what a party says in one step, signed, and bound to everything said before."""

import hashlib
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from frankly.errors import PartyError

__all__ = ["Message", "Signer", "read_message", "verified", "write_message"]

CONTEXT = b"frankly collaborate message 1\0"
MOST = 2**27


class Signer(Protocol):
    """Whoever can sign: an Ed25519 private key."""

    def sign(self, data: bytes, /) -> bytes:
        """Sign some bytes."""


class Message(msgspec.Struct, frozen=True, array_like=True):
    """One signed message.

    Attributes
    ----------
    session
        Hash of the session file.
    step
        Which step of the session, from 0.
    kind
        What is said in this step: ``hello``, ``share``, ``product`` or ``sum``.
    sender
        Position of the party in the roster.
    about
        Hash of the question this step answers.
    seen
        Head of the transcript before this step. Two parties that were shown different
        messages have different heads, so a relay that lies to one of them is found out.
    body
        What is said.
    signature
        Ed25519, over all of the above.

    Examples
    --------
    >>> from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    >>> key = Ed25519PrivateKey.generate()
    >>> said = Message(b"s" * 32, 0, "hello", 1, b"", b"", b"body").signed(key)
    >>> verified(write_message(said), key.public_key()).body
    b'body'
    """

    session: bytes
    step: int
    kind: str
    sender: int
    about: bytes
    seen: bytes
    body: bytes
    signature: bytes = b""

    def to_sign(self) -> bytes:
        """Give the bytes that are signed: everything but the signature."""
        return CONTEXT + msgspec.msgpack.encode(msgspec.structs.replace(self, signature=b""))

    def signed(self, key: Signer) -> "Message":
        """Sign the message."""
        return msgspec.structs.replace(self, signature=key.sign(self.to_sign()))


def write_message(message: Message) -> bytes:
    """Give the bytes that travel."""
    return msgspec.msgpack.encode(message)


def read_message(data: bytes) -> Message:
    """Read what has travelled, or refuse it."""
    try:
        message = msgspec.msgpack.decode(data, type=Message)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise PartyError(
            "a message is damaged: it was cut or altered on its way. Send it again; a party does "
            "so by itself when its command is run again"
        ) from None
    if write_message(message) != data:
        raise PartyError("a message has more than one way to be read, and is refused for that")
    return message


def verified(data: bytes, key: Ed25519PublicKey) -> Message:
    """Read a message and check its signature."""
    message = read_message(data)
    try:
        key.verify(message.signature, message.to_sign())
    except InvalidSignature:
        raise PartyError(
            f"the signature on a message of step {message.step} is wrong: it was altered, or it "
            "does not come from the party it names. Nothing of it was used. If it happens again, "
            "compare the certificates in the session file with the parties themselves"
        ) from None
    return message


def digest(*parts: bytes) -> bytes:
    """Hash some byte strings, each with its length, so that no two lists hash alike."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()
