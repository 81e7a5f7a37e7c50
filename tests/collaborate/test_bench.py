"""The bench of secure sums measures whole messages, and never ships what it measures against."""

import importlib.util

import numpy as np
import pytest

from frankly.bench import collaborate as bench
from frankly.bench.measure import Row


def test_a_message_is_counts_and_less_than_a_kilobyte() -> None:
    rows = list(bench.mask_rows(np.zeros(bench.COUNTS, dtype=np.int64)))
    assert [row.unit for row in rows] == ["s", "bytes"]
    assert 8 * bench.COUNTS < rows[1].ours < 8 * bench.COUNTS + 250
    assert rows[1].holds


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BITS", 2048)
    found = list(bench.rows())
    told = [row for row in found if isinstance(row, str)]
    assert any("table of powers" in text for text in told)
    if importlib.util.find_spec("phe") is None:
        assert told[-1] == "phe is not installed, and never shipped: run make bench"
    assert len([row for row in found if isinstance(row, Row)]) >= 2
