"""The bench measures what it says, at a small scale; its bars are never a timed test."""

import json
from importlib.util import find_spec

import pytest
from click.testing import CliRunner

from frankly.bench import randomize
from frankly.bench.measure import Row, cpu
from frankly.cli import main


def test_a_row_holds_on_the_right_side_of_its_bar() -> None:
    assert Row("w", ours=3, peer=2, bar=1.5, better="at most").holds
    assert not Row("w", ours=3, peer=2, bar=1.4, better="at most").holds
    assert not Row("w", ours=3, peer=2, bar=1, better="at least").holds
    assert Row("w", ours=1, peer=100, bar=100, better="at least").holds


def test_cpu_time_is_the_least_of_all_runs() -> None:
    calls: list[int] = []
    assert 0 <= cpu(lambda: calls.append(1), repeat=4) < 1
    assert len(calls) == 4


def test_randomizing_is_measured_beside_writing_and_beside_others() -> None:
    measured = list(randomize.rows(scale=0.002))
    works = [row.work for row in measured if isinstance(row, Row)]
    assert works[0].startswith("20,000 x 14 answers with secure chance, beside writing")
    assert works[-1].startswith("peak memory")
    assert all(row.ours > 0 < row.peer for row in measured if isinstance(row, Row))


@pytest.mark.parametrize("package", ["pure_ldp", "multi_freq_ldpy"])
def test_a_package_that_is_not_there_is_a_sentence_that_helps(package: str) -> None:
    found = randomize.beside_package(f"{package}_absent", list[int].clear, 1.0)
    assert found == f"{package}_absent is not installed, and never shipped: run make bench"
    real = list(randomize.rows(scale=0.002))
    there = any(isinstance(row, Row) and row.work.endswith(package) for row in real)
    assert there == (find_spec(package) is not None)


def test_the_command_prints_rows_and_tells_whether_bars_are_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(randomize, "ROWS", 20_000)
    shown = CliRunner().invoke(main, ["bench", "randomize"])
    assert shown.exit_code == int("MISSED" in shown.stdout)
    told = CliRunner().invoke(main, ["bench", "randomize", "--json"])
    rows = json.loads(told.stdout)["rows"]
    assert told.exit_code == int(not all(row["holds"] for row in rows))
    assert {"work", "ours", "peer", "ratio", "bar", "better", "holds"} <= set(rows[0])
