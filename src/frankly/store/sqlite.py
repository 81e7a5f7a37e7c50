"""SQLite: one file, durable commits, and places that do not tell when they were taken.

An ordinary table tells the order of arrival even under random keys: a page is filled from its
end, row after row, and so is the write-ahead log. Here places are laid out before anybody answers,
with random keys; a report takes a blank one at random and overwrites it, byte for byte. The log is
emptied as soon as nobody waits, and while a crowd keeps coming once a second.

A batch is a handful of statements however many answers it has: each call to SQLite gives the
interpreter away, and a busy one is slow to come back. So the values of a column come as one blob,
one behind the other, and SQL cuts them apart.
"""

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from frankly.store.batch import Batch, Look, random_keys, shuffled
from frankly.store.tables import ALL
from frankly.store.turn import turn

__all__ = ["AHEAD", "Sqlite"]

AHEAD = 1024
"""Blank places laid out at a time: a report may lie anywhere among at least this many."""

PATIENCE = 10.0
"""Seconds that closing and deleting wait for those who still read what must go."""

PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "secure_delete=ON",
    "temp_store=MEMORY",  # what a statement could have to undo leaves no trace in another file
    "cache_size=-16384",  # KiB: the index of a survey under way
    "busy_timeout=30000",
)

EACH = "WITH RECURSIVE each(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < :n) "
SECRET, RECEIPT = "substr(:secrets, 32 * i + 1, 32)", "substr(:receipts, 32 * i + 1, 32)"
KEY, ROW = "substr(:keys, 16 * i + 1, 16)", "substr(:rows, :size * i + 1, :size)"

SURVEY = "SELECT state, mode, fingerprint, document FROM survey WHERE name = :survey"
LOOK = f"{EACH} SELECT secret, receipt FROM invitation \
    WHERE survey = :survey AND secret IN (SELECT {SECRET} FROM each)"  # noqa: S608 - all constant
USE = f"{EACH} UPDATE invitation SET receipt = {RECEIPT} FROM each \
    WHERE survey = :survey AND secret = {SECRET}"  # noqa: S608
ADMIT = f"{EACH} INSERT INTO invitation (survey, secret, receipt) \
    SELECT :survey, {RECEIPT}, {RECEIPT} FROM each"  # noqa: S608
LAY = f"{EACH} INSERT INTO report (survey, key, codes) SELECT :survey, {KEY}, :blank FROM each"  # noqa: S608
BLANK = "SELECT key FROM report WHERE survey = :survey AND codes = :blank"
PLACE = f"{EACH} UPDATE report SET codes = {ROW} FROM each \
    WHERE survey = :survey AND key = {KEY} AND codes = :blank"  # noqa: S608
COUNTS = "SELECT form, counts FROM counter WHERE survey = :survey"
FIRST = "INSERT INTO counter (survey, form, shard, counts) VALUES (:survey, :form, 0, :counts)"
COUNT = "UPDATE counter SET counts = :counts WHERE survey = :survey AND form = :form"


class Sqlite:
    """The ways of an SQLite file."""

    def __init__(self) -> None:
        self.blank: dict[str, list[bytes]] = {}
        self.shared: set[str] = set()  # surveys whose blank places other workers take too

    def engine(self, url: URL) -> Engine:
        """Open the file, with every connection set to lose nothing.

        The connection that was used last is used next: what it read is still in its memory.
        """
        path = url.database
        more = {"pool_use_lifo": True} if path else {}
        if path and path != ":memory:":  # hashes of passwords are in it: for its owner's eyes only
            with suppress(OSError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": 30}, **more)
        event.listen(engine, "connect", prepare)
        event.listen(engine, "begin", begin)
        return engine

    def turn(self, engine: Engine) -> AbstractContextManager[bool]:
        """Wait for the other workers of this file."""
        path = engine.url.database
        return turn(f"{path}-turn") if path else nullcontext(enter_result=False)

    def begin(self, raw: Any) -> AbstractContextManager[Any]:
        """Begin as a writer: waiting at the door beats being refused inside."""
        raw.execute("BEGIN IMMEDIATE")
        return nullcontext()

    def look(self, raw: Any, survey: str, secrets: Sequence[bytes]) -> Look:
        """Read what a batch is judged by; nobody else writes before we commit."""
        words = {"n": len(secrets), "survey": survey, "secrets": b"".join(secrets)}
        return Look(
            raw.execute(SURVEY, words).fetchone(),
            dict(raw.execute(LOOK, words).fetchall()),
            dict(raw.execute(COUNTS, words).fetchall()),
        )

    def keep(self, raw: Any, batch: Batch) -> None:
        """Store a batch; its reports go into blank places chosen by chance."""
        if batch.used:
            secrets, receipts = (b"".join(column) for column in zip(*batch.used, strict=True))
            words = {"n": len(batch.used), "secrets": secrets, "receipts": receipts}
            raw.execute(USE, {"survey": batch.survey, **words})
        if batch.alone:
            words = {"n": len(batch.alone), "receipts": b"".join(batch.alone)}
            raw.execute(ADMIT, {"survey": batch.survey, **words})
        n, keys = len(batch.rows), b"".join(self.places(raw, batch))
        words = {"n": n, "size": len(batch.blank), "keys": keys, "rows": b"".join(batch.rows)}
        before = raw.total_changes
        raw.execute(PLACE, {"survey": batch.survey, "blank": batch.blank, **words})
        if raw.total_changes != before + n:
            self.shared.add(batch.survey)
            raise sqlite3.IntegrityError("another worker has taken one of these places")
        for form, counts in batch.counts.items():
            words = {"survey": batch.survey, "form": form, "counts": counts}
            raw.execute(FIRST if form in batch.first else COUNT, words)

    def places(self, raw: Any, batch: Batch) -> list[bytes]:
        """Choose as many blank places as there are reports, at random.

        A worker begins with those that it finds; once another takes some of them, it lays out its
        own, so that workers choose without asking each other.
        """
        words, n = {"survey": batch.survey, "blank": batch.blank}, len(batch.rows)
        known = self.blank.pop(batch.survey, None)
        if known is None:
            found = [] if batch.survey in self.shared else raw.execute(BLANK, words)
            known = shuffled([key for (key,) in found])
        while len(known) < n + AHEAD // 2:
            known = shuffled(known + laid_out(raw, words))
        self.blank[batch.survey] = known[n:]
        return known[:n]

    def forget(self) -> None:
        """After a batch that failed: look again which places are blank."""
        self.blank.clear()

    def tidy(self, engine: Engine) -> bool:
        """Empty the log, so that it does not tell which report came last; tell whether it is.

        It stays while somebody reads what is in it. Nobody waits for that here, or answers would.
        """
        if is_empty(Path(f"{engine.url.database}-wal")):
            return True
        with self.turn(engine), engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA busy_timeout=20")
            busy = 1
            with suppress(sqlite3.OperationalError):  # all is committed, whatever becomes of this
                busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            raw.execute("PRAGMA busy_timeout=30000")
        return not busy

    def queue(self, connection: Connection) -> None:
        """Whoever writes waited at the door already."""

    def alone(self, connection: Connection) -> None:
        """Nobody else writes in a transaction that began as a writer."""

    def rewrite(self, connection: Connection) -> None:
        """Write every table anew, in the order of its keys: rows lie as they were laid out."""
        for table in ALL:
            name, keys = table.name, ", ".join(column.name for column in table.primary_key)
            connection.exec_driver_sql(f"CREATE TABLE anew AS SELECT * FROM {name} ORDER BY {keys}")  # noqa: S608
            connection.exec_driver_sql(f"DELETE FROM {name}")  # noqa: S608
            connection.exec_driver_sql(f"INSERT INTO {name} SELECT * FROM anew ORDER BY rowid")  # noqa: S608
            connection.exec_driver_sql("DROP TABLE anew")

    def sweep(self, engine: Engine) -> None:
        """Leave no page behind that nothing needs any more, once nobody reads it."""
        with engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("VACUUM")
        self.forget()
        end = time.monotonic() + PATIENCE
        while not self.tidy(engine) and time.monotonic() < end:
            time.sleep(0.1)


def is_empty(log: Path) -> bool:
    """Tell whether a log is there and empty."""
    try:
        return log.stat().st_size == 0
    except OSError:
        return False


def laid_out(raw: Any, words: dict[str, Any]) -> list[bytes]:
    """Lay out blank places, in the order of their random keys."""
    keys = sorted(random_keys(AHEAD))
    raw.execute(LAY, {**words, "n": AHEAD, "keys": b"".join(keys)})
    return keys


def prepare(connection: Any, _: Any) -> None:
    """Set up a new connection; transactions are begun by us, not by the driver."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin(connection: Connection) -> None:
    """Begin as a writer when told so."""
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
