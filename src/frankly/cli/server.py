"""The commands of the survey service, or where it is not installed, how to install it."""

from importlib import import_module

import click

from frankly.errors import FranklyError

__all__ = ["COMMANDS", "absent", "find"]

WHERE = {
    "backup": "backup:backup",
    "close": "open_close:close_survey",
    "delete": "open_close:delete",
    "demo": "demo:demo",
    "export": "export:export",
    "invite": "invite:invite",
    "open": "open_close:open_survey",
    "restore": "backup:restore",
    "serve": "serve:serve",
    "verify-site": "verify_site:verify_site",
}
"""The module and function of each command."""


def find(name: str) -> click.Command:
    """Give a command; without ``frankly[server]`` one that says what to install."""
    module, _, function = WHERE[name].partition(":")
    try:
        command: click.Command = getattr(import_module(f"frankly.cli.{module}"), function)
    except ModuleNotFoundError:
        return absent(name)
    return command


def absent(name: str) -> click.Command:
    """Make a command that only helps.

    Examples
    --------
    >>> absent("serve").name
    'serve'
    """

    def refuse() -> None:
        raise FranklyError(
            f"frankly {name} belongs to the survey service, which is not installed. "
            "Install it: pip install 'frankly[server]'"
        )

    short = "Part of the survey service, which is not installed."
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, context_settings=settings, callback=refuse, help=short)


COMMANDS = tuple(find(name) for name in sorted(WHERE))
