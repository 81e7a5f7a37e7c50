"""SQLite: one file, durable commits, and places that do not tell when they were taken.

Reports lie on sheets, whose places were there before anybody answered. The write-ahead log tells
which were taken last; it is emptied as soon as nobody waits, and while a crowd keeps coming once a
second.

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

from frankly.store.batch import Batch, Look
from frankly.store.sheet import PLACES, Sheet
from frankly.store.tables import ALL
from frankly.store.turn import turn

__all__ = ["LATEST", "Sqlite"]

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

REMEMBERED = 64
"""So many sheets are remembered by a worker."""

NONE = b""
"""The key of no sheet."""

EACH = "WITH RECURSIVE each(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < :n) "
SECRET, RECEIPT = "substr(:secrets, 32 * i + 1, 32)", "substr(:receipts, 32 * i + 1, 32)"

SURVEY = "SELECT state, mode, fingerprint, document FROM survey WHERE name = :survey"
LOOK = f"{EACH} SELECT secret, receipt FROM invitation \
    WHERE survey = :survey AND secret IN (SELECT {SECRET} FROM each)"  # noqa: S608 - all constant
USE = f"{EACH} UPDATE invitation SET receipt = {RECEIPT} FROM each \
    WHERE survey = :survey AND secret = {SECRET}"  # noqa: S608
ADMIT = f"{EACH} INSERT INTO invitation (survey, secret, receipt) \
    SELECT :survey, {RECEIPT}, {RECEIPT} FROM each"  # noqa: S608
LATEST = """
    SELECT key, codes FROM report WHERE rowid IN (
        SELECT rowid FROM report WHERE survey = :survey ORDER BY rowid DESC LIMIT 4
    )
"""
"""Where a worker looks for blank places that others have left: chosen without reading them all."""
OWN = "SELECT key, codes FROM report WHERE survey = :survey AND key = :key"
NEW = "INSERT INTO report (survey, key, codes) VALUES (:survey, :key, :codes)"
CHANGE = """
    UPDATE report SET codes = :codes WHERE survey = :survey AND key = :key AND codes = :before
"""
"""Nothing happens when another worker has changed the sheet since we read it."""
COUNTS = "SELECT form, counts FROM counter WHERE survey = :survey"
FIRST = "INSERT INTO counter (survey, form, shard, counts) VALUES (:survey, :form, 0, :counts)"
COUNT = "UPDATE counter SET counts = :counts WHERE survey = :survey AND form = :form"


class Sqlite:
    """The ways of an SQLite file."""

    def __init__(self) -> None:
        self.sheets: dict[str, Sheet] = {}
        self.own: dict[str, bytes] = {}  # the key of the sheet that we fill, in each survey

    def engine(self, url: URL) -> Engine:
        """Open the file, with every connection set to lose nothing.

        The connection that was used last is used next: what it read is still in its memory.
        """
        path = file_of(url)
        more = {"pool_use_lifo": True} if path else {}
        if path:  # hashes of passwords are in it: for its owner's eyes only
            with suppress(OSError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": 30}, **more)
        event.listen(engine, "connect", prepare)
        event.listen(engine, "begin", begin)
        return engine

    def turn(self, engine: Engine) -> AbstractContextManager[bool]:
        """Wait for the other workers of this file."""
        path = file_of(engine.url)
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
        """Store a batch; its reports go into blank places of a sheet."""
        if batch.used:
            secrets, receipts = (b"".join(column) for column in zip(*batch.used, strict=True))
            words = {"n": len(batch.used), "secrets": secrets, "receipts": receipts}
            raw.execute(USE, {"survey": batch.survey, **words})
        if batch.alone:
            words = {"n": len(batch.alone), "receipts": b"".join(batch.alone)}
            raw.execute(ADMIT, {"survey": batch.survey, **words})
        for start in range(0, len(batch.rows), PLACES // 2):
            self.place(raw, batch.survey, batch.rows[start : start + PLACES // 2])
        for form, counts in batch.counts.items():
            words = {"survey": batch.survey, "form": form, "counts": counts}
            raw.execute(FIRST if form in batch.first else COUNT, words)

    def place(self, raw: Any, survey: str, reports: Sequence[bytes]) -> None:
        """Put reports into blank places of this worker's sheet."""
        size = len(reports[0])
        sheet = self.sheets.pop(survey, None) or self.left(raw, survey, size)
        if sheet is None or sheet.size != size:  # a deleted survey had this name and our sheet
            filled = self.begin_sheet(raw, survey, Sheet.new(size), reports)
        elif len(sheet.free) < len(reports):
            rest, new = sheet.parted()
            self.change(raw, survey, sheet, rest)
            filled = self.begin_sheet(raw, survey, new, reports)
        else:
            filled = sheet.with_reports(reports)
            self.change(raw, survey, sheet, filled)
        self.remember(survey, filled)

    def remember(self, survey: str, filled: Sheet) -> None:
        """Remember a sheet, of the surveys that are answered at present."""
        if len(self.sheets) >= REMEMBERED:
            self.sheets.clear()
        self.sheets[survey], self.own[survey] = filled, filled.key

    def left(self, raw: Any, survey: str, size: int) -> Sheet | None:
        """Come back to our sheet, or find one with blank places that somebody has left.

        Once we saw that another worker fills the same, we begin our own, so that workers choose
        places without asking each other.
        """
        words = {"survey": survey, "key": self.own.get(survey)}
        found = raw.execute(OWN if survey in self.own else LATEST, words).fetchall()
        sheets = [Sheet.read(key, codes, size) for key, codes in found]
        return max(sheets, key=lambda sheet: len(sheet.free), default=None)

    def begin_sheet(self, raw: Any, survey: str, new: Sheet, reports: Sequence[bytes]) -> Sheet:
        """Store a new sheet, with its first reports."""
        filled = new.with_reports(reports)
        raw.execute(NEW, {"survey": survey, "key": filled.key, "codes": filled.codes})
        return filled

    def change(self, raw: Any, survey: str, before: Sheet, after: Sheet) -> None:
        """Store a sheet that has changed, unless another worker has changed it meanwhile."""
        words = {"key": before.key, "before": before.codes, "codes": after.codes}
        if raw.execute(CHANGE, {"survey": survey, **words}).rowcount != 1:
            self.own[survey] = NONE
            raise sqlite3.IntegrityError("another worker has taken places of this sheet")

    def forget(self) -> None:
        """After a batch that failed: look again which places are blank."""
        self.sheets.clear()

    def tidy(self, engine: Engine) -> bool:
        """Empty the log, so that it does not tell which report came last; tell whether it is.

        It stays while somebody reads what is in it. Nobody waits for that here, or answers would.
        """
        if is_empty(Path(f"{file_of(engine.url)}-wal")):
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


def file_of(url: URL) -> str | None:
    """Tell in which file a database is; None when it is in memory."""
    return None if url.database == ":memory:" else url.database or None


def is_empty(log: Path) -> bool:
    """Tell whether a log is there and empty."""
    try:
        return log.stat().st_size == 0
    except OSError:
        return False


def prepare(connection: Any, _: Any) -> None:
    """Set up a new connection; transactions are begun by us, not by the driver."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin(connection: Connection) -> None:
    """Begin as a writer when told so."""
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
