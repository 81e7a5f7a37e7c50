"""People: accounts of the studio, their sessions, links that work once, and keys of programs.

Whatever lets somebody in is drawn at random and kept as a hash only, so that the database, a
backup or a log opens no door.
"""

import json
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from frankly.store.store import Store, hashed
from frankly.store.survey import SurveyError
from frankly.store.tables import account, key, link, member, session, survey

__all__ = [
    "DAY",
    "Account",
    "Key",
    "Link",
    "Role",
    "account_of_key",
    "account_of_session",
    "accounts",
    "add_account",
    "end_session",
    "find_account",
    "keys_of",
    "look_at_link",
    "make_key",
    "make_link",
    "remove_account",
    "remove_key",
    "set_password",
    "start_session",
    "use_link",
]

Role = Literal["owner", "analyst"]

DAY = 24 * 3600


@dataclass(frozen=True)
class Account:
    """Somebody who may sign in."""

    name: str
    password: str
    role: Role


@dataclass(frozen=True)
class Link:
    """What a link that works once is for: a new account of a role, or a new password."""

    account: str
    role: Role


@dataclass(frozen=True)
class Key:
    """A program's key, without its secret."""

    name: str
    account: str
    label: str
    powers: frozenset[str]


def add_account(store: Store, name: str, password: str, role: Role) -> Account:
    """Add an account; the first one also gets every survey that nobody owns yet.

    Links for a first account that other starts have printed end with it.
    """
    try:
        with store.writing() as connection:
            first = not connection.scalar(select(func.count()).select_from(account))
            connection.execute(insert(account).values(name=name, password=password, role=role))
            if first:
                connection.execute(delete(link).where(link.c.account == ""))
                owned = select(member.c.survey)
                free = list(
                    connection.scalars(select(survey.c.name).where(survey.c.name.not_in(owned)))
                )
                rows = [{"survey": one, "account": name, "role": "owner"} for one in free]
                if rows:
                    connection.execute(insert(member), rows)
    except IntegrityError:
        raise SurveyError(
            f"there is an account {name!r} already. Sign in, or choose another name"
        ) from None
    return Account(name, password, role)


def find_account(store: Store, name: str) -> Account | None:
    """Give an account by name."""
    with store.engine.connect() as connection:
        row = connection.execute(select(account).where(account.c.name == name)).one_or_none()
    return None if row is None else Account(row.name, row.password, row.role)


def accounts(store: Store) -> list[Account]:
    """List all accounts."""
    with store.engine.connect() as connection:
        rows = connection.execute(select(account).order_by(account.c.name))
        return [Account(row.name, row.password, row.role) for row in rows]


def set_password(store: Store, name: str, password: str) -> None:
    """Change a password; every session of the account ends, and so does every link to change it."""
    with store.writing() as connection:
        connection.execute(update(account).where(account.c.name == name).values(password=password))
        for table in (session, link):
            connection.execute(delete(table).where(table.c.account == name))


def remove_account(store: Store, name: str) -> None:
    """Remove an account with its sessions, keys and memberships; surveys stay."""
    with store.writing() as connection:
        for table in (session, key, member, link):
            connection.execute(delete(table).where(table.c.account == name))
        connection.execute(delete(account).where(account.c.name == name))


def make_link(store: Store, *, account_name: str = "", role: Role = "owner", days: int = 7) -> str:
    """Make a link's secret: for a new account, or for a new password of a named one."""
    secret = secrets.token_urlsafe(24)
    ends = int(time.time()) + days * DAY
    with store.writing() as connection:
        connection.execute(
            insert(link).values(secret=hashed(secret), account=account_name, role=role, ends=ends)
        )
    return secret


def look_at_link(store: Store, secret: str) -> Link | None:
    """Tell what a link is for, without using it up."""
    where = (link.c.secret == hashed(secret), link.c.ends > int(time.time()))
    with store.engine.connect() as connection:
        row = connection.execute(select(link).where(*where)).one_or_none()
    return None if row is None else Link(row.account, row.role)


def use_link(store: Store, secret: str) -> Link | None:
    """Use a link up; None when it is unknown, old, or used."""
    found = look_at_link(store, secret)
    with store.writing() as connection:
        gone = connection.execute(delete(link).where(link.c.secret == hashed(secret)))
        return found if gone.rowcount == 1 else None


def start_session(store: Store, name: str, seconds: int = 12 * 3600) -> str:
    """Let somebody in, for some hours; sessions that ended are swept out."""
    secret, now = secrets.token_urlsafe(24), int(time.time())
    with store.writing() as connection:
        connection.execute(delete(session).where(session.c.ends <= now))
        connection.execute(
            insert(session).values(secret=hashed(secret), account=name, ends=now + seconds)
        )
    return secret


def account_of_session(store: Store, secret: str) -> Account | None:
    """Tell whose session this is."""
    query = select(session.c.account).where(
        session.c.secret == hashed(secret), session.c.ends > int(time.time())
    )
    with store.engine.connect() as connection:
        name = connection.scalar(query)
    return None if name is None else find_account(store, name)


def end_session(store: Store, secret: str) -> None:
    """Sign out."""
    with store.writing() as connection:
        connection.execute(delete(session).where(session.c.secret == hashed(secret)))


def make_key(store: Store, name: str, label: str, powers: Iterable[str]) -> str:
    """Make a key for a program; its secret is told once and kept as a hash."""
    secret = f"fk_{secrets.token_urlsafe(24)}"
    values = {"label": label, "powers": json.dumps(sorted(set(powers)))}
    with store.writing() as connection:
        connection.execute(insert(key).values(secret=hashed(secret), account=name, **values))
    return secret


def account_of_key(store: Store, secret: str) -> tuple[Account, frozenset[str]] | None:
    """Tell whose key this is, and what it may do."""
    with store.engine.connect() as connection:
        row = connection.execute(select(key).where(key.c.secret == hashed(secret))).one_or_none()
    found = None if row is None else find_account(store, row.account)
    return None if row is None or found is None else (found, frozenset(json.loads(row.powers)))


def keys_of(store: Store, name: str) -> list[Key]:
    """List somebody's keys, each named by the first half of its hash."""
    query = select(key).where(key.c.account == name).order_by(key.c.label)
    with store.engine.connect() as connection:
        rows = connection.execute(query).all()
    return [
        Key(row.secret.hex()[:32], row.account, row.label, frozenset(json.loads(row.powers)))
        for row in rows
    ]


def remove_key(store: Store, account_name: str, name: str) -> bool:
    """Remove one of somebody's keys, by its name; tell whether it was there."""
    with store.writing() as connection:
        query = select(key.c.secret).where(key.c.account == account_name)
        found = [one for one in connection.scalars(query) if one.hex()[:32] == name]
        for secret in found:
            connection.execute(delete(key).where(key.c.secret == secret))
    return bool(found)
