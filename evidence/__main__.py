"""Check every claim and print claim, figure and verdict; exit 1 when one does not hold.

A module ``evidence/e_NAME.py`` makes claims by defining ``claims() -> Iterator[Claim]``.
"""

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from evidence.claim import Claim
from evidence.sources import MissingSourceError


def names() -> list[str]:
    """List what there is evidence for: the modules e_NAME.py of this folder."""
    return sorted(path.stem.removeprefix("e_") for path in Path(__file__).parent.glob("e_*.py"))


def claims(name: str) -> Iterator[Claim]:
    """Check one module's claims; a missing source is a claim that does not hold."""
    try:
        yield from importlib.import_module(f"evidence.e_{name}").claims()
    except MissingSourceError as missing:
        yield Claim(f"{name}: the sources are at hand", str(missing), holds=False)


def show(found: Iterable[Claim]) -> Table:
    """Draw the table."""
    table = Table("claim", "figure", "verdict", show_lines=True)
    for claim in found:
        verdict = "[green]holds[/]" if claim.holds else "[bold red]FAILS[/]"
        table.add_row(claim.text, claim.figure, verdict)
    return table


@click.command()
@click.option("--only", metavar="NAME", help=f"One of: {', '.join(names())}.")
def main(only: str | None) -> None:
    """Check every claim and print claim, figure and verdict."""
    if only and only not in names():
        raise click.BadParameter(f"there is no evidence named {only}; there is {names()}")
    console = Console(stderr=True)
    found: list[Claim] = []
    for name in [only] if only else names():
        with console.status(f"checking {name}"):
            found.extend(claims(name))
    if not found:
        raise click.ClickException("no claim was checked, so nothing is shown to hold")
    Console().print(show(found))
    failed = sum(not claim.holds for claim in found)
    Console().print(f"{len(found)} claims checked, {failed} failed.")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
