"""Sources of frankly pool: what each is called, and whether two of them are one."""

from collections.abc import Sequence
from filecmp import cmp
from itertools import combinations
from pathlib import Path

from frankly.cli.output import named
from frankly.cli.screen import note
from frankly.count.parquet import found
from frankly.count.sql import is_url
from frankly.errors import ReportError

__all__ = ["called", "file_of", "names_of", "note_copies", "refuse_twice"]


def called(source: str) -> str:
    """Give the name of a source in messages: never an address."""
    if is_url(source):
        return f"table {source.partition('#')[2] or 'without a name'}"
    return named(Path(source)).name or source


def names_of(sources: Sequence[str]) -> list[str]:
    """Give every source its own name: with the folder or database, where names are alike."""
    short = [called(source) for source in sources]
    longer = [
        name if short.count(name) == 1 else placed(source)
        for name, source in zip(short, sources, strict=True)
    ]
    return [
        name if longer.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(longer, 1)
    ]


def placed(source: str) -> str:
    """Name a source with what it lies in, as far as that is no address."""
    file = file_of(source)
    if is_url(source):
        return called(source) if file is None else f"{called(source)} of {file.name}"
    whole = Path(source).absolute()
    return f"{whole.parent.name}/{whole.name}"


def file_of(source: str) -> Path | None:
    """Give the file or folder that holds a source, if it is on this machine."""
    if is_url(source):
        kind, _, path = source.partition("#")[0].partition(":///")
        return Path(path) if kind.startswith("sqlite") else None
    return Path(source)


def refuse_twice(sources: Sequence[str]) -> None:
    """Refuse a source that is named twice, or lies in another: its people would count twice."""
    seen: dict[object, str] = {}
    for source in sources:
        for place in places_of(source):
            if place in seen:
                raise ReportError(
                    f"{called(source)} is named twice: {called(seen[place])} holds the same "
                    "reports. Every report counts once; leave one of them out"
                )
        seen |= dict.fromkeys(places_of(source), source)


def places_of(source: str) -> list[object]:
    """Tell where the reports of a source are: files, or a table of a database."""
    if not is_url(source):
        return [file.resolve() for file in found(source)]
    address, _, table = source.partition("#")
    file = file_of(source)
    return [(address if file is None else file.resolve(), table)]


def note_copies(sources: Sequence[str]) -> None:
    """Say which files are the same to the letter: no two tables are randomized alike."""
    files = [path for source in sources if not is_url(source) for path in found(source)]
    for path, other in combinations(files, 2):
        if path.stat().st_size == other.stat().st_size and cmp(path, other, shallow=False):
            note(
                f"{placed(str(path))} and {placed(str(other))} are the same to the letter. If one "
                "is a copy of the other, its people were counted twice"
            )
