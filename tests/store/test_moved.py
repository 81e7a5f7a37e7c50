"""A file that was moved or replaced takes nothing more: nobody would find what it took."""

import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from frankly.errors import EngineError
from frankly.store import Answer, Rows, Store, hashed, ingest
from tests.live import DESIGN, body_for, running, some_report, survey_in

ROW = Rows(DESIGN).pack(0, [0, 1, 1])


def answer(words: str) -> Answer:
    return Answer("ward", None, hashed(words), ROW)


@pytest.mark.parametrize("later", ["nothing", "an older copy"])
def test_nothing_is_stored_in_a_file_that_was_moved_away(tmp_path: Path, later: str) -> None:
    path, away = tmp_path / "s.sqlite", tmp_path / "away.sqlite"
    survey_in(str(path), 0)
    shutil.copy(path, tmp_path / "copy.sqlite")
    with Store(str(path)) as store:
        assert ingest(store, [answer("before")]) == ["stored"]
        path.rename(away)
        if later == "an older copy":
            (tmp_path / "copy.sqlite").rename(path)
        for _ in range(2):
            with pytest.raises(EngineError, match="moved, replaced or removed"):
                ingest(store, [answer("meanwhile")])
        with pytest.raises(EngineError, match="start again"):
            store.size("ward")
        assert path.exists() == (later == "an older copy"), "no file is made in its place"
        away.rename(path)
        assert ingest(store, [answer("meanwhile"), answer("before")]) == ["stored", "again"]
        assert store.size("ward") == 2


def test_nothing_takes_the_place_of_a_file_whose_log_was_left_behind(tmp_path: Path) -> None:
    """SQLite throws a log away that it finds beside a new file, and the newest answers with it."""
    path, away = tmp_path / "s.sqlite", tmp_path / "away.sqlite"
    survey_in(str(path), 0)
    with Store(str(path)) as store:
        with store.engine.connect() as reader:  # such as a backup: the log cannot be emptied
            reader.exec_driver_sql("SELECT * FROM survey").fetchall()
            assert ingest(store, [answer("late")]) == ["stored"]
        path.rename(away)
        store.batches.dispose()
        with pytest.raises(EngineError, match="not there, but its log is"):
            Store(str(path))
        with pytest.raises(EngineError, match="Put the file back beside it"):
            Store(str(path), upgrade=False)
        assert not path.exists()
        away.rename(path)
    with Store(str(path)) as found:
        assert found.size("ward") == 1


def test_a_worker_makes_no_database(tmp_path: Path) -> None:
    """It is started again when it has died, also when the file was moved meanwhile."""
    with pytest.raises(EngineError, match="there is no database"):
        Store(str(tmp_path / "s.sqlite"), upgrade=False)
    assert list(tmp_path.iterdir()) == []


def test_a_service_whose_file_was_moved_asks_people_to_try_again_and_says_why(
    tmp_path: Path,
) -> None:
    path, log = tmp_path / "s.sqlite", tmp_path / "log"
    survey_in(str(path), 0)
    body = body_for(DESIGN, None, some_report())
    with running(str(path), log=log) as live, httpx.Client(base_url=live.base) as client:
        path.rename(tmp_path / "away.sqlite")
        refused = client.post("/ward/reports", json=body)
        assert (refused.status_code, refused.json()["type"]) == (503, "busy")
        assert client.get("/ward/design.json").status_code == 503
        (tmp_path / "away.sqlite").rename(path)
        assert client.post("/ward/reports", json=body).status_code == 201
    said = log.read_text()
    assert "moved, replaced or removed" in said
    assert body["receipt"] not in said
    with Store(str(path)) as store:
        assert store.size("ward") == 1


TAKE_AWAY = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as other:
    other.execute("SELECT count(*) FROM survey")
other.close()
"""
"""Whoever closes a file last, as far as locks tell, takes its log away."""


def test_a_second_store_of_a_process_does_not_end_the_locks_of_the_first(tmp_path: Path) -> None:
    """Else another program, such as an export, takes the log away, and what is stored next."""
    path = tmp_path / "s.sqlite"
    survey_in(str(path), 0)
    with Store(str(path)) as store, Store(str(path)):
        assert ingest(store, [answer("before")]) == ["stored"]
        subprocess.run([sys.executable, "-c", TAKE_AWAY, str(path)], check=True)
        assert ingest(store, [answer("after")], tidy=False) == ["stored"]
        shutil.copytree(tmp_path, tmp_path / "as it lies on disk")
    with Store(str(tmp_path / "as it lies on disk" / path.name)) as copy:
        assert copy.size("ward") == 2


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    path, link = tmp_path / "s.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(path)
    survey_in(str(link), 0)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_store_is_the_same_file_whatever_folder_we_are_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    survey_in("s.sqlite", 0)
    with Store("s.sqlite") as store:
        monkeypatch.chdir("/")
        assert ingest(store, [answer("elsewhere")]) == ["stored"]
        store.tidy()
        assert store.size("ward") == 1
