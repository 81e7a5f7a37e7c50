"""frankly open, close and delete: the three acts in a survey's life that cannot be undone."""

from pathlib import Path

import click

from frankly.cli.database import database_option, existing, opened
from frankly.cli.screen import json_option, note, print_json
from frankly.design import Design
from frankly.errors import EngineError
from frankly.store import Store, Survey, SurveyError, check_name, is_sqlite
from frankly.store.drafts import find_draft, own_survey

__all__ = ["close_survey", "delete", "open_survey"]


@click.command("open")
@click.argument("survey", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Its short name in links; the file's name unless told otherwise.")
@click.option("--anyone", is_flag=True, help="Let anyone with the link answer, without invitation.")
@database_option
@json_option
def open_survey(survey: Path, *, name: str | None, anyone: bool, url: str, machine: bool) -> None:
    """Open a survey: from now on it takes answers and never changes.

    SURVEY is the survey document. Opening freezes it: questions, protection and theta stay as
    they are, because every answer carries the document's fingerprint.
    """
    design = Design.load(survey)
    name = check_name(name or survey.stem.lower().replace("_", "-").replace(" ", "-"))
    if anyone:
        note(
            "without invitations one person can answer many times, and nobody can tell: a few "
            "may shift every share. Use this only where that does not matter"
        )
    with opened(url) as store:
        if not is_sqlite(url):
            note(
                "while a PostgreSQL survey is open, whoever may read the live database can see "
                "the order in which answers came. Closing the survey removes it"
            )
        if find_draft(store, name) is not None:
            raise SurveyError(
                f"there is a draft {name!r} in the studio. Open it there, or choose another --name"
            )
        made = store.open_survey(name, design, "anyone" if anyone else "invited")
        own_survey(store, name)
    tell(made, machine=machine)


@click.command("close")
@click.argument("name")
@database_option
@json_option
def close_survey(name: str, *, url: str, machine: bool) -> None:
    """Close a survey: it takes no more answers, ever.

    Closing also writes the database anew, so that no trace remains of the order in which
    answers came.
    """
    with existing(url) as store:
        tell(store.close_survey(name), machine=machine)
        refuse_traces(store, f"{name} is closed, but the order of its answers")


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Really delete; without it nothing happens.")
@database_option
def delete(name: str, *, yes: bool, url: str) -> None:
    """Delete a survey with all its answers and invitations.

    The database is written anew afterwards, so that none of their bytes remain. Backups made
    before still hold them.
    """
    with existing(url) as store:
        size = store.size(store.survey(name).name)
        if not yes:
            click.echo(f"{name}: {size:,} answers would be deleted for good. Say --yes to do it.")
            raise SystemExit(1)
        store.delete_survey(name)
        click.echo(f"{name}: deleted, with {size:,} answers")
        refuse_traces(store, f"{name} is deleted, but what it held")


def refuse_traces(store: Store, what: str) -> None:
    """Say it when somebody keeps what is gone from leaving the file."""
    if not store.tidy():
        raise EngineError(
            f"{what} can still be found in the database's files, because somebody is reading them: "
            "a backup, an export, another program. When that has ended, a running frankly serve "
            "removes it within seconds; without one, the next command that uses this database does"
        )


def tell(survey: Survey, *, machine: bool) -> None:
    """Say what state a survey is in."""
    if machine:
        epsilon = survey.design.epsilon
        print_json(
            {
                "name": survey.name,
                "state": survey.state,
                "mode": survey.mode,
                "fingerprint": survey.design.fingerprint,
                "epsilon": epsilon if epsilon < float("inf") else None,
            }
        )
        return
    click.echo(f"{survey.name}: {survey.state}, fingerprint {survey.design.fingerprint[:16]}")
    if survey.state == "open":
        more = f"frankly invite {survey.name} --count 200 > links.csv"
        click.echo(f"Next: {more if survey.mode == 'invited' else 'frankly serve'}")
