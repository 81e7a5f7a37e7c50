"""frankly bench: our speed beside the work's own floor and beside other packages."""

from collections.abc import Iterator, Sequence
from importlib import import_module

import click
from rich.console import Console

from frankly.bench.measure import Row, table
from frankly.cli.screen import json_option, note, print_json

__all__ = ["bench"]

BENCHES = ("count", "randomize")
"""Each is a module of frankly.bench whose ``rows`` gives rows, and notes on what is missing."""


@click.command()
@click.argument("works", nargs=-1, type=click.Choice(BENCHES), metavar=f"[{'|'.join(BENCHES)}]...")
@json_option
def bench(works: Sequence[str], *, machine: bool) -> None:
    """Measure our speed beside other packages.

    Everything is measured in one run unless a work is named. Seconds are CPU seconds. Only the
    ratio is worth remembering: both of its sides come from this machine, today. Exits with 1
    if a bar is missed.
    """
    rows = [row for work in works or BENCHES for row in measured(work)]
    if machine:
        print_json({"rows": [row.to_dict() for row in rows]})
    else:
        Console().print(table(rows))
    if not all(row.holds for row in rows):
        raise SystemExit(1)


def measured(work: str) -> Iterator[Row]:
    """Run one bench, and pass on what it could not measure as a note."""
    for row in import_module(f"frankly.bench.{work}").rows():
        if isinstance(row, Row):
            yield row
        else:
            note(row)
