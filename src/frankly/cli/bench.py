"""frankly bench: our speed beside the work's own floor and beside other packages."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import click
from rich.console import Console

from frankly.bench.measure import table
from frankly.cli.screen import json_option, note, print_json

__all__ = ["bench"]

BENCHES = ("adv", "collaborate", "count", "engines", "mine", "randomize", "serve", "tree")
"""Each is a module of frankly.bench whose ``rows`` gives rows, and notes on what is missing."""


@click.command()
@click.argument("works", nargs=-1, type=click.Choice(BENCHES), metavar=f"[{'|'.join(BENCHES)}]...")
@json_option
def bench(works: Sequence[str], *, machine: bool) -> None:
    """Measure our speed beside other packages, and what secure sums give away.

    Everything is measured in one run unless a work is named. Seconds are CPU seconds. Only the
    ratio is worth remembering: both of its sides come from this machine, today. Exits with 1
    if a bar is missed.
    """
    rows = []
    for work in works or BENCHES:
        found = list(measured(work))
        rows += found
        if not machine:
            # Advantages are no seconds: their bench lays them out by itself.
            Console().print(getattr(import_module(f"frankly.bench.{work}"), "table", table)(found))
    if machine:
        print_json({"rows": [row.to_dict() for row in rows]})
    if not all(row.holds for row in rows):
        raise SystemExit(1)


def measured(work: str) -> Iterator[Any]:
    """Run one bench, and pass on what it could not measure as a note."""
    for row in import_module(f"frankly.bench.{work}").rows():
        if isinstance(row, str):
            note(row)
        else:
            yield row
