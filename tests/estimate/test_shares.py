"""What miners ask: tables of the truth, whatever stands behind, and how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import frankly as fk
from frankly.count import ArrayEngine, Counts, GivenCounts
from frankly.errors import CannotBeToldError, DesignError, NotAskedError
from frankly.estimate import Asked, Shares, estimate
from frankly.estimate.auto import choose
from frankly.randomize import draw
from tests.strategies import designs, seeds

YES = ["no", "yes"]


def attributes(names: str = "abc") -> list[fk.Attribute]:
    return [fk.Attribute(name, YES) for name in names]


def truths(n: int, names: str = "abc", seed: int = 0) -> dict[str, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    c = (rng.random(n) < 0.4).astype(np.int64)
    others = {name: (rng.random(n) < 0.3 + 0.4 * c).astype(np.int64) for name in names}
    return {**others, "c": c}


def counting(design: fk.Design, n: int = 5000, seed: int = 0) -> ArrayEngine:
    drawn = draw(design, truths(n, "".join(design.names), seed), fk.Tape.seeded(seed))
    return ArrayEngine.from_codes(design, drawn.columns, drawn.form if design.forms[1:] else None)


@given(designs(most=3, max_forms=2), seeds)
def test_unbiased_tables_are_the_estimates_of_everybody(design: fk.Design, seed: int) -> None:
    rng = np.random.default_rng(seed)
    form = rng.integers(0, len(design.forms), 60)
    codes = {}
    for name in design.names:
        sizes = [len(f.reported(name)) if name in f.names else 1 for f in design.forms]
        codes[name] = rng.integers(0, np.array(sizes)[form])
    engine = ArrayEngine.from_codes(design, codes, form if len(design.forms) > 1 else None)
    shares = Shares(engine)
    for name in design.names:
        asked = Asked((name,))
        try:
            whole = estimate(design, engine, [name])
        except CannotBeToldError:
            with pytest.raises(CannotBeToldError):
                shares.tables([asked])
            continue
        (table,) = shares.tables([asked])
        assert np.allclose(table, whole.share)
        if len(whole.seen) == 1:
            errors = [shares.spread(asked, unit) for unit in np.eye(table.size)]
            assert np.allclose(errors, whole.stderr, atol=1e-9)


def test_conditions_on_clear_attributes_part_the_people() -> None:
    design = fk.Design(attributes(), groups=[fk.Group(["a", "c"], fk.Unrelated(0.5))])
    shares = Shares(counting(design))
    split = shares.tables([Asked(("a", "c"), (("b", label),)) for label in YES])
    (whole,) = shares.tables([Asked(("a", "c"))])
    assert np.allclose(split[0] + split[1], whole)
    assert split[1].sum() == pytest.approx((counting(design).codes(0, "b") == 1).mean())


def test_a_condition_that_is_hidden_is_refused() -> None:
    design = fk.Design(attributes(), groups=[fk.Group(["a", "c"], fk.Unrelated(0.5))])
    with pytest.raises(NotAskedError, match="must be clear"):
        Shares(counting(design)).tables([Asked(("b",), (("a", "yes"),))])


def test_what_no_form_asks_together_is_refused_with_the_form_to_add() -> None:
    design = fk.Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.5))
    with pytest.raises(NotAskedError, match="a form"):
        Shares(counting(design)).tables([Asked(("a", "b"))])


def test_a_model_answers_what_no_form_asks() -> None:
    design = fk.Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.9))
    shares = Shares(counting(design, 40_000), "auto", "c")
    (table,) = shares.tables([Asked(("a", "b", "c"))])
    found = truths(40_000)
    for at in np.ndindex(2, 2, 2):
        pairs = zip("abc", at, strict=True)
        held = np.logical_and.reduce([found[name] == code for name, code in pairs])
        assert table[at] == pytest.approx(held.mean(), abs=0.02)
    error = shares.spread(Asked(("a", "b")), np.array([[0.0, 0.0], [0.0, 1.0]]))
    assert 0.003 < error < 0.02


def test_the_error_of_a_modelled_share_is_what_it_is_in_repeated_surveys() -> None:
    design = fk.Design.modules(attributes(), target="c", mechanism=fk.Uniform(theta=0.8))
    corner = np.array([[0.0, 0.0], [0.0, 1.0]])
    found, told = [], []
    for seed in range(60):
        drawn = draw(design, truths(8000, seed=seed), fk.Tape.seeded(seed))
        shares = Shares(ArrayEngine.from_codes(design, drawn.columns, drawn.form), "shrink", "c")
        found.append(float(shares.tables([Asked(("a", "b"))])[0][1, 1]))
        told.append(shares.spread(Asked(("a", "b")), corner))
    # 60 surveys know their standard deviation to 9 %: a false alarm needs 4 of these.
    assert 0.6 < np.std(found) / np.mean(told) < 1.4


def test_made_up_people_make_no_share_surer_than_the_reports_do() -> None:
    engine = counting(TWO, 3000)
    fitted, plain = Shares(engine, "map", "c"), Shares(engine)
    slope = np.array([[1.0, -2.0], [0.5, 3.0]])
    for asked in (Asked(("a", "c")), Asked(("c", "b"))):
        assert fitted.spread(asked, slope) == pytest.approx(plain.spread(asked, slope))
        assert fitted.least_spread(asked, slope) < plain.spread(asked, slope)
        assert plain.least_spread(asked, slope) == plain.spread(asked, slope)


def test_where_nothing_is_hidden_people_are_counts() -> None:
    design = fk.Design(attributes(), target="c")
    shares = Shares(counting(design, 977), "auto", "c")
    (table,) = shares.people([Asked(("a", "c"))])
    assert shares.method == "inverse"
    assert np.array_equal(table, np.rint(table))
    assert table.sum() == 977


def test_one_engine_call_answers_everything() -> None:
    design = fk.Design(attributes(), groups=[fk.Group(["a", "c"], fk.Unrelated(0.5))])
    engine, calls = counting(design), []
    count = engine.count
    engine.count = lambda queries: calls.append(len(queries)) or count(queries)  # type: ignore[method-assign,func-returns-value]
    shares = Shares(engine)
    shares.tables([Asked(("a",)), Asked(("b", "c")), Asked(("a", "b", "c"))])
    shares.tables([Asked(("b", "c"))])
    assert calls == [3, 1]  # the tables, and the numbers of reports


COIN, FLIP = fk.Unrelated(0.3), fk.Flip(0.6)
ONE = fk.Design(attributes(), groups=[fk.Group(["a", "b", "c"], COIN)])
TWO = fk.Design(attributes(), groups=[fk.Group(["a", "c"], COIN), fk.Group(["b"], COIN)])
TURNED = fk.Design(
    attributes("abdc"),
    groups=[fk.Group(["a", "c"], FLIP), fk.Group(["b", "d"], FLIP)],
    accept_infinite_epsilon=True,
)
MODULES = fk.Design.modules(attributes(), target="c", mechanism=COIN)
SURE = fk.Design(
    attributes(), groups=[fk.Group(["a"], fk.Unrelated(1))], accept_infinite_epsilon=True
)


@pytest.mark.parametrize(
    ("design", "target", "wants", "method"),
    [
        (ONE, "c", "pairs", "em"),
        (ONE, "c", "joint", "map"),
        (ONE, None, "joint", "inverse"),
        (TWO, "c", "pairs", "shrink"),
        (TWO, "c", "joint", "map"),
        (TURNED, "c", "pairs", "em"),
        (MODULES, "c", "pairs", "shrink"),
        (MODULES, "c", "joint", "shrink"),
        (SURE, "c", "joint", "inverse"),
    ],
)
def test_auto_suits_the_design(design: fk.Design, target: str, wants: str, method: str) -> None:
    chosen, why = choose(design, target, wants, histograms=True)  # type: ignore[arg-type]
    assert chosen == method
    assert len(why) > 20


def test_auto_says_why_of_this_very_design() -> None:
    beside = fk.Design(attributes(), groups=[fk.Group(["a", "c"], COIN)])
    alone = fk.Design(attributes(), groups=[fk.Group(["c"], COIN)])
    for design in (beside, alone, TWO):
        assert "no one coin hides all" in choose(design, "c", "pairs", histograms=True)[1]
    assert "one attribute at most" in choose(MODULES, "c", "pairs", histograms=True)[1]


def test_without_whole_reports_auto_does_without_and_says_so() -> None:
    chosen, why = choose(ONE, "c", "pairs", histograms=False)
    assert (chosen, "whole reports" in why) == ("shrink", True)
    counts = Counts.from_table(["a", "c"], ONE.forms[0].fingerprint, np.full((2, 2), 25))
    with pytest.raises(CannotBeToldError, match="whole reports"):
        Shares(GivenCounts(ONE, [counts]), "em", "c").tables([Asked(("a",))])


def test_unknown_methods_and_targets_are_refused() -> None:
    engine = counting(ONE)
    with pytest.raises(DesignError, match="none of auto, inverse"):
        Shares(engine, "guess")
    with pytest.raises(NotAskedError, match="'z'"):
        Shares(engine, "auto", "z")
    with pytest.raises(DesignError, match="needs a target"):
        Shares(engine, "em").tables([Asked(("a",))])


def test_without_reports_nothing_is_told() -> None:
    empty = {name: np.zeros(0, dtype=np.int64) for name in "abc"}
    for method in ("inverse", "em", "shrink", "map"):
        with pytest.raises(CannotBeToldError, match="no reports"):
            Shares(ArrayEngine.from_codes(ONE, empty), method, "c").tables([Asked(("a",))])


@pytest.mark.parametrize("design", [ONE, TWO], ids=["one coin", "two"])
def test_the_error_of_a_fitted_joint_is_that_of_repeated_surveys(design: fk.Design) -> None:
    corner, asked = np.zeros((2, 2, 2)), Asked(("a", "b", "c"))
    corner[1, 1, 1] = 1.0
    found, told = [], []
    for seed in range(60):
        shares = Shares(counting(design, 3000, seed), "map", "c")
        found.append(float(shares.tables([asked])[0][1, 1, 1]))
        told.append(shares.spread(asked, corner))
    # 60 surveys know their standard deviation to 9 %: a false alarm needs 3 of these and more.
    assert 0.4 < np.std(found) / np.mean(told) < 1.28


def test_where_whole_reports_betray_their_coin_a_fitted_joint_knows_how_sure_it_is() -> None:
    names = [*"abcdefgh"]
    design = fk.Design(attributes("abcdefgh"), groups=[fk.Group(names, fk.Unrelated(0.1))])
    asked, second = Asked(("a", "c")), np.array([[0.0, 0.0], [1.0, 1.0]])
    found, told, pulled = [], [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        c = (rng.random(4000) < 0.4).astype(np.int64)
        alike = {name: np.where(rng.random(4000) < 0.05, 1 - c, c) for name in names}
        drawn = draw(design, {**alike, "c": c}, fk.Tape.seeded(seed))
        shares = Shares(ArrayEngine.from_codes(design, drawn.columns), "map", "c")
        found.append(float(shares.tables([asked])[0][1].sum()))
        told.append(shares.spread(asked, second))
        pulled.append(shares.pulled.spread(asked, second))
    # 40 surveys know their standard deviation to 11 %: a false alarm needs 2.6 of these and more.
    assert 0.45 < np.std(found) / np.mean(told) < 1.3
    assert np.std(found) / np.mean(pulled) < 0.4
