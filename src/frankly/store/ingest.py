"""Ingest: many answers, one transaction; each is told apart only by its own outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from frankly.store.batch import Batch, shuffled
from frankly.store.counters import Counters, read_vector, write_vector
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
    for attempt in range(TRIES):
        try:
            with store.at_once() as raw:
                outcomes = judged(store, raw, answers)
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


def judged(store: Store, raw: Any, answers: Sequence[Answer]) -> list[Outcome]:
    """Judge and store the answers of a batch, survey by survey."""
    outcomes: dict[int, Outcome] = {}
    for name in sorted({answer.survey for answer in answers}):
        mine = {i: answer for i, answer in enumerate(answers) if answer.survey == name}
        outcomes |= of_survey(store, raw, name, mine)
    return [outcomes[i] for i in range(len(answers))]


def of_survey(store: Store, raw: Any, name: str, answers: dict[int, Answer]) -> dict[int, Outcome]:
    """Judge and store the answers to one survey."""
    once = sorted({key(answer) for answer in answers.values()})
    found = store.dialect.look(raw, name, once)
    if found.survey is None:
        return dict.fromkeys(answers, "missing")
    state, mode, fingerprint, document = found.survey
    outcomes: dict[int, Outcome] = {}
    fresh: list[Answer] = []
    for i, answer in answers.items():
        outcomes[i] = judge(answer, found.used, state, mode, fingerprint)
        if outcomes[i] == "stored":
            found.used[key(answer)] = answer.receipt
            fresh.append(answer)
    if fresh:
        store.dialect.keep(raw, taken_apart(counters(document), found.counts, fresh))
    return outcomes


def key(answer: Answer) -> bytes:
    """Tell what may be used once: the invitation, or where anyone may answer the receipt."""
    return answer.receipt if answer.secret is None else answer.secret


def judge(
    answer: Answer, used: dict[bytes, bytes], state: str, mode: str, fingerprint: str
) -> Outcome:
    """Tell what becomes of one answer."""
    receipt = used.get(key(answer))
    if receipt == answer.receipt:
        return "again"
    if state != "open":
        return "closed"
    if answer.fingerprint not in {None, fingerprint}:
        return "other"
    if mode == "anyone":
        return "stored" if answer.secret is None else "unknown"
    if receipt is None or answer.secret is None:
        return "unknown"
    return "stored" if receipt == UNUSED else "taken"


def taken_apart(plan: Counters, counts: dict[int, bytes], fresh: list[Answer]) -> Batch:
    """Part reports, the use of their invitations, and the counters, unlinked and shuffled."""
    rows = shuffled([a.row for a in fresh])
    new = plan.tally(rows)
    return Batch(
        survey=fresh[0].survey,
        used=sorted((a.secret, a.receipt) for a in fresh if a.secret is not None),
        alone=sorted(a.receipt for a in fresh if a.secret is None),
        rows=rows,
        counts={
            form: write_vector(more + (read_vector(counts[form]) if form in counts else 0))
            for form, more in new.items()
        },
        first=new.keys() - counts.keys(),
    )


@lru_cache(maxsize=64)
def counters(document: str) -> Counters:
    """Plan the counters of a stored document, once."""
    return Counters(read_design(document))
