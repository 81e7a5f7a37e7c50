"""SQLite: one file, durable commits, and places that do not tell when they were taken.

An ordinary table tells the order of arrival even under random keys: a page is filled from its
end, row after row, and so is the write-ahead log. Here places are laid out before anybody answers,
with random keys; a report takes a blank one at random and overwrites it, byte for byte. The log is
emptied after every batch.
"""

import secrets
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from random import SystemRandom
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, select

from frankly.store.tables import report

__all__ = ["AHEAD", "Sqlite"]

AHEAD = 1024
"""Blank places laid out at a time: a report may lie anywhere among at least this many."""

PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "busy_timeout=30000")

TAKE = "UPDATE report SET codes = ? WHERE survey = ? AND key = ? AND codes = ?"


class Sqlite:
    """The ways of an SQLite file."""

    chance = SystemRandom()

    def __init__(self) -> None:
        self.blank: dict[str, list[bytes]] = {}

    def engine(self, url: str) -> Engine:
        """Open the file, with every connection set to lose nothing."""
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": 30})
        event.listen(engine, "connect", prepare)
        event.listen(engine, "begin", begin)
        return engine

    def place(
        self, connection: Connection, survey: str, rows: Sequence[bytes], blank: bytes
    ) -> None:
        """Put reports into blank places chosen by chance."""
        while rows:
            mine = self.places(connection, survey, len(rows), blank)
            pairs = zip(mine, rows, strict=True)
            rows = [
                row
                for key, row in pairs
                if not take(connection, survey, key, (blank, row))  # another worker came first
            ]

    def places(self, connection: Connection, survey: str, n: int, blank: bytes) -> list[bytes]:
        """Choose blank places at random, and lay out more when they run short."""
        known = self.blank.get(survey)
        if known is None:
            free = (report.c.survey == survey, report.c.codes == blank)
            known = list(connection.scalars(select(report.c.key).where(*free)))
            self.chance.shuffle(known)
        while len(known) < n + AHEAD // 2:
            keys = [secrets.token_bytes(16) for _ in range(AHEAD)]
            fresh = [{"survey": survey, "key": key, "codes": blank} for key in sorted(keys)]
            connection.execute(insert(report), fresh)
            known += keys
            self.chance.shuffle(known)
        self.blank[survey] = known[n:]
        return known[:n]

    def forget(self) -> None:
        """After a batch that failed: look again which places are blank."""
        self.blank.clear()

    def tidy(self, engine: Engine) -> None:
        """Empty the log, so that it does not tell which report came last."""
        with engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA busy_timeout=20")
            with suppress(sqlite3.OperationalError):  # all is committed; the next batch tries again
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            raw.execute("PRAGMA busy_timeout=30000")

    def rewrite(self, engine: Engine) -> None:
        """Write the whole file anew, without anything that was deleted."""
        with engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("VACUUM")
        self.forget()
        self.tidy(engine)


def take(connection: Connection, survey: str, key: bytes, change: tuple[bytes, bytes]) -> bool:
    """Overwrite a blank place with a report; tell whether it was still blank."""
    blank, row = change
    # The driver's own cursor: this runs once an answer, and costs a tenth.
    raw: Any = connection.connection.driver_connection
    return bool(raw.execute(TAKE, (row, survey, key, blank)).rowcount == 1)


def prepare(connection: Any, _: Any) -> None:
    """Set up a new connection; transactions are begun by us, not by the driver."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin(connection: Connection) -> None:
    """Begin as a writer when told so: waiting at the door beats being refused inside."""
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
