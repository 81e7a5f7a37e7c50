"""Drafts: surveys that are still being written, who may see which, and what is kept beside them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from frankly.design import Design
from frankly.store.budget import refuse_overspending
from frankly.store.people import Role
from frankly.store.store import Store, refuse_certainty, refuse_gone, remove_leftovers
from frankly.store.survey import Mode, Survey, SurveyError, check_name, opened
from frankly.store.tables import account, draft, member, model, published, survey

__all__ = [
    "Draft",
    "add_draft",
    "add_member",
    "delete_draft",
    "find_draft",
    "free_name",
    "keep_model",
    "members",
    "models",
    "names_of",
    "open_draft",
    "own_survey",
    "owners",
    "publish",
    "published_tables",
    "remove_member",
    "role_in",
    "save_draft",
    "sole_owner_of",
]


@dataclass(frozen=True)
class Draft:
    """A survey that is still being written.

    Attributes
    ----------
    document
        The survey document, as far as it is written; it may not be a design yet.
    plan
        What its owner expects: how many people, what will be mined, which wish.
    """

    name: str
    document: Mapping[str, Any]
    plan: Mapping[str, Any] = field(default_factory=dict)


def taken(name: str) -> SurveyError:
    """Say that a name is in use."""
    return SurveyError(f"there is a survey {name!r} already. Choose another name")


def add_draft(store: Store, made: Draft, owner: str) -> Draft:
    """Begin a survey under a name that nobody uses, and give it to its owner."""
    values = {"document": json.dumps(made.document), "plan": json.dumps(made.plan)}
    try:
        with store.writing() as connection:
            if connection.scalar(select(survey.c.name).where(survey.c.name == made.name)):
                raise taken(made.name)
            connection.execute(insert(draft).values(name=check_name(made.name), **values))
            connection.execute(delete(member).where(member.c.survey == made.name))
            connection.execute(insert(member).values(survey=made.name, account=owner, role="owner"))
    except IntegrityError:
        raise taken(made.name) from None
    return made


def find_draft(store: Store, name: str) -> Draft | None:
    """Give a draft by name; None when there is none, perhaps because it was opened."""
    with store.engine.connect() as connection:
        row = connection.execute(select(draft).where(draft.c.name == name)).one_or_none()
    return None if row is None else Draft(row.name, json.loads(row.document), json.loads(row.plan))


def save_draft(store: Store, made: Draft) -> Draft:
    """Write a draft anew; refuse when it was opened or deleted meanwhile."""
    values = {"document": json.dumps(made.document), "plan": json.dumps(made.plan)}
    with store.writing() as connection:
        done = connection.execute(update(draft).where(draft.c.name == made.name).values(**values))
    if done.rowcount != 1:
        raise SurveyError(
            f"the survey {made.name!r} is open or gone, and an opened survey never changes. "
            "Duplicate it to change a copy"
        )
    return made


def delete_draft(store: Store, name: str) -> None:
    """Remove a draft and all its bytes."""
    with store.anew() as connection:
        gone = connection.execute(delete(draft).where(draft.c.name == name))
        if gone.rowcount != 1:
            raise SurveyError(f"{name!r} was opened or deleted meanwhile. Load the page again")
        connection.execute(delete(member).where(member.c.survey == name))


def open_draft(store: Store, name: str, design: Design, mode: Mode) -> Survey:
    """Open a draft: in one step it is a survey, frozen, and a draft no more; its members stay."""
    refuse_certainty(design)
    made = opened(name, design, mode)
    try:
        with store.writing() as connection:
            refuse_overspending(connection, design)
            remove_leftovers(connection, name)
            gone = connection.execute(delete(draft).where(draft.c.name == name))
            if gone.rowcount != 1:
                raise SurveyError(f"{name!r} was opened or deleted meanwhile. Load the page again")
            connection.execute(insert(survey).values(**made.row()))
    except IntegrityError:  # by a command, which knows of no drafts
        raise SurveyError(
            f"a survey {name!r} was opened elsewhere. Duplicate this draft under another name"
        ) from None
    return made


def free_name(store: Store, wanted: str) -> str:
    """Find a name that nobody uses, near the one wanted."""
    with store.engine.connect() as connection:
        used = {
            *connection.scalars(select(survey.c.name)),
            *connection.scalars(select(draft.c.name)),
        }
    tries = (wanted if i == 1 else f"{wanted[:36]}-{i}" for i in range(1, len(used) + 2))
    return next(one for one in tries if one not in used)


def names_of(store: Store, name: str) -> list[str]:
    """Name the drafts and surveys that an account may see."""
    query = select(member.c.survey).where(member.c.account == name).order_by(member.c.survey)
    with store.engine.connect() as connection:
        return list(connection.scalars(query))


def role_in(store: Store, survey_name: str, account_name: str) -> Role | None:
    """Tell what somebody is in a survey; None for a stranger."""
    where = (member.c.survey == survey_name, member.c.account == account_name)
    with store.engine.connect() as connection:
        role: Role | None = connection.scalar(select(member.c.role).where(*where))
    return role


def members(store: Store, survey_name: str) -> dict[str, Role]:
    """Tell who may see a survey, and as what."""
    query = select(member.c.account, member.c.role).where(member.c.survey == survey_name)
    with store.engine.connect() as connection:
        rows = connection.execute(query.order_by(member.c.account)).all()
    return {row.account: row.role for row in rows}


def sole_owner_of(store: Store, account_name: str) -> list[str]:
    """Name the surveys that nobody else owns."""
    owned = [one for one in names_of(store, account_name) if owners(store, one) == [account_name]]
    return sorted(owned)


def owners(store: Store, survey_name: str) -> list[str]:
    """Name the owners of a survey."""
    return [name for name, role in members(store, survey_name).items() if role == "owner"]


def add_member(store: Store, survey_name: str, account_name: str, role: Role, *, by: str) -> None:
    """Let somebody into a survey, or change as what; whoever does it must own it still."""
    with store.writing() as connection:
        if not connection.scalar(select(account.c.name).where(account.c.name == account_name)):
            raise SurveyError(
                "there is no such account. Make an invitation link for that person first"
            )
        mine = (member.c.survey == survey_name, member.c.account == by, member.c.role == "owner")
        if connection.scalar(select(member.c.account).where(*mine)) is None:
            raise SurveyError(f"the survey {survey_name!r} was deleted meanwhile, or is not yours")
        put_member(connection, survey_name, account_name, role)


def put_member(connection: Connection, survey_name: str, account_name: str, role: Role) -> None:
    """Write one membership, in place of an earlier one."""
    where = (member.c.survey == survey_name, member.c.account == account_name)
    connection.execute(delete(member).where(*where))
    connection.execute(insert(member).values(survey=survey_name, account=account_name, role=role))


def remove_member(store: Store, survey_name: str, account_name: str) -> None:
    """Shut somebody out of a survey."""
    where = (member.c.survey == survey_name, member.c.account == account_name)
    with store.writing() as connection:
        connection.execute(delete(member).where(*where))


def own_survey(store: Store, survey_name: str) -> None:
    """Give a survey that nobody owns to the first account, if there is one."""
    with store.writing() as connection:
        first = connection.scalar(
            select(account.c.name).where(account.c.role == "owner").order_by(account.c.name)
        )
        where = (member.c.survey == survey_name, member.c.role == "owner")
        owned = connection.scalar(select(member.c.account).where(*where).limit(1))
        if first is not None and owned is None:
            put_member(connection, survey_name, first, "owner")


def keep_model(store: Store, of: Survey, name: str, document: Mapping[str, Any]) -> None:
    """Keep a trained model of a survey under a name, in place of an earlier one."""
    where = (model.c.survey == of.name, model.c.name == name)
    with store.writing() as connection:
        refuse_gone(connection, of)
        connection.execute(delete(model).where(*where))
        values = {"survey": of.name, "name": name, "document": json.dumps(document)}
        connection.execute(insert(model).values(**values))


def models(store: Store, survey_name: str) -> dict[str, Any]:
    """Give the models of a survey by name."""
    query = select(model).where(model.c.survey == survey_name).order_by(model.c.name)
    with store.engine.connect() as connection:
        return {row.name: json.loads(row.document) for row in connection.execute(query)}


def publish(store: Store, of: Survey, document: Mapping[str, Any]) -> None:
    """Publish the tables of a survey, once and for all."""
    try:
        with store.writing() as connection:
            refuse_gone(connection, of)
            values = {"survey": of.name, "document": json.dumps(document)}
            connection.execute(insert(published).values(**values))
    except IntegrityError:
        raise SurveyError(
            f"the tables of {of.name!r} are published already. A second set could be compared "
            "with the first and single somebody out, so there is only one"
        ) from None


def published_tables(store: Store, survey_name: str) -> Any:
    """Give what a survey has published; None when nothing."""
    query = select(published.c.document).where(published.c.survey == survey_name)
    with store.engine.connect() as connection:
        found = connection.scalar(query)
    return None if found is None else json.loads(found)
