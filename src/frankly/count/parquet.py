"""Parquet: reports in files, larger than memory if need be."""

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from frankly.count.accumulate import BLOCK, Block, accumulate, needed, parted
from frankly.count.counts import Counts
from frankly.count.fingerprint import check_fingerprint
from frankly.count.query import Query
from frankly.design import Column, Design
from frankly.design.spreadsheet import instead
from frankly.errors import ReportError

__all__ = ["ParquetEngine"]


class ParquetEngine:
    """Count reports in Parquet files, reading only the columns a question needs.

    One block of rows is in memory at a time, so files may be of any size.

    Parameters
    ----------
    design
        What the reports answer. A file that states another design is refused.
    paths
        A file, a folder, a pattern such as ``"waves/*.parquet"``, or a list of them. A file
        that is named twice counts once.
    """

    histograms = True

    def __init__(self, design: Design, paths: str | Path | Sequence[str | Path]) -> None:
        self.design = design
        self.paths = found(paths)
        self.rows = 0
        for path in self.paths:
            with opened(path) as file:
                check_fingerprint(design, file.schema_arrow.metadata or {}, path.name)
                self.rows += file.metadata.num_rows

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries in one pass over the files."""
        return accumulate(self.design, queries, self.blocks(needed(queries)), self.rows)

    def blocks(self, wanted: Mapping[int, Sequence[str]]) -> Iterator[Block]:
        """Give the columns that are needed, file by file, block by block and form by form."""
        for path in self.paths:
            before = 0
            for batch in self.batches(path, wanted):
                columns = {
                    name: Column.read(name, column, place=path.name, before=before)
                    for name, column in zip(batch.schema.names, batch.columns, strict=True)
                }
                yield from parted(self.design, columns, wanted, len(batch))
                before += len(batch)

    def batches(self, path: Path, wanted: Mapping[int, Sequence[str]]) -> Iterator[Any]:
        """Read the needed columns of one file, some rows at a time."""
        names = sorted({name for names in wanted.values() for name in names})
        if len(self.design.forms) > 1 or not names:
            names.append("form" if len(self.design.forms) > 1 else self.design.names[0])
        with opened(path) as file:
            there = file.schema_arrow.names
        missing = [name for name in names if there.count(name) != 1]
        if missing:
            raise ReportError(
                f"{path.name} needs exactly one column for each of {missing}; "
                f"{instead(self.design.names, there)}"
            )
        with opened(path, dictionaries=names) as file:
            for index, batch in enumerate(read(file, names)):
                yield batch
                if index % 8 == 7:
                    # Arrow would keep what it has freed, a little more with every batch.
                    pa.default_memory_pool().release_unused()


def found(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """Find the files that a path, a folder, a pattern or a list of them names, each once."""
    named = [paths] if isinstance(paths, str | Path) else paths
    files = [file for path in named for file in found_at(path)]
    once: dict[Path, Path] = {}
    for file in files:
        once.setdefault(file.resolve(), file)
    return list(once.values())


def found_at(paths: str | Path) -> list[Path]:
    """Find the files that a path, a folder or a pattern names."""
    path = Path(paths)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() == ".parquet")
    elif path.exists():
        files = [path]
    else:
        files = sorted(Path(name) for name in glob.glob(str(paths), recursive=True))  # noqa: PTH207
    if not files:
        raise ReportError(
            f"there are no reports at {path.name or str(path)!r}. Give a file, a folder with "
            '.parquet files, or a pattern such as "waves/*.parquet"'
        )
    return files


def read(file: Any, names: Sequence[str]) -> Iterator[Any]:
    """Decode some columns, a block of rows at a time; threads would gain memory and no time."""
    batches: Iterator[Any] = file.iter_batches(
        batch_size=BLOCK, columns=list(names), use_threads=False
    )
    return batches


@contextmanager
def opened(path: Path, dictionaries: Sequence[str] = ()) -> Iterator[Any]:
    """Open a file without reading ahead, which would make memory grow with the file."""
    try:
        with pq.ParquetFile(
            path, read_dictionary=list(dictionaries), pre_buffer=False, buffer_size=2**16
        ) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        # Arrow's own words may hold what is in the file.
        raise ReportError(
            f"{path.name} cannot be read as Parquet ({type(error).__name__}). It may be damaged, "
            "still being written, or of another kind"
        ) from None
