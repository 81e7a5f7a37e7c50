"""Backup: the whole store as one SQLite file, whatever database it lives in.

Rows are copied in the order of their keys within one snapshot, so the file tells nothing about
their order of arrival, holds a prefix of what was acknowledged, and can be restored into either
kind of database. Its last row is a seal: a plain copy of a database has none and is refused.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Text, insert, inspect, select
from sqlalchemy.exc import DatabaseError

from frankly.store.migrate import migrate
from frankly.store.rows import Rows
from frankly.store.store import Store, add_up, read_design
from frankly.store.survey import SurveyError
from frankly.store.tables import ALL, report, survey

__all__ = ["Backup", "backup", "content_hash", "restore"]

CHUNK = 10_000
SEAL = Table("seal", MetaData(), Column("content", Text, primary_key=True))


@dataclass(frozen=True)
class Backup:
    """What a backup holds: reports, and the hash of every row."""

    reports: int
    content: str


def backup(store: Store, target: Path) -> Backup:
    """Copy everything into a new file, while answers keep coming in."""
    if target.exists():
        raise SurveyError(f"{target.name} is there already. Choose a name for a new backup")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    half = Path(name)
    try:
        made = copy_sealed(store, half)
        half.replace(target)
    finally:
        store.tidy()  # while we read, nobody could
        half.unlink(missing_ok=True)
        for rest in ("-wal", "-shm", "-turn"):
            Path(f"{half}{rest}").unlink(missing_ok=True)
    return made


def copy_sealed(store: Store, half: Path) -> Backup:
    """Write the copy and its seal, and leave one file without a log."""
    with Store(str(half)) as copy:
        with copy.writing() as into, store.engine.connect() as source:
            snapshot(source)
            copy_rows(source, into)
            for name in into.scalars(select(survey.c.name)).all():
                add_up(into, name)
            seal = content_hash(into)
            SEAL.create(into)
            into.execute(insert(SEAL).values(content=seal))
        copy.dialect.sweep(copy.engine)
        with copy.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA journal_mode=DELETE")
        return Backup(copy.total_rows()["report"], seal)


def restore(source: Path, url: str) -> Backup:
    """Bring a backup into an empty database, or refuse what is no whole backup."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = copied(source, Path(folder) / source.name)
        seal = made_ready(fresh)  # before the target is made: a refused backup leaves nothing
        with Store(url) as target:
            if target.surveys():
                raise SurveyError(
                    "the database is not empty. Restore into a new one, so nothing mixes"
                )
            return bring_in(fresh, seal, target)


def copied(source: Path, target: Path) -> Path:
    """Copy a backup: looking into it would change it, and it may lie where nothing can change."""
    if not source.is_file():
        raise SurveyError(f"there is no file {source.name}")
    shutil.copyfile(source, target)
    return target


def made_ready(fresh: Path) -> str:
    """Check a copy of the backup against its seal, bring it up to date, and give the seal."""
    with Store(str(check_sealed(fresh)), upgrade=False) as copy:
        seal = kept_seal(copy)
        with copy.engine.connect() as connection:
            if content_hash(connection) != seal:
                raise SurveyError("this backup was changed or damaged after it was made: its seal "
                                  "does not match. Use another one")  # fmt: skip
        migrate(copy.engine)
    return seal


def bring_in(fresh: Path, seal: str, target: Store) -> Backup:
    """Copy the rows of a backup that is ready."""
    with (
        Store(str(fresh), upgrade=False) as copy,
        copy.engine.connect() as connection,
        target.writing() as into,
    ):
        copy_rows(connection, into)
    target.dialect.sweep(target.engine)
    return Backup(target.total_rows()["report"], seal)


def check_sealed(source: Path) -> Path:
    """Refuse what is not a backup: above all a plain copy of a database file."""
    refusal = SurveyError(
        f"{source.name} is no backup. A plain copy of a database file lacks its log and may lack "
        "answers: make backups with frankly backup, which is safe while the service runs"
    )
    try:
        with Store(str(source), upgrade=False) as store:
            if not inspect(store.engine).has_table("seal"):
                raise refusal
    except DatabaseError:
        raise refusal from None
    return source


def kept_seal(store: Store) -> str:
    """Read the seal."""
    with store.engine.connect() as connection:
        return str(connection.scalar(select(SEAL.c.content)))


def snapshot(connection: Connection) -> None:
    """See one moment of the database, however long the copying takes.

    A survey that is closed meanwhile is written anew, and its rows would be younger than a moment
    already chosen. So we wait for our turn first.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.exec_driver_sql("LOCK TABLE survey IN ACCESS SHARE MODE")


def copy_rows(source: Connection, into: Connection) -> None:
    """Copy every table in the order of its keys, without blank places."""
    blank = blanks(source)
    there = set(inspect(source).get_table_names())
    for table in ALL:
        if table.name not in there:
            continue
        found = source.execute(select(table).order_by(*table.primary_key)).mappings()
        for rows in found.partitions(CHUNK):
            kept = [dict(row) for row in rows if table is not report or is_report(row, blank)]
            if kept:
                into.execute(insert(table), kept)


def blanks(connection: Connection) -> dict[str, bytes]:
    """Tell what a blank place looks like in each survey."""
    rows = connection.execute(select(survey.c.name, survey.c.document))
    return {row.name: Rows(read_design(row.document)).blank for row in rows}


def is_report(row: Any, blank: dict[str, bytes]) -> bool:
    """Tell a report from a blank place."""
    return bool(row["codes"] != blank[row["survey"]])


def content_hash(connection: Connection) -> str:
    """Hash every survey, invitation, report and counter, in the order of their keys.

    Tables are read with the columns and keys that they have there: a backup was sealed by the
    version that made it, and later ones may have others.
    """
    digest = hashlib.sha256()
    blank, names, there = blanks(connection), [table.name for table in ALL], MetaData()
    there.reflect(connection, only=lambda name, _: name in names)
    for name in sorted(there.tables, key=names.index):
        found = there.tables[name]
        for row in connection.execute(select(found).order_by(*found.primary_key)).mappings():
            if name != report.name or is_report(row, blank):
                digest.update(written(name, row.values()))
    return digest.hexdigest()


def written(name: str, values: Iterable[Any]) -> bytes:
    """Write a row so that no two different rows look alike."""
    plain = [value.hex() if isinstance(value, bytes) else value for value in values]
    return json.dumps([name, *plain]).encode() + b"\n"
