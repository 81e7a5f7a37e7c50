"""A PostgreSQL for one measurement: it is there, and then nothing of it is."""

from pathlib import Path

import psycopg
import pytest

from frankly.bench import postgres


def test_a_server_is_made_for_the_measurement_and_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(postgres.NAMED, raising=False)
    with postgres.a_database() as url:
        assert url is not None
        with psycopg.connect(url) as connection:
            folder = Path(connection.execute("SHOW data_directory").fetchall()[0][0])
            assert folder.is_dir()
    assert not folder.parent.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)


def test_a_database_that_is_named_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(postgres.NAMED, "postgresql://somewhere/empty")
    with postgres.a_database() as url:
        assert url == "postgresql://somewhere/empty"


def test_without_postgresql_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(postgres.NAMED, raising=False)
    monkeypatch.setattr(postgres, "program", lambda _: None)
    with postgres.a_database() as url:
        assert url is None
