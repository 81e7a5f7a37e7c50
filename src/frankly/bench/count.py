"""Count: all attribute x class tables, beside a compiled loop, scikit-learn and decoding alone."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from frankly.bench.measure import Row, cpu
from frankly.count import ArrayEngine, ParquetEngine, Query
from frankly.count.parquet import opened, read
from frankly.design import Attribute, Design

__all__ = ["rows"]

SIZES = (2, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 14, 16, 16)
ROWS = 10**7
STATUS = Path("/proc/self/status")

Matrix = NDArray[np.uint8]


def survey() -> Design:
    """Make a survey of fourteen questions and a class."""
    sizes = {**{f"q{i}": size for i, size in enumerate(SIZES)}, "class": 2}
    return Design([Attribute(name, values(size)) for name, size in sizes.items()])


def values(size: int) -> list[str]:
    """Name the values of a question."""
    return [f"value {code}" for code in range(size)]


DESIGN = survey()
TABLES = [Query([name, "class"]) for name in DESIGN.names[:-1]]


def made_up(n: int) -> Matrix:
    """Make up reports, one column an attribute, the class last."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, attribute.size, n, np.uint8) for attribute in DESIGN.attributes]
    return np.stack(columns, axis=1)


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure counting; a text says what could not be measured."""
    n = int(ROWS * scale)
    reports = made_up(n)
    yield beside_a_loop(reports)
    yield beside_sklearn(reports[: n // 10])
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.parquet"), Path(folder, "small.parquet")
        write(large, reports)
        write(small, reports[: n // 10])
        del reports
        yield beside_decoding(large, n)
        yield memory(large, small, n)


def engine(reports: Matrix) -> ArrayEngine:
    """Open reports in memory, with their codes already read."""
    columns = {name: np.ascontiguousarray(reports[:, i]) for i, name in enumerate(DESIGN.names)}
    counting = ArrayEngine.from_codes(DESIGN, columns)
    counting.count(TABLES)
    return counting


def beside_a_loop(reports: Matrix) -> Row | str:
    """Measure all tables beside one compiled pass over the rows."""
    if find_spec("numba") is None:
        return "the compiled loop needs numba, which is never shipped: run make bench"
    import numba  # noqa: PLC0415 - only here, and never shipped

    compiled = numba.njit(loop)
    starts = 2 * np.concatenate([[0], np.cumsum(SIZES)])
    tables = np.zeros(starts[-1], dtype=np.int64)
    compiled(reports[:1], starts, tables)
    theirs = cpu(lambda: compiled(reports, starts, tables), repeat=5)
    counting = engine(reports)
    ours = cpu(lambda: counting.count(TABLES), repeat=5)
    work = f"14 tables of {len(reports):,} reports in memory, beside a compiled loop"
    return Row(work, ours=ours, peer=theirs, bar=1.6, better="at most")


def loop(reports: Any, starts: Any, tables: Any) -> None:
    """Count row by row; compiled by numba."""
    last = reports.shape[1] - 1
    for row in range(reports.shape[0]):
        for column in range(last):
            tables[starts[column] + 2 * reports[row, column] + reports[row, last]] += 1


def beside_sklearn(reports: Matrix) -> Row:
    """Measure all tables beside the fit of scikit-learn's naive Bayes, which is made of them."""
    from sklearn.naive_bayes import CategoricalNB  # noqa: PLC0415 - heavy, and memory is measured

    answers, label = reports[:, :-1].astype(np.int64), reports[:, -1].astype(np.int64)
    theirs = cpu(lambda: CategoricalNB().fit(answers, label))
    counting = engine(reports)
    ours = cpu(lambda: counting.count(TABLES))
    work = f"14 tables of {len(reports):,} reports in memory, beside CategoricalNB.fit"
    return Row(work, ours=ours, peer=theirs, bar=10, better="at least")


def write(path: Path, reports: Matrix) -> None:
    """Write reports as labels, the way `frankly randomize` does."""
    labels = [pa.array(attribute.values) for attribute in DESIGN.attributes]
    kinds = [pa.field(name, pa.dictionary(pa.int8(), pa.string())) for name in DESIGN.names]
    with pq.ParquetWriter(path, pa.schema(kinds), compression="zstd") as writer:
        for start in range(0, len(reports), 2**20):
            block = reports[start : start + 2**20].astype(np.int8)
            columns = [pa.array(np.ascontiguousarray(column)) for column in block.T]
            pairs = zip(columns, labels, strict=True)
            arrays = [pa.DictionaryArray.from_arrays(codes, words) for codes, words in pairs]
            writer.write_table(pa.Table.from_arrays(arrays, names=DESIGN.names))


def beside_decoding(path: Path, n: int) -> Row:
    """Measure all tables from a file beside reading the file and counting nothing."""
    counting = ParquetEngine(DESIGN, path)
    theirs = cpu(lambda: decode(path))
    ours = cpu(lambda: counting.count(TABLES))
    work = f"14 tables of {n:,} reports in Parquet, beside decoding alone"
    return Row(work, ours=ours, peer=theirs, bar=2, better="at most")


def decode(path: Path) -> None:
    """Read a file as the engine does, and drop it."""
    with opened(path, dictionaries=DESIGN.names) as file:
        for batch in read(file, DESIGN.names):
            del batch


def memory(large: Path, small: Path, n: int) -> Row | str:
    """Measure the peak memory of a new process for ten times the reports."""
    if not STATUS.exists():
        return "peak memory is read from /proc, which this system does not have"
    ours, theirs = (in_new_process(path) for path in (large, small))
    work = f"peak memory of {n:,} reports in Parquet, beside a tenth of them"
    return Row(work, ours=ours, peer=theirs, bar=1.1, better="at most", unit="MiB")


def in_new_process(path: Path) -> float:
    """Count a file in a process of its own, and tell the most memory it had."""
    done = subprocess.run(  # noqa: S603 - this Python, this module
        [sys.executable, "-m", "frankly.bench.count", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def peak() -> float:
    """Tell the most memory this process had, in MiB; unlike getrusage, without its parent's."""
    (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    ParquetEngine(DESIGN, sys.argv[1]).count(TABLES)
    sys.stdout.write(f"{peak()}\n")
