"""frankly export: the reports of a survey as a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from frankly.cli.database import database_option, existing
from frankly.cli.output import only_new, spare, with_design, writing
from frankly.cli.reports import ELSEWHERE
from frankly.store.export import report_table
from frankly.store.files import FORMATS, format_of, write_file
from frankly.store.store import read_design

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
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
@database_option
def export(name: str, *, output: Path, force: bool, url: str) -> None:
    """Write the reports of a survey to a file.

    NAME is the survey. The file carries the survey's design, because without it the columns look
    like truths; it holds no key, invitation or time, and its order tells nothing.
    """
    format_of(output)
    spare([], output)
    only_new(*with_design(output), force=force)
    with existing(url) as store:
        table = report_table(store, name)
    design = read_design(table.schema.metadata[b"frankly.design"].decode())
    with writing(output) as part, system_errors():
        write_file(table, design, part)
    click.echo(f"{output.name}: {told(output.suffix.lower(), table.num_rows)}")


def told(ending: str, n: int) -> str:
    """Say what a file holds, and what it is not good for.

    Examples
    --------
    >>> told(".csv", 1203)
    '1,203 reports, not truths: use frankly estimate'
    >>> told(".xml", 1203)
    'describes the columns of 1,203 reports, and holds none of them'
    """
    if ending == ".xml":
        return f"describes the columns of {n:,} reports, and holds none of them"
    shares = "use frankly estimate"
    if ending in ELSEWHERE:
        shares += " on an export to .parquet or .csv"
    return f"{n:,} reports, not truths: {shares}"


@contextmanager
def system_errors() -> Iterator[None]:
    """Let the library for SPSS and Stata fail as everything else does that cannot be written."""
    try:
        from pyreadstat import PyreadstatError, ReadstatError  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        yield
        return
    try:
        yield
    except (PyreadstatError, ReadstatError) as error:
        raise OSError(f"{error}. Is there room, and may you write here?") from error
