"""Files of truths, read piece by piece, so that a table may be larger than memory."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from frankly.design.spreadsheet import instead, unreadable
from frankly.errors import ReportError

__all__ = ["Source", "open_source", "pieces"]


@dataclass(frozen=True)
class Source:
    """A file of truths: the types of the wanted columns, and its rows in batches.

    Attributes
    ----------
    left_out
        Columns of the file that the design does not ask: they are not even read.
    rows
        How many rows there are, if the file knows.
    """

    types: dict[str, pa.DataType]
    left_out: tuple[str, ...]
    rows: int | None
    batches: Iterator[Any]


def open_source(path: Path, names: Sequence[str]) -> Source:
    """Open a Parquet or CSV file for the columns of these names."""
    if not path.is_file():
        raise ReportError(f"there is no file {path.name} at {path.parent}")
    with suppress(pa.ArrowException, UnicodeDecodeError, csv.Error):
        return open_parquet(path, names) if is_parquet(path) else open_csv(path, names)
    raise unreadable(path)


def is_parquet(path: Path) -> bool:
    """Tell a format by the file's name."""
    if path.suffix.lower() not in {".parquet", ".csv"}:
        raise ReportError(
            f"{path.name} ends in {path.suffix or 'nothing'!r}. Tables are read and written as "
            ".parquet or .csv: give the file one of these endings"
        )
    return path.suffix.lower() == ".parquet"


def open_parquet(path: Path, names: Sequence[str]) -> Source:
    """Open a Parquet file; texts are kept as the dictionaries they are stored as."""
    schema = pq.read_schema(path)
    left_out = wanted(path, schema.names, names)
    # Reading ahead, or in threads that keep memory of their own, would need more for longer files.
    file = pq.ParquetFile(path, read_dictionary=list(names), pre_buffer=False, buffer_size=2**16)
    types = {name: file.schema_arrow.field(name).type for name in names}
    batches = file.iter_batches(batch_size=2**16, columns=list(names), use_threads=False)
    return Source(types, left_out, file.metadata.num_rows, quietly(batches, path))


def open_csv(path: Path, names: Sequence[str]) -> Source:
    """Open a CSV file; every value is read as text."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file), [])
    if not header or any("\0" in name for name in header):
        raise unreadable(path)
    left_out = wanted(path, header, names)
    reader = pyarrow.csv.open_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=2**22),
        # Where a row has one value, an empty line is a missing one.
        parse_options=pyarrow.csv.ParseOptions(
            ignore_empty_lines=len(header) > 1, newlines_in_values=True
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(names),
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    types = dict.fromkeys(names, pa.string())
    return Source(types, left_out, None, quietly(reader, path))


def wanted(path: Path, there: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Refuse a file that lacks a column, and tell which ones will be left out."""
    for name in names:
        if list(there).count(name) != 1:
            what = "is there more than once" if name in there else "is missing"
            raise ReportError(
                f'{path.name}: the column "{name}" {what}; {instead(names, there)}. The design '
                f"asks {list(names)}, and the table needs one column for each"
            )
    return tuple(name for name in there if name not in names)


def quietly(batches: Iterable[Any], path: Path) -> Iterator[Any]:
    """Pass batches on, but not the reader's own errors: they may quote a row."""
    with suppress(pa.ArrowException):
        yield from batches
        return
    raise unreadable(path)


def pieces(batches: Iterable[Any], rows: int) -> Iterator[pa.Table]:
    """Cut batches of any length into tables of ``rows`` rows; the last may be shorter."""
    held: list[Any] = []
    count = 0
    for batch in batches:
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            table = pa.Table.from_batches(held)
            whole = count - count % rows
            yield from (table.slice(start, rows) for start in range(0, whole, rows))
            held = table.slice(whole).to_batches()
            count -= whole
    if count:
        yield pa.Table.from_batches(held)
