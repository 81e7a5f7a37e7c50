"""Randomize: reports drawn by a secure coin, beside writing them and beside other packages."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from frankly.bench.count import STATUS, peak, values
from frankly.bench.measure import Row, cpu
from frankly.design import Attribute, Design, Group
from frankly.mechanism import Codes, Unrelated
from frankly.randomize import Tape, draw_blocks, randomize, randomize_file

__all__ = ["rows"]

SIZES = (2, 2, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 16)
ROWS = 10**7
PEER_VALUES = 100_000

DESIGN = Design(
    [Attribute(f"q{i}", values(size)) for i, size in enumerate(SIZES)],
    groups=[Group([f"q{i}"], Unrelated(theta=0.7)) for i in range(len(SIZES))],
)
"""Fourteen questions, each behind a coin of its own: the design that needs the most chance."""

Truths = dict[str, Codes]


def made_up(n: int) -> Truths:
    """Make up truths, as codes."""
    rng = np.random.default_rng(1)
    return {a.name: rng.integers(0, a.size, n, dtype=np.uint8) for a in DESIGN.attributes}


def draw(truths: Truths) -> None:
    """Draw every report with secure chance, and drop it."""
    for drawn in draw_blocks(DESIGN, truths, Tape.secure()):
        del drawn


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure randomizing; a text says what could not be measured."""
    n = int(ROWS * scale)
    truths = made_up(n)
    ours = cpu(lambda: draw(truths))
    with tempfile.TemporaryDirectory() as folder:
        yield beside_writing(ours, truths, Path(folder))
        each = ours / (n * len(SIZES)) * 1e6
        yield beside_package("pure_ldp", pure_ldp, each)
        yield beside_package("multi_freq_ldpy", multi_freq_ldpy, each)
        yield memory(truths, Path(folder))


def beside_writing(ours: float, truths: Truths, folder: Path) -> Row:
    """Measure the draw beside writing what was drawn."""
    n = len(truths["q0"])
    reports = randomize(DESIGN, labelled(truths))
    theirs = cpu(lambda: pq.write_table(reports, folder / "reports.parquet"))
    work = f"{n:,} x 14 answers with secure chance, beside writing the Parquet"
    return Row(work, ours=ours, peer=theirs, bar=0.2, better="at most")


def labelled(truths: Truths) -> pa.Table:
    """Write codes as labels, in an Arrow table."""
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(truths[a.name]), pa.array(a.values))
        for a in DESIGN.attributes
    ]
    return pa.Table.from_arrays(columns, names=DESIGN.names)


def beside_package(package: str, loop: Callable[[list[int]], None], ours: float) -> Row | str:
    """Measure a million answers beside a package that draws the same device, one by one."""
    if find_spec(package) is None:
        return f"{package} is not installed, and never shipped: run make bench"
    answers = np.random.default_rng(1).integers(0, 5, PEER_VALUES).tolist()
    loop(answers[:1])  # compile what is compiled
    theirs = cpu(lambda: loop(answers)) / PEER_VALUES * 1e6
    work = f"one million answers with secure chance, beside {package}"
    return Row(work, ours=ours, peer=theirs, bar=100, better="at least")


def pure_ldp(answers: list[int]) -> None:
    """Draw by pure-ldp's direct encoding."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient  # noqa: PLC0415

    client = DEClient(epsilon=1.0, d=5, index_mapper=int)
    for answer in answers:
        client.privatise(answer)


def multi_freq_ldpy(answers: list[int]) -> None:
    """Draw by multi-freq-ldpy's generalized randomized response."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client  # noqa: PLC0415

    for answer in answers:
        GRR_Client(answer, 5, 1.0)


def memory(truths: Truths, folder: Path) -> Row | str:
    """Measure the peak memory of a new process for ten times the people."""
    if not STATUS.exists():
        return "peak memory is read from /proc, which this system does not have"
    n = len(truths["q0"])
    peaks = []
    for part in (n, n // 10):
        pq.write_table(labelled(truths).slice(0, part), folder / "truths.parquet")
        peaks.append(in_new_process(folder))
    work = f"peak memory of randomizing a file of {n:,} people, beside a tenth of them"
    return Row(work, ours=peaks[0], peer=peaks[1], bar=1.1, better="at most", unit="MiB")


def in_new_process(folder: Path) -> float:
    """Randomize a file in a process of its own, and tell the most memory it had."""
    done = subprocess.run(  # noqa: S603 - this Python, this module
        [sys.executable, "-m", "frankly.bench.randomize", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


if __name__ == "__main__":
    here = Path(sys.argv[1])
    randomize_file(DESIGN, here / "truths.parquet", here / "reports.parquet")
    sys.stdout.write(f"{peak()}\n")
