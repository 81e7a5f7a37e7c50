"""The command line: one module per command; each parses, calls and prints."""

import click

from frankly.cli.advise import advise
from frankly.cli.audit import audit
from frankly.cli.bench import bench
from frankly.cli.check import check
from frankly.cli.estimate import estimate
from frankly.cli.judge import judge
from frankly.cli.mine import mine
from frankly.cli.new import new
from frankly.cli.party import party
from frankly.cli.randomize import randomize
from frankly.cli.relay import relay
from frankly.cli.schema import schema
from frankly.cli.screen import Commands
from frankly.cli.server import COMMANDS

__all__ = ["main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="frankly", message="frankly %(version)s")
def main() -> None:
    """Ask sensitive questions, protect every answer, and still learn the truth about the group."""


for command in (
    *COMMANDS,
    advise,
    audit,
    bench,
    check,
    estimate,
    judge,
    mine,
    new,
    party,
    randomize,
    relay,
    schema,
):
    main.add_command(command)
