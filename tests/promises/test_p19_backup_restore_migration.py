"""P19: backup, restore and migration lose nothing; deleting leaves nothing."""

import asyncio
import base64
import gzip
import shutil
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import MetaData, Select, Table, delete, insert, select, text

from frankly.cli import main
from frankly.count import Query
from frankly.count.store import StoreEngine, live_counts
from frankly.store import Rows, Store, SurveyError, hashed, ingest, sqlite
from frankly.store.backup import Backup, backup, content_hash, restore
from frankly.store.ingest import Answer, Outcome
from frankly.store.migrate import migrate
from frankly.store.people import accounts, add_account, look_at_link, make_link
from frankly.store.store import sheets_of
from frankly.store.survey import opened
from frankly.store.tables import UNUSED, account, draft, report, spent, survey, tray
from tests.live import (
    DESIGN,
    Postgres,
    body_for,
    figure,
    in_loop,
    packed,
    running,
    some_report,
    survey_in,
)


def begun(url: str) -> Store:
    """Begin a database without tables: a file is there first, as a server's database is."""
    if "://" not in url:
        Path(url).touch()
    return Store(url, upgrade=False)


def filled(url: str, n: int) -> list[str]:
    """Open a survey and let people answer."""
    secrets = survey_in(url, n)
    with Store(url, upgrade=False) as store:
        rows = [Rows(DESIGN).pack(0, [i % 2, i % 3, 1]) for i in range(n)]
        pairs = zip(secrets, rows, strict=True)
        ingest(store, [Answer("ward", hashed(s), hashed("r" + s), row) for s, row in pairs])
    return secrets


def content(url: str) -> str:
    with Store(url, upgrade=False) as store, store.engine.connect() as connection:
        return content_hash(connection)


def test_a_backup_under_load_holds_what_was_acknowledged_before(
    url: str, tmp_path: Path, full: bool
) -> None:
    secrets = survey_in(url, 3000 if full else 500)
    told: list[str] = []

    async def load(base: str) -> int:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:

            async def one(part: list[str]) -> None:
                for secret in part:
                    body = body_for(DESIGN, secret, some_report(len(told)))
                    assert (await client.post("/ward/reports", json=body)).status_code == 201
                    told.append(secret)

            tasks = [asyncio.create_task(one(secrets[i::8])) for i in range(8)]
            while len(told) < len(secrets) // 3:
                await asyncio.sleep(0.01)
            before = len(told)
            with Store(url, upgrade=False) as store:
                await asyncio.to_thread(backup, store, tmp_path / "backup.sqlite")
            await asyncio.gather(*tasks)
            return before

    with running(url) as live:
        before = in_loop(load(live.base))
    restored = str(tmp_path / "restored.sqlite")
    made = restore(tmp_path / "backup.sqlite", restored)
    with Store(restored) as store:
        kept = set(secrets) - set(store.unused("ward", secrets))
        assert store.size("ward") == len(store.reports("ward")) == len(kept) == made.reports
    lost = set(told[:before]) - kept
    kind = "PostgreSQL" if "://" in url else "SQLite"
    claim = f"backup under load, {kind}: lost of {before} acknowledged before it"
    figure("P19", claim, len(lost), full=full)
    assert not lost
    assert content(restored) == made.content


def test_a_backup_of_one_kind_restores_into_the_other(postgres: Postgres, tmp_path: Path) -> None:
    source, target = str(tmp_path / "s.sqlite"), postgres.database()
    filled(source, 50)
    with Store(source) as store:
        made = backup(store, tmp_path / "b.sqlite")
    restore(tmp_path / "b.sqlite", target)
    assert content(source) == content(target) == made.content
    with Store(target) as store:
        backup(store, tmp_path / "back.sqlite")
    restore(tmp_path / "back.sqlite", str(tmp_path / "again.sqlite"))
    assert content(str(tmp_path / "again.sqlite")) == made.content


def test_a_plain_copy_is_refused(tmp_path: Path) -> None:
    """A copy of the main file alone may lack everything that is still in the log."""
    path = tmp_path / "s.sqlite"
    filled(str(path), 20)
    shutil.copy(path, tmp_path / "copy.sqlite")
    (tmp_path / "noise").write_bytes(b"no database at all" * 999)
    for name in ("copy.sqlite", "noise"):
        with pytest.raises(SurveyError, match="no backup"):
            restore(tmp_path / name, str(tmp_path / "new.sqlite"))
    with pytest.raises(SurveyError, match="no file"):
        restore(tmp_path / "nowhere", str(tmp_path / "new.sqlite"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE report SET codes = zeroblob(160)",
        "UPDATE report SET codes = zeroblob(161)",
        "UPDATE report SET codes = 'words'",
        "UPDATE survey SET document = 'nonsense'",
        "UPDATE survey SET document = '[]'",
        "UPDATE survey SET document = '{}'",
        "DELETE FROM report",
    ],
)
def test_a_changed_backup_is_refused(tmp_path: Path, change: str) -> None:
    url = str(tmp_path / "s.sqlite")
    filled(url, 20)
    with Store(url) as store:
        backup(store, tmp_path / "b.sqlite")
    with Store(str(tmp_path / "b.sqlite"), upgrade=False) as store, store.writing() as connection:
        connection.execute(text(change))
    with pytest.raises(SurveyError, match="seal"):
        restore(tmp_path / "b.sqlite", str(tmp_path / "new.sqlite"))


def test_a_backup_never_mixes_into_what_is_there(tmp_path: Path, url: str) -> None:
    source = str(tmp_path / "source.sqlite")
    filled(source, 5)
    with Store(source) as store:
        add_account(store, "ann", "of the backup", "owner")
        backup(store, tmp_path / "b.sqlite")
        with pytest.raises(SurveyError, match="already"):
            backup(store, tmp_path / "b.sqlite")
    with pytest.raises(SurveyError, match="not empty"):
        restore(tmp_path / "b.sqlite", source)
    with Store(url) as there:
        link = make_link(there)  # as the first start of a service does
        for table, row in THERE.items():
            with there.writing() as connection:
                connection.execute(insert(table).values(**row))
            before = there.total_rows()
            with pytest.raises(SurveyError, match="not empty"):
                restore(tmp_path / "b.sqlite", url)
            assert there.total_rows() == before
            with there.writing() as connection:
                connection.execute(delete(table))
        restore(tmp_path / "b.sqlite", url)
        assert [one.password for one in accounts(there)] == ["of the backup"]
        assert look_at_link(there, link) is None


THERE: dict[Table, dict[str, Any]] = {
    account: {"name": "bob", "password": "", "role": "owner"},
    spent: {"panel": "nurses", "epsilon": 1.0, "budget": 2.0},
    draft: {"name": "new", "document": "{}", "plan": "{}"},
}


def test_any_name_of_a_file_will_do(tmp_path: Path) -> None:
    """What means something in an address means nothing in a path."""
    source, target = tmp_path / "a?b.sqlite", tmp_path / "c#d%20?e=f.sqlite"
    filled(str(source), 5)
    with Store(str(source)) as store:
        backup(store, tmp_path / "a?b.bak")
    assert restore(tmp_path / "a?b.bak", str(target)).reports == 5
    with Store(str(target), upgrade=False) as store:
        assert store.size("ward") == 5
    assert not (tmp_path / "a").exists()


def test_a_backup_that_cannot_be_read_back_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frankly.store.backup.copy_sealed", lambda *_: Backup(5, "seal"))
    filled(str(tmp_path / "s.sqlite"), 5)
    with Store(str(tmp_path / "s.sqlite")) as store:
        before = set(tmp_path.iterdir())
        with pytest.raises(SurveyError, match="no backup"):
            backup(store, tmp_path / "b.bak")
        assert set(tmp_path.iterdir()) == before


PACKED = Rows(DESIGN).pack(0, [1, 2, 0])
BLANK = b"\xff" * len(PACKED)


def rows_of(url: str, first: MetaData | None = None) -> tuple[MetaData, dict[str, list[Any]]]:
    """Give every row of the tables and columns that an old database has, as far as rows stay.

    Sums are counted anew, and reports dealt out over sheets.
    """
    tables = first or MetaData()
    with Store(url, upgrade=False) as store, store.engine.connect() as connection:
        if first is None:
            tables.reflect(connection)
        not_rows = {"alembic_version", "counter", "report"}
        kept = [table for table in tables.sorted_tables if table.name not in not_rows]
        return tables, {
            table.name: [tuple(row) for row in connection.execute(ordered(table))] for table in kept
        }


def ordered(table: Table) -> Select[Any]:
    """Read a whole table in the order of its key."""
    return select(table).order_by(*table.primary_key)


def older(url: str, n: int) -> None:
    """Fill a database of the first version."""
    with begun(url) as old:
        migrate(old.engine, "0001")
        tables = MetaData()
        tables.reflect(old.engine)
        made, key = opened("ward", DESIGN, "invited").row(), {"survey": "ward"}
        del made["mark"]
        cells = [("[]", 0, n), ('["ill"]', 1, n)]
        rows = {
            "survey": [made],
            "invitation": [{**key, "secret": hashed(f"{i}"), "receipt": UNUSED} for i in range(n)],
            "report": [{**key, "key": hashed(f"{i}")[:16], "codes": PACKED} for i in range(n)],
            "counter": [{**key, "form": 0, "names": names, "cell": cell, "shard": 7, "n": count}
                        for names, cell, count in cells],
        }  # fmt: skip
        with old.writing() as connection:
            for name, values in rows.items():
                connection.execute(insert(tables.tables[name]), values)
            connection.execute(insert(report).values(**key, key=bytes(16), codes=BLANK))


def test_an_older_database_is_brought_up_to_date_with_every_row(url: str, full: bool) -> None:
    older(url, 30)
    tables, before = rows_of(url)
    assert len(before["invitation"]) == 30
    with Store(url) as new:
        assert new.last_shown("ward") is None
        assert packed(new) == [PACKED] * 30
        assert len(new.survey("ward").mark) == 16
        counted = StoreEngine(DESIGN, new, "ward")
        asked = [Query(()), *(Query(name) for name in DESIGN.names)]
        assert new.size("ward") == 30
        assert live_counts(DESIGN, new.counted("ward"))
        assert counted.count(asked) == counted.scan.count(asked)
    changed = rows_of(url, tables)[1] != before
    figure("P19", "migration of a full database: contents changed", int(changed), full=full)
    assert not changed


def test_an_update_loses_nothing_that_is_stored_meanwhile(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of the last version store on, beside whoever brings the tables up to date."""
    with begun(url) as old, ThreadPoolExecutor(1) as pool:
        migrate(old.engine, "0004")
        tray.create(old.engine)
        old.open_survey("ward", DESIGN, "anyone")
        assert ingest(old, [Answer("ward", None, hashed("0"), PACKED)]) == ["stored"]
        coming: list[Future[list[Outcome]]] = []

        def read(*words: Any) -> list[bytes]:
            found = sheets_of(*words)
            if not coming:  # what comes now is in none of the sheets that were read
                answers = [Answer("ward", None, hashed("1"), PACKED)]
                coming.append(pool.submit(ingest, old, answers))
                wait(coming, 0.5)
            return found

        monkeypatch.setattr("frankly.store.store.sheets_of", read)
        with Store(url) as new:
            assert [one.result() for one in coming] == [["stored"]]
            assert len(new.reports("ward")) == new.size("ward") == 2


def test_a_survey_that_would_be_refused_by_now_stops_neither_migration_nor_backup(
    url: str, tmp_path: Path
) -> None:
    with begun(url) as old:
        migrate(old.engine, "0004")
        made = opened("ward", DESIGN, "anyone").row()
        made["document"] = '{"attributes": [{}, {}, {}], "frankly": 99}'
        rows = [{"survey": "ward", "key": hashed(f"{i}")[:16], "codes": PACKED} for i in range(3)]
        with old.writing() as connection:
            connection.execute(insert(survey).values(**made))
            connection.execute(insert(report), rows)
    with Store(url) as new:
        backup(new, tmp_path / "b.sqlite")
        assert new.total_rows()["report"] == 1
    restore(tmp_path / "b.sqlite", str(tmp_path / "again.sqlite"))
    with Store(str(tmp_path / "again.sqlite")) as again, again.engine.connect() as connection:
        assert connection.scalar(select(report.c.codes)) == PACKED * 3


@pytest.mark.parametrize("made_by", ["0002", "0003", "0004"])
def test_a_backup_of_an_older_version_is_restored_with_every_row(
    tmp_path: Path, made_by: str
) -> None:
    """The files were made by those versions themselves; the first version made no backups."""
    path = tmp_path / "old.bak"
    kept = (Path(__file__).parents[1] / f"store/backups/{made_by}.b64").read_bytes()
    path.write_bytes(gzip.decompress(base64.b64decode(kept)))
    for look in (lambda: Store(str(path)), lambda: restore(path, str(path))):
        with pytest.raises(SurveyError, match="an earlier version made"):
            look()  # it would be brought up to date, and its seal would not fit any more
        assert not Path(f"{path}-wal").exists(), "it is as whole as before"
    made = restore(path, str(tmp_path / "new.sqlite"))
    assert made.reports == 18
    with Store(str(tmp_path / "new.sqlite")) as new:
        sizes = {name: (len(new.reports(name)), new.size(name)) for name in new.surveys()}
        assert sizes == {"open": (12, 12), "ward": (6, 6)}
        assert new.survey("open").state == "closed"
        assert len(new.survey("ward").mark) == 16
        assert new.total_rows()["invitation"] == 20
        assert new.last_shown("open") == (12, "{}")
    with closing(sqlite3.connect(path)) as changed, changed:
        changed.execute("UPDATE report SET codes = zeroblob(8) WHERE rowid = 3")
    with pytest.raises(SurveyError, match="seal"):
        restore(path, str(tmp_path / "other.sqlite"))


def test_deleting_a_survey_removes_its_bytes(tmp_path: Path, full: bool) -> None:
    path = tmp_path / "s.sqlite"
    secrets = filled(str(path), 200)
    hashes = [hashed(secret) for secret in secrets]
    assert sum(one in path.read_bytes() for one in hashes) == 200
    with Store(str(path)) as store:
        store.delete_survey("ward")
        files = b"".join(one.read_bytes() for one in tmp_path.iterdir())
        left = sum(one in files for one in hashes) + (DESIGN.fingerprint.encode() in files)
        assert store.surveys() == []
    figure("P19", "bytes of 200 deleted invitations left", left, full=full)
    assert left == 0


def test_deleting_waits_for_whoever_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    hashes = [hashed(secret) for secret in filled(str(path), 200)]
    with Store(str(path)) as store, ThreadPoolExecutor(1) as pool, Store(str(path)) as other:
        with other.engine.connect() as reader:
            reader.execute(text("SELECT count(*) FROM survey")).all()
            deleting = pool.submit(store.delete_survey, "ward")
            wait([deleting], 0.5)
        deleting.result()
        assert sum(one in path.read_bytes() for one in hashes) == 0


def test_deleting_says_so_when_whoever_reads_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
    path = tmp_path / "s.sqlite"
    hashes = [hashed(secret) for secret in filled(str(path), 200)]

    def left() -> int:
        return sum(one in path.read_bytes() for one in hashes)

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, [*words, "--db", str(path)])

    with Store(str(path)) as other, other.engine.connect() as reader:
        reader.execute(text("SELECT count(*) FROM survey")).all()
        closed, deleted = run("close", "ward"), run("delete", "ward", "--yes")
        assert (closed.exit_code, deleted.exit_code) == (1, 1)
        assert "somebody is reading" in closed.stderr
        assert "somebody is reading" in deleted.stderr
        assert left() == 200
        reader.rollback()
        assert "no survey" in run("close", "ward").stderr
        assert left() == 0


def test_a_backup_leaves_no_log_that_it_kept_from_being_emptied(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    survey_in(str(path), 1)
    with Store(str(path), upgrade=False) as store:
        store.open_survey("open", DESIGN, "anyone")
        ingest(store, [Answer("open", None, hashed("r"), PACKED)], tidy=False)
        assert (tmp_path / "s.sqlite-wal").stat().st_size > 0
        backup(store, tmp_path / "b.sqlite")
        assert (tmp_path / "s.sqlite-wal").stat().st_size == 0


def test_a_delete_without_rewriting_leaves_bytes_behind(tmp_path: Path) -> None:
    """The mutant, as most programs do it."""
    path = tmp_path / "s.sqlite"
    hashes = [hashed(secret) for secret in filled(str(path), 200)]
    with Store(str(path)) as store:
        raw = store.engine.raw_connection()
        cursor = raw.cursor()
        cursor.execute("PRAGMA secure_delete=OFF")
        cursor.execute("DELETE FROM invitation")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raw.close()
    assert sum(one in path.read_bytes() for one in hashes) > 100
