"""Over PostgreSQL a batch is sent from the loop itself: no thread, and the same promises."""

import asyncio
import os
import socket
import threading
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from frankly.collect import writer
from frankly.collect.refusal import Refusal
from frankly.collect.writer import Writer
from frankly.store import Answer, Outcome, Ready, Rows, Store, hashed, ingest, keep
from frankly.store.postgres import Postgres as Dialect
from tests.live import DESIGN, Postgres, in_loop

ROW = Rows(DESIGN).pack(0, [0, 1, 1])


def answer(receipt: str, secret: str | None = None) -> Answer:
    """Make an answer."""
    return Answer("ward", None if secret is None else hashed(secret), hashed(receipt), ROW)


def running(store: Store, what: Callable[[Writer], Awaitable[None]]) -> None:
    """Do something while a writer is at work."""

    async def go() -> None:
        one = Writer(store)
        one.start()
        await what(one)
        await one.stop()

    in_loop(go())


def test_after_the_first_batch_no_thread_is_asked(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def in_thread(store: Store, made: list[Ready]) -> list[Outcome]:
        asked.append(made)
        return keep(store, made)

    monkeypatch.setattr(writer, "keep", in_thread)

    async def many(one: Writer) -> None:
        for i in range(20):
            assert await one.store_one(answer(f"{i}")) == "stored"

    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "anyone")
        running(store, many)
        assert len(store.reports("ward")) == 20
    assert len(asked) == 1


def test_whoever_must_be_refused_is_looked_up(postgres: Postgres) -> None:
    with Store(postgres.database()) as store, Store(store.url, upgrade=False) as other:
        store.open_survey("ward", DESIGN, "invited")
        made = store.invite("ward", 5)

        async def some(one: Writer) -> None:
            for i in (0, 1):
                assert await one.store_one(answer(f"r{i}", made[i])) == "stored"
            assert ingest(other, [answer("theirs", made[2])]) == ["stored"]
            assert await one.store_one(answer("theirs", made[2])) == "again"
            assert await one.store_one(answer("mine", made[2])) == "taken"
            assert await one.store_one(answer("r3", "nobody's")) == "unknown"
            both = (one.store_one(answer(f"r{i}", made[i])) for i in (3, 0))
            assert await asyncio.gather(*both) == ["stored", "again"]
            store.close_survey("ward")
            assert await one.store_one(answer("r4", made[4])) == "closed"

        running(store, some)
        assert len(store.reports("ward")) == 4


def test_a_connection_that_breaks_while_we_wait_loses_and_doubles_nothing(
    postgres: Postgres,
) -> None:
    """Whoever waits for the server keeps nobody else waiting: the loop goes on."""

    async def cut_off(one: Writer) -> None:
        assert await one.store_one(answer("first")) == "stored"
        with psycopg.connect(store.url) as alone:
            alone.execute("LOCK TABLE survey IN ACCESS EXCLUSIVE MODE")
            waits = asyncio.ensure_future(one.store_one(answer("second")))
            ended = 0
            for _ in range(500):
                await asyncio.sleep(0.01)
                ended = alone.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    "WHERE wait_event_type = 'Lock' AND datname = current_database()"
                ).fetchone()[0]  # type: ignore[index]
                if ended:
                    break
            assert ended == 1
            assert not waits.done()
        assert await waits == "stored"

    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "anyone")
        running(store, cut_off)
        assert len(store.reports("ward")) == 2


def test_nobody_is_told_before_the_commit_was_heard(postgres: Postgres) -> None:
    """A server may say that a statement went well, and then fail to commit it."""
    fails = """
        CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN RAISE EXCEPTION ''too late''; END';
        CREATE CONSTRAINT TRIGGER late AFTER INSERT ON report DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION fails()
    """

    async def late(one: Writer) -> None:
        for i in range(3):
            assert await one.store_one(answer(f"{i}")) == "stored"
        with psycopg.connect(store.url, autocommit=True) as owner:
            owner.execute(fails)
            with pytest.raises(Refusal):
                await one.store_one(answer("late"))
            owner.execute("DROP TRIGGER late ON report")
        assert await one.store_one(answer("late")) == "stored"

    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "anyone")
        running(store, late)
        assert len(store.reports("ward")) == 4


def test_what_a_connection_takes_only_in_part_is_sent_to_its_end(postgres: Postgres) -> None:
    """As over a network, where the system buffers little."""
    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "anyone")
        assert ingest(store, [answer("first")]) == ["stored"]
        with socket.socket(fileno=os.dup(store.lines[-1].driver_connection.fileno())) as line:  # type: ignore[union-attr]
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
        many, done = [answer(f"{i}") for i in range(500)], list[str]()
        thread = threading.Thread(target=lambda: done.extend(ingest(store, many)), daemon=True)
        thread.start()
        thread.join(20)
        assert done == ["stored"] * 500


def test_a_connection_that_only_looked_is_ready_to_send(postgres: Postgres) -> None:
    """Or the loop would have to wait for the server to prepare our statements."""
    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "invited")
        assert ingest(store, [answer("r", "nobody's")]) == ["unknown"]
        assert isinstance(store.dialect, Dialect)
        assert store.lines[-1].driver_connection in store.dialect.prepared


def test_what_is_too_long_to_send_at_once_waits_in_the_thread(postgres: Postgres) -> None:
    async def crowd(one: Writer) -> None:
        for i in range(2):
            sent = [one.store_one(answer(f"{i} {k}")) for k in range(400)]
            assert set(await asyncio.gather(*sent)) == {"stored"}

    with Store(postgres.database()) as store:
        store.open_survey("ward", DESIGN, "anyone")
        running(store, crowd)
        assert len(store.reports("ward")) == 800
