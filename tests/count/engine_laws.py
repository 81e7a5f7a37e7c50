"""What every engine promises: the numbers of the array engine, and refusals that keep the secret.

A test class for one engine subclasses `EngineLaws` and says how reports become an engine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import frankly as fk
from frankly.count import ArrayEngine, Counts, Engine, Query
from frankly.design import Attribute, Design, Form, Group
from frankly.errors import NotAskedError, ReportError, ValueRefusedError
from frankly.mechanism import Crosswise, Unrelated
from frankly.mine import ID3, NaiveBayes
from tests.count.surveys import Reports, all_queries, some_reports

TWO = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])
ARMS = Design(TWO.attributes, forms=[Form(clear=["ill", "sex"]), Form(clear=["ill"])])
ODD = Design(
    [Attribute('the "odd" one', ["don't know", "100 %", "né\\"]), Attribute("Sel ect", ["a", "b"])]
)


def random_design(rng: np.random.Generator) -> Design:
    """Draw two to four attributes in one to three forms; the first form asks them all."""
    sizes = rng.integers(2, 6, rng.integers(2, 5))
    attributes = [
        Attribute(f"q{i}", [f"v{code}" for code in range(size)]) for i, size in enumerate(sizes)
    ]
    asked = [attributes]
    for _ in range(rng.integers(0, 3)):
        some = rng.permutation(len(attributes))[: rng.integers(1, len(attributes) + 1)]
        asked.append([attributes[i] for i in some])
    return Design(attributes, forms=[random_form(part, rng) for part in asked])


def random_form(asked: list[Attribute], rng: np.random.Generator) -> Form:
    """Hide the first question, perhaps with a device whose reports are no values."""
    crosswise = asked[0].size == 2 and rng.random() < 0.5
    device = Crosswise(0.7) if crosswise else Unrelated(0.7)
    return Form([Group([asked[0].name], device)], [attribute.name for attribute in asked[1:]])


def arrow(design: Design, reports: Reports) -> pa.Table:
    """Make an Arrow table of text, also where a column is all null."""
    kinds = [(name, pa.string()) for name in design.names if name in reports]
    kinds += [("form", pa.int64())] if "form" in reports else []
    return pa.table(reports, schema=pa.schema(kinds))


class EngineLaws:
    """The laws; `opened` is all that a subclass must say."""

    examples: ClassVar[int] = 25
    rows: ClassVar[bool] = False

    @contextmanager
    def opened(self, design: Design, table: pa.Table) -> Iterator[Engine]:
        raise NotImplementedError

    def counted(self, design: Design, table: Any, queries: list[Query]) -> list[Counts]:
        if not isinstance(table, pa.Table):
            table = arrow(design, table)
        with self.opened(design, table) as engine:
            assert isinstance(engine, Engine)
            assert engine.design == design
            return engine.count(queries)

    def test_every_cell_is_that_of_the_array_engine(self) -> None:
        for seed in range(self.examples):
            rng = np.random.default_rng(seed)
            design = random_design(rng)
            reports = some_reports(design, int(rng.integers(1, 200)), rng)
            queries = all_queries(design, rng)
            expected = ArrayEngine(design, reports).count(queries)
            assert self.counted(design, reports, queries) == expected
            assert sum(counts.n for counts in expected) > 0

    def test_a_small_limit_makes_conditions_filters_and_changes_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rng = np.random.default_rng(99)
        design = random_design(rng)
        reports = some_reports(design, 150, rng)
        queries = all_queries(design, rng)
        with self.opened(design, arrow(design, reports)) as engine:
            monkeypatch.setattr(type(engine), "limit", 1, raising=False)
            assert engine.count(queries) == ArrayEngine(design, reports).count(queries)

    def test_nobody_counts_as_nobody(self) -> None:
        empty: Reports = {"ill": [], "sex": []}
        pair, number = self.counted(TWO, empty, [Query(["ill", "sex"]), Query(())])
        assert pair.table.tolist() == [[0, 0], [0, 0]]
        assert number.n == 0
        assert self.counted(TWO, empty, []) == []

    def test_a_value_that_nobody_sent_has_a_cell_with_nobody(self) -> None:
        assert self.counted(TWO, {"ill": ["no"], "sex": ["f"]}, [Query("ill")])[
            0
        ].table.tolist() == [1, 0]

    def test_whole_reports_of_forty_questions_are_counted(self) -> None:
        design = Design([Attribute(f"q{i}", ["no", "yes"]) for i in range(40)])
        rng = np.random.default_rng(1)
        kinds = rng.integers(0, 2, (9, 40))[rng.integers(0, 9, 120)]
        reports = {f"q{i}": [("no", "yes")[bit] for bit in kinds[:, i]] for i in range(40)}
        queries = [Query(design.names), Query("q7")]
        with self.opened(design, arrow(design, reports)) as engine:
            assert engine.histograms
            assert engine.count(queries) == ArrayEngine(design, reports).count(queries)

    def test_names_and_labels_may_hold_quotes_and_anything_else(self) -> None:
        rng = np.random.default_rng(2)
        reports = some_reports(ODD, 40, rng)
        queries = all_queries(ODD, rng)
        assert self.counted(ODD, reports, queries) == ArrayEngine(ODD, reports).count(queries)

    @pytest.mark.parametrize(
        ("values", "column"),
        [
            (["0", "1"], pa.array([1, 0, 1], pa.int64())),
            (["0", "1"], pa.array([1.0, 0.0, 1.0], pa.float64())),
            (["false", "true"], pa.array([True, False, True])),
            (["False", "True"], pa.array([True, False, True])),
            (["0.5", "1.5"], pa.array([1.5, 0.5, 1.5], pa.float64())),
        ],
    )
    def test_numbers_and_truth_values_are_read_by_their_text(
        self, values: list[str], column: pa.Array, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        design = Design([Attribute("a", values), Attribute("sex", ["f", "m"])])
        table = pa.table({"a": column, "sex": ["f", "f", "m"]})
        queries = [Query("a"), Query("sex", where=[("a", values[1])])]
        counted = self.counted(design, table, queries)
        assert [one.table.tolist() for one in counted] == [[1, 2], [1, 1]]
        with self.opened(design, table) as engine:
            monkeypatch.setattr(type(engine), "limit", 1, raising=False)
            assert engine.count(queries) == counted

    @pytest.mark.parametrize(("kind", "large"), [(pa.float64(), 10**16), (pa.float32(), 10**10)])
    def test_a_condition_on_a_column_of_numbers_drops_no_row(
        self, kind: pa.DataType, large: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every database writes 1.0, 0.0009765625 and 1e16 in a way of its own."""
        labels = ["0.5", "1.0", "3", "-2", "0.0009765625", "10000000", str(large), "dk"]
        both = [*labels, "1"]  # then 1.0 is read as "1"
        design = Design(
            [Attribute("a", labels), Attribute("b", both), Attribute("sex", ["f", "m"])]
        )
        held = [float(label) for label in labels[:-1]] * 2
        numbers = {"a": pa.array(held, kind), "b": pa.array(held[2:] + held[:2], kind)}
        table = pa.table({**numbers, "sex": ["f", "m"] * 7})
        queries = [Query("a"), *(Query("sex", where=[("a", label)]) for label in labels)]
        queries += [
            Query("sex", where=[("a", one), ("a", "3"), ("b", two)])
            for one in labels
            for two in both
        ]
        expected = ArrayEngine(design, table).count(queries)
        assert [one.n for one in expected[1:9]] == expected[0].table.tolist() == [2] * 7 + [0]
        with self.opened(design, table) as engine:
            monkeypatch.setattr(type(engine), "limit", 1, raising=False)
            assert engine.count(queries) == expected

    def test_a_null_where_the_form_did_not_ask_is_no_answer(self) -> None:
        reports: Reports = {"form": [0, 1, 0], "ill": ["yes", "no", "yes"], "sex": ["f", None, "m"]}
        both, one = self.counted(ARMS, reports, [Query(["ill", "sex"]), Query("ill", 1)])
        assert both.table.tolist() == [[0, 0], [1, 1]]
        assert one.table.tolist() == [1, 0]

    def test_a_null_where_the_form_asked_is_refused(self) -> None:
        reports: Reports = {"form": [1, 0, 0, 0], "ill": ["no"] * 4, "sex": [None, "f", "m", None]}
        for query in (Query("sex"), Query(["ill", "sex"]), Query("ill", where=[("sex", "f")])):
            with pytest.raises(ValueRefusedError, match=r'column "sex".* missing') as refused:
                self.counted(ARMS, reports, [query])
            assert self.row(4) in str(refused.value)
        assert self.counted(ARMS, reports, [Query("ill")])[0].n == 3

    def row(self, number: int) -> str:
        """What a refusal says of where: the row where the engine can, else how many."""
        return f"row {number}" if self.rows else "1 row"

    def test_an_unknown_value_is_refused_by_column_and_never_shown(self) -> None:
        reports = {"ill": ["no", "yes", "has-HIV"], "sex": ["f", "f", "m"]}
        for query in (
            Query("ill"),
            Query("sex", where=[("ill", "yes")]),
            Query(["ill", "sex"], where=[("sex", "f")]),
        ):
            with pytest.raises(ValueRefusedError, match=r'column "ill".*none of the 2') as refused:
                self.counted(TWO, reports, [query])
            assert "HIV" not in str(refused.value)
            assert self.row(3) in str(refused.value)
        assert self.counted(TWO, reports, [Query("sex")])[0].table.tolist() == [2, 1]

    def test_a_condition_filters_only_after_its_column_was_looked_at(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reports: Reports = {"ill": ["no", "yes", None], "sex": ["f", "f", "m"]}
        with self.opened(TWO, arrow(TWO, reports)) as engine:
            monkeypatch.setattr(type(engine), "limit", 1, raising=False)
            with pytest.raises(ValueRefusedError, match='column "ill"'):
                engine.count([Query("sex", where=[("ill", "yes")])])

    def test_more_kinds_of_labels_than_there_are_values_are_refused(self) -> None:
        reports = {"ill": [f"secret {i}" for i in range(500)], "sex": ["f"] * 500}
        with pytest.raises(ValueRefusedError, match='column "ill"') as refused:
            self.counted(TWO, reports, [Query("ill")])
        assert "secret" not in str(refused.value)

    @pytest.mark.parametrize("form", [2, None, -1])
    def test_a_form_the_design_does_not_have_is_refused(self, form: int | None) -> None:
        reports: Reports = {"form": [0, form], "ill": ["no", "no"], "sex": ["f", "f"]}
        with pytest.raises(ValueRefusedError, match='column "form"'):
            self.counted(ARMS, reports, [Query("ill")])

    def test_a_missing_column_is_refused(self) -> None:
        with pytest.raises(ReportError, match="sex"):
            self.counted(TWO, {"ill": ["no"]}, [Query("sex")])
        with pytest.raises(ReportError, match="form"):
            self.counted(ARMS, {"ill": ["no"], "sex": ["f"]}, [Query("ill")])
        assert self.counted(TWO, {"ill": ["no"]}, [Query("ill")])[0].n == 1

    def test_queries_that_no_form_answers_are_refused(self) -> None:
        reports: Reports = {"form": [0], "ill": ["no"], "sex": ["f"]}
        with pytest.raises(NotAskedError):
            self.counted(ARMS, reports, [Query("sex", 1)])

    @pytest.mark.parametrize("method", ["inverse", "auto"])
    def test_miners_cannot_tell_which_engine_they_run_on(self, method: str) -> None:
        design, reports = mined()
        table = pa.table(reports)
        for miner in (NaiveBayes, ID3):
            expected = miner(design=design, method=method).fit(ArrayEngine(design, reports))
            with self.opened(design, table) as engine:
                found = miner(design=design, method=method).fit(engine)
            assert found.learned() == expected.learned()
            assert found.method_ == expected.method_


def mined() -> tuple[Design, Any]:
    """Make up a survey from which something can be learned: two hidden questions, two clear."""
    rng = np.random.default_rng(7)
    n = 3000
    ill = rng.integers(0, 2, n)
    truths = {
        "ill": np.array(["no", "yes"])[ill],
        "smokes": np.array(["no", "some", "much"])[np.minimum(ill + rng.integers(0, 2, n), 2)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "age": np.array(["young", "old"])[(ill + (rng.random(n) < 0.3)) % 2],
    }
    design = Design(
        [
            Attribute("ill", ["no", "yes"]),
            Attribute("smokes", ["no", "some", "much"]),
            Attribute("sex", ["f", "m"]),
            Attribute("age", ["young", "old"]),
        ],
        groups=[Group(["ill", "smokes"], Unrelated(0.7))],
        target="ill",
    )
    reports = fk.randomize(design, truths, tape=fk.Tape.seeded(3))
    return design, {name: np.asarray(reports[name]) for name in design.names}
