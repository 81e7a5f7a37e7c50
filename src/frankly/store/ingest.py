"""Ingest: many answers, one transaction; each is told apart only by its own outcome."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import SystemRandom
from typing import Literal

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, OperationalError

from frankly.store.counters import Counters, Tally
from frankly.store.rows import Rows
from frankly.store.store import Store, read_design
from frankly.store.tables import UNUSED, counter, invitation, survey

__all__ = ["Answer", "Outcome", "ingest"]

Outcome = Literal["stored", "again", "taken", "unknown", "closed", "missing"]
"""``stored``; ``again``: this very answer was stored before; ``taken``: the invitation was used by
another; ``unknown`` invitation; ``closed`` or ``missing`` survey."""

SHARD = secrets.randbelow(2**31)
"""Each process adds to counters of its own, so that workers never wait for each other."""

TRIES = 5
chance = SystemRandom()

USE = (
    update(invitation)
    .where(invitation.c.survey == bindparam("s"), invitation.c.secret == bindparam("k"))
    .values(receipt=bindparam("r"))
)


@dataclass(frozen=True)
class Answer:
    """One report on its way in: hashes of its secrets, and its codes.

    ``secret`` is None where anyone may answer.
    """

    survey: str
    secret: bytes | None
    receipt: bytes
    row: bytes


def ingest(store: Store, answers: Sequence[Answer], *, tidy: bool = True) -> list[Outcome]:
    """Store what is new, in one durable transaction; give the outcome of each.

    When this returns, everything it calls stored survives the loss of power. Whoever says
    ``tidy=False`` calls ``store.tidy()`` next, when nobody waits any more.
    """
    for attempt in range(TRIES):
        try:
            with store.writing(tidy=tidy) as connection:
                return batch(store, connection, answers)
        except IntegrityError:  # another worker stored the same receipt a moment ago
            store.dialect.forget()
            if attempt == TRIES - 1:
                raise
        except BaseException:
            store.dialect.forget()
            raise
    raise OperationalError("ingest", {}, Exception("no attempt was made"))


def batch(store: Store, connection: Connection, answers: Sequence[Answer]) -> list[Outcome]:
    """Judge and store the answers of a batch, survey by survey."""
    outcomes: dict[int, Outcome] = {}
    for name in sorted({answer.survey for answer in answers}):
        mine = {i: answer for i, answer in enumerate(answers) if answer.survey == name}
        outcomes |= of_survey(store, connection, name, mine)
    return [outcomes[i] for i in range(len(answers))]


def of_survey(
    store: Store, connection: Connection, name: str, answers: dict[int, Answer]
) -> dict[int, Outcome]:
    """Judge and store the answers to one survey."""
    found = connection.execute(
        select(survey.c.state, survey.c.mode, survey.c.document).where(survey.c.name == name)
    ).one_or_none()
    if found is None:
        return dict.fromkeys(answers, "missing")
    used = receipts(connection, name, answers.values())
    outcomes: dict[int, Outcome] = {}
    fresh: list[Answer] = []
    for i, answer in answers.items():
        outcomes[i] = judge(answer, used, found.state, found.mode)
        if outcomes[i] == "stored":
            used[key(answer)] = answer.receipt
            fresh.append(answer)
    if fresh:
        keep(store, connection, found.document, fresh)
    return outcomes


def key(answer: Answer) -> bytes:
    """Tell what may be used once: the invitation, or where anyone may answer the receipt."""
    return answer.receipt if answer.secret is None else answer.secret


def receipts(connection: Connection, name: str, answers: Iterable[Answer]) -> dict[bytes, bytes]:
    """Read and lock the invitations of a batch, in one order for all workers."""
    keys = sorted({key(answer) for answer in answers})
    query = select(invitation.c.secret, invitation.c.receipt).where(
        invitation.c.survey == name, invitation.c.secret.in_(keys)
    )
    rows = connection.execute(query.order_by(invitation.c.secret).with_for_update())
    return {row.secret: row.receipt for row in rows}


def judge(answer: Answer, used: dict[bytes, bytes], state: str, mode: str) -> Outcome:
    """Tell what becomes of one answer."""
    receipt = used.get(key(answer))
    if receipt == answer.receipt:
        return "again"
    if state != "open":
        return "closed"
    if mode == "anyone":
        return "stored" if answer.secret is None else "unknown"
    if receipt is None or answer.secret is None:
        return "unknown"
    return "stored" if receipt == UNUSED else "taken"


def keep(store: Store, connection: Connection, document: str, fresh: list[Answer]) -> None:
    """Store reports, the use of their invitations, and the counters, unlinked and shuffled."""
    name = fresh[0].survey
    invited = [a for a in fresh if a.secret is not None]
    if invited:
        changes = [{"s": name, "k": a.secret, "r": a.receipt} for a in invited]
        connection.execute(USE, changes)
    alone = sorted(a.receipt for a in fresh if a.secret is None)
    if alone:
        new = [{"survey": name, "secret": r, "receipt": r} for r in alone]
        connection.execute(insert(invitation), new)
    rows = [a.row for a in fresh]
    chance.shuffle(rows)
    plan = counters(document)
    store.dialect.place(connection, name, rows, Rows(plan.design).blank)
    add(connection, name, plan.tally(rows))


@lru_cache(maxsize=64)
def counters(document: str) -> Counters:
    """Plan the counters of a stored document, once."""
    return Counters(read_design(document))


def add(connection: Connection, name: str, tally: Tally) -> None:
    """Add a batch to the live counters of this process."""
    upsert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(counter)
    statement = upsert.on_conflict_do_update(
        index_elements=list(counter.primary_key), set_={"n": counter.c.n + upsert.excluded.n}
    )
    rows = [
        {"survey": name, "form": form, "names": names, "cell": cell, "shard": SHARD, "n": n}
        for (form, names, cell), n in sorted(tally.items())
    ]
    connection.execute(statement, rows)
