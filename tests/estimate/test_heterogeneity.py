"""Heterogeneity: p is uniform when sources are alike, and small when they are not."""

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

from frankly.count import ArrayEngine, Counts, Engine, GivenCounts
from frankly.design import Attribute, Design, Form, Group
from frankly.errors import CannotBeToldError
from frankly.estimate import heterogeneity
from frankly.mechanism import Uniform, Unrelated

NAMES = ("age", "ill")
ATTRIBUTES = [Attribute("age", ["old", "middle", "young"]), Attribute("ill", ["no", "yes"])]
TRUTH = np.array([[0.25, 0.05], [0.3, 0.1], [0.1, 0.2]])
CLEAR = Design(ATTRIBUTES)


def hidden(theta: float) -> Design:
    return Design(ATTRIBUTES, groups=[Group(["age"], Unrelated(theta))])


def drawn(design: Design, truth: np.ndarray, n: int, rng: np.random.Generator) -> Engine:
    """Draw the counts of n reports; the form is drawn as well."""
    many = rng.multinomial(n, [1 / len(design.forms)] * len(design.forms))
    counts = []
    for form, people in zip(design.forms, many, strict=True):
        pushed = form.push(truth, list(NAMES))
        table = rng.multinomial(people, pushed.ravel()).reshape(pushed.shape)
        counts.append(Counts.from_table(NAMES, form.fingerprint, table))
    return GivenCounts(design, counts)


def p_values(designs: list[Design], sizes: list[int], runs: int, shift: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(runs):
        truths = [TRUTH] * len(designs)
        truths[-1] = TRUTH + shift * np.array([[1, 0], [0, 0], [0, -1]])
        sources = {
            str(i): drawn(design, truth, n, rng)
            for i, (design, truth, n) in enumerate(zip(designs, truths, sizes, strict=True))
        }
        found.append(heterogeneity(sources, [NAMES]).p)
    return np.array(found)


TWO_FORMS = Design(
    ATTRIBUTES,
    forms=[Form([Group(["age", "ill"], Uniform(theta=0.5))]), Form(clear=["age", "ill"])],
)


@pytest.mark.parametrize(
    ("designs", "sizes"),
    [
        ([hidden(0.5)] * 2, [400, 400]),
        ([hidden(0.3)] * 5, [2000, 900, 500, 300, 100]),
        ([hidden(0.3), hidden(0.8)], [500, 900]),
        ([TWO_FORMS, hidden(0.6), CLEAR], [600, 300, 400]),
    ],
    ids=["alike", "five of unequal size", "two designs", "forms, a design, clear"],
)
def test_alike_sources_are_called_different_as_often_as_the_level_says(
    designs: list[Design], sizes: list[int]
) -> None:
    """1500 runs at 5 %; with the right level a count outside these bounds has chance 1e-4."""
    alarms = int((p_values(designs, sizes, 1500) < 0.05).sum())
    assert binom.ppf(0.5e-4, 1500, 0.04) <= alarms <= binom.ppf(1 - 0.5e-4, 1500, 0.06)


def test_sources_that_differ_are_found() -> None:
    found = p_values([hidden(0.5)] * 2, [3000, 3000], 40, shift=0.1)
    assert (found < 0.01).all()


def test_without_a_device_it_is_pearsons_test() -> None:
    rng = np.random.default_rng(5)
    tables = [rng.multinomial(n, TRUTH.ravel()).reshape(3, 2) for n in (500, 800, 300)]
    form = CLEAR.forms[0].fingerprint
    sources: dict[str, Engine] = {
        str(i): GivenCounts(CLEAR, [Counts.from_table(NAMES, form, table)])
        for i, table in enumerate(tables)
    }
    ours = heterogeneity(sources, [NAMES]).tables[0]
    theirs = chi2_contingency(np.stack([table.ravel() for table in tables]), correction=False)
    assert ours.freedom == theirs.dof
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-6)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-6)


def test_rare_cells_are_put_together() -> None:
    truth = np.array([[0.9, 0.002], [0.05, 0.001], [0.046, 0.001]])
    rng = np.random.default_rng(6)
    sources = {str(i): drawn(CLEAR, truth, 300, rng) for i in range(2)}
    assert heterogeneity(sources, [NAMES]).tables[0].freedom == 2


def test_several_tables_are_corrected_for() -> None:
    rng = np.random.default_rng(7)
    sources = {str(i): drawn(hidden(0.5), TRUTH, 300, rng) for i in range(2)}
    found = heterogeneity(sources, [["age"], ["ill"], NAMES])
    assert found.p == min(1.0, 3 * min(table.p for table in found.tables))
    assert f"p = {found.p:.3f} for all tables" in str(found)
    assert len(found.to_dict()["tables"]) == 3


def test_one_source_alone_differs_from_nothing() -> None:
    engine = ArrayEngine(CLEAR, {"age": ["old"], "ill": ["no"]})
    with pytest.raises(CannotBeToldError, match="asked by two"):
        heterogeneity({"a": engine}, [NAMES])


def test_sources_with_few_reports_are_left_out() -> None:
    rng = np.random.default_rng(8)
    sources = {str(i): drawn(hidden(0.5), TRUTH, n, rng) for i, n in enumerate([300, 9, 0, 10])}
    found = heterogeneity(sources, [["ill"]])
    assert found.sources == ("0", "3")
    assert "2 sources, 1 table\n" in str(found)
    assert found.tables[0].freedom == 1
    with pytest.raises(CannotBeToldError, match="10 reports each"):
        heterogeneity({name: sources[name] for name in "012"}, [["ill"]])
