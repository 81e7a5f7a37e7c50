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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from alembic.migration import MigrationContext
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    NullPool,
    Table,
    Text,
    create_engine,
    delete,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import DatabaseError

from frankly.store.migrate import SEALED
from frankly.store.postgres import CLOSING
from frankly.store.rows import unpacked
from frankly.store.store import Store, add_up, address, deal, questions_in, sheets_of
from frankly.store.survey import SurveyError
from frankly.store.tables import ALL, account, link, report, survey, tray

__all__ = ["Backup", "backup", "content_hash", "restore"]

CHUNK, FEW = 10_000, 100
"""So many rows are copied at a time; of sheets, which are long, only a few."""
SHEETS = "0005"
"""Since this revision of the tables reports lie on sheets."""
SEAL = Table(SEALED, MetaData(), Column("content", Text, primary_key=True))


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
        read_seal(half)
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
        with copy.writing() as into, one_moment(store.engine) as source:
            copy_rows(source, into)
            copy.dialect.settle(into)
            into.execute(delete(tray))
            for name, document in into.execute(select(survey.c.name, survey.c.document)).all():
                deal(into, name, questions_in(document))
                add_up(into, name)
            seal = content_hash(into)
            SEAL.create(into)
            into.execute(insert(SEAL).values(content=seal))
        copy.dialect.sweep(copy.engine)
        with copy.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA journal_mode=DELETE")
        return Backup(reports_in(copy), seal)


def reports_in(store: Store) -> int:
    """Tell how many reports there are of all surveys."""
    return sum(store.size(name) for name in store.surveys())


def restore(source: Path, url: str) -> Backup:
    """Bring a backup into an empty database, or refuse what is no whole backup."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = copied(source, Path(folder) / source.name)
        seal = made_ready(fresh)  # before the target is made: a refused backup leaves nothing
        with Store(url) as target:
            return bring_in(fresh, seal, target)


def copied(source: Path, target: Path) -> Path:
    """Copy a backup: looking into it would change it, and it may lie where nothing can change."""
    if not source.is_file():
        raise SurveyError(f"there is no file {source.name}")
    shutil.copyfile(source, target)
    return target


def made_ready(fresh: Path) -> str:
    """Check a copy of the backup against its seal, bring it up to date, and give the seal."""
    seal = read_seal(fresh)
    with create_engine(address(str(fresh)), poolclass=NullPool).begin() as connection:
        SEAL.drop(connection)  # from here on it is a database like others
    with Store(str(fresh)):
        return seal


def bring_in(fresh: Path, seal: str, target: Store) -> Backup:
    """Copy the rows of a backup that is ready."""
    with (
        Store(str(fresh), upgrade=False) as copy,
        copy.engine.connect() as connection,
        target.engine.connect().execution_options(writing=True) as into,
        into.begin(),
    ):
        target.dialect.alone(into)
        make_room(into, accounts=connection.execute(select(account)).first() is not None)
        copy_rows(connection, into)
    target.dialect.sweep(target.engine)
    return Backup(reports_in(target), seal)


def make_room(into: Connection, *, accounts: bool) -> None:
    """Refuse a database that holds anything, but for links to make a first account.

    Every start of a service without accounts prints one; none may work once accounts are there.
    """
    others = [select(table) for table in ALL if table is not link]
    for query in (*others, select(link).where(link.c.account != "")):
        if into.execute(query.limit(1)).first() is not None:
            raise SurveyError(
                "the database is not empty: it holds surveys, accounts, drafts, or what deleted "
                "surveys have spent. Restore into a new one, so that nothing mixes"
            )
    if accounts:
        into.execute(delete(link))


def read_seal(file: Path) -> str:
    """Give the seal of a backup; refuse what is none, or what does not match it.

    What is none is above all a plain copy of a database file. The file is left as it is.
    """
    refusal = SurveyError(
        f"{file.name} is no backup. A plain copy of a database file lacks its log and may lack "
        "answers: make backups with frankly backup, which is safe while the service runs"
    )
    engine = create_engine(address(str(file)), hide_parameters=True, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table(SEAL.name):
                raise refusal
            seal = str(connection.scalar(select(SEAL.c.content)))
            if not matches(connection, seal):
                raise SurveyError("this backup was changed or damaged after it was made: its seal "
                                  "does not match. Use another one")  # fmt: skip
    except DatabaseError:
        raise refusal from None
    return seal


def matches(connection: Connection, seal: str) -> bool:
    """Tell whether everything is as it was sealed; what cannot even be read is not."""
    try:
        return content_hash(connection) == seal
    except (AttributeError, LookupError, TypeError, ValueError):
        return False


@contextmanager
def one_moment(engine: Engine) -> Iterator[Connection]:
    """See one moment of the database, however long the copying takes.

    A survey that is closed meanwhile is written anew, and its rows would be younger than a moment
    already chosen. So copying and closing wait for each other, and do so at a lock that keeps
    nobody else waiting; it is held beside, because asking for it chooses a moment, too.
    """
    with engine.connect() as beside, engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            beside.exec_driver_sql(f"SELECT pg_advisory_xact_lock_shared({CLOSING})")
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield connection


def copy_rows(source: Connection, into: Connection) -> None:
    """Copy every table in the order of its keys, and what still waits to be sorted in."""
    there = set(inspect(source).get_table_names())
    for table in (*ALL, tray):
        if table.name not in there:
            continue
        step = FEW if table is report else CHUNK
        query = select(table).order_by(*table.primary_key).execution_options(yield_per=step)
        for rows in source.execute(query).mappings().partitions():
            into.execute(insert(table), [dict(row) for row in rows])


def content_hash(connection: Connection) -> str:
    """Hash every survey, invitation, report and counter, in the order of their keys.

    Reports are hashed in the order of their bytes, however they are dealt out. Tables are read
    with the columns and keys that they have there: a backup was sealed by the version that made
    it, and later ones may have others; the first ones had a row for each report.
    """
    digest, revision = hashlib.sha256(), MigrationContext.configure(connection)
    by_row = (revision.get_current_revision() or "") < SHEETS
    names, there = [table.name for table in ALL], MetaData()
    there.reflect(connection, only=lambda name, _: name in names)
    for name in sorted(there.tables, key=names.index):
        found = there.tables[name]
        if name == report.name and not by_row:
            for line in reports_written(connection):
                digest.update(line)
            continue
        for row in connection.execute(select(found).order_by(*found.primary_key)).mappings():
            digest.update(written(name, row.values()))
    return digest.hexdigest()


def reports_written(connection: Connection) -> Iterator[bytes]:
    """Write the reports of each survey, in the order of their bytes."""
    query = select(survey.c.name, survey.c.document).order_by(survey.c.name)
    for name, document in connection.execute(query).all():
        reports = unpacked(sheets_of(connection, name), questions_in(document))
        lines = reports.view(f"S{reports.itemsize * reports.shape[1]}")
        yield written(report.name, [name, hashlib.sha256(np.sort(lines, axis=0).data).digest()])


def written(name: str, values: Iterable[Any]) -> bytes:
    """Write a row so that no two different rows look alike."""
    plain = [value.hex() if isinstance(value, bytes) else value for value in values]
    return json.dumps([name, *plain]).encode() + b"\n"
