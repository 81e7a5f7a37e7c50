"""frankly backup and restore: everything in one sealed file, made while answers come in."""

from pathlib import Path

import click

from frankly.cli.database import database_option, existing, in_words
from frankly.cli.output import spare
from frankly.cli.screen import json_option, print_json
from frankly.store.backup import Backup
from frankly.store.backup import backup as make_backup
from frankly.store.backup import restore as restore_backup

__all__ = ["backup", "restore"]


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@database_option
@json_option
def backup(file: Path, *, url: str, machine: bool) -> None:
    """Copy the whole database into one sealed file.

    FILE is a new file. This is safe while the service runs; the copy holds every answer that was
    acknowledged before it began, in an order that tells nothing.
    """
    spare([], file)
    with existing(url) as store:
        tell(make_backup(store, file), file.name, machine=machine)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@json_option
def restore(file: Path, *, url: str, machine: bool) -> None:
    """Bring a backup into a new, empty database.

    FILE is a backup made by frankly backup, of this or an older version. Whatever lacks its seal,
    such as a plain copy of a database file, is refused.
    """
    with in_words(url):
        made = restore_backup(file, url)
    tell(made, file.name, machine=machine)


def tell(made: Backup, name: str, *, machine: bool) -> None:
    """Say what was copied."""
    if machine:
        print_json({"reports": made.reports, "content": made.content})
    else:
        click.echo(f"{name}: {made.reports:,} answers, content {made.content[:16]}")
