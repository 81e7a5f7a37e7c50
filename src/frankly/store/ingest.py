"""Ingest: many answers, one transaction; each is told apart only by its own outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from frankly.store.batch import Batch, Look, Seen, by_chance
from frankly.store.counters import Counters, Vector, read_vector, write_vector
from frankly.store.store import Store, read_design
from frankly.store.tables import UNUSED

__all__ = ["Answer", "Outcome", "ingest"]

Outcome = Literal["stored", "again", "taken", "unknown", "closed", "missing", "other"]
"""``stored``; ``again``: this very answer was stored before; ``taken``: the invitation was used by
another; ``unknown`` invitation; ``closed`` or ``missing`` survey; ``other``: by now another survey
has its name, with another design."""

TRIES = 5


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
    names = sorted({answer.survey for answer in answers})
    for attempt in range(TRIES):
        try:
            with store.at_once(len(names)) as raw:
                outcomes = judged(store, raw, names, answers)
        except BaseException as error:
            store.dialect.forget()
            # Another worker stored the same receipt a moment ago: now we shall see it.
            if attempt == TRIES - 1 or not isinstance(error, store.driver.IntegrityError):
                raise
        else:
            break
    if tidy:
        store.tidy()
    return outcomes


def judged(store: Store, raw: Any, names: list[str], answers: Sequence[Answer]) -> list[Outcome]:
    """Judge and store the answers of a batch, survey by survey."""
    outcomes: dict[int, Outcome] = {}
    for name in names:
        mine = {i: answer for i, answer in enumerate(answers) if answer.survey == name}
        outcomes |= of_survey(store, raw, name, mine)
    return [outcomes[i] for i in range(len(answers))]


def of_survey(store: Store, raw: Any, name: str, answers: dict[int, Answer]) -> dict[int, Outcome]:
    """Judge and store the answers to one survey.

    What is assumed may only store: that fails if it is wrong. To refuse anybody we look.
    """
    once = sorted({key(answer) for answer in answers.values()})
    found = store.dialect.assume(name, once)
    outcomes = {} if found is None else judge_all(found, answers)
    if found is None or set(outcomes.values()) != {"stored"}:
        found = store.dialect.look(raw, name, once)
        outcomes = judge_all(found, answers)
    fresh = [answers[i] for i, outcome in outcomes.items() if outcome == "stored"]
    if fresh and found.survey is not None:
        store.dialect.keep(raw, taken_apart(found.survey, found.counts, fresh))
    return outcomes


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


def taken_apart(seen: Seen, counts: dict[int, bytes], fresh: list[Answer]) -> Batch:
    """Part reports, the use of their invitations, and the counters, unlinked and shuffled."""
    plan = counters(seen.document)
    rows = plan.rows.unpack([a.row for a in fresh])
    rows = rows[by_chance(len(rows))]
    return Batch(
        survey=fresh[0].survey,
        seen=seen,
        pairs=sorted([(key(a), a.receipt) for a in fresh]),
        codes=rows.tobytes(),
        counts={form: added(counts.get(form), more) for form, more in plan.tally(rows).items()},
    )


def added(before: bytes | None, more: Vector) -> tuple[bytes | None, bytes]:
    """Give counters as they were, and with some more."""
    return before, write_vector(more if before is None else more + read_vector(before))


@lru_cache(maxsize=64)
def counters(document: str) -> Counters:
    """Plan the counters of a stored document, once."""
    return Counters(read_design(document))
