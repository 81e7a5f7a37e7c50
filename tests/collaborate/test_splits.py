"""However the rows lie, and whatever hides them, pooled is central."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frankly as fk
from frankly.collaborate import Circle, Home, State, join
from frankly.collaborate.circle import Asked
from frankly.collaborate.judged import judge_together, scored
from frankly.collaborate.masks import Vector
from frankly.collaborate.seat import Watch
from frankly.collaborate.tasks import check_task, perform
from frankly.collaborate.vertical import BITS, CONSENT, classify, surprise
from frankly.count import ArrayEngine, Engine, Query
from frankly.errors import CannotBeToldError, DesignError
from frankly.mine import NaiveBayes
from tests.collaborate.rooms import DESIGN, SIZES, LocalPost, agreed, hospitals, made_up, meet
from tests.count.surveys import all_queries, some_reports, surveys


class Plain:
    """A sum without secrets: all vectors are at hand, because one test plays all parties."""

    def __init__(self, others: Sequence[Callable[[], Vector]] = ()) -> None:
        self.others = others

    def total(self, vector: Callable[[], Vector], asked: Asked) -> Vector:
        del asked
        total: Vector = np.sum([vector(), *(other() for other in self.others)], axis=0)
        return total


class Pooled:
    """Add up engines in clear, as the secure sum does in secret."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self.engines = engines
        self.asked: list[Query] = []

    def circle(self) -> Circle:
        others = [lambda e=engine: Circle(e.design, e, Plain()).local(self.asked)
                  for engine in self.engines[1:]]  # fmt: skip
        circle = Circle(self.engines[0].design, self.engines[0], Plain(others))
        first = circle.local

        def local(queries: Sequence[Query]) -> Vector:
            self.asked = list(queries)
            return first(queries)

        circle.local = local  # type: ignore[method-assign]
        return circle


@settings(max_examples=15)
@given(surveys(), st.integers(1, 50), st.integers(0, 2**32))
def test_random_splits_count_as_one_pile(survey: Any, n: int, seed: int) -> None:
    """1 to 50 parties, empty ones and ones that miss a value included."""
    design, reports = survey
    rng = np.random.default_rng(seed)
    rows = len(reports[design.names[0]])
    owner = rng.integers(0, n, rows)
    engines = [
        ArrayEngine(design, {name: [v for v, o in zip(column, owner, strict=True) if o == k]
                             for name, column in reports.items()})
        for k in range(n)
    ]  # fmt: skip
    queries = all_queries(design, rng)
    central = ArrayEngine(design, reports).count(queries)
    assert Pooled(engines).circle().count(queries) == central


def test_what_follows_from_an_open_table_is_not_asked_again() -> None:
    engine = ArrayEngine.from_codes(DESIGN, made_up(100, 1))
    circle = Circle(DESIGN, engine, Plain())
    circle.count([Query(["ill", "age"])])
    queries = [Query(["age"]), Query([]), Query(["ill"], where=[("age", "age 1")])]
    assert circle.count(queries) == engine.count(queries)
    assert circle.rounds == 1
    conditional = [Query(["ward"], where=[("age", "age 1")])]
    assert circle.count(conditional) == circle.count(conditional) == engine.count(conditional)
    assert circle.rounds == 2
    assert circle.count([Query(["ward"])]) == engine.count([Query(["ward"])])
    assert circle.rounds == 3
    assert not circle.histograms


@pytest.mark.parametrize("forms", [1, 2])
def test_randomized_reports_are_summed_per_form_and_corrected_once(forms: int) -> None:
    attributes = [fk.Attribute(name, ["no", "yes"]) for name in ("a", "b", "ill")]
    hidden = [fk.Group(["a", "ill"], fk.Unrelated(0.6)), fk.Group(["b"], fk.Unrelated(0.8))]
    other = [fk.Group(["a", "b", "ill"], fk.Unrelated(0.5))]
    asked = [fk.Form(hidden), fk.Form(other)][:forms]
    design = fk.Design(attributes, forms=asked, target="ill")
    rng = np.random.default_rng(4)
    parts = [some_reports(design, 400, rng) for _ in range(3)]
    pile = {name: [v for part in parts for v in part[name]] for name in parts[0]}
    engines = [ArrayEngine(design, part) for part in parts]
    central = ArrayEngine(design, pile)
    model = NaiveBayes(design=design, method="inverse").fit(Pooled(engines).circle())
    expected = NaiveBayes(design=design, method="inverse").fit(central)
    assert np.array_equal(model.class_log_prior_, expected.class_log_prior_)
    for mine, theirs in zip(model.feature_log_prob_, expected.feature_log_prob_, strict=True):
        assert np.array_equal(mine, theirs)
    adding = Plain([partial(scored, model, engine) for engine in engines[1:]])
    judged = judge_together(model, adding, engines[0])
    if forms == 1:
        accuracy = model.accuracy(central)
        assert judged.share == pytest.approx(accuracy.share, abs=1e-6)
        assert judged.stderr == pytest.approx(accuracy.stderr, rel=1e-4)
    assert judged.n == 1200


@pytest.mark.parametrize("scheme", ["masks", "paillier"])
@pytest.mark.parametrize(("target", "empty"), [("ill", []), ("ward", [0])])
def test_vertical_parties_classify_as_the_central_model_does(
    tmp_path: Path, scheme: str, target: str, empty: list[int]
) -> None:
    """All see the classes of the training rows; each has one column, and no other."""
    parties = hospitals(tmp_path)
    train, rows = made_up(500, 7), made_up(40, 8)
    held = ~np.isin(train[target], empty)
    train = {name: codes[held] for name, codes in train.items()}
    asked = [name for name in SIZES if name != target]
    holders = {f"party-{k}": [name] for k, name in enumerate(asked)}
    task = {"kind": "vertical-naive-bayes", "target": target, "alpha": 0.5, "rows": 40,
            "holders": holders, CONSENT: True}  # fmt: skip

    def work(session: Any, party: Any, post: Any) -> dict[str, Any]:
        mine = holders[party.identity.name]
        engine = ArrayEngine.from_codes(DESIGN, {name: train[name] for name in [*mine, target]})
        home = Home(engine, rows={name: rows[name] for name in mine})
        return join(session, DESIGN, party.identity, home, post, State(party.folder), Watch(20))

    results = meet(agreed(parties, scheme=scheme, task=task), parties, LocalPost(), work)
    assert results[0] == results[1] == results[2]
    engine = ArrayEngine.from_codes(DESIGN, train)
    central = NaiveBayes(design=DESIGN, target=target, alpha=0.5).fit(engine)
    joint = central.joint_log({name: rows[name] for name in asked})
    best = np.sort(joint, axis=1)
    sure = best[:, -1] - best[:, -2] > len(DESIGN.names) * 2.0**-BITS
    expected = [f"{target} {code}" for code in joint.argmax(axis=1)]
    told = np.array(results[0]["classes"]) == np.array(expected)
    assert told[sure].all()
    assert sure.sum() >= 35
    assert np.array(results[0]["sure"]).tolist() == sure.tolist()


def test_vertical_sums_tell_every_row_as_the_warning_says() -> None:
    """One party takes its own part away: each sum left belongs to one pair of others' answers."""
    engine, rows = ArrayEngine.from_codes(DESIGN, made_up(500, 7)), made_up(200, 8)

    def part(name: str) -> Vector:
        return surprise(engine, {name: rows[name]}, "ill", 1.0, prior=name == "smokes")

    opened = part("smokes") + part("age") + part("ward")
    left = [tuple(row) for row in (opened - part("smokes")).tolist()]
    pairs = list(zip(rows["age"].tolist(), rows["ward"].tolist(), strict=True))
    assert len(set(left)) == len(set(pairs)) == len(set(zip(left, pairs, strict=True))) == 12


def test_a_class_that_nobody_has_is_never_named_however_rare_the_answers() -> None:
    """Two parties, alpha as small as can be: only a little is missing to the largest surprise."""
    many = [fk.Attribute(f"q{k}", ["no", "yes"]) for k in range(10)]
    design = fk.Design([*many, fk.Attribute("c", ["x", "y", "z"])], target="c")
    train = {**{a.name: np.zeros(9, dtype=int) for a in many}, "c": np.arange(9) % 2}
    rows = {a.name: np.array([1]) for a in many}
    engine = ArrayEngine.from_codes(design, train)

    def part(names: Sequence[str], *, prior: bool) -> Vector:
        return surprise(engine, {n: rows[n] for n in names}, "c", 1e-300, prior=prior)

    first, second = part(design.names[:5], prior=True), part(design.names[5:10], prior=False)
    found = classify(Plain([second.ravel]), design, "c", 1, first)
    central = NaiveBayes(design=design, alpha=1e-300).fit(engine)
    assert found.classes.tolist() == central.predict_codes(rows).tolist()
    with pytest.raises(DesignError, match="larger alpha"):
        part(design.names[:10], prior=True)
    alone = ArrayEngine.from_codes(design, {name: codes[:1] for name, codes in train.items()})
    with pytest.raises(CannotBeToldError, match="fewer than two classes"):
        surprise(alone, rows, "c", 1.0, prior=False)


def test_a_tie_within_rounding_is_not_called_sure() -> None:
    found = classify(Plain(), DESIGN, "ill", 1, np.array([[10**9, 10**9 + 2]]))
    assert found.to_dict(["no", "yes"])["sure"] == [False]


def test_vertical_parties_need_smoothing() -> None:
    engine = ArrayEngine.from_codes(DESIGN, made_up(50, 1))
    with pytest.raises(DesignError, match="alpha"):
        surprise(engine, {"age": np.array([0])}, "ill", 0.0, prior=True)


def test_a_session_can_ask_for_plain_tables(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session = agreed(parties, task={"kind": "tables", "tables": [["ill", "age"], ["ward"]]})
    engine = ArrayEngine.from_codes(DESIGN, parties[0].rows)
    found = perform(session, DESIGN, Plain(), Home(engine))
    expected = engine.count([Query(["ill", "age"]), Query(["ward"])])
    assert [table["counts"] for table in found["tables"]] == [c.table.tolist() for c in expected]


def test_tables_are_told_form_by_form(tmp_path: Path) -> None:
    """A form that asks the names is never left out, and reports of two forms are never mixed."""
    session = agreed(hospitals(tmp_path), task={"kind": "tables", "tables": [["ill"], ["b"], []]})
    names = ("a", "b", "ill")
    forms = [fk.Form([fk.Group(["ill"], fk.Unrelated(0.6))], ["a"]),
             fk.Form([fk.Group(["ill"], fk.Unrelated(0.8))], ["b"])]  # fmt: skip
    design = fk.Design([fk.Attribute(name, ["no", "yes"]) for name in names], forms=forms,
                       accept_infinite_epsilon=True)  # fmt: skip
    engine = ArrayEngine(design, some_reports(design, 90, np.random.default_rng(2)))
    check_task(session, design)
    found = perform(session, design, Plain(), Home(engine))["tables"]
    asked = [(["ill"], 0), (["ill"], 1), (["b"], 1), ([], 0), ([], 1)]
    assert [(table["names"], table["form"]) for table in found] == asked
    expected = engine.count([Query(names, form) for names, form in asked])
    assert [table["counts"] for table in found] == [counts.table.tolist() for counts in expected]
    assert sum(table["counts"] for table in found[-2:]) == 90
