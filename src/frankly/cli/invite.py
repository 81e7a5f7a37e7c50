"""frankly invite: single-use links, and which of them nobody has used."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from sqlalchemy import select

from frankly.cli.address import whole_address
from frankly.cli.database import database_option, existing
from frankly.cli.screen import note
from frankly.errors import FranklyError
from frankly.store import Store, hashed
from frankly.store.store import CHUNK
from frankly.store.tables import invitation

__all__ = ["invite"]

CUT_OFF = (
    "the list was cut off. {made} links are made and count as invitations; those that were "
    "not written are lost, for only their hashes are kept. For a whole list, make new links into a "
    "file: frankly invite {name} --count {count} > links.csv"
)
HALF_WAY = (
    "only {made} links were made. They are all in the list, they work, and they count as "
    "invitations: keep the list. When what went wrong is mended, make the others in the same way: "
    "frankly invite {name} --count {rest} > more.csv"
)


@click.command()
@click.argument("name")
@click.option("--count", type=click.IntRange(1, 1_000_000), help="How many links to make.")
@click.option(
    "--unused",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="LINKS",
    help="Print those links of an earlier list that nobody has used, for reminders.",
)
@click.option(
    "--base",
    default="http://127.0.0.1:8000",
    show_default=True,
    callback=whole_address,
    help="Where respondents reach the service.",
)
@database_option
def invite(name: str, *, count: int | None, unused: Path | None, base: str, url: str) -> None:
    """Make single-use links, one a line.

    NAME is the survey. The secret stands behind the # of a link, which browsers never send by
    themselves; the database keeps only its hash, so a lost list cannot be printed again. Whether a
    link was used is known, when is not.
    """
    if (count is None) == (unused is None):
        raise FranklyError("say either --count N for new links, or --unused LINKS for reminders")
    with existing(url) as store:
        if count is not None:
            make_links(store, name, count, base)
            return
        links = unused_of(store, store.survey(name).name, read_links(unused, name))
    print_links(["link", *links])


def make_links(store: Store, name: str, count: int, base: str) -> None:
    """Make links and print them, as many at a time as are kept as a whole or not at all.

    Whatever fails half way, no link that counts as an invitation is missing from the list.
    """
    made = written = 0
    try:
        while made < count:
            secrets = store.invite(name, min(CHUNK, count - made))
            links = [f"{base}/{name}/#{secret}" for secret in secrets]
            made += len(links)
            print_links(links if written else ["link", *links])
            written = made
    finally:
        so_many = f"All {made:,}" if made == count else f"{made:,} of {count:,}"
        if written < made:
            note(CUT_OFF.format(made=so_many, name=name, count=count))
        elif 0 < made < count:
            note(HALF_WAY.format(made=so_many, name=name, rest=count - made))


def print_links(lines: Sequence[str]) -> None:
    """Print links, one a line; what cannot be written is noticed here, not at the end."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerows([line] for line in lines)
    sys.stdout.flush()


def unused_of(store: Store, name: str, made: dict[str, str]) -> list[str]:
    """Give the links that nobody has used, and say how many of them all that is.

    Links that this database never made would look like used ones, and nobody would be reminded.
    """
    invited = select(invitation.c.secret).where(invitation.c.survey == name)
    with store.engine.connect() as connection:
        known = set(connection.scalars(invited))
    strange = sum(hashed(secret) not in known for secret in made)
    if strange:
        raise FranklyError(
            f"{strange:,} of {len(made):,} links were not made for the survey {name!r} of this "
            "database, so nobody can tell whether they were used. Give the list that frankly "
            "invite printed for it, or name its database with --db"
        )
    free = set(store.unused(name, list(made)))
    note(f"{len(free):,} of {len(made):,} links are unused")
    return [link for secret, link in made.items() if secret in free]


def read_links(path: Path | None, name: str) -> dict[str, str]:
    """Read an earlier list: the secret of each link, and the link. No message shows a secret."""
    found: dict[str, str] = {}
    for line, row in enumerate(rows_of(path), 1):
        link = row[0].strip() if row else ""
        before, _, secret = link.rpartition("#")
        if before.endswith(f"/{name}/") and secret:
            found[secret] = link
        elif link not in {"", "link"}:
            raise FranklyError(
                f"line {line} of the list is no link of the survey {name!r}. Give the list that "
                "frankly invite printed for it, with the link in the first column"
            )
    if not found:
        raise FranklyError(f"there is no link of the survey {name!r} in the list")
    return found


def rows_of(path: Path | None) -> list[list[str]]:
    """Read the rows of a list, which a spreadsheet may have written."""
    if path is None:
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error):
        raise FranklyError(f"{path.name} is no list of links: it is no text") from None
