"""frankly audit: attack reports with nothing but their survey."""

import sys
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from frankly.cli.output import only_alike, spare, written
from frankly.cli.reports import design_of, design_option, read_reports
from frankly.cli.screen import json_option, note, print_json, say
from frankly.design import Design
from frankly.judge import Limits, privacy
from frankly.judge import audit as attack
from frankly.judge.audited import who
from frankly.judge.limits import told_apart
from frankly.randomize import open_source
from frankly.report import privacy_html

__all__ = ["audit"]

Input = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("reports", type=click.Path(exists=True, path_type=Path))
@click.option("--truths", type=Input, help="The true answers, row by row, to check the marks.")
@click.option(
    "--classes",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="How many hidden classes the stronger attack assumes.",
)
@click.option("--max-exposed", type=float, help="Exit with 1 when more are exposed at 0.9.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write statement and audit."
)
@design_option
@json_option
def audit(
    reports: Path,
    *,
    truths: Path | None,
    classes: int,
    max_exposed: float | None,
    html: Path | None,
    survey: Path | None,
    machine: bool,
) -> None:
    """Attack reports, and tell who is exposed.

    REPORTS is a file made by frankly randomize. The attack knows the survey and the reports,
    nothing else; it marks those who probably told the truth.
    """
    spare([reports, truths, survey], html)
    only_alike(html=html)
    Limits(max_exposed=max_exposed)  # refuses 90 for 0.9, which nothing would ever break
    design = design_of(reports, survey)
    rows = read_reports(reports, design) if truths is None else in_memory(reports, design)
    found = attack(design, rows, None if truths is None else table(truths, design), classes=classes)
    if html:
        written(html, privacy_html(privacy(design), design, found))
    if machine:
        print_json(found.to_dict())
    else:
        say(found.summary())
    exposed = found.worst.best.exposed[0.9]
    if max_exposed is not None and exposed > max_exposed:
        seen, limit = told_apart(exposed, max_exposed, 3)
        note(f"broken: {seen} of {who(found.worst)} are exposed, more than {limit}")
        sys.exit(1)


def in_memory(reports: Path, design: Design) -> Any:
    """Read reports whole, so that rows can be matched with truths."""
    source = read_reports(reports, design)
    return pq.read_table(source) if isinstance(source, Path) else source


def table(path: Path, design: Design) -> pa.Table:
    """Read a table of truths as `frankly randomize` reads it; what cannot be read is not shown."""
    truths = open_source(path, design.names)
    batches = list(truths.batches)
    return pa.Table.from_batches(batches, None if batches else pa.schema(truths.types))
