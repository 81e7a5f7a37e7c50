"""Whole files: Parquet or CSV of truths in, of reports out, piece by piece."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from frankly.design import Design, whole_or_nothing
from frankly.design.safe_csv import each, harmless
from frankly.errors import ReportError
from frankly.mechanism import Tape as AnyTape
from frankly.randomize.draw import BLOCK
from frankly.randomize.frames import plain
from frankly.randomize.labels import ReportSchema
from frankly.randomize.source import Source, is_parquet, open_source, pieces
from frankly.randomize.table import draw_table, truths_of
from frankly.randomize.tape import Tape

__all__ = ["PIECE", "Progress", "RandomizedFile", "randomize_file"]

PIECE = 4 * BLOCK
"""Rows held in memory at a time: whole blocks, so that a seed means one result."""

Progress = Callable[[int, int | None], None]
"""Told how many rows are done, and how many there are, if that is known."""


@dataclass(frozen=True)
class RandomizedFile:
    """What was written.

    Attributes
    ----------
    rows
        How many people.
    left_out
        Columns that the design does not ask. They were not read.
    files
        The reports and, beside a CSV file, its design.
    """

    rows: int
    left_out: tuple[str, ...]
    files: tuple[Path, ...]


def randomize_file(
    design: Design,
    source: str | Path,
    target: str | Path,
    *,
    progress: Progress | None = None,
    tape: AnyTape | None = None,
) -> RandomizedFile:
    """Draw the report of every person in a file, and write the reports to another.

    Parameters
    ----------
    design
        The survey.
    source, target
        Parquet or CSV by their names. Reports in Parquet carry the design in the file's
        metadata; beside reports in CSV a file ``<name>.design.json`` is written.
    progress
        Called with the rows done and the rows there are (None for CSV).
    tape
        Where chance comes from; seeded in simulations only.

    Raises
    ------
    ReportError
        A value is missing or unknown, or a file cannot be read. Nothing is left behind:
        the target is as it was before.
    """
    source, target = Path(source), Path(target)
    refuse_target(source, target)
    truths = open_source(source, design.names)
    # CSV knows texts only: Arrow would write True as true, which is no label of the design.
    types = truths.types if is_parquet(target) else dict.fromkeys(design.names, pa.string())
    schema = ReportSchema.of(design, types)
    sent = 0
    with writing(schema, target) as (write, files):
        for table in drawn(truths, schema, source.name, tape or Tape.secure()):
            write(table)
            sent += table.num_rows
            if progress is not None:
                progress(sent, truths.rows)
    return RandomizedFile(sent, truths.left_out, files)


def refuse_target(source: Path, target: Path) -> None:
    """Refuse a place where reports cannot or should not be written."""
    is_parquet(target)
    if target.is_dir() or not target.parent.is_dir():
        raise ReportError(f"{target} is no file that can be written: its folder must exist")
    if target.exists() and source.exists() and target.samefile(source):
        raise ReportError("the reports would replace the truths. Give another name for them")


def drawn(truths: Source, schema: ReportSchema, place: str, tape: AnyTape) -> Iterator[pa.Table]:
    """Draw the reports piece by piece."""
    design, before = schema.design, 0
    for piece in pieces(truths.batches, PIECE):
        columns = {name: piece[name] for name in design.names}
        codes = truths_of(design, columns, place=place, before=before)
        yield schema.table(draw_table(design, codes, tape))
        before += piece.num_rows


@contextmanager
def writing(
    schema: ReportSchema, target: Path
) -> Iterator[tuple[Callable[[pa.Table], None], tuple[Path, ...]]]:
    """Open what the reports are written to; it gets its name only when all is well."""
    with ExitStack() as stack:
        part = stack.enter_context(whole_or_nothing(target))
        if is_parquet(target):
            writer = stack.enter_context(pq.ParquetWriter(part, schema.arrow))
            yield writer.write_table, (target,)
        else:
            beside = target.with_name(f"{target.name}.design.json")
            schema.design.save(stack.enter_context(whole_or_nothing(beside)))
            texts = in_texts(schema.arrow.empty_table())
            writer = stack.enter_context(pyarrow.csv.CSVWriter(part, texts.schema))
            yield lambda table: writer.write_table(in_texts(table)), (target, beside)


def in_texts(table: pa.Table) -> pa.Table:
    """Write labels out, for formats that know no dictionaries."""
    columns: dict[str, Any] = {name: plain(table[name]) for name in table.column_names}
    return each(pa.table(columns), harmless)
