"""P7: rows cannot be linked to invitations from what is stored.

The linker knows in which order people answered, and gets everything that is on disk: file, log,
dump. False alarms: matching 200 pairs by chance gives Poisson(1) hits; more than 5 has
probability 6e-4 for each of its guesses, so the store's keys are drawn anew (never seeded)
and a guess beyond 5 is tried once more: 4e-7.
"""

import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx
import numpy as np
import pytest
from sqlalchemy import text

from frankly import Attribute, Design, Group, Unrelated
from frankly.collect.writer import AGAIN
from frankly.store import Answer, Rows, Store, hashed, ingest
from tests.live import Postgres, body_for, figure, running

PEOPLE = 200
NAMES = [f"q{i}" for i in range(4)]
WIDE = Design(
    [Attribute(name, [f"{value}" for value in range(4000)]) for name in NAMES],
    groups=[Group([name], Unrelated(theta=0.5)) for name in NAMES],
)
"""Everybody sends a row like no other, which is recognised wherever its bytes stand."""
CODES = [[256 + secrets.randbelow(3744) for _ in NAMES] for _ in range(PEOPLE)]


def report(i: int) -> dict[str, str]:
    return {name: f"{code}" for name, code in zip(NAMES, CODES[i], strict=True)}


def row(i: int) -> bytes:
    return Rows(WIDE).pack(0, CODES[i])


def cut(sheets: list[tuple[bytes]]) -> list[bytes]:
    """Cut sheets into their places; an old table has one a row."""
    size = len(row(0))
    return [
        bytes(codes[at : at + size]) for (codes,) in sheets for at in range(0, len(codes), size)
    ]


def answer_one_by_one(url: str, seize: Path | None = None, *, read: bool = False) -> list[bytes]:
    """Let people answer one after the other; give their rows in that order.

    With ``seize`` everything on disk is copied there while the service still runs. With ``read``
    somebody reads the database all the while, and what is on disk is copied seconds after.
    """
    with Store(url) as store:
        store.open_survey("ward", WIDE, "invited")
        invited = store.invite("ward", PEOPLE)
    order = sorted(range(PEOPLE), key=lambda _: secrets.randbits(64))
    with running(url) as live, httpx.Client(base_url=live.base, timeout=30) as client:
        with reading(url) if read else nullcontext():
            for i in order:
                answer = client.post("/ward/reports", json=body_for(WIDE, invited[i], report(i)))
                assert answer.status_code == 201
        time.sleep(3 * AGAIN if read else 0)
        if seize is not None:
            for file in Path(url).parent.glob(f"{Path(url).name}*"):
                shutil.copy(file, seize / file.name)
    return [row(i) for i in order]


@contextmanager
def reading(url: str) -> Iterator[None]:
    """Read a database as a backup does: what is there now, however long it takes."""
    with Store(url, upgrade=False) as store, store.engine.connect() as reader:
        reader.execute(text("SELECT count(*) FROM report")).all()
        yield
        time.sleep(0.5)  # the service has tried to empty its log after the last answer, in vain


def hits(guess: list[bytes], truth: list[bytes]) -> int:
    """Count the people whose row stands where they answered."""
    return sum(a == b for a, b in zip(guess, truth, strict=False))


def where(data: bytes, one: bytes, find: Callable[[bytes, bytes], int]) -> int:
    """Tell where a row stands; one that a page's end cuts in two could stand anywhere."""
    at = find(data, one)
    return at if at >= 0 else secrets.randbelow(len(data) + 1)


def by_byte(data: bytes, truth: list[bytes]) -> int:
    """Guess by where rows stand in a file, from either end, first or last copy."""
    mixed = shuffled(truth)
    first = sorted(mixed, key=lambda one: where(data, one, bytes.find))
    last = sorted(mixed, key=lambda one: where(data, one, bytes.rfind))
    return max(hits(g, truth) for g in (first, first[::-1], last, last[::-1]))


def shuffled(rows: list[bytes]) -> list[bytes]:
    """Take the order away that the linker must not be given."""
    return sorted(rows, key=lambda _: secrets.randbits(64))


def by_page(data: bytes, truth: list[bytes], page: int = 4096) -> int:
    """Guess by where rows stand within their page: SQLite fills pages from the end."""
    place = {one: divmod(where(data, one, bytes.find), page) for one in truth}
    mixed = shuffled(truth)
    guesses = [sorted(mixed, key=lambda one: (place[one][0], -place[one][1]))]
    guesses.append(sorted(mixed, key=lambda one: -place[one][1]))
    guesses.append(sorted(mixed, key=lambda one: place[one][1]))
    return max(hits(guess, truth) for guess in guesses)


def sqlite_guesses(path: Path, truth: list[bytes]) -> dict[str, int]:
    """Try every way on an SQLite file and its log."""
    data = path.read_bytes()
    log = Path(f"{path}-wal")
    wal = log.read_bytes() if log.exists() else b""
    with sqlite3.connect(path) as connection:
        dump = "\n".join(connection.iterdump()).encode()
        selected = connection.execute("SELECT codes FROM report").fetchall()
        ordered = connection.execute("SELECT codes FROM report ORDER BY rowid").fetchall()
        keyed = connection.execute("SELECT codes FROM report ORDER BY key").fetchall()
    connection.close()
    kept = set(truth)
    found = {
        name: hits([one for one in cut(rows) if one in kept], truth)
        for name, rows in (("select", selected), ("rowid", ordered), ("key", keyed))
    }
    hexed = [one.hex().upper().encode() for one in truth]
    return {**found, "bytes": by_byte(data, truth), "pages": by_page(data, truth),
            "log": by_byte(wal, truth), "dump": by_byte(dump, hexed)}  # fmt: skip


def twice(try_once: Callable[[], dict[str, int]]) -> dict[str, int]:
    """Try once more when a guess had luck."""
    found = try_once()
    return found if max(found.values()) <= 5 else try_once()


def test_an_sqlite_store_tells_no_order_while_open_or_closed(tmp_path: Path, full: bool) -> None:
    for state in ("open", "open, read meanwhile", "closed"):

        def try_once(state: str = state) -> dict[str, int]:
            folder = tmp_path / f"{state}{secrets.token_hex(4)}"
            (folder / "seized").mkdir(parents=True)
            path, seized = folder / "s.sqlite", folder / "seized"
            truth = answer_one_by_one(str(path), seized, read="read" in state)
            if state != "closed":
                return sqlite_guesses(seized / "s.sqlite", truth)
            with Store(str(path)) as store:
                store.close_survey("ward")
            return sqlite_guesses(path, truth)

        found = twice(try_once)
        worst = max(found, key=lambda way: found[way])
        figure("P7", f"SQLite {state}: pairs found of 200 (by {worst})", found[worst], full=full)
        assert max(found.values()) <= 5, found


def postgres_guesses(store: Store, truth: list[bytes]) -> dict[str, int]:
    """Try every way on a PostgreSQL table."""
    ways = {"heap": "ctid", "xmin": "xmin::text::bigint", "key": "key", "plain": "1"}
    with store.engine.connect() as connection:
        found = {
            way: cut([(codes,) for (codes,) in connection.execute(
                text(f"SELECT codes FROM report ORDER BY {column}"))])
            for way, column in ways.items()
        }  # fmt: skip
    return {way: hits(rows, truth) for way, rows in found.items()}


def test_a_postgresql_store_tells_no_order_once_closed(postgres: Postgres, full: bool) -> None:
    opened: list[int] = []

    def try_once() -> dict[str, int]:
        url = postgres.database()
        truth = answer_one_by_one(url)
        with Store(url) as store:
            opened.append(max(postgres_guesses(store, truth).values()))
            store.close_survey("ward")
            return postgres_guesses(store, truth)

    found = twice(try_once)
    figure("P7", "PostgreSQL closed: pairs found of 200", max(found.values()), full=full)
    figure("P7", "PostgreSQL open, as the owner is told: pairs of 200", opened[-1], full=full)
    assert max(found.values()) <= 5, found
    # The linker has teeth: while open, xmin and the heap tell the order.
    assert opened[-1] == PEOPLE


@pytest.mark.parametrize("plain", ["serial", "random key"])
def test_plain_tables_are_linked(tmp_path: Path, plain: str) -> None:
    """The mutants: a serial id, and a random key in a table that is filled as answers come."""
    path = tmp_path / "s.sqlite"
    truth = [row(i) for i in range(PEOPLE)]
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    key = "INTEGER PRIMARY KEY" if plain == "serial" else "BLOB PRIMARY KEY"
    connection.execute(f"CREATE TABLE report (key {key}, codes BLOB)")
    for one in truth:
        drawn = None if plain == "serial" else secrets.token_bytes(16)
        with connection:
            connection.execute("INSERT INTO report VALUES (?, ?)", (drawn, one))
    found = sqlite_guesses(path, truth)
    connection.close()
    assert max(found.values()) > 150, found


def test_places_taken_in_order_are_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: a sheet whose first blank place is taken next."""
    monkeypatch.setattr("frankly.store.sheet.by_chance", np.arange)
    path = tmp_path / "s.sqlite"
    with Store(str(path)) as store:
        store.open_survey("ward", WIDE, "anyone")
        for i in range(PEOPLE):
            ingest(store, [Answer("ward", None, hashed(f"{i}"), row(i))])
    assert max(sqlite_guesses(path, [row(i) for i in range(PEOPLE)]).values()) > 150
