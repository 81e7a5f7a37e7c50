"""Which database: the same option for every command of the survey service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from frankly.errors import FranklyError
from frankly.store import Store

__all__ = ["database_option", "existing"]

database_option: Callable[[Any], Any] = click.option(
    "--db",
    "url",
    default="frankly.sqlite",
    show_default=True,
    envvar="FRANKLY_DB",
    help="The database: a file (SQLite), or an address such as postgresql://user@host/name.",
)


def existing(url: str) -> Store:
    """Open a database that should be there: a mistyped file is not made anew."""
    if "://" not in url and not Path(url).exists():
        raise FranklyError(
            f"there is no database {url!r} yet. frankly open makes one; or name another with --db"
        )
    return Store(url)
