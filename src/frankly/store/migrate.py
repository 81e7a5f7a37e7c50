"""Migrate: bring a database to the tables of this version, keeping every row."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect

from frankly.store.survey import SurveyError

__all__ = ["SEALED", "migrate"]

SEALED = "seal"
"""The table that a backup has, and no other database."""

TURN = 0x6672616E6B6C79
"""The lock of PostgreSQL at which those who start together wait; the number is our name."""


def migrate(engine: Engine, to: str = "head") -> None:
    """Create the tables, or bring older ones up to date, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":  # SQLite begins as a writer, one at a time
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({TURN})")
        refuse_old_backup(connection, config)
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def refuse_old_backup(connection: Connection, config: Config) -> None:
    """Change no backup of an earlier version: its seal would not fit any more."""
    newest = ScriptDirectory.from_config(config).get_current_head()
    now = MigrationContext.configure(connection).get_current_revision()
    if now != newest and inspect(connection).has_table(SEALED):
        raise SurveyError(
            "this is a backup that an earlier version made, and to look into it would change it. "
            "Bring it into a new database first: frankly restore BACKUP --db NEW.sqlite"
        )
