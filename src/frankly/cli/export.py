"""frankly export: the reports of a survey as a file."""

import json
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from frankly.cli.database import database_option, existing
from frankly.errors import FranklyError
from frankly.store.export import report_table

__all__ = ["export"]


@click.command()
@click.argument("name")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="A new .parquet or .csv file.",
)
@database_option
def export(name: str, *, output: Path, url: str) -> None:
    """Write the reports of a survey to a file.

    NAME is the survey. The file carries the survey's design, because without it the columns look
    like truths; it holds no key, invitation or time, and its order tells nothing.
    """
    with existing(url) as store:
        table = report_table(store, name)
    if output.suffix.lower() == ".parquet":
        pq.write_table(table, output)
    elif output.suffix.lower() == ".csv":
        write_csv(table, output)
    else:
        raise FranklyError(f"{output.name} should end in .parquet or .csv")
    click.echo(f"{output.name}: {table.num_rows:,} reports")


def write_csv(table: pa.Table, output: Path) -> None:
    """Write a CSV file, and the design beside it."""
    pyarrow.csv.write_csv(table, output)
    design = json.loads(table.schema.metadata[b"frankly.design"])
    beside = output.with_name(f"{output.name}.design.json")
    beside.write_text(json.dumps(design, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
