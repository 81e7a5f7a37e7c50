"""Running counts: what is appended is counted once, and equals counting all of it."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import frankly as fk
from frankly.count import ArrayEngine, DuckDBEngine, ParquetEngine, Query, RunningCounts
from frankly.design import Attribute, Design
from frankly.errors import DesignError, FingerprintError, NotAskedError, ReportError
from frankly.mine import CART, ID3, TAN, LatentClasses, NaiveBayes
from tests.count.engine_laws import ARMS, TWO, mined
from tests.count.surveys import all_queries, some_reports


def waves(folder: Path, count: int = 10) -> tuple[Design, Any, list[Path]]:
    """Write the made-up survey as some files of unequal size."""
    design, reports = mined()
    table = pa.table(reports)
    cuts = np.sort(np.random.default_rng(1).integers(0, table.num_rows, count - 1)).tolist()
    ends = zip([0, *cuts], [*cuts, table.num_rows], strict=True)
    paths = [folder / f"{i}.parquet" for i in range(count)]
    for path, (start, stop) in zip(paths, ends, strict=True):
        pq.write_table(table[start:stop], path)
    return design, reports, paths


@pytest.mark.parametrize("miner", [NaiveBayes, ID3, CART, TAN, LatentClasses])
def test_a_model_after_ten_appends_is_the_model_from_scratch_bit_for_bit(
    miner: Any, tmp_path: Path
) -> None:
    design, reports, paths = waves(tmp_path)
    running = RunningCounts(design)
    for path in paths:
        running = running.append(path)
        path.unlink()  # what was counted is never read again
    scratch = miner(design=design).fit(ArrayEngine(design, reports))
    grown = miner(design=design).fit(running)
    assert grown.learned() == scratch.learned()
    assert (grown.method_, grown.n_reports_) == (scratch.method_, scratch.n_reports_)


def test_every_engine_can_be_appended_and_forms_stay_apart() -> None:
    rng = np.random.default_rng(3)
    parts = [some_reports(ARMS, 50, rng) for _ in range(3)]
    frames = [pa.table(part) for part in parts]
    running = RunningCounts(ARMS).append(
        parts[0], DuckDBEngine(ARMS, frames[1]), ArrayEngine(ARMS, frames[2])
    )
    queries = all_queries(ARMS, rng)
    assert running.count(queries) == ArrayEngine(ARMS, pa.concat_tables(frames)).count(queries)


def test_only_the_tables_a_miner_needs_may_be_kept(tmp_path: Path) -> None:
    design, reports, paths = waves(tmp_path, 3)
    pairs = [Query([name, "ill"]) for name in design.names if name != "ill"]
    running = RunningCounts(design, pairs).append(paths)
    assert not running.histograms
    whole = ArrayEngine(design, reports)
    found, expected = (
        NaiveBayes(design=design, method="inverse").fit(engine) for engine in (running, whole)
    )
    assert found.learned() == expected.learned()
    with pytest.raises(NotAskedError, match="none of the given counts"):
        running.count([Query(["sex", "age"])])
    with pytest.raises(DesignError, match="whole tables"):
        RunningCounts(design, [Query("ill", where=[("sex", "f")])])


def test_appending_leaves_what_was_there_as_it_was() -> None:
    first = RunningCounts(TWO).append({"ill": ["no"], "sex": ["f"]})
    second = first.append({"ill": ["yes"], "sex": ["m"]})
    assert [one.count([Query(())])[0].n for one in (first, second)] == [1, 2]
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.kept = ()  # type: ignore[misc]


def test_counts_are_saved_and_go_on_growing(tmp_path: Path) -> None:
    design, reports, paths = waves(tmp_path, 2)
    RunningCounts(design).append(paths[0]).save(tmp_path / "kept.npz")
    running = RunningCounts.load(tmp_path / "kept.npz", design).append(paths[1])
    query = [Query(design.names)]
    assert running.count(query) == ArrayEngine(design, reports).count(query)
    assert running.count(query) == ParquetEngine(design, paths).count(query)


def test_counts_of_another_design_or_a_damaged_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept.npz"
    RunningCounts(TWO).append({"ill": ["no"], "sex": ["f"]}).save(path)
    with pytest.raises(FingerprintError, match="never add"):
        RunningCounts.load(path, Design([Attribute("ill", ["no", "yes"])]))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ReportError, match=r"kept\.npz holds no counts"):
        RunningCounts.load(path)
    path.write_text("nothing")
    with pytest.raises(ReportError, match="damaged"):
        RunningCounts.load(path)


def test_a_refused_file_changes_nothing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"ill": ["no", "?"], "sex": ["f", "m"]}), tmp_path / "a.parquet")
    running = RunningCounts(TWO).append({"ill": ["no"], "sex": ["f"]})
    with pytest.raises(ReportError, match=r"a\.parquet, row 2"):
        running.append({"ill": ["no"], "sex": ["f"]}, tmp_path / "a.parquet")
    assert running.count([Query(())])[0].n == 1


def test_an_estimate_takes_running_counts_as_it_takes_reports() -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))])
    running = RunningCounts(design).append({"ill": ["yes"] * 320}, {"ill": ["no"] * 680})
    assert fk.estimate(design, running, "ill").share.round(3).tolist() == [0.86, 0.14]
