"""The command line: one module per command; each parses, calls and prints."""

from importlib import import_module

import click

from frankly.cli.screen import Commands, Failed

__all__ = ["main"]

WHERE = {
    "advise": "advise",
    "audit": "audit",
    "backup": "backup",
    "bench": "bench",
    "check": "check",
    "close": "open_close:close_survey",
    "convert": "convert",
    "delete": "open_close:delete",
    "demo": "demo",
    "estimate": "estimate",
    "export": "export",
    "invite": "invite",
    "judge": "judge",
    "mine": "mine",
    "new": "new",
    "open": "open_close:open_survey",
    "party": "party",
    "password": "password",
    "pool": "pool",
    "randomize": "randomize",
    "relay": "relay",
    "reproduce": "reproduce",
    "restore": "backup:restore",
    "schema": "schema",
    "serve": "serve",
    "verify-site": "verify_site",
}
"""Every command, and the module of this room that holds it."""

EXTRA = dict.fromkeys(
    ["backup", "close", "delete", "demo", "export", "invite", "open", "password", "restore"],
    "server",
)
EXTRA |= {
    "convert": "server",
    "serve": "server",
    "verify-site": "server",
    "party": "collaborate",
    "relay": "collaborate",
}
EXTRA |= {"reproduce": "plot"}
"""Commands that need more than the core, and the extra that brings it."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="frankly", message="frankly %(version)s")
def main() -> None:
    """Ask sensitive questions, protect every answer, and still learn the truth about the group."""


def load(name: str) -> click.Command:
    """Find a command, or one that says which extra it needs."""
    module, _, attribute = WHERE[name].partition(":")
    try:
        command: click.Command = getattr(
            import_module(f"frankly.cli.{module}"), attribute or module
        )
    except ModuleNotFoundError as missing:
        if name not in EXTRA or (missing.name or "frankly").startswith("frankly"):
            raise
        return absent(name, EXTRA[name], missing.name or "")
    return command


def absent(name: str, extra: str, package: str) -> click.Command:
    """Stand in for a command whose packages are not installed."""

    @click.command(name, context_settings={"ignore_unknown_options": True})
    @click.argument("anything", nargs=-1, type=click.UNPROCESSED)
    def needs_more(anything: tuple[str, ...]) -> None:
        del anything
        raise Failed(
            f"`frankly {name}` needs the package {package}, which is not installed. "
            f"Get it with: pip install 'frankly[{extra}]'"
        )

    needs_more.short_help = f"Needs pip install 'frankly[{extra}]'."
    return needs_more


for command_name in WHERE:
    main.add_command(load(command_name), command_name)
