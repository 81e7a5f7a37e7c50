"""The bench of engines measures what it says, at a small scale; its bars are never a timed test."""

import pytest

from frankly.bench import engines
from frankly.bench.measure import Row


def test_duckdb_and_memory_are_measured_and_what_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "which", lambda _: None)
    found = list(engines.rows(scale=0.002))
    works = [row.work for row in found if isinstance(row, Row)]
    assert len(works) == 3
    assert "20,000 reports in Parquet on DuckDB" in works[0]
    assert "200,000 reports" in works[1]
    assert all(row.ours > 0 and row.peer > 0 for row in found if isinstance(row, Row))
    notes = [row for row in found if isinstance(row, str)]
    assert any("Java 17" in note for note in notes)
    assert any("before it counted" in note for note in notes)
    whole = next(
        row for row in found if isinstance(row, Row) and "on DuckDB, beside 250" in row.work
    )
    assert whole.unit == "MiB"
    assert whole.ours > 50, "Python and what it imports are part of it"


def test_without_room_nothing_large_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "which", lambda _: None)
    monkeypatch.setattr(engines, "ROOM", 10**30)
    assert list(engines.rows(scale=0.001))[-1] == (
        "memory needs 2 GB of free disk, and /proc: it was not measured"
    )
