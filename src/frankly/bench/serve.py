"""Accepted answers: the whole service under load, on this machine's loopback, for some minutes.

Every rate is measured beside two others in the same run: the same service without storage, and
with a commit for each answer. Only those ratios say something about the service; the time of one
sync, printed beside, says something about the disk. The ways take turns, and a rate is the median
of its turns: what else this machine does meanwhile weighs little.
"""

import asyncio
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.table import Table

from frankly.bench import measure
from frankly.bench.measure import Row
from frankly.bench.postgres import a_database
from frankly.design import Attribute, Design, Group
from frankly.mechanism import Unrelated

__all__ = ["rows", "table"]

Turn = tuple[list[float], float]
"""How long each answer of one turn took, and all of them together."""

CONNECTIONS, CROWD = 32, 256
"""People who answer at once: as many as the bars are for, and so many that nobody's wait counts."""
TURN, TURNS, FEW = 3.0, 5, 2
"""Every way is measured in so many turns of so many seconds, crowds in a few: long enough that what
a store puts off while people wait, up to a second, is for two thirds done within them."""
PAUSE = 0.3
"""Seconds after a turn, so that what is left to do slows nobody else down."""
GOAL, KEPT = 1000, 0.65
NAMES = [f"q{i}" for i in range(9)]
DESIGN = Design(
    [Attribute(name, ["no", "yes"]) for name in NAMES],
    groups=[Group([name], Unrelated(theta=0.7)) for name in NAMES],
)
"""Nine answers a row."""

WAYS = {
    "group": "",
    "none": """
async def send(self, answers): return True
writer.Writer.send = send
writer.ready = lambda store, answers: answers
writer.straight = lambda store, made: made if store.engine.name == "postgresql" else None
writer.keep = lambda store, answers: ["stored"] * len(answers)
""",
    "each": "writer.Writer.__init__.__defaults__ = (2000, 1, 20.0, None)",
}
"""How answers are stored: as the service does, the same way but not at all, or a commit each."""

WORKER = """
import os, socket, sys
import uvicorn
from frankly.collect import writer
{way}
begun = uvicorn.Server.startup
async def startup(*words, **more):
    await begun(*words, **more)
    os.write(int(sys.argv[2]), b".")
uvicorn.Server.startup = startup
from frankly.collect.serve import serve
serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""
"""One worker of the service, which says when it is there."""


@dataclass(frozen=True)
class Load:
    """What the answers of one service showed: how many a second, and the slowest hundredth.

    Examples
    --------
    >>> Load.of([([0.1] * 99 + [0.4], 2.0), ([0.1] * 100, 1.0), ([0.1] * 10, 1.0)])
    Load(rate=50.0, p99=0.1)
    """

    rate: float
    p99: float

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> "Load":
        """Sum up: the rate is the median of the turns, the hundredth one of all answers."""
        times = sorted(time for found, _ in turns for time in found)
        return cls(
            median(len(found) / taken for found, taken in turns), times[len(times) * 99 // 100]
        )


def table(rows: Iterable[Row]) -> Table:
    """Lay the ratios out for people."""
    return measure.table(rows, "Seconds an answer, and the slowest hundredth; both sides in turns.")


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure the service over SQLite and over PostgreSQL, with one and with two workers."""
    turns = max(1, round(TURNS * scale))
    with tempfile.TemporaryDirectory() as folder:
        yield f"one sync takes {1e3 * sync_time(Path(folder)):.1f} ms on this disk"
        yield from of_database("SQLite", str(Path(folder) / "bench.sqlite"), turns)
    with a_database() as url:
        if url is None:
            yield "PostgreSQL is not measured: there is no initdb (Debian: apt install postgresql)"
        else:
            yield from of_database("PostgreSQL", url, turns)


def of_database(kind: str, url: str, turns: int) -> Iterator[Row | str]:
    """Measure one and two workers: beside no storage, and beside a commit for each answer."""
    for workers in (1, 2):
        what = f"{kind}, {workers} worker{'s' * (workers > 1)}"
        found = measured(url, workers, turns, CONNECTIONS, WAYS)
        ours, bare, each = (found[way] for way in ("group", "none", "each"))
        yield Row(f"{what}: rate, beside no storage", 1 / ours.rate, 1 / bare.rate,
                  bar=KEPT, better="at least")  # fmt: skip
        yield Row(f"{what}: p99, beside a commit each", ours.p99, each.p99, bar=0.5,
                  better="at most")  # fmt: skip
        rates = f"no storage {bare.rate:,.0f}, a commit each {each.rate:,.0f}"
        kept = f"{ours.rate / bare.rate:.0%} of no storage; goal {GOAL:,}"
        yield f"{what}: {ours.rate:,.0f} accepted/s, {kept} ({rates})"
        crowd = measured(url, workers, min(turns, FEW), CROWD, ["group", "none"])
        ours, bare = crowd["group"], crowd["none"]
        yield (f"{CROWD} connections: {ours.rate:,.0f} accepted/s, {ours.rate / bare.rate:.0%} of "
               f"no storage ({bare.rate:,.0f})")  # fmt: skip


def measured(
    url: str, workers: int, turns: int, connections: int, ways: Collection[str]
) -> dict[str, Load]:
    """Run the service in some ways, and answer them in turns: who slows one down slows all."""
    with ExitStack() as stack:
        services = {way: (stack.enter_context(survey(url)),
                          stack.enter_context(running(url, way, workers)))
                    for way in ways}  # fmt: skip
        found: dict[str, list[Turn]] = {way: [] for way in ways}
        for turn in range(-1, turns):
            for way in list(ways)[:: 1 if turn % 2 else -1]:
                name, port = services[way]
                answers = asyncio.run(answering(port, name, connections))
                time.sleep(PAUSE)
                if turn >= 0:  # the first warms up
                    found[way].append(answers)
    return {way: Load.of(turns) for way, turns in found.items()}


@contextmanager
def survey(url: str) -> Iterator[str]:
    """Open a survey that anyone may answer, and delete it: whatever comes next starts afresh."""
    from frankly.store import Store  # noqa: PLC0415 - needs frankly[server]

    name = f"b{secrets.token_hex(4)}"
    with Store(url) as store:
        store.open_survey(name, DESIGN, "anyone")
    try:
        yield name
    finally:
        with Store(url) as store:
            store.delete_survey(name)


@contextmanager
def running(url: str, way: str, workers: int) -> Iterator[int]:
    """Start workers on a free port of this machine, and stop them."""
    from frankly.collect.cores import cores, keep_to  # noqa: PLC0415 - needs frankly[server]
    from frankly.collect.doors import doors  # noqa: PLC0415

    opened = doors("127.0.0.1", 0, workers)
    ready, tell = os.pipe()
    processes = [
        subprocess.Popen(  # noqa: S603 - this Python, our own module
            [sys.executable, "-c", WORKER.format(way=WAYS[way]), str(door.fileno()), str(tell)],
            pass_fds=[door.fileno(), tell],
            env={**os.environ, "FRANKLY_DB": url},
        )
        for door in opened
    ]
    os.close(tell)
    for core, process in zip(cores(url, workers), processes, strict=True):
        keep_to(core, process.pid)
    try:
        for _ in processes:
            if not os.read(ready, 1):
                raise RuntimeError("the service did not start; what it said stands above")
        yield opened[0].getsockname()[1]
    finally:
        os.close(ready)
        for process in processes:
            process.terminate()
            process.wait()
        for door in opened:
            door.close()


async def answering(port: int, name: str, connections: int) -> Turn:
    """Answer over many connections for one turn."""
    times: list[float] = []
    start = time.perf_counter()
    await asyncio.gather(*(connection(port, name, TURN, times) for _ in range(connections)))
    return times, time.perf_counter() - start


async def connection(port: int, name: str, seconds: float, times: list[float]) -> None:
    """Send one answer after another over one connection, and wait for each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        writer.write(request(name))
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 201 " not in head[:16]:
            raise RuntimeError(f"the service answered {head[:12]!r}")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        times.append(time.perf_counter() - start)
    writer.close()
    await writer.wait_closed()


def request(name: str) -> bytes:
    """Write one request, with a receipt of its own."""
    receipt = secrets.token_hex(16)
    report = ",".join(f'"{q}":"{"yes" if secrets.randbits(1) else "no"}"' for q in NAMES)
    body = f'{{"design":"{DESIGN.fingerprint}","receipt":"{receipt}","report":{{{report}}}}}'
    head = (
        f"POST /{name}/reports HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def sync_time(folder: Path, n: int = 30) -> float:
    """Tell how long one small durable write takes."""
    path = folder / "sync"
    with path.open("wb", buffering=0) as file:
        start = time.perf_counter()
        for _ in range(n):
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
        taken = (time.perf_counter() - start) / n
    path.unlink()
    return taken
