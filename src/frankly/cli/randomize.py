"""frankly randomize: a data holder's own table of truths becomes a table of reports."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from frankly.cli.output import only_new, spare, with_design
from frankly.cli.screen import json_option, note, print_json, progress_bar
from frankly.design import Design
from frankly.errors import FranklyError
from frankly.randomize import RandomizedFile, Tape, randomize_file

__all__ = ["randomize"]

Input = click.Path(exists=True, dir_okay=False, path_type=Path)
Output = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("table", type=Input)
@click.option("--design", "-d", "survey", type=Input, required=True, help="The survey document.")
@click.option("--output", "-o", type=Output, required=True, help="Where the reports go.")
@click.option("--force", is_flag=True, help="Replace the reports if they are there already.")
@click.option("--simulate", is_flag=True, help="The truths are made up: a seed is allowed.")
@click.option("--seed", type=int, help="Draw the same reports every time. Only to simulate.")
@json_option
def randomize(
    table: Path,
    *,
    survey: Path,
    output: Path,
    force: bool,
    simulate: bool,
    seed: int | None,
    machine: bool,
) -> None:
    """Turn a table of truths into a table of reports.

    TABLE is a .parquet or .csv file of true answers: one row is one person, one column one
    question. Columns that the survey does not ask are
    left out. Chance comes from the operating system, and what is drawn cannot be undone: keep
    the truths, share the reports.
    """
    spare([table, survey], *with_design(output))
    only_new(*with_design(output), force=force)
    tape = chosen_tape(seed, simulate=simulate)
    design = Design.load(survey)
    with tidy_when_told(), progress_bar("Randomizing") as progress:
        made = randomize_file(design, table, output, progress=progress, tape=tape)
    if made.left_out:
        note(f"left out, because the survey does not ask them: {', '.join(made.left_out)}")
    tell(made, design, machine=machine)


@contextmanager
def tidy_when_told() -> Iterator[None]:
    """Let a polite signal end the work as an error would, so that no half of a file is left."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def chosen_tape(seed: int | None, *, simulate: bool) -> Tape:
    """Refuse a seed for real people: whoever knows it can tell the truths from the reports."""
    if seed is None:
        return Tape.secure()
    if not simulate:
        raise FranklyError(
            "a seed makes chance repeatable: whoever knows it can undo the reports and read the "
            "true answers. Leave --seed out, or add --simulate if these people are made up"
        )
    return Tape.seeded(seed)


def tell(made: RandomizedFile, design: Design, *, machine: bool) -> None:
    """Say what was written."""
    if machine:
        print_json(
            {
                "reports": made.rows,
                "files": [str(path) for path in made.files],
                "left_out": list(made.left_out),
                "fingerprint": design.fingerprint,
                "epsilon": design.epsilon if design.epsilon < float("inf") else None,
            }
        )
        return
    click.echo(f"{made.rows:,} reports in {' and '.join(path.name for path in made.files)}")
