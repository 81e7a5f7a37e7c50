"""Fixtures that several rooms share; each is made when the first test asks for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.count.session import session
from tests.live import Postgres, browsing


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server, started for these tests and stopped with them.

    Not among pytest's own folders: those are closed to other users, and another run of pytest
    closes them again.
    """
    server = Postgres.make()
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session: one for all tests, because starting it is what takes the time."""
    with session() as started:
        yield started


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, opened once."""
    with browsing() as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "survey.sqlite")
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()
