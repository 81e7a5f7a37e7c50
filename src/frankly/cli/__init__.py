"""The command line: one module per command; each parses, calls and prints."""

from dataclasses import dataclass
from importlib import import_module

import click

from frankly.cli.screen import Commands, Failed

__all__ = ["COMMANDS", "main"]


@dataclass(frozen=True)
class Entry:
    """What is known of a command before its packages are loaded.

    Attributes
    ----------
    where
        The module of this room that holds it, and its name there if that is another.
    says
        Its line in the list of all commands.
    extra
        What must be installed beside the core.
    """

    where: str
    says: str
    extra: str = ""


COMMANDS = {
    "advise": Entry("advise", "Advise on groups, forms, thetas and the number of people."),
    "audit": Entry("audit", "Attack reports, and tell who is exposed."),
    "backup": Entry("backup", "Copy the whole database into one sealed file.", "server"),
    "bench": Entry("bench", "Measure our speed beside other packages."),
    "check": Entry("check", "State what a survey reveals, and check it against limits."),
    "close": Entry("open_close:close_survey", "Close a survey, for good.", "server"),
    "convert": Entry("convert", "Write a survey file in another format, without loss.", "server"),
    "delete": Entry("open_close:delete", "Delete a survey with all its answers.", "server"),
    "demo": Entry("demo", "Run a survey with simulated respondents, and look around.", "server"),
    "estimate": Entry("estimate", "Estimate shares of the truth from reports."),
    "export": Entry("export", "Write the reports of a survey to a file.", "server"),
    "invite": Entry("invite", "Make single-use links, one a line.", "server"),
    "judge": Entry("judge", "Judge a model by reports it has not seen."),
    "mine": Entry("mine", "Learn a model of the truth from reports."),
    "new": Entry("new", "Write a commented sample survey."),
    "open": Entry("open_close:open_survey", "Open a survey: it takes answers.", "server"),
    "party": Entry("party", "Build one model with other organisations.", "collaborate"),
    "password": Entry("password", "Print a link to choose a new password.", "server"),
    "pool": Entry("pool", "Pool the reports of several holders."),
    "randomize": Entry("randomize", "Turn a table of truths into a table of reports."),
    "relay": Entry("relay", "Carry messages between the parties of a session.", "collaborate"),
    "reproduce": Entry("reproduce", "Make the papers' figures again, our findings beside.", "plot"),
    "restore": Entry("backup:restore", "Bring a backup into a new, empty database.", "server"),
    "schema": Entry("schema", "Print the JSON Schema of a survey document."),
    "serve": Entry("serve", "Serve surveys until Ctrl-C.", "server"),
    "verify-site": Entry(
        "verify_site", "Compare a live survey page with this version's.", "server"
    ),
}
"""Every command; its module is loaded when it is used, with whatever that needs."""


class Shelf(Commands):
    """All commands, of which only the one that is asked for is fetched."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name them."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Fetch one."""
        del ctx
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each, and fetch none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].says) for name in self.list_commands(ctx)])


@click.group(cls=Shelf, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="frankly", message="frankly %(version)s")
def main() -> None:
    """Ask sensitive questions, protect every answer, and still learn the truth about the group."""


def load(name: str) -> click.Command:
    """Find a command, or one that says which extra it needs."""
    entry = COMMANDS[name]
    module, _, attribute = entry.where.partition(":")
    try:
        command: click.Command = getattr(
            import_module(f"frankly.cli.{module}"), attribute or module
        )
    except ModuleNotFoundError as missing:
        if not entry.extra or (missing.name or "frankly").startswith("frankly"):
            raise
        return absent(name, entry.extra, missing.name or "")
    return command


def absent(name: str, extra: str, package: str) -> click.Command:
    """Stand in for a command whose packages are not installed."""

    @click.command(name, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("anything", nargs=-1, type=click.UNPROCESSED)
    def needs_more(anything: tuple[str, ...]) -> None:
        del anything
        raise Failed(
            f"`frankly {name}` needs the package {package}, which is not installed. "
            f"Get it with: pip install 'frankly[{extra}]'"
        )

    return needs_more
