"""One answer from every engine; the last of them a Spark cluster of a master and two workers."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import frankly as fk
from evidence.claim import Claim
from frankly.count import ArrayEngine, DuckDBEngine, Engine, PooledEngine, Query, RunningCounts
from tests.count.session import HOW, session
from tests.count.test_sql import fill
from tests.live import Postgres

PEOPLE = 20_000
WAIT = 180.0
"""Seconds that a cluster may take to stand."""


def survey() -> tuple[fk.Design, pa.Table]:
    """Make up a survey of six questions, of which three hide together, and its reports."""
    rng = np.random.default_rng(1)
    ill = rng.integers(0, 2, PEOPLE)
    codes = {"ill": ill}
    for i, size in enumerate((2, 3, 4, 5, 3)):
        codes[f"q{i}"] = np.minimum(rng.integers(0, size, PEOPLE) + ill * (i % 2), size - 1)
    sizes = {name: int(column.max()) + 1 for name, column in codes.items()}
    attributes = [fk.Attribute(n, [f"v{code}" for code in range(k)]) for n, k in sizes.items()]
    groups = [fk.Group(["ill", "q0", "q1"], fk.Unrelated(0.6))]
    design = fk.Design(attributes, groups=groups, target="ill")
    truths = {name: [f"v{code}" for code in column] for name, column in codes.items()}
    reports = fk.randomize(design, pa.table(truths), fk.Tape.seeded(4))
    texts = {name: reports[name].cast(pa.string()) for name in design.names}
    return design, pa.table(texts)


def claims() -> Iterator[Claim]:
    """Learn the same models from every engine."""
    design, reports = survey()
    expected = learned(design, ArrayEngine(design, reports))
    with tempfile.TemporaryDirectory(prefix="frankly-") as folder, ExitStack() as stack:
        for name, engine in engines(design, reports, Path(folder), stack):
            yield same(name, learned(design, engine), expected)
        yield from cluster(design, reports, Path(folder), expected)


def learned(design: fk.Design, engine: Engine) -> dict[str, Any]:
    """Count tables, and learn naive Bayes and a tree by each method."""
    found: dict[str, Any] = {"counts": engine.count([Query([n, "ill"]) for n in design.names[1:]])}
    for method in ("inverse", "auto"):
        for kind in (fk.NaiveBayes, fk.ID3):
            model: Any = kind(design=design, method=method).fit(engine)
            found[f"{kind.__name__}, {method}"] = model.learned()
    return found


def same(name: str, found: dict[str, Any], expected: dict[str, Any]) -> Claim:
    """Compare cell by cell and split by split."""
    differ = [what for what in expected if found[what] != expected[what]]
    figure = f"{len(expected)} results equal" if not differ else f"different: {differ}"
    return Claim(f"{name} gives the counts, naive Bayes and tree of memory", figure, not differ)


def engines(
    design: fk.Design, reports: pa.Table, folder: Path, stack: ExitStack
) -> Iterator[tuple[str, Engine]]:
    """Open the same reports in every engine on this machine."""
    import sqlite3  # noqa: PLC0415

    import psycopg  # noqa: PLC0415

    path = folder / "reports.parquet"
    pq.write_table(reports, path)
    yield "Parquet", fk.open(path, design)
    yield "DuckDB", stack.enter_context(DuckDBEngine(design, path))
    halves = {"a": ArrayEngine(design, reports[:7000]), "b": ArrayEngine(design, reports[7000:])}
    yield "a pool of two holders", PooledEngine(halves)
    running = RunningCounts(design)
    for start in range(0, PEOPLE, PEOPLE // 10):
        running = running.append(reports[start : start + PEOPLE // 10])
    yield "ten appends", running
    lite = stack.enter_context(closing(sqlite3.connect(folder / "s.sqlite")))
    fill(lite, reports, "?")
    yield "SQLite", fk.open(lite, design, table="reports")
    server = Postgres.make()
    server.start()
    stack.callback(server.remove)
    url = server.database()
    with psycopg.connect(url) as connection:
        fill(connection, reports, "%s")
    yield "PostgreSQL", stack.enter_context(fk.open(f"{url}#reports", design))


def cluster(
    design: fk.Design, reports: pa.Table, folder: Path, expected: dict[str, Any]
) -> Iterator[Claim]:
    """Count on a standalone cluster of a master and two workers, each a process of its own."""
    text = "a Spark cluster of a master and two workers stands up from the pip package"
    if shutil.which("java") is None:
        yield Claim(text, HOW, holds=False)
        return
    start = time.monotonic()
    with standalone(folder) as master:
        more = {
            "spark.executor.memory": "512m",
            "spark.cores.max": "2",
            "spark.executor.cores": "1",
        }
        with session(master, more) as spark:
            spark.sparkContext.parallelize(range(2), 2).count()
            running = workers(spark)
            took = time.monotonic() - start
            yield Claim(text, f"{took:.0f} s, {running} executors", holds=running == 2)
            path = folder / "spark.parquet"
            pq.write_table(reports, path)
            frame = spark.read.parquet(str(path)).repartition(4)
            yield same("the cluster", learned(design, fk.open(frame, design)), expected)


def workers(spark: Any) -> int:
    """Wait for both executors, and tell how many there are beside the driver."""
    java = spark.sparkContext._jsc.sc()  # noqa: SLF001 - PySpark itself does not tell
    end = time.monotonic() + WAIT
    while java.getExecutorMemoryStatus().size() < 3 and time.monotonic() < end:
        time.sleep(0.5)
    return int(java.getExecutorMemoryStatus().size()) - 1


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """Start a master and two workers on loopback, and stop them by their ids."""
    import pyspark  # noqa: PLC0415

    home = Path(pyspark.__file__).parent
    port, page = free_port(), free_port()
    master = f"spark://127.0.0.1:{port}"
    roles = [["master.Master", "--port", str(port), "--webui-port", str(page)]]
    for i in range(2):
        room = ["--cores", "1", "--memory", "600m", "--work-dir", str(folder / f"worker{i}")]
        roles.append(["worker.Worker", *room, "--webui-port", str(free_port()), master])
    running: list[subprocess.Popen[bytes]] = []
    try:
        for i, (role, *words) in enumerate(roles):
            log = (folder / f"{i}.log").open("wb")
            running.append(launched(home, f"org.apache.spark.deploy.{role}", words, log))
            if i == 0:
                reached(port)
        yield master
    finally:
        for process in reversed(running):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def launched(home: Path, role: str, words: list[str], log: Any) -> "subprocess.Popen[bytes]":
    """Start one process of the cluster."""
    local = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    heap = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1"}
    with log:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), role, "--host", "127.0.0.1", *words],
            env={**os.environ, **local, **heap},
            stdout=log,
            stderr=log,
        )


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def reached(port: int) -> None:
    """Wait until the master listens."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.3)
    raise RuntimeError(f"the master did not listen within {WAIT:.0f} s")
