r"""Safe CSV: no spreadsheet takes a cell for a formula, and every cell can be read back.

A cell that a spreadsheet would compute starts with ``= + - @``, a tab or a line end, or one of
the wide forms of these signs. Such a cell gets an apostrophe in front, which spreadsheets take
for "this is text". A cell that already has apostrophes before such a sign gets one more, so
that taking one away always gives back what was there.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

__all__ = ["each", "harmless", "original", "read_safe_csv", "write_safe_csv"]

Change = Callable[[str], str]

DANGEROUS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
TO_GUARD = re.compile(f"'*[{DANGEROUS}]")
GUARDED = re.compile(f"''*[{DANGEROUS}]")


def harmless(cell: str) -> str:
    """Keep a spreadsheet from computing a cell.

    Examples
    --------
    >>> harmless("=cmd()"), harmless("yes"), harmless("'-1")
    ("'=cmd()", 'yes', "''-1")
    """
    return f"'{cell}" if TO_GUARD.match(cell) else cell


def original(cell: str) -> str:
    """Give back what `harmless` was given.

    Examples
    --------
    >>> original("'=cmd()"), original("yes"), original("''-1")
    ('=cmd()', 'yes', "'-1")
    """
    return cell[1:] if GUARDED.match(cell) else cell


def write_safe_csv(table: pa.Table, path: Path) -> None:
    """Write a table as UTF-8 CSV in which every cell is harmless."""
    pyarrow.csv.write_csv(each(table, harmless), path)


def read_safe_csv(path: Path, types: dict[str, pa.DataType]) -> pa.Table:
    """Read a table back as it was; columns that are not named are guessed."""
    options = pyarrow.csv.ConvertOptions(
        column_types={harmless(name): kind for name, kind in types.items()},
        null_values=[""],
        strings_can_be_null=True,
    )
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    table = pyarrow.csv.read_csv(path, parse_options=parsing, convert_options=options)
    return each(table, original)


def each(table: pa.Table, change: Change) -> pa.Table:
    """Change every text of a table, names included; each different text is looked at once."""
    columns = [changed(column, change) for column in table.columns]
    return pa.table(columns, names=[change(name) for name in table.column_names])


def changed(column: pa.ChunkedArray, change: Change) -> pa.ChunkedArray:
    """Change the texts of one column."""
    if pa.types.is_string(column.type):
        return changed(column.dictionary_encode(), change).cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices,
            pa.array([change(text) for text in chunk.dictionary.to_pylist()], pa.string()),
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.dictionary(column.type.index_type, pa.string()))
