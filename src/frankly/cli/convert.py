"""frankly convert: a survey file as XLSForm, YAML or JSON."""

from pathlib import Path

import click

from frankly.cli.output import only_new, spare, writing
from frankly.studio import read_survey_file, write_survey_file

__all__ = ["convert"]


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the target if it is there already.")
def convert(source: Path, target: Path, *, force: bool) -> None:
    """Write a survey file in another format, without loss.

    SOURCE and TARGET end in .json, .yaml or .xlsx (XLSForm; needs frankly[formats]). Questions,
    answers, labels, languages, groups, forms and devices are kept; questions that depend on
    earlier answers are refused.
    """
    spare([source], target)
    only_new(target, force=force)
    document = read_survey_file(source.name, source.read_bytes())
    data, _ = write_survey_file(target.suffix.lower().lstrip(".").replace("yml", "yaml"), document)
    with writing(target) as part:
        part.write_bytes(data)
    click.echo(f"{target}: {len(document['attributes'])} questions")
