"""Party: take part in a session, from the first greeting to the result."""

import json
from pathlib import Path
from typing import Any

from frankly.collaborate.certificates import Identity
from frankly.collaborate.seat import Listener, Post, Seat, Watch
from frankly.collaborate.session import Session
from frankly.collaborate.state import State
from frankly.collaborate.sums import Purse, sum_over
from frankly.collaborate.tasks import Home, check_task, perform
from frankly.collaborate.transcript import Transcript
from frankly.design import Design
from frankly.errors import NoResultError, PartyError

__all__ = ["join", "replay"]

PATIENT = Watch()


def join(
    session: Session,
    design: Design,
    identity: Identity,
    home: Home,
    post: Post,
    state: State,
    watch: Watch = PATIENT,
) -> dict[str, Any]:
    """Take part in a session and give its result, the same for every party.

    Run it again after a crash: it goes on where it stopped.

    Parameters
    ----------
    session, design
        What was agreed on, and the survey; they must fit.
    identity
        Who we are.
    home
        What we have, and never show.
    post
        Who carries the messages.
    state
        Our folder for this session.
    watch
        How long we wait, and who is told about it.
    """
    session.check_design(design)
    check_task(session, design)
    me = session.position(identity.name, identity.certificate)
    with state.alone():
        transcript = Transcript.open(state.transcript, session, design)

        def result() -> bytes:
            seat = Seat(me, identity.key, post, state, transcript, watch)
            purse = Purse(state.exchange_key(), lambda: paillier_key(session, state))
            found = perform(session, design, sum_over(seat, purse), home, identity.name)
            return json.dumps(found, ensure_ascii=False).encode()

        try:
            found: dict[str, Any] = json.loads(state.once("result.json", result))
        except NoResultError:
            state.forget()
            raise
        state.forget()
        return found


def paillier_key(session: Session, state: State) -> bytes:
    """Give the key holder's key, made once for the session and kept until it is over."""
    from frankly.collaborate.paillier import make_key  # noqa: PLC0415 - only this needs gmpy2

    return state.once("paillier.json", lambda: make_key(session.bits).to_bytes())


def replay(path: Path) -> tuple[Transcript, dict[str, Any]]:
    """Check a transcript, and compute the result again from nothing but what was sent."""
    transcript = Transcript.load(path)
    check_task(transcript.session, transcript.design)
    listener = Listener(transcript)
    found = perform(transcript.session, transcript.design, sum_over(listener, None), None)
    if listener.now != len(transcript.steps):
        raise PartyError(
            f"{path.name} goes on after the result was reached: something was added to it"
        )
    return transcript, found
