"""What people see: results on stdout, notes and progress on stderr, one message for an error."""

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from frankly.errors import EngineError, FranklyError, FranklyWarning

__all__ = [
    "Commands",
    "in_options",
    "json_option",
    "note",
    "print_json",
    "progress_bar",
    "say",
    "say_estimate",
]

SPOKEN = (
    (r"\bmethod='(\w+)'", r"--method \1"),
    (r"(--method \w+,? or )'(\w+)'", r"\1\2"),
    (r"\btarget=\.\.\.", "--target NAME"),
    (r"\bestimate\(design, reports, target\)", "frankly estimate REPORTS TARGET"),
    (r"\baccept_infinite_epsilon=True\b", "accept_infinite_epsilon: true"),
    (r"\b(max|min)_(epsilon|posterior|exposed|privacy)\b", r"--\1-\2"),
    (r"\((n|precision)\)", r"(--\1)"),
    (r"\bmodel\.save\(path\) or by ", ""),
    (r"\bNaiveBayes\b", "naive-bayes"),
    (r"(?<![\d.,])1 (itemset|link|report|rule)s\b", r"1 \1"),
)
"""How Python says it, and how the command line does; and one of a thing is no plural."""

UNREAD = 128 + 13
"""How a command ends whose reader has gone, as if by the signal that ends others (SIGPIPE)."""

STOPPED = 128 + 2
"""How a command ends that Ctrl-C stopped (SIGINT): 1 would say that a limit is broken."""

json_option = click.option("--json", "machine", is_flag=True, help="Print JSON for machines.")


class Failed(click.ClickException):
    """What the system refused: one message, exit code 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print the message where errors belong."""
        del file
        click.echo(f"frankly: {self.format_message()}", err=True)


class Refused(Failed):
    """What Frankly refused on purpose: one message, exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """Commands whose errors are help: no traceback for what was refused on purpose."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what Frankly refuses ends with 2, what the system refuses with 1."""
        with warnings.catch_warnings():
            warnings.simplefilter("default", FranklyWarning)
            warnings.showwarning = show_warning
            try:
                return super().invoke(ctx)
            except EngineError as error:
                raise Failed(in_options(str(error))) from error
            except FranklyError as error:
                raise Refused(in_options(str(error))) from error
            except UnicodeDecodeError as error:
                raise Refused(
                    "a file that should be text is not written in UTF-8. Is it the right one? Its "
                    "bytes are not shown here, on purpose"
                ) from error
            except KeyboardInterrupt:
                click.echo("\nfrankly: stopped, because you asked for it", err=True)
                ctx.exit(STOPPED)
            except BrokenPipeError:
                hush()
                ctx.exit(UNREAD)
            except OSError as error:
                raise Failed(
                    f"{error.filename or 'the system'}: {error.strerror or error}"
                ) from error


def hush() -> None:
    """Say no more to a reader that has gone, as head does: what is left to write goes nowhere."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """Print a warning without the line of code it came from."""
    del where, more
    note(str(message))


def in_options(text: str) -> str:
    """Say in options what a text says in Python.

    Examples
    --------
    >>> in_options("From 1 reports. Use method='em' or 'shrink', or give target=...")
    'From 1 report. Use --method em or shrink, or give --target NAME'
    """
    for python, option in SPOKEN:
        text = re.sub(python, option, text)
    return text


def say(text: str) -> None:
    """Print a result for people."""
    click.echo(in_options(text))


def say_estimate(text: str, level: float) -> None:
    """Print an estimate for people, and what its ± is: models and advice mean another thing."""
    say(f"{text}\n± is the standard error; the brackets hold a {100 * level:g}% interval.")


def note(text: str) -> None:
    """Tell people something beside the result."""
    click.echo(f"Note: {in_options(text)}", err=True)


def print_json(result: Mapping[str, Any]) -> None:
    """Print a result for machines."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show how far the work is, if somebody watches."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
