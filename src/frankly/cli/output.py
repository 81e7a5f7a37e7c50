"""Output: what a command writes never costs what it reads, and appears whole or not at all."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from frankly.errors import FranklyError

__all__ = [
    "beside",
    "named",
    "only_alike",
    "only_new",
    "spare",
    "with_design",
    "writing",
    "written",
]


def beside(path: Path) -> Path:
    """Name the file with the design that lies beside a file or folder of reports, or a session."""
    whole = named(path)
    return whole.parent / f"{whole.name}.design.json"


def named(path: Path) -> Path:
    """Give a path that ends in a name, also for the folder that somebody is in.

    Examples
    --------
    >>> named(Path("..") / "ward.csv").name, named(Path()) == Path.cwd()
    ('ward.csv', True)
    """
    return path if path.name.strip(".") else path.resolve()


def with_design(path: Path) -> tuple[Path, ...]:
    """Name all files of reports at a path: CSV has no room for the design, which lies beside it.

    Examples
    --------
    >>> [file.name for file in with_design(Path("ward.csv"))]
    ['ward.csv', 'ward.csv.design.json']
    >>> [file.name for file in with_design(Path("ward.parquet"))]
    ['ward.parquet']
    """
    return (path, beside(path)) if path.suffix.lower() == ".csv" else (path,)


def spare(inputs: Iterable[Path | None], *outputs: Path | None) -> None:
    """Refuse outputs that would replace an input or each other, or that have no folder.

    A folder of reports is an input with every file in it, and so is the design beside a file.
    """
    read = [path for path in inputs if path is not None]
    made = [path for path in outputs if path is not None]
    for path in made:
        if any(holds(one, path) or same(beside(one), path) for one in read):
            raise FranklyError(
                f"{path} is what this command reads, and would be lost. Choose another name for "
                "what it writes"
            )
        if not path.parent.is_dir():
            raise FranklyError(
                f"{path} cannot be written, because there is no folder {path.parent}. Make it first"
            )
    for one, other in combinations(made, 2):
        if same(one, other):
            raise FranklyError(f"{one} would be written twice, and only one part of it be left")


def holds(one: Path, path: Path) -> bool:
    """Tell whether a file is an input, or lies in a folder that is one."""
    inside = one.is_dir() and path.exists() and one.resolve() in path.resolve().parents
    return inside or same(one, path)


def same(one: Path, other: Path) -> bool:
    """Tell whether two names mean one regular file, also through links."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return one.resolve() == other.resolve()


def only_new(*outputs: Path | None, force: bool) -> None:
    """Refuse to replace what cannot be made again, unless forced."""
    for path in outputs:
        if path is not None and path.is_file() and not force:
            raise FranklyError(
                f"{path} is there already and would be lost. Choose another name, or say --force"
            )


ENDINGS = {
    "html": (".html", ".htm"),
    "markdown": (".md", ".markdown"),
    "svg": (".svg",),
    "model": (".json",),
}
"""How the names of pages, pictures and models end, which are made again at will."""

MODEL = b'"frankly_model"'
"""Stands in every model: surveys, sessions and notebooks are JSON too."""


def only_alike(**outputs: Path | None) -> None:
    """Refuse to replace a file of another kind: ``--html truths.csv`` is a slip, and costs data."""
    for kind, path in outputs.items():
        if path is None or not path.is_file():
            continue
        if path.suffix.lower() not in ENDINGS[kind]:
            raise FranklyError(
                f"{path} is there already and would be lost: what is written here replaces only "
                f"files that end in {' or '.join(ENDINGS[kind])}. Choose another name"
            )
        if kind == "model" and MODEL not in path.read_bytes():
            raise FranklyError(
                f"{path} is there already and would be lost: it holds no model, and a model "
                "replaces nothing else. Choose another name"
            )


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """Give a place to write, in a folder beside the target; at the end all of it moves there.

    What lies beside a file moves first, so that the file is never there without it. A link stays
    a link, and a pipe or a device, which keeps nothing to be lost, is written to as it is.
    """
    if target.exists() and not target.is_file():
        yield target
        return
    target = target.resolve()
    try:
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name[:40]}.") as folder:
            yield Path(folder) / target.name
            for part in sorted(Path(folder).iterdir(), key=lambda part: part.name == target.name):
                part.replace(target.parent / part.name)
    except OSError as error:  # of a name in a folder that is gone by now
        raise OSError(error.errno or 0, error.strerror or str(error), str(target)) from error


def written(target: Path | None, text: str) -> None:
    """Write a text to a file, whole or not at all; nothing, if no file was asked for."""
    if target is not None:
        with writing(target) as part:
            part.write_text(text, encoding="utf-8")
