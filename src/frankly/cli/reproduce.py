"""frankly reproduce: the papers' figures and tables, made again from the code that users call."""

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Column, Table

from frankly.cli.screen import json_option, note, print_json, progress_bar
from frankly.errors import FranklyError

__all__ = ["reproduce"]

Writer = Callable[[Any, Path], list[Path]]


@click.command()
@click.argument("figures", nargs=-1, metavar="[FIGURE...|all]")
@click.option("--list", "listed", is_flag=True, help="List the figures and what they need.")
@click.option(
    "--output",
    "--out",
    "-o",
    "out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("figures"),
    show_default=True,
    help="The folder for pictures, tables and pages.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where the UCI files lie; FRANKLY_DATA names it too.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=2),
    help="How often everything is repeated, instead of the usual numbers.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Where chance starts.")
@json_option
def reproduce(
    figures: tuple[str, ...],
    *,
    listed: bool,
    out: Path,
    data: Path | None,
    repeats: int | None,
    seed: int,
    machine: bool,
) -> None:
    """Make the papers' figures again, with our findings beside them.

    Each FIGURE becomes four files in the folder: SVG, PNG, CSV, and a page that puts the
    paper's claim, what we find, and what we do instead side by side.
    """
    if listed or not figures:
        show_list(machine=machine)
        return
    room, write = import_module("frankly.reproduce"), writer()
    made = []
    for name in chosen(figures):
        with progress_bar(name) as progress:
            start = time.process_time()
            found = room.FIGURES[name].make(room.Lab(data, seed, repeats, progress))
            write(found, out)
            spent = time.process_time() - start
        made.append({"figure": name, "title": found.title, "seconds": round(spent, 1)})
        if not machine:
            click.echo(f"{out / name}.md  {found.title}")
    if machine:
        print_json({"folder": str(out), "figures": made})
    else:
        total = sum(float(str(one["seconds"])) for one in made)
        note(f"{len(made)} figure(s) in {out}, {total:.0f} seconds of one core")


def chosen(names: tuple[str, ...]) -> list[str]:
    """Read the names of figures; ``all`` is every one."""
    known = list(import_module("frankly.reproduce").FIGURES)
    wanted = known if "all" in names else list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise FranklyError(
            f"there is no figure {unknown[0]!r}; there are {', '.join(known)}, and all"
        )
    return wanted


def writer() -> Writer:
    """Give what writes figures, or say that matplotlib is missing before any work is done."""
    try:
        module = import_module("frankly.reproduce.write")
    except ModuleNotFoundError as missing:
        raise FranklyError(
            f"figures are drawn with {missing.name}, which is not installed: "
            "pip install 'frankly[plot]'"
        ) from missing
    write: Writer = module.write
    return write


def show_list(*, machine: bool) -> None:
    """List the figures: where they come from, what they show, what they need."""
    rows = [
        {"figure": name, "source": entry.source, "shows": entry.shows, "data": entry.data}
        for name, entry in import_module("frankly.reproduce").FIGURES.items()
    ]
    if machine:
        print_json({"figures": rows})
        return
    names = Column("figure", no_wrap=True)  # whoever reads a name must be able to type it
    table = Table(names, "source", "shows", "data", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)
