"""Ingest: many answers, one transaction; each is told apart only by its own outcome."""

import select
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from frankly.store.batch import SILENCE, Batch, Look, Seen, Wait, shuffled
from frankly.store.counters import Counters, Vector
from frankly.store.store import Store, read_design
from frankly.store.tables import UNUSED

__all__ = ["Answer", "Outcome", "Ready", "ingest", "keep", "ready", "straight"]

Outcome = Literal["stored", "again", "taken", "unknown", "closed", "missing", "other"]
"""``stored``; ``again``: this very answer was stored before; ``taken``: the invitation was used by
another; ``unknown`` invitation; ``closed`` or ``missing`` survey; ``other``: by now another survey
has its name, with another design."""

TRIES = 5

REMEMBERED = 64
"""So many designs are remembered by a worker."""


@dataclass(frozen=True)
class Answer:
    """One report on its way in: hashes of its secrets, and its codes.

    ``secret`` is None where anyone may answer; ``fingerprint`` is that of the design which the
    codes were made by, or None where it cannot be another.
    """

    survey: str
    secret: bytes | None
    receipt: bytes
    row: bytes
    fingerprint: str | None = None


def ingest(store: Store, answers: Sequence[Answer], *, tidy: bool = True) -> list[Outcome]:
    """Store what is new, in one durable transaction; give the outcome of each.

    When this returns, everything it calls stored survives the loss of power. Whoever says
    ``tidy=False`` calls ``store.tidy()`` next, when nobody waits any more.
    """
    outcomes = keep(store, ready(store, answers))
    if tidy:
        store.tidy()
    return outcomes


def ready(store: Store, answers: Sequence[Answer]) -> "list[Ready]":
    """Do what can be done before the database is asked: survey by survey, in one order for all.

    No other batch of this store may be on its way: what is assumed is how the last one left it.
    """
    return [
        Ready.of(store, {i: answer for i, answer in enumerate(answers) if answer.survey == name})
        for name in sorted({answer.survey for answer in answers})
    ]


def straight(store: Store, made: "Sequence[Ready]") -> Batch | None:
    """Give the batch that can be sent to the database at once, without waiting in a thread."""
    batch = made[0].batch if len(made) == 1 else None
    return batch if batch is not None and store.lines and store.dialect.light(batch) else None


def keep(store: Store, made: "Sequence[Ready]") -> list[Outcome]:
    """Store what was made ready, in one durable transaction; give the outcome of each answer."""
    for attempt in range(TRIES):
        try:
            with store.at_once(len(made)) as raw:
                outcomes = [of_survey(store, raw, one) for one in made]
        except BaseException as error:
            store.dialect.forget()
            made = [replace(one, batch=None) for one in made]
            # Another worker stored the same receipt a moment ago: now we shall see it.
            if attempt == TRIES - 1 or not isinstance(error, store.driver.IntegrityError):
                raise
        else:
            break
    by_place = {i: outcome for one in outcomes for i, outcome in one.items()}
    return [by_place[i] for i in range(len(by_place))]


@dataclass(frozen=True)
class Sent:
    """Answers to one survey by their places in a batch, made ready before anybody has to wait.

    ``pairs``, ``codes`` and ``counted`` are of all of them: what a `Batch` wants, if all are new.
    ``counted`` is None for a design that was not seen before.
    """

    answers: dict[int, Answer]
    once: list[bytes]
    pairs: list[tuple[bytes, bytes]]
    codes: bytes
    counted: dict[int, Vector] | None

    @classmethod
    def of(cls, answers: dict[int, Answer]) -> "Sent":
        """Part reports from the use of their invitations, each in an order of its own."""
        pairs = sorted([(key(answer), answer.receipt) for answer in answers.values()])
        codes = b"".join(shuffled([answer.row for answer in answers.values()]))
        prints = {answer.fingerprint for answer in answers.values()}
        plan = PLANS.get(prints.pop() or "") if len(prints) == 1 else None
        counted = None if plan is None else plan.tally(plan.rows.read(codes))
        return cls(answers, sorted({once for once, _ in pairs}), pairs, codes, counted)

    def only(self, fresh: dict[int, Answer]) -> "Sent":
        """Give those that are new."""
        return self if len(fresh) == len(self.answers) else self.of(fresh)


PLANS: dict[str, Counters] = {}
"""How the designs of some surveys are counted, by fingerprint."""


@dataclass(frozen=True)
class Ready:
    """Answers to one survey, and what is stored if it is as we left it and all of them are new.

    Without ``batch`` nothing is assumed. What is assumed may only store: that fails if it is wrong.
    To refuse anybody we look.
    """

    sent: Sent
    batch: Batch | None

    @classmethod
    def of(cls, store: Store, answers: dict[int, Answer]) -> "Ready":
        """Judge by what is assumed, if anything is."""
        sent, name = Sent.of(answers), name_of(answers)
        found = store.dialect.left.assume(name, sent.once)
        if found is None or found.survey is None:
            return cls(sent, None)
        new = set(judge_all(found, answers).values()) == {"stored"}
        return cls(sent, batch_of(name, found.survey, sent) if new else None)


def of_survey(store: Store, raw: Any, made: Ready) -> dict[int, Outcome]:
    """Judge and store the answers to one survey."""
    sent, name = made.sent, name_of(made.sent.answers)
    if made.batch is not None:
        wait_for(store.dialect.keep(raw, made.batch))
        return dict.fromkeys(sent.answers, "stored")
    found = store.dialect.look(raw, name, sent.once)
    outcomes = judge_all(found, sent.answers)
    fresh = {i: sent.answers[i] for i, outcome in outcomes.items() if outcome == "stored"}
    if fresh and found.survey is not None:
        batch = batch_of(name, found.survey, sent.only(fresh))
        wait_for(store.dialect.keep(raw, batch))
    return outcomes


def wait_for(waits: Iterable[Wait]) -> None:
    """Wait at each socket, but not for ever; their numbers may be large."""
    for socket, more in waits:
        door = select.poll()
        door.register(socket, select.POLLIN | (select.POLLOUT if more else 0))
        if not door.poll(1000 * SILENCE):
            raise TimeoutError


def name_of(answers: dict[int, Answer]) -> str:
    """Tell which survey these are answers to."""
    return next(iter(answers.values())).survey


def judge_all(found: Look, answers: dict[int, Answer]) -> dict[int, Outcome]:
    """Tell what becomes of each answer; the first of several wins."""
    if found.survey is None:
        return dict.fromkeys(answers, "missing")
    outcomes: dict[int, Outcome] = {}
    for i, answer in answers.items():
        outcomes[i] = judge(answer, found.used, found.survey)
        if outcomes[i] == "stored":
            found.used[key(answer)] = answer.receipt
    return outcomes


def key(answer: Answer) -> bytes:
    """Tell what may be used once: the invitation, or where anyone may answer the receipt."""
    return answer.receipt if answer.secret is None else answer.secret


def judge(answer: Answer, used: dict[bytes, bytes], seen: Seen) -> Outcome:
    """Tell what becomes of one answer."""
    receipt = used.get(key(answer))
    if receipt == answer.receipt:
        return "again"
    if seen.state != "open":
        return "closed"
    if answer.fingerprint not in (None, seen.fingerprint):
        return "other"
    if seen.mode == "anyone":
        return "stored" if answer.secret is None else "unknown"
    if receipt is None or answer.secret is None:
        return "unknown"
    return "stored" if receipt == UNUSED else "taken"


def batch_of(name: str, seen: Seen, sent: Sent) -> Batch:
    """Put together what is stored."""
    more = sent.counted
    if more is None:
        plan = plan_of(seen)
        more = plan.tally(plan.rows.read(sent.codes))
    return Batch(name, seen, sent.pairs, sent.codes, more)


def plan_of(seen: Seen) -> Counters:
    """Plan the counters of a design, once."""
    if seen.fingerprint not in PLANS:
        if len(PLANS) >= REMEMBERED:
            PLANS.clear()
        PLANS[seen.fingerprint] = Counters(read_design(seen.document))
    return PLANS[seen.fingerprint]
