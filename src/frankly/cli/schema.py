"""frankly schema: what may stand in a survey document."""

import click

from frankly import design
from frankly.cli.screen import print_json

__all__ = ["schema"]


@click.command()
def schema() -> None:
    """Print the JSON Schema of a survey document.

    Editors that know JSON Schema complete and check survey files with it.
    """
    print_json(design.schema())
