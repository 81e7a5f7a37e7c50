"""Remote: reach the relay. Only outbound calls, over TLS, with both certificates pinned."""

import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import msgspec

from frankly.collaborate.certificates import Identity
from frankly.collaborate.message import MOST
from frankly.collaborate.session import Session
from frankly.errors import PartyError

__all__ = ["RelayPost", "Spoken"]

PAUSE = 0.2
ROOM = 2**20
"""What an answer may have beside the messages it carries."""


class Spoken(msgspec.Struct, frozen=True, rename={"senders": "from"}):
    """Who has spoken in one step, by the relay's word."""

    step: int
    senders: list[str]


class Status(msgspec.Struct, frozen=True):
    """How far a session is, by the relay's word."""

    steps: list[Spoken]


class Answer(msgspec.Struct, frozen=True):
    """What the relay answers."""

    status: int
    content: bytes


class RelayPost:
    """Carry messages by the session's relay.

    A relay that does not answer is tried again until patience runs out; one that shows the
    wrong certificate, or refuses ours, is not.

    Parameters
    ----------
    session
        What was agreed on; it says where the relay is and how to know it.
    identity
        Who we are.
    patience
        Seconds to wait for a relay that does not answer.
    """

    def __init__(self, session: Session, identity: Identity, patience: float = 600.0) -> None:
        url, certificate = session.relay.get("url", ""), session.relay.get("certificate", "")
        if not url.startswith("https://") or not certificate:
            raise PartyError(
                f"session {session.id} needs relay.url, which begins with https://, and "
                "relay.certificate"
            )
        self.session, self.patience = session, patience
        try:
            context = identity.client_context(certificate)
        except ssl.SSLError:
            raise PartyError(
                "relay.certificate in the session file is no certificate. Put the text of the "
                "relay's certificate.pem there; everybody then needs the new file"
            ) from None
        place = f"{url.rstrip('/')}/sessions/{session.hash.hex()}"
        self.client = httpx.Client(
            verify=context,
            base_url=place,
            timeout=30.0,
            trust_env=False,
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
        )

    def __enter__(self) -> "RelayPost":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def put(self, step: int, sender: int, message: bytes) -> None:
        """Hand in a message."""
        answer = self.ask("PUT", f"/{step}/{sender}", content=message)
        if answer.status == 409:
            raise PartyError(
                f"the relay holds another message of this party for step {step}. Its state was "
                "lost, or the session is run from two places. A second vector under the same masks "
                "would give the counts away, so this stops here: begin a new session"
            )
        self.fine(answer)

    def get(self, step: int, have: int) -> Mapping[int, bytes]:
        """Give the messages of a step by sender."""
        answer = self.fine(self.ask("GET", f"/{step}", params={"have": have}))
        try:
            return msgspec.msgpack.decode(answer.content, type=dict[int, bytes])
        except (msgspec.MsgspecError, RecursionError):
            raise damaged() from None

    def status(self) -> list[Spoken]:
        """Tell who has spoken in which step; the relay's word is not believed about names."""
        answer = self.fine(self.ask("GET", "/status"))
        try:
            steps = msgspec.json.decode(answer.content, type=Status).steps
        except (msgspec.MsgspecError, RecursionError):
            raise damaged() from None
        if not {name for one in steps for name in one.senders} <= {*self.session.names}:
            raise damaged()
        return steps

    def ask(self, method: str, path: str, **more: Any) -> Answer:
        """Call the relay, and read no more of its answer than all parties' messages can be."""
        most = len(self.session.parties) * MOST + ROOM

        def call() -> Answer:
            whole = bytearray()
            with self.client.stream(method, path, **more) as answer:
                for chunk in answer.iter_raw():
                    whole += chunk
                    if len(whole) > most:
                        raise damaged()
            return Answer(answer.status_code, bytes(whole))

        return self.patiently(call)

    def fine(self, answer: Answer) -> Answer:
        """Refuse an answer that is none."""
        if answer.status == 404:
            raise PartyError(
                "the relay runs another session file than this party. Compare the two files: "
                "a value, a certificate or the survey differs. Nothing was sent"
            )
        if not 200 <= answer.status < 300:
            said = answer.content[:400].decode(errors="replace")
            shown = "".join(letter if letter.isprintable() else " " for letter in said)
            raise PartyError(f"the relay refuses (status {answer.status}): {shown}")
        return answer

    def patiently(self, call: Callable[[], Answer]) -> Answer:
        """Call the relay, again and again while it is away."""
        until, hung_up = time.monotonic() + self.patience, 0
        while True:
            try:
                return call()
            except httpx.TransportError as error:
                closed = isinstance(error, httpx.RemoteProtocolError | httpx.ReadError)
                hung_up = hung_up + 1 if closed else 0
                refuse_certificates(error, hung_up)
                if time.monotonic() > until:
                    raise PartyError(
                        f"the relay has not answered for {self.patience:.0f} seconds. Nothing is "
                        "lost: run the same command again when it is back"
                    ) from None
                time.sleep(PAUSE)


def damaged() -> PartyError:
    """Say that the relay answers what no relay of this session would."""
    return PartyError(
        "the relay's answer is damaged. Run the same command again; if it happens again, the relay "
        "is broken, or is not what it should be"
    )


def refuse_certificates(error: httpx.TransportError, hung_up: int) -> None:
    """Stop at once when a certificate is wrong: waiting would not mend it.

    A relay that is away refuses connections. One that takes them and hangs up, again and
    again, does not know our certificate: that is all it lets a stranger see.
    """
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        raise PartyError(
            "the relay shows another certificate than the session file pins, or is not the "
            "host it is made out to. Somebody may stand between you: nothing was sent"
        ) from None
    if "ALERT" in str(error).upper() or hung_up >= 5:
        raise PartyError(
            "the relay does not accept this party's certificate. Use the folder whose "
            "certificate.pem is in the session file; the relay must run the same file"
        ) from None
