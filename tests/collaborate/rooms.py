"""Sessions on one machine: parties with made-up data, and a post that never leaves memory."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from frankly.collaborate import Home, Identity, Session, State, join, make_identity
from frankly.collaborate.seat import Post, Watch
from frankly.count import ArrayEngine
from frankly.design import Attribute, Design

SIZES = {"smokes": 2, "age": 4, "ward": 3, "ill": 2}
DESIGN = Design(
    [Attribute(name, [f"{name} {k}" for k in range(size)]) for name, size in SIZES.items()],
    target="ill",
)
Rows = dict[str, Any]


def made_up(n: int, seed: int) -> Rows:
    """Make up one party's rows, as codes; ill goes with smoking and age."""
    rng = np.random.default_rng(seed)
    rows = {name: rng.integers(0, size, n) for name, size in SIZES.items()}
    ill = rng.random(n) < 0.15 + 0.4 * rows["smokes"] + 0.1 * rows["age"]
    return {**rows, "ill": ill.astype(np.int64)}


def together(parts: Sequence[Rows]) -> Rows:
    """Put the rows of all parties on one pile, which nobody ever does."""
    return {name: np.concatenate([part[name] for part in parts]) for name in SIZES}


def labels(rows: Rows) -> dict[str, list[str]]:
    """Give rows as labels."""
    return {name: [f"{name} {code}" for code in codes] for name, codes in rows.items()}


class LocalPost:
    """A post in memory; a test may put its hands on what it carries."""

    def __init__(self) -> None:
        self.held: dict[int, dict[int, bytes]] = {}
        self.news = threading.Condition()

    def put(self, step: int, sender: int, message: bytes) -> None:
        with self.news:
            kept = self.held.setdefault(step, {}).setdefault(sender, message)
            assert kept == message, "a second message in the place of the first"
            self.news.notify_all()

    def get(self, step: int, have: int) -> Mapping[int, bytes]:
        with self.news:
            self.news.wait_for(lambda: len(self.held.get(step, {})) > have, timeout=0.2)
            return dict(self.held.get(step, {}))


@dataclass(frozen=True)
class Hospital:
    """One party of a test: who it is, what it has, where it keeps its state."""

    identity: Identity
    rows: Rows
    folder: Path

    def home(self, design: Design = DESIGN) -> Home:
        engine = ArrayEngine.from_codes(design, self.rows)
        return Home(engine, tests=engine)


def hospitals(folder: Path, n: int = 3) -> list[Hospital]:
    """Make parties with keys and made-up rows, of unequal sizes."""
    found = []
    for k in range(n):
        name = f"party-{k}"
        identity = make_identity(folder / name / "identity", name)
        found.append(Hospital(identity, made_up(200 + 70 * k, k), folder / name / "state"))
    return found


def agreed(parties: Sequence[Hospital], **changes: Any) -> Session:
    """Make the session all of them agree on."""
    plain = Session(
        id="test",
        design=DESIGN.fingerprint,
        domains={a.name: a.values for a in DESIGN.attributes},
        parties={p.identity.name: p.identity.certificate for p in parties},
        task={"kind": "naive-bayes", "alpha": 1.0},
        rows=10**6,
        bits=2048,
        aggregator=parties[0].identity.name,
        key_holder=parties[-1].identity.name,
    )
    return replace(plain, **changes)


def take_part(
    session: Session, party: Hospital, post: Post, patience: float = 20.0
) -> dict[str, Any]:
    """Let one party take part."""
    watch = Watch(patience)
    state = State(party.folder)
    return join(session, DESIGN, party.identity, party.home(), post, state, watch)


def meet(
    session: Session,
    parties: Sequence[Hospital],
    post: Post,
    work: Callable[[Session, Hospital, Post], dict[str, Any]] = take_part,
) -> list[dict[str, Any]]:
    """Let all parties take part at once; give everybody's result."""
    with ThreadPoolExecutor(len(parties)) as pool:
        futures = [pool.submit(work, session, party, post) for party in parties]
        return [future.result() for future in futures]
