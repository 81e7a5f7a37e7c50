"""Closing, deleting and copying: nothing half done, nothing missed, no position that tells."""

import os
import secrets
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event, text

from frankly import Attribute, Design, Group, Unrelated
from frankly.errors import EngineError
from frankly.store import Answer, Rows, Store, SurveyError, hashed, ingest
from frankly.store.backup import backup, content_hash, one_moment, restore
from frankly.store.export import report_table
from tests.live import DESIGN, Postgres

NUMBER = Attribute("number", [f"{i}" for i in range(4000)])
NUMBERED = Design([NUMBER], groups=[Group(["number"], Unrelated(theta=0.5))])
"""Everybody can send another row, so that order can be seen."""

RUSHED = Design([Attribute("ill", ["no", "yes", "a little"])])
"""What is opened under an old name."""


def sent(name: str, design: Design, i: int, codes: list[int]) -> Answer:
    return Answer(name, None, hashed(f"{name}{i}"), Rows(design).pack(0, codes), design.fingerprint)


def one_after_another(url: str, n: int) -> Store:
    """Let people answer, eight at a time, each with a number."""
    store = Store(url)
    store.open_survey("ward", NUMBERED, "anyone")
    for start in range(0, n, 8):
        batch = [sent("ward", NUMBERED, i, [i]) for i in range(start, start + 8)]
        ingest(store, batch, tidy=start % 320 == 312)
    return store


def ranked(store: Store, position: str) -> float:
    """Tell how well positions follow the order of arrival: 1 is perfectly."""
    with store.engine.connect() as connection:
        rows = connection.execute(text(f"SELECT codes FROM report ORDER BY {position}")).all()
    numbers = Rows(NUMBERED).unpack([bytes(codes) for (codes,) in rows])[:, 1]
    return float(np.corrcoef(np.arange(len(numbers)), numbers.astype(float))[0, 1])


def grouped(store: Store) -> float:
    """Tell by how many deviations a sheet holds reports that came earlier or later than others."""
    with store.engine.connect() as connection:
        sheets = connection.execute(text("SELECT codes FROM report")).scalars().all()
    numbers = [Rows(NUMBERED).unpack([bytes(codes)])[:, 1].astype(float) for codes in sheets]
    together = np.concatenate(numbers)
    return max(
        float(abs(one.mean() - together.mean()) / together.std() * np.sqrt(len(one)))
        for one in numbers
    )


def test_a_closed_survey_of_thousands_lies_in_no_order(url: str) -> None:
    # By chance the ranks of 3,200 correlate with a deviation of .018: beyond .09 once in a million;
    # the mean of one of four sheets lies beyond 5 deviations twice in a million.
    position = "ctid" if url.startswith("postgres") else "rowid"
    with one_after_another(url, 3200) as store:
        store.close_survey("ward")
        assert abs(ranked(store, position)) < 0.09
        assert abs(ranked(store, "key")) < 0.09
        assert grouped(store) < 5


def test_a_file_of_an_open_survey_does_not_tell_who_came_together(url: str) -> None:
    # By chance neighbours among 3,200 correlate with a deviation of .018: beyond .09 once in a
    # million. As they lie in PostgreSQL, a batch after the other, it is .9.
    with one_after_another(url, 3200) as store:
        numbers = np.array(report_table(store, "ward")["number"].to_pylist(), dtype=float)
    assert sorted(numbers) == list(range(3200))
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.09
    assert abs(np.corrcoef(np.arange(3200), numbers)[0, 1]) < 0.09


def test_sheets_that_are_not_dealt_out_anew_tell_who_came_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: one sheet is filled after the other, and stays where it lies."""
    monkeypatch.setattr("frankly.store.store.deal", lambda *_: None)
    with one_after_another(str(tmp_path / "s.sqlite"), 3200) as store:
        store.close_survey("ward")
        assert grouped(store) > 10


STORE_ONE = """
import sys
from frankly.store import Answer, Rows, Store, hashed, ingest
with Store(sys.argv[1], upgrade=False) as store:
    design = store.survey("ward").design
    row = Rows(design).pack(0, [int(sys.argv[2]), 0, 0])
    assert ingest(store, [Answer("ward", None, hashed(sys.argv[2]), row)]) == ["stored"]
"""


def test_counters_do_not_tell_which_process_took_what(url: str, tmp_path: Path) -> None:
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        for i in range(2):
            subprocess.run([sys.executable, "-c", STORE_ONE, url, str(i)], check=True)
        if not url.startswith("postgres"):  # there the order is in the tables until closing anyway
            assert store.total_rows()["counter"] == 1
        backup(store, tmp_path / "b.sqlite")
        store.close_survey("ward")
        assert store.total_rows()["counter"] == 1
        assert store.size("ward") == 2
    with Store(str(tmp_path / "b.sqlite"), upgrade=False) as kept:
        assert kept.total_rows()["counter"] == 1
        assert kept.size("ward") == 2


def test_a_survey_that_takes_the_name_of_a_deleted_one_gets_every_answer(url: str) -> None:
    with Store(url) as worker, Store(url, upgrade=False) as owner:
        owner.open_survey("ward", RUSHED, "anyone")
        assert ingest(worker, [sent("ward", RUSHED, 0, [2])]) == ["stored"]
        owner.delete_survey("ward")
        owner.open_survey("ward", DESIGN, "anyone")
        for i in range(1, 41):
            assert ingest(worker, [sent("ward", DESIGN, i, [i % 2, 0, 0])]) == ["stored"]
        assert ingest(worker, [sent("ward", RUSHED, 99, [2])]) == ["other"]
        assert len(owner.reports("ward")) == owner.size("ward") == 40
        owner.close_survey("ward")
        assert len(owner.reports("ward")) == 40


KILLED = """
import os, sys
from frankly.store import Store
store = Store(sys.argv[1], upgrade=False)
store.dialect.rewrite = lambda connection: os._exit(9)
store.close_survey("ward")
"""


def test_a_closing_that_is_killed_has_closed_nothing(url: str) -> None:
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        assert ingest(store, [sent("ward", DESIGN, 1, [1, 0, 0])]) == ["stored"]
        killed = subprocess.run([sys.executable, "-c", KILLED, url], check=False)
        assert killed.returncode == 9
        assert store.survey("ward").state == "open"
        assert ingest(store, [sent("ward", DESIGN, 2, [0, 0, 0])]) == ["stored"]
        assert store.close_survey("ward").state == "closed"
        assert len(store.reports("ward")) == store.size("ward") == 2


def test_a_backup_begun_while_a_survey_closes_holds_every_answer(
    postgres: Postgres, tmp_path: Path
) -> None:
    with Store(postgres.database()) as store, ThreadPoolExecutor(1) as pool:
        store.open_survey("ward", DESIGN, "anyone")
        ingest(store, [sent("ward", DESIGN, i, [i % 2, 0, 0]) for i in range(30)])
        begun, rewrite = threading.Event(), store.dialect.rewrite

        def slow(connection: object) -> None:
            begun.set()
            threading.Event().wait(1.0)
            rewrite(connection)  # type: ignore[arg-type]

        store.dialect.rewrite = slow  # type: ignore[method-assign]
        closing = pool.submit(store.close_survey, "ward")
        assert begun.wait(20)
        assert backup(store, tmp_path / "b.sqlite").reports == 30
        assert closing.result().state == "closed"


def test_a_closing_that_waits_for_a_backup_keeps_nobody_waiting(postgres: Postgres) -> None:
    with Store(postgres.database()) as store, ThreadPoolExecutor(2) as pool:
        for name in ("ward", "other"):
            store.open_survey(name, DESIGN, "anyone")
        with one_moment(store.engine) as copying:
            copying.execute(text("SELECT * FROM report")).all()
            closing = pool.submit(store.close_survey, "ward")
            assert not wait([closing], 0.5).done
            answer = pool.submit(ingest, store, [sent("other", DESIGN, 1, [1, 0, 0])])
            assert wait([answer], 20).done, "an answer to another survey waits for the backup"
            assert answer.result() == ["stored"]
            assert copying.execute(text("SELECT * FROM report")).all() == []
            assert not closing.done()
        assert closing.result().state == "closed"


def test_a_closing_that_waits_for_a_long_reader_lets_answers_pass(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(postgres.database()) as store, ThreadPoolExecutor(2) as pool:
        for name in ("ward", "other"):
            store.open_survey(name, DESIGN, "anyone")
        with store.engine.connect() as reading:
            reading.execute(text("SELECT * FROM report")).all()
            closing = pool.submit(store.close_survey, "ward")
            assert not wait([closing], 0.5).done
            for i in range(3):
                answer = pool.submit(ingest, store, [sent("other", DESIGN, i, [1, 0, 0])])
                assert wait([answer], 20).done, "an answer waits for somebody who only reads"
                assert answer.result() == ["stored"]
            assert not closing.done()
        assert closing.result(timeout=20).state == "closed"
        monkeypatch.setattr("frankly.store.postgres.PATIENCE", 0.5)
        with store.engine.connect() as reading:
            reading.execute(text("SELECT * FROM report")).all()
            with pytest.raises(SurveyError, match="Nothing was changed"):
                store.close_survey("other")
        assert store.survey("other").state == "open"
        assert store.close_survey("other").state == "closed"


def test_a_closed_database_keeps_what_others_may_do_with_it(postgres: Postgres) -> None:
    with Store(postgres.database()) as store:
        role = f"reader{secrets.token_hex(4)}"
        with store.engine.begin() as connection:
            connection.execute(text(f"CREATE ROLE {role}"))
            connection.execute(text(f"GRANT SELECT ON survey TO {role}"))
        store.open_survey("ward", DESIGN, "anyone")
        store.close_survey("ward")
        with store.engine.begin() as connection:
            query = text(f"SELECT has_table_privilege('{role}', 'survey', 'SELECT')")
            assert connection.scalar(query)
            connection.execute(text(f"DROP OWNED BY {role}"))
            connection.execute(text(f"DROP ROLE {role}"))


def test_restoring_leaves_the_backup_as_it_was_and_files_are_for_their_owner(
    tmp_path: Path,
) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "anyone")
        ingest(store, [sent("ward", DESIGN, 1, [1, 0, 0])])
        made = backup(store, tmp_path / "b.sqlite")
    before = (tmp_path / "b.sqlite").read_bytes()
    (tmp_path / "b.sqlite").chmod(0o400)
    restore(tmp_path / "b.sqlite", str(tmp_path / "again.sqlite"))
    assert (tmp_path / "b.sqlite").read_bytes() == before
    with Store(str(tmp_path / "again.sqlite")) as store, store.engine.connect() as connection:
        assert content_hash(connection) == made.content
        for file in tmp_path.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file.name
    left = sorted(file.name for file in tmp_path.iterdir())
    assert [name for name in left if name.startswith(".")] == []
    assert os.access(tmp_path / "b.sqlite", os.R_OK)


def no_copies(connection: Any, _: Any) -> None:
    """Let SQLite write no file anew, as a full disk would."""

    def refused(action: int, *_: object) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK

    connection.set_authorizer(refused)


def test_a_file_that_cannot_be_written_anew_is_no_secret(tmp_path: Path) -> None:
    """What was asked is done by then, and whoever asks again is told otherwise."""
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        event.listen(store.engine, "connect", no_copies)
        store.engine.dispose()
        with pytest.raises(EngineError, match="is done, but what was removed can still be found"):
            store.delete_survey("ward")
        assert store.surveys() == []
