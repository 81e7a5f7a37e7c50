"""Transcript: every public message of a session, signed by its sender and chained by hashes.

One line a step. The first line holds the session and the survey, so the file can be checked
by anybody, with nothing else at hand.
"""

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from frankly.collaborate.message import Message, digest, read_message, verified, write_message
from frankly.collaborate.session import Session
from frankly.collaborate.state import write_whole
from frankly.design import Design
from frankly.errors import FranklyError, PartyError

__all__ = ["Transcript"]


class Transcript:
    """The messages of all finished steps, in order; in memory, or also in a file.

    Parameters
    ----------
    session
        What was agreed on.
    design
        The survey.
    steps
        The messages of each finished step, in the order of the roster.
    """

    def __init__(
        self, session: Session, design: Design, steps: Sequence[Sequence[Message]] = ()
    ) -> None:
        self.session, self.design = session, design
        self.steps: list[tuple[Message, ...]] = []
        self.head = digest(b"frankly transcript 1", session.hash, design.fingerprint.encode())
        self.path: Path | None = None
        for messages in steps:
            self.add(messages)

    def add(self, messages: Sequence[Message]) -> None:
        """Add a finished step; every message must say it comes after all that is here."""
        checked(messages, self.session, len(self.steps), self.head)
        self.steps.append(tuple(messages))
        self.head = digest(self.head, *(write_message(message) for message in messages))
        if self.path is not None:
            append(self.path, self.line(messages))

    def first(self) -> dict[str, Any]:
        """Give what the first line of the file holds."""
        return {"session": self.session.document(), "design": self.design.document()}

    def line(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Give what the line of one step holds."""
        texts = [base64.b64encode(write_message(message)).decode() for message in messages]
        return {"step": messages[0].step, "messages": texts, "head": self.head.hex()}

    @classmethod
    def open(cls, path: Path, session: Session, design: Design) -> "Transcript":
        """Go on with the file of a session, or begin it; a half-written last line is dropped."""
        whole = path.read_bytes() if path.exists() else b""
        kept = whole[: whole.rfind(b"\n") + 1]
        if not kept:
            found = cls(session, design)
            write_whole(path, written(found.first()))
        else:
            if kept != whole:
                write_whole(path, kept)
            found = cls.load(path)
            if found.session.hash != session.hash:
                raise PartyError(
                    f"{path} belongs to another session. Use another folder, or a new id"
                )
        found.path = path
        return found

    @classmethod
    def load(cls, path: Path) -> "Transcript":
        """Read a transcript and check it whole: chain, signatures, order."""
        lines = path.read_text(encoding="utf-8").split("\n")
        try:
            if lines.pop():
                raise PartyError("its last line is cut off")
            opening, *rest = (json.loads(line) for line in lines)
            design = Design.from_document(opening["design"])
            session = Session.from_document(opening["session"])
            session.check_design(design)
            found = cls(session, design)
            for number, entry in enumerate(rest):
                found.add([found.read(text) for text in entry["messages"]])
                if (entry["step"], entry["head"]) != (number, found.head.hex()):
                    raise PartyError(f"the chain of hashes breaks at step {number}")
        except (ValueError, KeyError, TypeError, AttributeError, FranklyError) as error:
            said = str(error) if isinstance(error, PartyError) else "a line cannot be read"
            raise PartyError(
                f"{path.name} is not the transcript that was signed: {said}. Do not rely on "
                "it; every party holds a copy, compare theirs"
            ) from None
        return found

    def read(self, text: str) -> Message:
        """Read one message and check its signature by the roster."""
        data = base64.b64decode(text, validate=True)
        return signed_by_roster(data, self.session)


def signed_by_roster(data: bytes, session: Session) -> Message:
    """Read a message of this session and check its signature by the roster."""
    sender = read_message(data).sender
    if not 0 <= sender < len(session.keys):
        raise PartyError("a message names a sender who is not in the roster")
    message = verified(data, session.keys[sender])
    if message.session != session.hash:
        raise PartyError(
            f"{session.names[sender]} has signed another session file than this one. Compare "
            "the two files: a value, a certificate or the survey differs. Nothing was sent"
        )
    return message


def checked(messages: Sequence[Message], session: Session, step: int, head: bytes) -> None:
    """Refuse messages that are out of order, repeated, or answer to another history."""
    for message in messages:
        who = session.names[message.sender]
        if message.step != step:
            raise PartyError(
                f"a message of {who} belongs to step {message.step}, not to step {step}: it was "
                "replayed or came out of order, and was not used"
            )
        if message.seen != head:
            raise PartyError(
                f"{who} has seen other messages before step {step} than this party has: somebody "
                "shows different parties different messages, or an old state was put back. "
                "Stop, and begin a new session with new keys"
            )
    if len({m.kind for m in messages}) > 1 or len({m.about for m in messages}) > 1:
        raise PartyError(
            f"in step {step} the parties ask different questions, so their numbers cannot be "
            "added. All must run the same version of frankly with the same session file"
        )
    senders = [message.sender for message in messages]
    if senders != sorted(set(senders)) or not senders:
        raise PartyError(f"in step {step} a party is missing, or speaks twice")


def written(entry: dict[str, Any]) -> bytes:
    """Give the bytes of one line."""
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def append(path: Path, entry: dict[str, Any]) -> None:
    """Write one line, and be sure it is on the disk."""
    with path.open("ab") as file:
        file.write(written(entry))
        file.flush()
        os.fsync(file.fileno())
