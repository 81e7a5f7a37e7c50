"""Seat: one party's place in a session. In each step it says something and hears everybody."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from frankly.collaborate.message import Message, Signer, write_message
from frankly.collaborate.state import State
from frankly.collaborate.transcript import Transcript, checked, signed_by_roster
from frankly.errors import PartyError

__all__ = ["Listener", "Post", "Seat", "Steps", "Watch"]

Tell = Callable[[int, str, int, int], None]
"""Say how far a step is: its number, its kind, how many were heard, out of how many."""


@dataclass(frozen=True)
class Watch:
    """How long a party waits, and who is told about it.

    Parameters
    ----------
    patience
        Seconds without any news after which it stops waiting.
    tell
        Is told how far each step is.
    """

    patience: float = 600.0
    tell: Tell = lambda *_: None


class Post(Protocol):
    """Whoever carries messages between the parties; it is not trusted."""

    def put(self, step: int, sender: int, message: bytes) -> None:
        """Hand in a message; the same message may be handed in again."""

    def get(self, step: int, have: int) -> Mapping[int, bytes]:
        """Give the messages of a step by sender; wait a little for more than ``have``."""


class Steps(Protocol):
    """A session as a scheme sees it: one step after the other."""

    @property
    def transcript(self) -> Transcript:
        """What was said so far."""

    @property
    def me(self) -> int | None:
        """The party's position, or None for whoever only reads the transcript."""

    def step(
        self, kind: str, about: bytes, senders: Sequence[int], make: Callable[[], bytes]
    ) -> list[Message]:
        """Take the next step: say what ``make`` gives, if it is our turn, and hear the senders."""


class Seat:
    """A party that takes part.

    Parameters
    ----------
    me
        Its position in the roster.
    key
        What it signs with.
    post
        Who carries its messages.
    state
        What it keeps on disk.
    transcript
        What was said so far.
    watch
        How long it waits, and who is told about it.
    """

    def __init__(
        self,
        me: int,
        key: Signer,
        post: Post,
        state: State,
        transcript: Transcript,
        watch: Watch,
    ) -> None:
        self.me: int | None = me
        self.key, self.post, self.state, self.transcript = key, post, state, transcript
        self.patience, self.tell = watch.patience, watch.tell
        self.now = 0

    def step(
        self, kind: str, about: bytes, senders: Sequence[int], make: Callable[[], bytes]
    ) -> list[Message]:
        """Take the next step; one that was finished before a crash is read from the transcript."""
        number, self.now = self.now, self.now + 1
        if number < len(self.transcript.steps):
            return recorded(self.transcript, number, kind, about)
        if self.me in senders:
            self.say(number, kind, about, make)
        heard = self.hear(number, kind, about, senders)
        self.transcript.add(heard)
        return heard

    def say(self, step: int, kind: str, about: bytes, make: Callable[[], bytes]) -> None:
        """Sign, keep and send; after a crash, send again what was kept."""
        me = self.me or 0
        session, head = self.transcript.session, self.transcript.head

        def signed() -> bytes:
            message = Message(session.hash, step, kind, me, about, head, make())
            return write_message(message.signed(self.key))

        self.post.put(step, me, self.state.said(step, signed))

    def hear(self, step: int, kind: str, about: bytes, senders: Sequence[int]) -> list[Message]:
        """Wait for all senders of a step, and check what they say."""
        heard: dict[int, Message] = {}
        last = time.monotonic()
        while len(heard) < len(senders):
            self.tell(step, kind, len(heard), len(senders))
            found = self.post.get(step, len(heard))
            self.repeat(step, found)
            for sender in set(found) & set(senders) - set(heard):
                heard[sender] = self.checked(found[sender], sender, step, kind, about)
                last = time.monotonic()
            if time.monotonic() - last > self.patience:
                raise PartyError(self.missing(step, [s for s in senders if s not in heard]))
        self.tell(step, kind, len(heard), len(senders))
        return [heard[sender] for sender in sorted(heard)]

    def checked(self, data: bytes, sender: int, step: int, kind: str, about: bytes) -> Message:
        """Read a message, and refuse what does not belong here."""
        message = signed_by_roster(data, self.transcript.session)
        if message.sender != sender:
            raise PartyError(
                f"a message of {self.transcript.session.names[message.sender]} was handed over as "
                "somebody else's, and was not used"
            )
        checked([message], self.transcript.session, step, self.transcript.head)
        same_question(self.transcript, message, kind, about)
        return message

    def repeat(self, step: int, found: Mapping[int, bytes]) -> None:
        """Send everything again if the relay has lost it."""
        said = self.state.everything_said()
        if self.me is not None and step in said and self.me not in found:
            for number, message in said.items():
                self.post.put(number, self.me, message)

    def missing(self, step: int, senders: Sequence[int]) -> str:
        """Say who is missing, and what to do."""
        names = ", ".join(self.transcript.session.names[sender] for sender in senders)
        return (
            f"step {step} is still waiting for {names} after {self.patience:.0f} seconds without "
            "news. Nothing is lost: run the same command again when they are there, and the "
            "session goes on where it stopped. If they have their result already, the relay has "
            "lost what they sent, and they never send it again: then, or to do without them, "
            "begin a new session"
        )


class Listener:
    """Whoever reads a transcript afterwards and walks through the same steps.

    Parameters
    ----------
    transcript
        A checked transcript.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.me: int | None = None
        self.now = 0

    def step(
        self, kind: str, about: bytes, senders: Sequence[int], make: Callable[[], bytes]
    ) -> list[Message]:
        """Give what was said in the next step."""
        del make
        number, self.now = self.now, self.now + 1
        if number >= len(self.transcript.steps):
            raise PartyError(
                f"the transcript ends before step {number}: the session was not finished"
            )
        heard = recorded(self.transcript, number, kind, about)
        if [message.sender for message in heard] != sorted(senders):
            raise PartyError(f"in step {number} a party is missing from the transcript")
        return heard


def recorded(transcript: Transcript, step: int, kind: str, about: bytes) -> list[Message]:
    """Read a finished step, and check that it answered the same question."""
    for message in transcript.steps[step]:
        same_question(transcript, message, kind, about)
    return list(transcript.steps[step])


def same_question(transcript: Transcript, message: Message, kind: str, about: bytes) -> None:
    """Refuse an answer to another question than the one asked here."""
    if (message.kind, message.about) != (kind, about):
        who = transcript.session.names[message.sender]
        raise PartyError(
            f"in step {message.step} {who} answers another question than this party asks. All "
            "must run the same version of frankly with the same session file; then begin a new "
            "session"
        )
