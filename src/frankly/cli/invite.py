"""frankly invite: single-use links, and which of them nobody has used."""

import csv
import sys
from pathlib import Path

import click

from frankly.cli.database import database_option, existing
from frankly.errors import FranklyError

__all__ = ["invite"]


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
    out = csv.writer(sys.stdout, lineterminator="\n")
    with existing(url) as store:
        if count is not None:
            rows = store.invite(name, count)
            links = [f"{base.rstrip('/')}/{name}/#{secret}" for secret in rows]
        else:
            made = read_links(unused)
            free = set(store.unused(name, list(made)))
            links = [link for secret, link in made.items() if secret in free]
    out.writerow(["link"])
    out.writerows([link] for link in links)


def read_links(path: Path | None) -> dict[str, str]:
    """Read an earlier list: the secret of each link, and the link."""
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        links = [row[0] for row in csv.reader(file) if row and "#" in row[0]]
    return {link.rpartition("#")[2]: link for link in links}
