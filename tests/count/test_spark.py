"""Spark, in a real session on this machine: the laws of every engine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import frankly as fk
from frankly.count import Engine, Query, SparkEngine
from frankly.design import Attribute, Design
from frankly.errors import EngineError, ValueRefusedError
from tests.count.engine_laws import TWO, EngineLaws

pytestmark = pytest.mark.filterwarnings("ignore:.*:ResourceWarning", "ignore:.*:FutureWarning")


class TestSpark(EngineLaws):
    examples = 3

    @pytest.fixture(autouse=True)
    def driver(self, spark: Any, tmp_path: Path) -> None:
        self.spark, self.folder = spark, tmp_path

    @contextmanager
    def opened(self, design: Design, table: pa.Table) -> Iterator[Engine]:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.parquet"
        pq.write_table(table, path)
        yield fk.open(self.spark.read.parquet(str(path)), design)


def test_one_action_answers_all_questions(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"ill": ["no", "yes"], "sex": ["f", "m"]}), tmp_path / "a.parquet")
    engine = SparkEngine(TWO, spark.read.parquet(str(tmp_path / "a.parquet")))
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("one", "count")
    engine.count([Query("ill"), Query("sex"), Query("ill", where=[("sex", "m")])])
    many = len(tracker.getJobIdsForGroup("one"))
    spark.sparkContext.setJobGroup("two", "count one")
    engine.count([Query("ill")])
    assert 1 <= many == len(tracker.getJobIdsForGroup("two"))


def test_a_name_with_a_backtick_is_a_name(spark: Any, tmp_path: Path) -> None:
    design = Design([Attribute("a`b", ["x", "y"])])
    pq.write_table(pa.table({"a`b": ["x", "y", "y"]}), tmp_path / "a.parquet")
    frame = spark.read.parquet(str(tmp_path / "a.parquet"))
    assert SparkEngine(design, frame).count([Query("a`b")])[0].table.tolist() == [1, 2]


def test_a_file_that_vanishes_is_told_without_sparks_words(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"ill": ["no", "yes"], "sex": ["f", "m"]}), path)
    engine = SparkEngine(TWO, spark.read.parquet(str(path)))
    path.unlink()
    with pytest.raises(EngineError, match="Spark could not count") as refused:
        engine.count([Query("ill")])
    assert str(tmp_path) not in str(refused.value)


def test_the_refusal_tells_how_many_rows(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"ill": ["no", None, "?", "?"]}), tmp_path / "a.parquet")
    engine = SparkEngine(TWO, spark.read.parquet(str(tmp_path / "a.parquet")))
    with pytest.raises(ValueRefusedError, match=r"in 3 row\(s\)"):
        engine.count([Query("ill")])
