"""frankly export: the reports of a survey as a file."""

from pathlib import Path

import click

from frankly.cli.database import database_option, existing
from frankly.store.export import report_table
from frankly.store.files import FORMATS, format_of, write_file

__all__ = ["export"]

ENDS = ", ".join(f".{ending} ({one.title})" for ending, one in FORMATS.items())


@click.command()
@click.argument("name")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help=f"A new file: {ENDS}.",
)
@database_option
def export(name: str, *, output: Path, url: str) -> None:
    """Write the reports of a survey to a file.

    NAME is the survey. The file carries the survey's design, because without it the columns look
    like truths; it holds no key, invitation or time, and its order tells nothing.
    """
    format_of(output)
    with existing(url) as store:
        table, design = report_table(store, name), store.survey(name).design
    write_file(table, design, output)
    click.echo(f"{output.name}: {table.num_rows:,} reports, not truths: use frankly estimate")
