"""A PostgreSQL server with other customs than ours: what is promised holds there too."""

import threading
import time

import psycopg
import pytest

from frankly.store import Answer, Rows, Store, hashed, ingest
from tests.live import DESIGN, Postgres

ROW = Rows(DESIGN).pack(0, [0, 1, 1])


def with_custom(postgres: Postgres, name: str, value: str) -> str:
    """Make a database where something is set that we did not ask for."""
    url = postgres.database()
    with psycopg.connect(url, autocommit=True) as line:
        line.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET {name} = '{value}'".encode())
    return url


def store_some(store: Store, seconds: float) -> int:
    """Answer for a while; tell how many were stored."""
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        answer = Answer("other", None, hashed(f"{n}"), ROW)
        assert ingest(store, [answer]) == ["stored"]
        n += 1
        time.sleep(0.02)
    return n


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_closing_one_survey_loses_nothing_that_is_stored_in_another_meanwhile(
    postgres: Postgres, level: str
) -> None:
    """Closing writes all tables anew: it must see them as they are when it has locked them."""
    url = with_custom(postgres, "default_transaction_isolation", level)
    with Store(url) as store, Store(url, upgrade=False) as worker:
        for name in ("ward", "other"):
            store.open_survey(name, DESIGN, "anyone")
        closing = threading.Thread(target=store.close_survey, args=["ward"])
        with psycopg.connect(url) as reader:  # an export, which closing waits for
            reader.execute("SELECT count(*) FROM draft")
            closing.start()
            stored = store_some(worker, 1.0)
        closing.join()
        assert store.survey("ward").state == "closed"
        assert (store.size("other"), len(store.reports("other"))) == (stored, stored)


@pytest.mark.parametrize(
    ("custom", "ours"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")]
)
def test_a_commit_is_on_disk_before_it_counts_even_where_that_is_not_the_custom(
    postgres: Postgres, custom: str, ours: str
) -> None:
    url = with_custom(postgres, "synchronous_commit", custom)
    asked = "SHOW synchronous_commit"
    with Store(url) as store:
        with store.at_once() as raw:
            assert raw.execute(asked).fetchone() == (ours,)
        with store.engine.connect() as line:
            assert line.exec_driver_sql(asked).scalar() == ours
