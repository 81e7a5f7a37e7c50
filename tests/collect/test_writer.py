"""The writer: batches that fill while others are stored, and traces that do not stay."""

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from frankly.collect import writer
from frankly.collect.writer import Writer, lost
from frankly.store import Answer, Outcome, Rows, Store, hashed, ingest
from tests.live import DESIGN, in_loop

ANSWER = Answer("ward", None, bytes(32), b"")


class Notebook:
    """Stands for the database: writes down what would be done, and takes its time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: list[int | str] = []
        monkeypatch.setattr(writer, "ready", lambda _, answers: answers)
        monkeypatch.setattr(writer, "straight", lambda *_: None)
        monkeypatch.setattr(writer, "keep", self.keep)
        monkeypatch.setattr(Store, "tidy", lambda _: self.said.append("tidy"))

    def keep(self, _: Store, answers: Sequence[Answer]) -> list[Outcome]:
        """Store nothing, for as long as a commit takes."""
        time.sleep(0.002)
        self.said.append(len(answers))
        return ["stored"] * len(answers)

    @property
    def sizes(self) -> list[int]:
        """The batches, without the rest."""
        return [one for one in self.said if isinstance(one, int)]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    """A database that is only written about."""
    return Notebook(monkeypatch)


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    """A store to hand to the writer."""
    return Store(str(tmp_path / "s.sqlite"))


async def answering(store: Store, people: int, answers: int) -> None:
    """Let people answer at once, each again and again."""
    one = Writer(store)
    one.start()

    async def person() -> None:
        for _ in range(answers):
            assert await one.store_one(ANSWER) == "stored"

    await asyncio.gather(*(person() for _ in range(people)))
    await one.stop()


def test_who_answers_at_once_is_stored_at_once(kept: Store, notebook: Notebook) -> None:
    in_loop(answering(kept, 32, 20))
    assert sum(notebook.sizes) == 640
    assert len(notebook.sizes) <= 60, "batches should fill up, not trickle"


def test_a_lone_answer_leaves_no_trace_and_waits_for_nobody(
    kept: Store, notebook: Notebook
) -> None:
    in_loop(answering(kept, 1, 5))
    assert notebook.said == ["tidy", *[1, "tidy"] * 5]


def test_traces_of_a_crowd_go_when_it_has_gone(kept: Store, notebook: Notebook) -> None:
    in_loop(answering(kept, 32, 3))
    assert notebook.said[-1] == "tidy"
    assert notebook.said.count("tidy") < len(notebook.sizes) + 2


def test_traces_of_a_crowd_that_stays_go_all_the_same(
    kept: Store, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "UNTIDY_CROWD", 0.01)
    in_loop(answering(kept, 32, 40))
    assert notebook.said.count("tidy") >= 4


@pytest.mark.parametrize("again", [0, 3])
def test_a_crowd_in_which_some_send_again_is_tidied_up_behind_as_soon(
    kept: Store, monkeypatch: pytest.MonkeyPatch, again: int
) -> None:
    """Whoever sends again, or a stranger with made-up invitations, must not put it off."""
    monkeypatch.setattr(writer, "UNTIDY_CROWD", 0.05)
    kept.open_survey("ward", DESIGN, "anyone")
    tidied = list[float]()
    tidy = Store.tidy

    def noted(store: Store) -> bool:
        tidied.append(time.monotonic())
        return tidy(store)

    async def answered() -> None:
        one = Writer(kept)
        one.start()
        end = time.monotonic() + 1

        async def person(i: int) -> None:
            n = 0
            while time.monotonic() < end:
                n += i >= again  # the first few send the same answer for ever
                code = hashed(f"{i} {n}")
                await one.store_one(Answer("ward", None, code, Rows(DESIGN).pack(0, [1, 2, 0])))

        await asyncio.gather(*(person(i) for i in range(16)))
        monkeypatch.setattr(Store, "tidy", tidy)
        await one.stop()

    monkeypatch.setattr(Store, "tidy", noted)
    in_loop(answered())
    # Every 0.05 seconds while the machine is quick; a busy one may take five times as long.
    assert len(tidied) >= 4


def test_traces_that_somebody_was_reading_go_when_nobody_answers_any_more(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log holds what single answers changed, until whoever reads it has ended."""
    monkeypatch.setattr(writer, "AGAIN", 0.05)
    kept.open_survey("ward", DESIGN, "anyone")
    log = Path(f"{kept.engine.url.database}-wal")

    async def answered() -> None:
        one = Writer(kept)
        one.start()
        with kept.engine.connect() as reader:
            reader.execute(text("SELECT count(*) FROM report")).all()
            for i in range(3):
                answer = Answer("ward", None, hashed(f"{i}"), Rows(DESIGN).pack(0, [1, 2, 0]))
                assert await one.store_one(answer) == "stored"
            await asyncio.sleep(0.2)
            assert log.stat().st_size > 0
        await emptied(log)
        await one.stop()

    in_loop(answered())


async def emptied(log: Path) -> None:
    """Wait until a log is empty, for ten seconds at most."""
    async with asyncio.timeout(10):
        while log.stat().st_size:
            await asyncio.sleep(0.02)


def test_a_failure_to_tidy_stops_nobody(
    kept: Store,
    notebook: Notebook,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_: Store) -> None:
        raise OSError("secret/path")

    monkeypatch.setattr(Store, "tidy", broken)
    with caplog.at_level(logging.ERROR):
        in_loop(answering(kept, 1, 3))
    assert notebook.sizes == [1, 1, 1]
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text


def test_a_database_that_went_away_is_told_from_other_errors() -> None:
    gone = psycopg.OperationalError("server closed the connection")
    assert lost(gone)
    assert lost(OperationalError("SELECT 1", {}, gone))
    assert not lost(psycopg.errors.DiskFull())
    assert not lost(ValueError())


def test_whoever_is_idle_leaves_tidying_up_to_those_at_work(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others leave goes when they are done, and not before: it would keep them waiting."""
    monkeypatch.setattr(writer, "AGAIN", 0.02)
    kept.open_survey("ward", DESIGN, "anyone")
    log, row = Path(f"{kept.url}-wal"), Rows(DESIGN).pack(0, [0, 1, 1])
    seen: list[bool] = []

    async def idle() -> None:
        one = Writer(kept)
        one.start()
        await asyncio.sleep(0.1)
        with Store(kept.url, upgrade=False) as other:
            for i in range(60):
                ingest(other, [Answer("ward", None, hashed(f"{i}"), row)], tidy=False)
                await asyncio.sleep(0.005)
                seen.append(log.stat().st_size > 0)
        end = time.monotonic() + 30
        while log.stat().st_size and time.monotonic() < end:
            await asyncio.sleep(0.02)
        await one.stop()

    in_loop(idle())
    assert seen == [True] * 60
    assert log.stat().st_size == 0
