"""CSV files: a table for DuckDB in which nothing is guessed, and our own apostrophes are gone."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from frankly.count.select import literal, quoted
from frankly.design.safe_csv import GUARDED, original
from frankly.design.spreadsheet import unreadable
from frankly.errors import ReportError

__all__ = ["TEXTS", "csv_header", "csv_table"]

TEXTS = {".csv": ",", ".tsv": "\t"}
"""How the names of these files end, and what separates their values."""


def csv_header(path: Path) -> list[str]:
    """Tell the names in the first line, as they were before a spreadsheet was kept off them."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            names = next(csv.reader(lines, delimiter=TEXTS[path.suffix.lower()]), [])
    except (UnicodeDecodeError, csv.Error):
        raise unreadable(path) from None
    if not names:
        raise unreadable(path)
    return [original(name) for name in names]


def csv_table(headers: Mapping[Path, Sequence[str]], wanted: Sequence[str]) -> str:
    """Write what stands after FROM: the wanted columns of all files, each as text.

    DuckDB is told everything that it would guess otherwise, for a wrong guess loses rows or
    merges labels without a word. Columns are found by their place, so what is not wanted may
    have any name.
    """
    if len({name.lower() for name in wanted}) < len(wanted):
        raise ReportError(
            "this survey has names that differ in capitals only, and DuckDB, which reads CSV "
            "files, takes them for one. Keep the reports in Parquet"
        )
    alike: dict[tuple[str, tuple[str, ...]], list[Path]] = {}
    for path, names in headers.items():
        alike.setdefault((TEXTS[path.suffix.lower()], tuple(names)), []).append(path)
    parts = [selected(*kind, files, wanted) for kind, files in alike.items()]
    return f"({' UNION ALL BY NAME '.join(parts)})"


def selected(mark: str, names: Sequence[str], files: Sequence[Path], wanted: Sequence[str]) -> str:
    """Select the wanted columns of files with the same first line."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    paths = ", ".join(literal(str(path)) for path in files)
    asked = ", ".join(chosen(names, wanted)) or "c0"
    return (
        f"SELECT {asked} FROM read_csv([{paths}], auto_detect = false, "  # noqa: S608 - quoted
        f"columns = {{{columns}}}, delim = {literal(mark)}, quote = '\"', escape = '\"', "
        "header = true, skip = 0, comment = '', nullstr = '')"
    )


def chosen(names: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Write every wanted column that is there once; `original`, in the words of DuckDB."""
    guarded = literal(f"^{GUARDED.pattern}")
    for name in wanted:
        if list(names).count(name) == 1:
            c = f"c{list(names).index(name)}"
            text = f"CASE WHEN regexp_matches({c}, {guarded}) THEN substr({c}, 2) ELSE {c} END"
            yield f"{text} AS {quoted(name)}"
