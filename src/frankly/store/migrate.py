"""Migrate: bring a database to the tables of this version, keeping every row."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

__all__ = ["migrate"]

TURN = 0x6672616E6B6C79
"""The lock of PostgreSQL at which those who start together wait; the number is our name."""


def migrate(engine: Engine, to: str = "head") -> None:
    """Create the tables, or bring older ones up to date, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":  # SQLite begins as a writer, one at a time
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({TURN})")
        config.attributes["connection"] = connection
        command.upgrade(config, to)
