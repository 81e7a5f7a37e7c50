"""Store: where surveys, invitations and reports rest."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import URL, Connection, Engine, delete, func, insert, make_url, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from frankly.design import Design
from frankly.store.batch import Batch, Left, Look, Wait
from frankly.store.budget import refuse_overspending, remember_spending
from frankly.store.counters import Vector, read_vector, summed, write_vector
from frankly.store.migrate import migrate
from frankly.store.postgres import Postgres
from frankly.store.rows import Rows, unpacked
from frankly.store.sheet import dealt
from frankly.store.sqlite import Sqlite
from frankly.store.survey import Mode, Survey, SurveyError, opened
from frankly.store.tables import (
    ALL,
    OF_A_SURVEY,
    UNUSED,
    counter,
    draft,
    invitation,
    member,
    report,
    shown,
    survey,
    tray,
)
from frankly.store.tray import PAIR

__all__ = [
    "Dialect",
    "Store",
    "add_up",
    "address",
    "deal",
    "hashed",
    "is_sqlite",
    "questions_in",
    "refuse_gone",
    "sheets_of",
]


class Dialect(Protocol):
    """What differs between the databases, and how this worker left the surveys in one."""

    left: Left
    turn: AbstractContextManager[bool]
    """Whoever enters waits for our turn to write, and hears whether others had theirs."""

    def engine(self, url: URL, *, new: bool) -> Engine:
        """Open the database, which may be new: then it is made."""

    def batches(self, engine: Engine) -> Engine:
        """Give what batches are stored by."""

    def begin(self, raw: Any, surveys: int) -> None:
        """Begin a transaction that will write to so many surveys, on the driver's connection."""

    def look(self, raw: Any, survey: str, secrets: Sequence[bytes]) -> Look:
        """Read a survey and the receipts beside some invitations, which nobody else may change."""

    def keep(self, raw: Any, batch: Batch) -> Iterator[Wait]:
        """Store new answers so that nothing tells their order; fail if they cannot be new.

        Gives a socket whenever it must be waited for; all is done when this has run to its end.
        """

    def light(self, batch: Batch) -> bool:
        """Tell whether `keep` waits for nothing but its socket."""

    def forget(self) -> None:
        """Forget what was remembered of a batch that failed."""

    def tidied(self) -> int:
        """Tell how often this worker saw that somebody had tidied up."""

    def tidy(self, engine: Engine) -> bool:
        """Remove traces of order after a batch; tell whether all are gone."""

    def lies_still(self, engine: Engine) -> bool:
        """Tell whether nobody has written anything since this was asked last."""

    def queue(self, connection: Connection) -> None:
        """Wait before everything else for whoever is alone, so that nobody waits in a circle."""

    def alone(self, connection: Connection) -> None:
        """Let nobody else read or write until we commit, where rows could be missed otherwise."""

    def settle(self, connection: Connection) -> None:
        """Put every receipt beside its invitation, where some wait for it."""

    def rewrite(self, connection: Connection) -> None:
        """Write every table anew, so that no position tells an order."""

    def sweep(self, engine: Engine) -> None:
        """Remove what deleted rows have left behind."""


class Store:
    """Surveys and the answers to them, in SQLite or PostgreSQL.

    Parameters
    ----------
    url
        A file's path (SQLite), or an SQLAlchemy address such as
        ``postgresql://user@host/database``.

    Examples
    --------
    >>> from frankly.design import Attribute, Design, Group
    >>> from frankly.mechanism import Unrelated
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Unrelated(theta=0.7))])
    >>> with Store("sqlite://") as store:
    ...     _ = store.open_survey("ward", design, "invited")
    ...     len(store.invite("ward", 3)), store.size("ward")
    (3, 0)
    """

    def __init__(self, url: str, *, upgrade: bool = True) -> None:
        self.url = url
        self.dialect: Dialect = Sqlite() if is_sqlite(url) else Postgres()
        self.engine = self.dialect.engine(address(url), new=upgrade)
        self.batches = self.dialect.batches(self.engine)
        self.lines: list[PoolProxiedConnection] = []  # what the last batches were stored by
        self.pressed = False  # whether other workers were storing when we last wanted to
        if upgrade:
            try:
                migrate(self.engine)
                self.dialect.tidy(self.engine)
            except BaseException:
                self.close()  # or what was refused stays open, and its log lies beside it
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        while self.lines:
            self.lines.pop().close()
        self.batches.dispose()
        self.engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection in a transaction that will write; empty the log afterwards."""
        with (
            self.dialect.turn,
            self.engine.connect().execution_options(writing=True) as connection,
            connection.begin(),
        ):
            self.dialect.queue(connection)
            yield connection
        self.tidy()

    @contextmanager
    def anew(self) -> Iterator[Connection]:
        """Give a connection in a transaction at whose end every table is written anew.

        Either all of it happens or nothing: whoever is killed in between has changed nothing.
        """
        with (
            self.dialect.turn,
            self.engine.connect().execution_options(writing=True) as connection,
            connection.begin(),
        ):
            self.dialect.alone(connection)
            self.dialect.settle(connection)
            yield connection
            self.dialect.rewrite(connection)
        self.dialect.sweep(self.engine)

    @contextmanager
    def at_once(self, surveys: int = 1) -> Iterator[Any]:
        """Give the driver's own connection, for batches; what is done with it happens as a whole.

        Nothing stands between a batch and the database: its errors are the driver's own.
        """
        with self.dialect.turn as self.pressed:
            line = self.lines.pop() if self.lines else self.batches.raw_connection()
            raw: Any = line.driver_connection
            try:
                self.dialect.begin(raw, surveys)
                yield raw
                raw.commit()
            except BaseException as error:
                if isinstance(error, TimeoutError):
                    raw.close()  # whoever says nothing would not hear that we undo it either
                with suppress(self.driver.Error):
                    raw.rollback()
                if self.lasting and not isinstance(error, self.driver.IntegrityError):
                    line.invalidate()  # whatever it was, it must not happen again
                line.close()
                raise
            if self.lasting:
                self.lines.append(line)
            else:
                line.close()

    @property
    def lasting(self) -> bool:
        """Whether data outlive a connection: a database in memory belongs to one."""
        return isinstance(self.batches.pool, QueuePool)

    @property
    def driver(self) -> Any:
        """The database's own module, with its errors."""
        return self.engine.dialect.dbapi

    def tidy(self) -> bool:
        """Remove traces of the order of answers, as far as an open survey allows.

        Tell whether they are gone: in SQLite they stay while somebody reads them.
        """
        return self.dialect.tidy(self.engine)

    def open_survey(self, name: str, design: Design, mode: Mode) -> Survey:
        """Open a survey: from now on its design is frozen."""
        refuse_certainty(design)
        made = opened(name, design, mode)
        try:
            with self.writing() as connection:
                refuse_overspending(connection, design)
                connection.execute(insert(survey).values(**made.row()))
                remove_leftovers(connection, name)
        except IntegrityError:
            raise SurveyError(
                f"there is a survey {name!r} already, and an opened survey never changes. "
                "Choose another name"
            ) from None
        return made

    def surveys(self) -> list[str]:
        """Name all surveys."""
        with self.engine.connect() as connection:
            return list(connection.scalars(select(survey.c.name).order_by(survey.c.name)))

    def survey(self, name: str) -> Survey:
        """Give a survey by name."""
        with self.engine.connect() as connection:
            row = connection.execute(select(survey).where(survey.c.name == name)).one_or_none()
        if row is None:
            raise SurveyError(f"there is no survey {name!r}. Open one: frankly open SURVEY.yaml")
        return Survey(row.name, read_design(row.document), row.state, row.mode, row.mark)

    def close_survey(self, name: str) -> Survey:
        """Take no more answers, deal the reports out anew, and write everything anew."""
        found = self.survey(name)
        with self.anew() as connection:
            refuse_gone(connection, found)
            connection.execute(update(survey).where(survey.c.name == name).values(state="closed"))
            deal(connection, name, len(found.design.names))
            add_up(connection, name)
        return self.survey(name)

    def delete_survey(self, name: str) -> None:
        """Remove a survey and all its bytes; its panel stays warned of what was revealed."""
        found = self.survey(name)
        panel, epsilon = found.design.panel, found.design.epsilon
        with self.anew() as connection:
            refuse_gone(connection, found)
            if panel is not None and sums_of(connection, name):
                remember_spending(connection, panel, epsilon)
            for table in OF_A_SURVEY:
                connection.execute(delete(table).where(table.c.survey == name))
            connection.execute(delete(survey).where(survey.c.name == name))

    def invite(self, name: str, count: int) -> list[str]:
        """Make single-use secrets; only their hashes are kept."""
        found = self.survey(name)
        if found.mode == "anyone":
            raise SurveyError(
                f"anyone may answer {name!r}: it needs no invitations, and asks for none. Send "
                f"everybody the one link that ends in /{name}/"
            )
        made = [new_secret(typed=found.design.own_device is not None) for _ in range(count)]
        kept = sorted(hashed(secret) for secret in made)
        for start in range(0, count, CHUNK):
            rows = [
                {"survey": name, "secret": secret, "receipt": UNUSED}
                for secret in kept[start : start + CHUNK]
            ]
            with self.writing() as connection:
                refuse_closed(connection, found)
                connection.execute(insert(invitation), rows)
        return made

    def unused(self, name: str, made: Sequence[str]) -> list[str]:
        """Tell which of these secrets nobody has used, for reminders."""
        where = (invitation.c.survey == name, invitation.c.receipt == UNUSED)
        with self.engine.connect() as connection:
            free = set(connection.scalars(select(invitation.c.secret).where(*where)))
            waiting = list(connection.scalars(select(tray.c.pairs).where(tray.c.survey == name)))
        free -= {secret for pairs in waiting for secret, _ in PAIR.iter_unpack(pairs)}
        return [secret for secret in made if hashed(secret) in free]

    def size(self, name: str) -> int:
        """Tell how many reports there are."""
        return sum(int(vector[0]) for vector in self.counted(name).values())

    def counted(self, name: str) -> dict[int, Vector]:
        """Give the live counters of each form that has reports; `Counters` cuts them up."""
        with self.engine.connect() as connection:
            return sums_of(connection, name)

    def reports(self, name: str) -> NDArray[np.uint16]:
        """Give all reports, one a row, the form first, as `Rows` has them."""
        rows = Rows(self.survey(name).design)
        with self.engine.connect() as connection:
            waiting = connection.scalars(select(tray.c.codes).where(tray.c.survey == name))
            return rows.unpack([*sheets_of(connection, name), *waiting])

    def show(self, of: Survey, n: int, counts: str) -> None:
        """Remember what the owner is shown."""
        with self.writing() as connection:
            refuse_gone(connection, of)
            connection.execute(delete(shown).where(shown.c.survey == of.name))
            connection.execute(insert(shown).values(survey=of.name, n=n, counts=counts))

    def last_shown(self, name: str) -> tuple[int, str] | None:
        """Give what the owner was shown last."""
        with self.engine.connect() as connection:
            row = connection.execute(select(shown).where(shown.c.survey == name)).one_or_none()
        return None if row is None else (row.n, row.counts)

    def total_rows(self) -> dict[str, int]:
        """Tell how many rows each table has."""
        with self.engine.connect() as connection:
            return {
                table.name: int(connection.scalar(select(func.count()).select_from(table)) or 0)
                for table in ALL
            }


def sums_of(connection: Connection, name: str) -> dict[int, Vector]:
    """Add up what was counted of a survey, form by form: by each process, and on the tray."""
    found: dict[int, Vector] = {}
    query = select(counter.c.form, counter.c.counts).where(counter.c.survey == name)
    for form, kept in connection.execute(query.order_by(counter.c.form)):
        found[form] = read_vector(kept) + found.get(form, 0)
    waiting = connection.scalars(select(tray.c.more).where(tray.c.survey == name))
    return dict(sorted(summed(found, waiting).items()))


def sheets_of(connection: Connection, name: str) -> list[bytes]:
    """Give the sheets of a survey, in the order of their random keys."""
    query = select(report.c.codes).where(report.c.survey == name).order_by(report.c.key)
    return list(connection.scalars(query))


def questions_in(document: str) -> int:
    """Count the questions of a stored document, also of one that would be refused by now."""
    return len(json.loads(document)["attributes"])


def deal(connection: Connection, name: str, questions: int) -> None:
    """Deal all reports of a survey out anew: no sheet tells which of them came together.

    Nobody else may store meanwhile, or their reports would go with the old sheets.
    """
    reports = unpacked(sheets_of(connection, name), questions)
    connection.execute(delete(report).where(report.c.survey == name))
    for key, codes in dealt(reports):
        connection.execute(insert(report).values(survey=name, key=key, codes=codes))


def add_up(connection: Connection, name: str) -> None:
    """Keep one row of counters a form: several would tell which process took in what."""
    sums = sums_of(connection, name)
    connection.execute(delete(counter).where(counter.c.survey == name))
    for form, vector in sums.items():
        values = {"survey": name, "form": form, "shard": 0, "counts": write_vector(vector)}
        connection.execute(insert(counter).values(**values))


def address(url: str) -> URL:
    """Read a plain path as an SQLite file, whatever is in it, and choose our PostgreSQL driver."""
    if "://" not in url:
        return URL.create("sqlite", database=url)
    found = make_url(url)
    ours = found.drivername in {"postgresql", "postgres"}
    return found.set(drivername="postgresql+psycopg") if ours else found


def is_sqlite(url: str) -> bool:
    """Tell whether a store is in SQLite, which its workers share by themselves.

    Examples
    --------
    >>> is_sqlite("frankly.sqlite"), is_sqlite("postgresql://host/frankly")
    (True, False)
    """
    return address(url).get_backend_name() == "sqlite"


CHUNK = 10_000
"""So many invitations are written at a time: whoever answers meanwhile waits for no more."""

TYPED = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Letters that nobody takes for a digit, in codes that people type."""


def new_secret(*, typed: bool) -> str:
    """Draw a secret: 128 bits in a link, or 80 bits in letters that can be typed."""
    if typed:
        return "".join(secrets.choice(TYPED) for _ in range(16))
    return secrets.token_urlsafe(16)


def hashed(secret: str) -> bytes:
    """Hash a secret or a receipt: 128 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


@lru_cache(maxsize=64)
def read_design(document: str) -> Design:
    """Read a stored document."""
    return Design.from_document(json.loads(document))


def refuse_gone(connection: Connection, of: Survey) -> None:
    """Keep a survey from being deleted until we commit; refuse when it was.

    Another may have its name by now: its mark tells.
    """
    query = select(survey.c.name).where(survey.c.name == of.name, survey.c.mark == of.mark)
    if connection.scalar(query.with_for_update(read=True)) is None:
        raise SurveyError(f"the survey {of.name!r} was deleted meanwhile")


def refuse_closed(connection: Connection, of: Survey) -> None:
    """Keep a survey open until we commit; refuse when it is closed or gone."""
    refuse_gone(connection, of)
    if connection.scalar(select(survey.c.state).where(survey.c.name == of.name)) != "open":
        raise SurveyError(f"the survey {of.name!r} is closed and invites nobody any more")


def remove_leftovers(connection: Connection, name: str) -> None:
    """Let a new survey begin with nothing of an earlier one of its name; a draft has members."""
    drafted = connection.scalar(select(draft.c.name).where(draft.c.name == name)) is not None
    for table in OF_A_SURVEY:
        if table is not member or not drafted:
            connection.execute(delete(table).where(table.c.survey == name))


def refuse_certainty(design: Design) -> None:
    """Refuse to open a survey in which some report proves something, unless it says so."""
    if design.epsilon == float("inf") and not design.accept_infinite_epsilon:
        raise SurveyError(
            "some report of this survey would prove something about its sender for certain "
            "(infinite epsilon). Lower theta, give every cover cell a weight, or say "
            "accept_infinite_epsilon: true in the document if you mean it"
        )
