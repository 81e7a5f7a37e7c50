"""The tray: what came last is found wherever it is, and sorted in without loss."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from frankly import Attribute, Design, Group, Unrelated
from frankly.store import Answer, Counters, Rows, Store, hashed, ingest, ready
from frankly.store.backup import backup, restore
from frankly.store.counters import write_vector
from frankly.store.ingest import wait_for
from frankly.store.migrate import migrate
from frankly.store.sheet import PLACES
from frankly.store.survey import opened
from frankly.store.tables import counter, survey
from tests.live import DESIGN

NUMBERED = Design(
    [Attribute("number", [str(i) for i in range(5000)])],
    groups=[Group(["number"], Unrelated(theta=0.5))],
)
ROW = Rows(DESIGN).pack(0, [0, 1, 1])


def numbers(store: Store) -> list[int]:
    """Read who answered."""
    return sorted(store.reports("ward")[:, 1].tolist())


def answer(i: int) -> Answer:
    """One who answers with a number."""
    return Answer("ward", None, hashed(f"{i}"), Rows(NUMBERED).pack(0, [i]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A new file."""
    return tmp_path / "s.sqlite"


@pytest.mark.parametrize("sizes", [[1], [3, 1, 700], [PLACES], [PLACES + 1], [400] * 9, [1500, 2]])
def test_reports_are_read_before_and_after_they_are_sorted_in(path: Path, sizes: list[int]) -> None:
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        there = 0
        for size in sizes:
            batch = [answer(i) for i in range(there, there + size)]
            assert set(ingest(store, batch, tidy=False)) == {"stored"}
            there += size
            assert numbers(store) == list(range(store.size("ward"))) == list(range(there))
            assert store.tidy()
            assert numbers(store) == list(range(store.size("ward"))) == list(range(there))
            assert set(ingest(store, batch, tidy=False)) == {"again"}
        assert store.size("ward") == store.total_rows()["invitation"] == there


def test_after_tidying_up_the_tray_holds_a_number_and_nothing_else(path: Path) -> None:
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        for i in range(5):
            ingest(store, [answer(i)], tidy=False)
        with closing(sqlite3.connect(path)) as seen:
            assert len(seen.execute("SELECT * FROM tray").fetchall()) == 5
        assert store.tidy()
    with closing(sqlite3.connect(path)) as seen:
        assert seen.execute("SELECT * FROM tray").fetchall() == [(5, "", b"", b"", b"")]


def test_a_batch_that_was_not_all_new_is_no_sign_that_somebody_tidied_up(path: Path) -> None:
    """Otherwise each of them would put off tidying up for another second."""
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        ingest(store, [answer(0)], tidy=False)
        seen = store.dialect.tidied()
        for i in range(1, 4):
            assert ingest(store, [answer(i), answer(0)], tidy=False) == ["stored", "again"]
        assert store.dialect.tidied() == seen
        store.tidy()
        for i in range(4, 6):
            ingest(store, [answer(i)], tidy=False)
            assert store.dialect.tidied() == seen + 1


def test_what_was_undone_is_not_kept_in_mind(path: Path) -> None:
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        ingest(store, [answer(0)], tidy=False)
        (made,) = ready(store, [answer(1)])
        assert made.batch is not None
        with suppress(KeyError), store.at_once() as raw:
            wait_for(store.dialect.keep(raw, made.batch))
            raise KeyError
        assert ingest(store, [answer(1)], tidy=False) == ["stored"]
        assert ingest(store, [answer(1)], tidy=False) == ["again"]
        assert numbers(store) == [0, 1]


def test_newest_reports_lie_among_older_ones(path: Path) -> None:
    # A place among 1,024 says nothing: ranks of 600 and places correlate by chance with a
    # deviation of .041, so beyond .22 once in 10 million.
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        for i in range(600):
            ingest(store, [answer(i)], tidy=i % 20 == 19)
        found = store.reports("ward")[:, 1].astype(float)
    assert abs(np.corrcoef(np.arange(600), found)[0, 1]) < 0.22


def test_whoever_was_killed_before_tidying_up_left_everything(path: Path) -> None:
    """What lies on the tray is stored: a later start sorts it in."""
    killed = Store(str(path))
    killed.open_survey("ward", DESIGN, "invited")
    secrets = killed.invite("ward", 3)
    first = Answer("ward", hashed(secrets[0]), hashed("r"), ROW)
    assert ingest(killed, [first], tidy=False) == ["stored"]
    assert killed.unused("ward", secrets) == secrets[1:]
    with Store(str(path)) as store:
        with closing(sqlite3.connect(path)) as seen:
            assert seen.execute("SELECT count(*) FROM tray WHERE pairs != x''").fetchone() == (0,)
        assert store.unused("ward", secrets) == secrets[1:]
        assert (store.size("ward"), len(store.reports("ward"))) == (1, 1)
        other = Answer("ward", first.secret, hashed("another"), ROW)
        assert ingest(store, [first, other]) == ["again", "taken"]
    killed.close()


def test_what_an_earlier_version_counted_is_not_counted_again(path: Path) -> None:
    """It counted a batch when it laid it down; a worker that was killed left it lying there."""
    path.touch()
    with Store(str(path), upgrade=False) as old:
        migrate(old.engine, "0006")
        with old.writing() as connection:
            values = opened("ward", DESIGN, "anyone").row()
            connection.execute(insert(survey).values(**values))
            counted = Counters(DESIGN).tally(Rows(DESIGN).read(ROW))[0]
            sums = {"survey": "ward", "form": 0, "shard": 0, "counts": write_vector(counted)}
            connection.execute(insert(counter).values(**sums))
            lies = {"n": 1, "ward": "ward", "codes": ROW, "pairs": hashed("r") * 2}
            connection.exec_driver_sql("INSERT INTO tray VALUES (:n, :ward, :codes, :pairs)", lies)
    with Store(str(path)) as new:
        assert ingest(new, [Answer("ward", None, hashed("r"), ROW)]) == ["again"]
        assert ingest(new, [Answer("ward", None, hashed("s"), ROW)], tidy=False) == ["stored"]
        for _ in range(2):
            assert new.size("ward") == len(new.reports("ward")) == 2
            new.tidy()


def test_a_backup_holds_what_lies_on_the_tray(path: Path, tmp_path: Path) -> None:
    with Store(str(path)) as store:
        store.open_survey("ward", DESIGN, "invited")
        secrets = store.invite("ward", 3)
        first = Answer("ward", hashed(secrets[0]), hashed("r"), ROW)
        ingest(store, [first], tidy=False)
        made = backup(store, tmp_path / "b.bak")
    assert made.reports == 1
    restore(tmp_path / "b.bak", str(tmp_path / "new.sqlite"))
    with Store(str(tmp_path / "new.sqlite")) as new:
        assert new.unused("ward", secrets) == secrets[1:]
        assert (new.size("ward"), len(new.reports("ward"))) == (1, 1)
        assert ingest(new, [first]) == ["again"]


@pytest.mark.parametrize("ended", ["closed", "deleted"])
def test_what_lies_on_the_tray_ends_with_its_survey(path: Path, ended: str) -> None:
    with Store(str(path)) as store:
        store.open_survey("ward", NUMBERED, "anyone")
        ingest(store, [answer(i) for i in range(3)], tidy=False)
        if ended == "closed":
            store.close_survey("ward")
            assert numbers(store) == [0, 1, 2]
        else:
            store.delete_survey("ward")
            assert store.total_rows()["invitation"] == store.total_rows()["report"] == 0
    with closing(sqlite3.connect(path)) as seen:
        assert seen.execute("SELECT count(*) FROM tray WHERE pairs != x''").fetchone() == (0,)
