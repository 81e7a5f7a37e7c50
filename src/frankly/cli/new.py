"""frankly new: a sample survey to start from."""

from importlib.resources import files
from pathlib import Path

import click

from frankly.cli.output import only_new, spare, written
from frankly.errors import FranklyError

__all__ = ["new", "sample"]

NEXT = """Next: write true answers into truths.csv, one row a person, in any order of columns:
    mistake,took,drove,shift
    no,never,no,days
    yes,once,yes,nights
Then: frankly randomize truths.csv --design {path} -o reports.parquet
Or ask people: frankly open {path}"""


def sample() -> str:
    """Give the text of the sample survey."""
    return files("frankly.cli").joinpath("sample.yaml").read_text(encoding="utf-8")


@click.command()
@click.argument("path", default="survey.yaml", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
def new(path: Path, *, force: bool) -> None:
    """Write a commented sample survey.

    PATH is survey.yaml unless told otherwise. The survey asks three sensitive questions behind
    a coin and one in clear. Change it with any editor, then randomize a table with it.
    """
    if path.suffix.lower() not in {".yaml", ".yml"}:
        raise FranklyError(f"the sample is YAML, for its comments: {path.name} should end in .yaml")
    spare([], path)
    only_new(path, force=force)
    written(path, sample())
    click.echo(f"{path}: a survey with three protected questions and one in clear.")
    click.echo(NEXT.format(path=path))
