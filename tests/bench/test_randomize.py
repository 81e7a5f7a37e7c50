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


@pytest.fixture(scope="module")
def measured() -> list[Row | str]:
    return list(randomize.rows(scale=0.002))


def test_randomizing_is_measured_beside_writing_and_beside_others(
    measured: list[Row | str],
) -> None:
    rows = [row for row in measured if isinstance(row, Row)]
    assert rows[0].work.startswith("20,000 x 14 answers with secure chance, beside writing")
    assert rows[-1].work.startswith("peak memory")
    assert all(row.ours > 0 < row.peer for row in rows)


@pytest.mark.parametrize("package", ["pure_ldp", "multi_freq_ldpy"])
def test_a_package_that_is_not_there_is_a_sentence_that_helps(
    package: str, measured: list[Row | str]
) -> None:
    there = any(isinstance(row, Row) and row.work.endswith(package) for row in measured)
    sentence = f"{package} is not installed, and never shipped: run make bench"
    assert there == (find_spec(package) is not None)
    assert there != (sentence in measured)


def test_the_command_prints_rows_and_tells_whether_bars_are_missed(
    monkeypatch: pytest.MonkeyPatch, measured: list[Row | str]
) -> None:
    missed = Row("a work that is too slow", ours=2, peer=1, bar=1, better="at most")
    for rows, code in ((measured[:0], 0), ([missed, "a note"], 1)):
        monkeypatch.setattr(randomize, "rows", lambda rows=rows: iter(rows))
        shown = CliRunner().invoke(main, ["bench", "randomize"])
        told = CliRunner().invoke(main, ["bench", "randomize", "--json"])
        assert shown.exit_code == told.exit_code == code
        assert ("MISSED" in shown.stdout) == bool(code)
        assert json.loads(told.stdout)["rows"] == [
            row.to_dict() for row in rows if isinstance(row, Row)
        ]
    assert shown.stderr == "Note: a note\n"
