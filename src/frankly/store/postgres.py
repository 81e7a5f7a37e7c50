"""PostgreSQL: for several workers and many answers a second.

While a survey is open the order of arrival stands in the live tables (xmin, physical order, the
server's own log); only when it is closed are all reports dealt out anew, under random keys.

A batch is a handful of statements however many answers it has, and two journeys to the server: one
to look, one to keep. So the values of a column come as one array.
"""

import secrets
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError

from frankly.store.batch import Batch, Look, random_keys
from frankly.store.survey import SurveyError
from frankly.store.tables import ALL

__all__ = ["CLOSING", "Postgres"]

CLOSING = 0x636C6F73696E67
"""The lock at which closing and copying wait for each other; the number is its name."""

MOMENT, PATIENCE = 0.2, 60.0
"""Seconds for which closing may keep everybody waiting at a time, and for which it waits in all."""

SHARD = secrets.randbelow(2**31)
"""Each process adds to counters of its own, so that workers never wait for each other."""

SURVEY = "SELECT state, mode, fingerprint, document FROM survey WHERE name = %(survey)s FOR SHARE"
"""Nobody closes or deletes it before we commit."""
LOOK = """
    SELECT found.* FROM unnest(%(secrets)b::bytea[]) AS asked, LATERAL (
        SELECT secret, receipt FROM invitation
        WHERE survey = %(survey)s AND secret = asked FOR UPDATE
    ) AS found
"""
"""One look into the index for each secret, in the order given, however the table has grown."""
USE = """
    UPDATE invitation SET receipt = used.receipt
    FROM unnest(%(secrets)b::bytea[], %(receipts)b::bytea[]) AS used (secret, receipt)
    WHERE invitation.survey = %(survey)s AND invitation.secret = used.secret
"""
ADMIT = """
    INSERT INTO invitation (survey, secret, receipt)
    SELECT %(survey)s, alone, alone FROM unnest(%(receipts)b::bytea[]) AS alone
"""
COUNTS = """
    SELECT form, counts FROM counter WHERE survey = %(survey)s AND shard = %(shard)s FOR UPDATE
"""
PLACE = "INSERT INTO report (survey, key, codes) VALUES (%(survey)s, %(key)b, %(codes)b)"
FIRST = """
    INSERT INTO counter (survey, form, shard, counts)
    VALUES (%(survey)s, %(form)s, %(shard)s, %(counts)b)
"""
COUNT = """
    UPDATE counter SET counts = %(counts)b
    WHERE survey = %(survey)s AND form = %(form)s AND shard = %(shard)s
"""


class Postgres:
    """The ways of a PostgreSQL server."""

    def engine(self, url: URL) -> Engine:
        """Connect, with a pool that notices when the server was restarted."""
        return create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_use_lifo=True)

    def turn(self, engine: Engine) -> AbstractContextManager[bool]:
        """Nobody waits: the server lets workers write beside each other."""
        del engine
        return nullcontext(enter_result=False)

    def begin(self, raw: Any) -> AbstractContextManager[Any]:
        """Begin with the first statement; go to the server only when we need its answer."""
        pipeline: AbstractContextManager[Any] = raw.pipeline()
        return pipeline

    def look(self, raw: Any, survey: str, secrets: Sequence[bytes]) -> Look:
        """Read what a batch is judged by; lock its invitations in one order for all workers."""
        words: dict[str, Any] = {"survey": survey, "secrets": secrets, "shard": SHARD}
        found, used, counts = (raw.execute(one, words) for one in (SURVEY, LOOK, COUNTS))
        return Look(found.fetchone(), dict(used.fetchall()), dict(counts.fetchall()))

    def keep(self, raw: Any, batch: Batch) -> None:
        """Store a batch, its reports as one sheet."""
        if batch.used:
            secrets, receipts = (list(column) for column in zip(*batch.used, strict=True))
            words = {"survey": batch.survey, "secrets": secrets, "receipts": receipts}
            raw.execute(USE, words)
        if batch.alone:
            raw.execute(ADMIT, {"survey": batch.survey, "receipts": batch.alone})
        sheet = {"key": random_keys(1)[0], "codes": b"".join(batch.rows)}
        raw.execute(PLACE, {"survey": batch.survey, **sheet})
        for form, counts in batch.counts.items():
            mine = {"survey": batch.survey, "form": form, "shard": SHARD, "counts": counts}
            raw.execute(FIRST if form in batch.first else COUNT, mine)

    def forget(self) -> None:
        """Nothing is remembered between batches."""

    def tidy(self, engine: Engine) -> bool:
        """Nothing to tidy while the survey is open: see the module's first words."""
        del engine
        return True

    def queue(self, connection: Connection) -> None:
        """Hold `survey` before any other table, as whoever stores does: see `alone`.

        Nobody but them is kept waiting by it.
        """
        connection.exec_driver_sql("LOCK TABLE survey IN ROW SHARE MODE")

    def alone(self, connection: Connection) -> None:
        """Wait for whoever copies; then lock every table, `survey` first: so does whoever stores.

        Who waits for a table keeps everybody waiting who comes later. So we wait only a moment at
        a time for whoever reads for long, and let the others pass in between.
        """
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({CLOSING})")
        names = ", ".join(table.name for table in ALL)
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{MOMENT}s'")
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with connection.begin_nested():
                    connection.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")
            except OperationalError as error:
                if type(error.orig).__name__ != "LockNotAvailable":
                    raise
                if time.monotonic() > end:
                    raise SurveyError(
                        "somebody has been reading the database for more than "
                        f"{PATIENCE:.0f} seconds, such as an export, and this has to wait for "
                        "them. Nothing was changed: try again when they are done"
                    ) from None
                time.sleep(MOMENT)
            else:
                break
        connection.exec_driver_sql("SET LOCAL lock_timeout = DEFAULT")

    def rewrite(self, connection: Connection) -> None:
        """Write every table anew into a new file, in the order of its keys."""
        for table in ALL:
            name, keys = table.name, ", ".join(column.name for column in table.primary_key)
            connection.exec_driver_sql(f"CREATE TEMP TABLE anew AS SELECT * FROM {name}")  # noqa: S608
            connection.exec_driver_sql(f"TRUNCATE {name}")
            connection.exec_driver_sql(f"INSERT INTO {name} SELECT * FROM anew ORDER BY {keys}")  # noqa: S608
            connection.exec_driver_sql("DROP TABLE anew")

    def sweep(self, engine: Engine) -> None:
        """Nothing is left: the server removes the old files when the change is committed."""
