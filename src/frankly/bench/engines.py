"""Engines: DuckDB and Spark beside decoding alone and beside each other, up to 100,000,000 rows."""

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import disk_usage, which
from typing import Any

import pyarrow.parquet as pq

from frankly.bench.count import DESIGN, STATUS, TABLES, decode, made_up, peak, write
from frankly.bench.measure import Row, cpu
from frankly.count import DuckDBEngine, ParquetEngine, SparkEngine

__all__ = ["rows"]

ROWS = 10**7
LARGE = 10
"""The largest file has so many times the rows."""

ROOM = 2 * 10**9
"""Bytes that must be free on the disk for the largest file."""

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure the engines; a text says what could not be measured."""
    n = int(ROWS * scale)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reports.parquet")
        write(path, made_up(n))
        yield from duckdb_and_spark(path, n)
        if disk_usage(folder).free < ROOM * scale or not STATUS.exists():
            yield "memory needs 2 GB of free disk, and /proc: it was not measured"
            return
        large = Path(folder, "large.parquet")
        repeat(path, large, LARGE)
        yield from memory(large, path, n * LARGE)


def duckdb_and_spark(path: Path, n: int) -> Iterator[Row | str]:
    """Measure DuckDB beside decoding, and Spark beside DuckDB."""
    if find_spec("duckdb") is None:
        yield "DuckDB is not installed: pip install 'frankly[duckdb]'"
        return
    floor = cpu(lambda: decode(path))
    with DuckDBEngine(DESIGN, path) as engine:
        ours = cpu(lambda: engine.count(TABLES))
    work = f"14 tables of {n:,} reports in Parquet on DuckDB, beside decoding alone"
    yield Row(work, ours=ours, peer=floor, bar=2.5, better="at most")
    if find_spec("pyspark") is None or which("java") is None or not STATUS.exists():
        yield "Spark needs pip install 'frankly[spark]', Java 17, and /proc to measure it"
        return
    work = f"14 tables of {n:,} reports in Parquet on Spark (local, warm), beside DuckDB"
    yield Row(work, ours=on_spark(path), peer=ours, bar=15, better="at most")


def on_spark(path: Path) -> float:
    """Tell the CPU seconds of Java for one call, once it has warmed up."""
    with session() as spark:
        engine = SparkEngine(DESIGN, spark.read.parquet(str(path)))
        java = int(spark._jvm.java.lang.ProcessHandle.current().pid())  # noqa: SLF001
        engine.count(TABLES)
        times = []
        for _ in range(3):
            start = seconds_of(java)
            engine.count(TABLES)
            times.append(seconds_of(java) - start)
    return min(times)


@contextmanager
def session() -> Iterator[Any]:
    """Start Spark on this machine alone, and stop it."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what pyspark thinks of other packages' versions
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

        builder: Any = SparkSession.builder
        builder = builder.master("local[2]").appName("frankly bench")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()


def seconds_of(process: int) -> float:
    """Tell the CPU seconds that another process has used, all threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def repeat(small: Path, large: Path, times: int) -> None:
    """Write the same rows again and again; only their number matters for memory."""
    with pq.ParquetFile(small) as file:
        schema = file.schema_arrow
        with pq.ParquetWriter(large, schema, compression="zstd") as writer:
            for _ in range(times):
                for group in range(file.num_row_groups):
                    writer.write_table(file.read_row_group(group))


def memory(large: Path, small: Path, n: int) -> Iterator[Row | str]:
    """Measure the peak memory of a new process, with Python and all that it imports."""
    before, whole = in_new_process("duckdb", large)
    work = f"peak memory of {n:,} reports in Parquet on DuckDB, beside 250 MiB"
    yield Row(work, ours=whole, peer=250.0, bar=1, better="at most", unit="MiB")
    yield f"before it counted, that process had {before:.0f} MiB"
    ours, theirs = (in_new_process("parquet", path)[1] for path in (large, small))
    work = f"peak memory of {n:,} reports on the Parquet engine, beside a tenth of them"
    yield Row(work, ours=ours, peer=theirs, bar=1.1, better="at most", unit="MiB")


def in_new_process(engine: str, path: Path) -> tuple[float, float]:
    """Count a file in a process of its own; tell its peak of memory before and after."""
    done = subprocess.run(  # noqa: S603 - this Python, this module
        [sys.executable, "-m", "frankly.bench.engines", engine, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = map(float, done.stdout.split())
    return before, after


def counted(words: Sequence[str]) -> None:
    """Count a file, and print the peak of memory before and after."""
    kinds = {"duckdb": DuckDBEngine, "parquet": ParquetEngine}
    before = peak()
    kinds[words[0]](DESIGN, words[1]).count(TABLES)
    sys.stdout.write(f"{before} {peak()}\n")


if __name__ == "__main__":
    counted(sys.argv[1:])
