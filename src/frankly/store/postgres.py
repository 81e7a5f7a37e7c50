"""PostgreSQL: for several workers and many answers a second.

While a survey is open the order of arrival stands in the live tables (xmin, physical order, the
server's own log); only when it is closed are all reports dealt out anew, under random keys.

A batch is one statement: one journey to the server, and one commit. What a batch is judged by is
not read each time, but assumed to be as this worker left it; where anything is not, the statement
fails as a whole, and only then do we look.
"""

import secrets
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import WeakSet

import numpy as np
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError

from frankly.store.batch import Batch, Left, Look, Seen, Wait, random_keys
from frankly.store.counters import read_vector, write_vector
from frankly.store.survey import SurveyError
from frankly.store.tables import ALL

__all__ = ["CLOSING", "Postgres"]

CLOSING = 0x636C6F73696E67
"""The lock at which closing and copying wait for each other; the number is its name."""

MOMENT, PATIENCE = 0.2, 60.0
"""Seconds for which closing may keep everybody waiting at a time, and for which it waits in all."""

SHARD = secrets.randbelow(2**31)
"""Each process adds to counters of its own, so that workers never wait for each other."""

SURVEY = """
    SELECT state, mode, fingerprint, document, mark FROM survey WHERE name = %(survey)s FOR SHARE
"""
"""Nobody closes or deletes it before we commit."""
LOOK = """
    SELECT found.* FROM unnest(%(secrets)b::bytea[]) AS asked, LATERAL (
        SELECT secret, receipt FROM invitation
        WHERE survey = %(survey)s AND secret = asked FOR UPDATE
    ) AS found
"""
"""One look into the index for each secret, in the order given, however the table has grown."""
COUNTS = """
    SELECT form, counts FROM counter WHERE survey = %(survey)s AND shard = %(shard)s FOR UPDATE
"""
FIRST = """
    INSERT INTO counter (survey, form, shard, counts)
    VALUES (%(survey)s, %(form)s, %(shard)s, %(counts)b)
"""

ADMIT = """
    INSERT INTO invitation (survey, secret, receipt)
    SELECT open.name, new.* FROM open, unnest($3::bytea[], $4::bytea[]) AS new
    ON CONFLICT DO NOTHING
    RETURNING secret
"""
"""Where anyone may answer. That a receipt is there already is no error of its own: the server would
write it into its log."""
USE = """
    INSERT INTO invitation (survey, secret, receipt)
    SELECT open.name, asked.*
    FROM open, unnest($3::bytea[], $4::bytea[]) AS asked (secret, receipt), LATERAL (
        SELECT FROM invitation
        WHERE survey = $1 AND secret = asked.secret AND receipt = decode(repeat('00', 32), 'hex')
        FOR UPDATE
    ) AS unused
    ON CONFLICT (survey, secret) DO UPDATE SET receipt = excluded.receipt
    RETURNING secret
"""
"""With invitations: locks those that are unused, in the order given, and marks them. That it says
INSERT keeps it on the index, however the table has grown; none is new, for each was found."""
KEEP = """
    WITH open AS (
        SELECT name FROM survey WHERE name = $1 AND mark = $2 AND state = 'open'
    ), taken AS ({taken}), placed AS (
        INSERT INTO report (survey, key, codes) SELECT name, $5, $6 FROM open
    ), counted AS (
        UPDATE counter SET counts = new.counts
        FROM open, unnest($7::integer[], $8::bytea[], $9::bytea[]) AS new (form, before, counts)
        WHERE counter.survey = open.name AND counter.shard = $10::integer
            AND counter.form = new.form AND counter.counts = new.before
        RETURNING counter.form
    )
    SELECT 1 / (
        (SELECT count(*) FROM taken) = cardinality($3::bytea[])
        AND (SELECT count(*) FROM counted) = cardinality($7::integer[])
    )::integer
"""
"""All of it or nothing: where anything is not as assumed, the division by zero undoes the rest."""
LIGHT = 2**14
"""Bytes that an idle connection takes at once, even if the server does not listen."""
BYTEA, INTEGER = 17, 23
"""The numbers by which the server knows two types."""
DONE = (1, 2)
"""The numbers by which its library says that a statement was run, without rows or with some."""


class Postgres:
    """The ways of a PostgreSQL server."""

    def __init__(self) -> None:
        self.left = Left()
        self.turn: AbstractContextManager[bool] = nullcontext(
            enter_result=False
        )  # the server lets workers write side by side
        self.prepared: WeakSet[Any] = WeakSet()

    def engine(self, url: URL, *, new: bool) -> Engine:
        """Connect, with a pool that notices when the server was restarted."""
        del new  # whose database it is makes it
        return strictly(
            create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_use_lifo=True)
        )

    def batches(self, engine: Engine) -> Engine:
        """Save the question whether the server is there: a batch notices, and comes again.

        The driver prepares nothing by itself: with its own statements it would forget ours.
        """
        ours = {"prepare_threshold": None}
        return strictly(
            create_engine(engine.url, hide_parameters=True, pool_use_lifo=True, connect_args=ours)
        )

    def begin(self, raw: Any, surveys: int) -> None:
        """Begin where one statement is not all; alone, it is a transaction by itself.

        Our statements are prepared first, so that nobody ever waits for that who only sends.
        """
        line = raw.pgconn
        if raw not in self.prepared:
            for name, taken in (b"admit", ADMIT), (b"use", USE):
                check(line, line.prepare(name, KEEP.format(taken=taken).encode()))
            self.prepared.add(raw)
        if surveys > 1:
            raw.execute("SELECT")

    def look(self, raw: Any, survey: str, secrets: Sequence[bytes]) -> Look:
        """Read what a batch is judged by; lock its invitations in one order for all workers."""
        words: dict[str, Any] = {"survey": survey, "secrets": secrets, "shard": SHARD}
        with raw.pipeline():
            asked = [raw.execute(one, words) for one in (SURVEY, LOOK, COUNTS)]
            found, used, counts = (one.fetchall() for one in asked)
        seen = Seen(*found[0]) if found else None
        self.left.remember(survey, seen, dict(counts))
        return Look(seen, dict(used))

    def keep(self, raw: Any, batch: Batch) -> Iterator[Wait]:
        """Store a batch, its reports as one sheet; who runs this waits at the socket it gives."""
        secrets, receipts = zip(*batch.pairs, strict=True)
        before = [self.begun(raw, batch, form) for form in batch.more]
        sums = zip(batch.more.values(), before, strict=True)
        after = [write_vector(more + read_vector(kept)) for more, kept in sums]
        forms = [form.to_bytes(4) for form in batch.more]
        words = (
            *(batch.survey.encode(), batch.seen.mark),
            *(array(BYTEA, secrets), array(BYTEA, receipts)),
            *(random_keys(1)[0], batch.codes),
            *(array(INTEGER, forms), array(BYTEA, before), array(BYTEA, after), SHARD.to_bytes(4)),
        )
        yield from self.run(raw, b"admit" if batch.seen.mode == "anyone" else b"use", words)
        counts = self.left.counts(batch.survey) | dict(zip(batch.more, after, strict=True))
        self.left.remember(batch.survey, batch.seen, counts)

    def begun(self, raw: Any, batch: Batch, form: int) -> bytes:
        """Give our counters of a form as they are; the first time they begin with nothing."""
        before = self.left.counts(batch.survey).get(form)
        if before is None:
            before = write_vector(np.zeros_like(batch.more[form]))
            words = {"survey": batch.survey, "form": form, "shard": SHARD, "counts": before}
            raw.execute("LOCK TABLE survey IN ROW SHARE MODE")  # before others: see `alone`
            raw.execute(FIRST, words)
        return before

    def run(self, raw: Any, name: bytes, words: Sequence[bytes]) -> Iterator[Wait]:
        """Run one of our two statements, by the library beneath the driver: it is all we need.

        The server says that it is ready again when it has committed, so we hear it out.
        """
        line = raw.pgconn
        line.send_query_prepared(name, words, [1] * len(words), 1)
        said: list[Any] = []
        while True:
            yield line.socket, bool(line.flush())  # a part may still wait to be sent
            line.consume_input()
            while not line.is_busy():
                result = line.get_result()
                if result is None:
                    for one in said or [None]:
                        check(line, one)
                    return
                said.append(result)

    def light(self, batch: Batch) -> bool:
        """Tell whether a batch can be sent without waiting: an idle connection buffers so much."""
        counts = self.left.counts(batch.survey)
        size = len(batch.codes) + 72 * len(batch.pairs)
        size += sum(2 * len(counts[form]) for form in batch.more if form in counts)
        return batch.more.keys() <= counts.keys() and size <= LIGHT

    def tidied(self) -> int:
        """Nothing is ever untidy."""
        return 0

    def forget(self) -> None:
        """After a batch that failed: look again."""
        self.left.forget()

    def tidy(self, engine: Engine) -> bool:
        """Nothing to tidy while the survey is open: see the module's first words."""
        del engine
        return True

    def lies_still(self, engine: Engine) -> bool:
        """Nobody leaves anything to tidy up."""
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

    def settle(self, connection: Connection) -> None:
        """Nothing waits: receipts stand beside their invitations at once."""

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


def strictly(engine: Engine) -> Engine:
    """Keep our promises whatever is the custom of this server, database or role."""

    def prepare(line: Any, _: Any) -> None:
        with line.cursor() as cursor:
            # What was acknowledged must be on disk; what says more than that is left as it is.
            if cursor.execute("SHOW synchronous_commit").fetchone()[0] == "off":
                cursor.execute("SET synchronous_commit = on")
            # Whoever has locked a table must see what others stored before: see `alone`.
            cursor.execute("SET default_transaction_isolation = 'read committed'")
        line.commit()

    event.listen(engine, "connect", prepare)
    return engine


def check(line: Any, result: Any) -> None:
    """Raise what the driver would have raised."""
    if result is not None and result.status in DONE:
        return
    from psycopg import errors, pq  # noqa: PLC0415 - only where PostgreSQL is in use

    if result is None:
        raise errors.OperationalError("the server said nothing")
    error = errors.error_from_result(result)
    if line.status != pq.ConnStatus.OK:
        raise errors.OperationalError("the server is away")
    if isinstance(error, errors.DivisionByZero):
        raise errors.IntegrityError("something is not as this worker left it")
    raise error


def array(kind: int, values: Sequence[bytes]) -> bytes:
    """Write an array as the server reads it.

    Examples
    --------
    >>> array(BYTEA, [b"ab"]).hex(" ", -4)
    '00000001 00000000 00000011 00000001 00000001 00000002 6162'
    """
    head = struct.pack("!iiIii", 1, 0, kind, len(values), 1)
    return head + b"".join([len(value).to_bytes(4) + value for value in values])
