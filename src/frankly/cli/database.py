"""Which database: the same option for every command of the survey service."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from alembic.util import CommandError
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from frankly.errors import EngineError, FranklyError
from frankly.store import Store, is_sqlite
from frankly.store.sqlite import file_of
from frankly.store.store import address

__all__ = ["database_option", "existing", "in_words", "opened"]

database_option: Callable[[Any], Any] = click.option(
    "--db",
    "url",
    default="frankly.sqlite",
    show_default=True,
    envvar="FRANKLY_DB",
    show_envvar=True,
    help="The database: a file (SQLite), or an address such as postgresql://user@host/name.",
)

KINDS = re.compile(r"(sqlite|postgres|postgresql)(\+\w+)?://", re.ASCII)

FILE = (
    "Check --db: it names a database that frankly made, or a new file, in a folder that is there "
    "and has room, and you may write to both"
)
SERVER = (
    "Check --db: host, port, name, user and password, and whether the server is running. What an "
    "address uses for itself, such as an @ in a password, is written %40"
)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open a database, which is made if it is a new file, and close it; its errors become words."""
    with in_words(url), Store(url) as store:
        yield store


@contextmanager
def existing(url: str) -> Iterator[Store]:
    """Open a database that should be there: a mistyped file is not made anew."""
    refuse_unknown(url)
    file = address(url).database if is_sqlite(url) else None
    if file is not None and not Path(file).exists():
        raise FranklyError(
            f"there is no database {file!r} yet. frankly open makes one; or name another with --db"
        )
    with opened(url) as store:
        yield store


@contextmanager
def in_words(url: str) -> Iterator[None]:
    """Say in words what a database refused, without a password."""
    refuse_unknown(url)
    try:
        yield
    except CommandError as error:
        raise EngineError(
            f"the database {named(url)} was made by another version of Frankly, and this one "
            "cannot read it. Use the version that made it, or a newer one"
        ) from error
    except SQLAlchemyError as error:
        check = FILE if is_sqlite(url) else SERVER
        raise EngineError(
            f"the database {named(url)} cannot be used{reason(error, url)}. {check}"
        ) from error


def refuse_unknown(url: str) -> None:
    """Refuse an address of no known database, one that cannot be read, or one in memory."""
    if "://" in url:
        refuse_unread(url)
    if is_sqlite(url) and file_of(address(url)) is None:
        raise FranklyError(
            f"--db {named(url)!r} names no file: what is kept in memory ends with this command. "
            "Name a file, such as frankly.sqlite"
        )


def refuse_unread(url: str) -> None:
    """Refuse an address of no known kind, or one that is no address."""
    if not KINDS.match(url):
        raise FranklyError(
            "--db is a file, or an address that begins with postgresql:// or sqlite:///; no other "
            "database is known"
        )
    try:
        make_url(url)
    except (ArgumentError, ValueError):
        raise FranklyError(
            "the address given with --db cannot be read. It looks like "
            "postgresql://user@host:5432/name, and an @ in a password is written %40"
        ) from None


def named(url: str) -> str:
    """Name a database without the user, the password and the options of its address.

    Examples
    --------
    >>> named("postgresql://ann:secret@db.example:5432/ward?password=secret")
    'postgresql://db.example:5432/ward'
    >>> named("ward.sqlite")
    'ward.sqlite'
    """
    return re.sub(r"://.*@", "://", url).partition("?")[0] if "://" in url else url


def reason(error: Exception, url: str) -> str:
    """Give the first line of what the driver says, unless it could tell a secret or a row."""
    telling = isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError)
    if not telling or url.count("@") > 1:
        return ""
    return f" ({str(getattr(error, 'orig', '')).strip().partition(chr(10))[0]})"
