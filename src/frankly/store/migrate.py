"""Migrate: bring a database to the tables of this version, keeping every row."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

__all__ = ["migrate"]


def migrate(engine: Engine, to: str = "head") -> None:
    """Create the tables, or bring older ones up to date, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, to)
