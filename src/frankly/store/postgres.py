"""PostgreSQL: for several workers and many answers a second.

While a survey is open the order of arrival stands in the live tables (xmin, physical order, the
server's own log); only when it is closed are they written anew, in the order of their random keys.
"""

import secrets
from collections.abc import Sequence

from sqlalchemy import Connection, Engine, create_engine, insert, text

from frankly.store.tables import ALL, report

__all__ = ["Postgres"]


class Postgres:
    """The ways of a PostgreSQL server."""

    def engine(self, url: str) -> Engine:
        """Connect, with a pool that notices when the server was restarted."""
        return create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_size=5)

    def place(
        self, connection: Connection, survey: str, rows: Sequence[bytes], blank: bytes
    ) -> None:
        """Store reports under random keys."""
        del blank
        fresh = [{"survey": survey, "key": secrets.token_bytes(16), "codes": row} for row in rows]
        if fresh:
            connection.execute(insert(report), fresh)

    def forget(self) -> None:
        """Nothing is remembered between batches."""

    def tidy(self, engine: Engine) -> None:
        """Nothing to tidy while the survey is open: see the module's first words."""

    def rewrite(self, engine: Engine) -> None:
        """Copy every table into a new one, in the order of its keys, and drop the old."""
        with engine.begin() as connection:
            for table in ALL:
                name, keys = table.name, ", ".join(column.name for column in table.primary_key)
                connection.execute(text(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE"))
                connection.execute(
                    text(f"CREATE TABLE {name}_anew (LIKE {name} INCLUDING DEFAULTS)")
                )
                connection.execute(
                    text(f"INSERT INTO {name}_anew SELECT * FROM {name} ORDER BY {keys}")  # noqa: S608
                )
                connection.execute(text(f"DROP TABLE {name}"))
                connection.execute(text(f"ALTER TABLE {name}_anew RENAME TO {name}"))
                connection.execute(text(f"ALTER TABLE {name} ADD PRIMARY KEY ({keys})"))
