"""SQLite: one file, durable commits, and places that do not tell when they were taken.

Reports lie on sheets, whose places were there before anybody answered. What came last waits on a
tray, and the write-ahead log tells it too; both are emptied as soon as nobody waits, and while a
crowd keeps coming once a second.

A batch is a handful of statements however many answers it has, because each call to SQLite gives
the interpreter away, and a busy one is slow to come back; and it changes a handful of pages.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from frankly.errors import EngineError
from frankly.store.batch import Batch, Left, Look, Seen, Wait
from frankly.store.tables import ALL
from frankly.store.tray import EACH, SECRET, WAITS, Tray, sort_in
from frankly.store.turn import Turn

__all__ = ["Sqlite"]

PATIENCE = 10.0
"""Seconds that closing and deleting wait for those who still read what must go."""

PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "secure_delete=ON",
    "temp_store=MEMORY",  # what a statement could have to undo leaves no trace in another file
    "cache_size=-16384",  # KiB: the index of a survey under way
    "busy_timeout=30000",
    "wal_autocheckpoint=100",  # a short log is written over: one that grows is slower to sync
)

SURVEY = "SELECT state, mode, fingerprint, document, mark FROM survey WHERE name = :survey"
LOOK = f"{EACH} SELECT secret, receipt FROM each CROSS JOIN invitation \
    WHERE survey = :survey AND secret = {SECRET}"  # noqa: S608 - all constant


@dataclass(frozen=True)
class File:
    """One file, whatever lies at its path later.

    Attributes
    ----------
    path
        Where it was, whatever the folder that we are in.
    known
        By what the system knows it; None if it could not be made.
    """

    path: Path
    known: tuple[int, int] | None

    @classmethod
    def of(cls, name: str, *, new: bool) -> "File":
        """Make a file if it may be new; hashes of passwords will be in it, so for its owner.

        One that is there is not touched: to close it would end the locks by which connections of
        this process keep others from taking their log away.
        """
        path = Path(name).absolute()
        real = path.resolve()
        refuse_left_alone(real)
        if new:
            with suppress(OSError):
                os.close(os.open(real, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        elif not real.exists():
            raise EngineError(f"there is no database {path.name}: it was moved or removed")
        return cls(path, known(path))

    def refuse_moved(self, *_: object) -> None:
        """Store nothing in a file that nobody will find: ours may have been moved or replaced."""
        if known(self.path) != self.known:
            raise EngineError(
                "the database's file was moved, replaced or removed while it was in use, and "
                "nothing more is stored in it. Stop the service, put the file in its place, and "
                "start again"
            )

    def connect(self) -> sqlite3.Connection:
        """Open it, and neither make another one nor keep what lies in its place."""
        self.refuse_moved()
        where = f"{self.path.as_uri()}?mode=rw"
        return sqlite3.connect(where, uri=True, timeout=30, check_same_thread=False)


def refuse_left_alone(path: Path) -> None:
    """Make no file beside the log of one that was moved: SQLite would throw that log away."""
    log = traces(log_of(path))
    if log is not None and log[0] and not path.exists():
        raise EngineError(
            f"{path.name} is not there, but its log is: {log_of(path).name}. Answers may stand in "
            "it and nowhere else. Put the file back beside it, and start again; or if it was "
            "removed on purpose, remove the log too"
        )


def known(path: Path) -> tuple[int, int] | None:
    """Tell by what the system knows a file, if it is there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Sqlite:
    """The ways of an SQLite file."""

    def __init__(self) -> None:
        self.left = Left()
        self.tray = Tray()
        self.log: tuple[int, int] | None = None  # as it was when we last asked
        self.file: File | None = None
        self.turn: AbstractContextManager[bool] = nullcontext(enter_result=False)

    def engine(self, url: URL, *, new: bool) -> Engine:
        """Open the file, with every connection set to lose nothing.

        The connection that was used last is used next: what it read is still in its memory.
        """
        path, more = file_of(url), dict[str, Any]()
        if path:
            self.turn = Turn(f"{path}-turn")
            self.file = File.of(path, new=new)
            more = {"pool_use_lifo": True, "creator": self.file.connect}
        engine = create_engine(url, hide_parameters=True, **more)
        event.listen(engine, "connect", prepare)
        if self.file is not None:
            event.listen(engine, "begin", self.file.refuse_moved)
        event.listen(engine, "begin", begin)
        return engine

    def batches(self, engine: Engine) -> Engine:
        """Nothing can go away between two batches."""
        return engine

    def begin(self, raw: Any, surveys: int) -> None:
        """Begin as a writer: waiting at the door beats being refused inside."""
        del surveys
        if self.file is not None:
            self.file.refuse_moved()
        raw.execute("BEGIN IMMEDIATE")

    def look(self, raw: Any, survey: str, secrets: Sequence[bytes]) -> Look:
        """Read what a batch is judged by; nobody else writes before we commit."""
        self.tray.read(raw)
        words = {"n": len(secrets), "survey": survey, "secrets": b"".join(secrets)}
        found = raw.execute(SURVEY, words).fetchone()
        seen = None if found is None else Seen(*found)
        self.left.remember(survey, seen, {})
        used = dict(raw.execute(LOOK, words).fetchall())
        return Look(seen, used | self.tray.found(survey, secrets))

    def keep(self, raw: Any, batch: Batch) -> Iterator[Wait]:
        """Store a batch; it waits on the tray, and nobody waits for a socket."""
        self.tray.read(raw)
        self.tray.lay(raw, batch)
        yield from ()

    def light(self, batch: Batch) -> bool:
        """Nothing here happens without waiting for the disk."""
        del batch
        return False

    def tidied(self) -> int:
        """Tell how often we saw that somebody had tidied up."""
        return self.tray.emptied

    def forget(self) -> None:
        """After a batch that failed: look again."""
        self.left.forget()

    def tidy(self, engine: Engine) -> bool:
        """Empty the tray and the log, so that neither tells what came last; tell whether they are.

        All answers are on disk, whatever becomes of this: on a full disk they wait as they are.
        """
        try:
            self.empty_tray(engine)
        except OperationalError:
            return False
        log = traces(log_of(file_of(engine.url)))
        return (log is not None and log[0] == 0) or self.empty_log(engine)

    def empty_tray(self, engine: Engine) -> None:
        """Sort in what waits, if anything does."""
        with engine.connect() as connection:
            if connection.exec_driver_sql(WAITS).first() is None:
                return
        with (
            self.turn,
            engine.connect().execution_options(writing=True) as connection,
            connection.begin(),
        ):
            self.settle(connection)

    def empty_log(self, engine: Engine) -> bool:
        """Empty the log; tell whether it is.

        It stays while somebody reads what is in it. Nobody waits for that here, or answers would.
        """
        with self.turn, engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA busy_timeout=20")
            busy = 1
            try:
                busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError:
                pass
            finally:
                raw.execute("PRAGMA busy_timeout=30000")
        return not busy

    def lies_still(self, engine: Engine) -> bool:
        """Look whether the log has changed: whoever is at work tidies up behind them."""
        before, self.log = self.log, traces(log_of(file_of(engine.url)))
        return before == self.log

    def queue(self, connection: Connection) -> None:
        """Whoever writes waited at the door already."""

    def alone(self, connection: Connection) -> None:
        """Nobody else writes in a transaction that began as a writer."""

    def settle(self, connection: Connection) -> None:
        """Sort what lies on the tray in."""
        with in_its_words("sorting in"):
            sort_in(connection.connection.driver_connection)

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
        try:
            with self.turn, engine.connect() as connection:
                raw: Any = connection.connection.driver_connection
                raw.execute("VACUUM")
        except sqlite3.Error as error:
            raise EngineError(
                f"this is done, but what was removed can still be found in the file: {error} while "
                "it was written anew. Make room on the disk, then: sqlite3 "
                f"{Path(file_of(engine.url) or '').name} VACUUM"
            ) from error
        self.forget()
        end = time.monotonic() + PATIENCE
        while not self.tidy(engine) and time.monotonic() < end:
            time.sleep(0.1)


def file_of(url: URL) -> str | None:
    """Tell in which file a database is; None when it is in memory."""
    return None if url.database == ":memory:" else url.database or None


def log_of(file: object) -> Path:
    """Tell where SQLite keeps the log of a file."""
    return Path(f"{file}-wal")


def traces(log: Path) -> tuple[int, int] | None:
    """Tell how long a log is and when it was changed, if there is one."""
    try:
        found = log.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


@contextmanager
def in_its_words(what: str) -> Iterator[None]:
    """Raise what happens beneath SQLAlchemy as SQLAlchemy would."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OperationalError(what, None, error) from error
    except sqlite3.DatabaseError as error:
        raise DatabaseError(what, None, error) from error


def prepare(connection: Any, _: Any) -> None:
    """Set up a new connection; transactions are begun by us, not by the driver."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin(connection: Connection) -> None:
    """Begin as a writer when told so."""
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
