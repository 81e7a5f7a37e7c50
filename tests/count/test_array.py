"""The array engine: any frame, one pass, and the same numbers as a loop."""


import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frankly.count import ArrayEngine, Query
from frankly.design import Attribute, Design, Form
from tests.count.surveys import Reports, all_queries, by_hand, surveys

TWO = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])
ARMS = Design(TWO.attributes, forms=[Form(clear=["ill", "sex"]), Form(clear=["ill"])])


@given(surveys(), st.integers(0, 99))
def test_counts_equal_those_of_a_loop(survey: tuple[Design, Reports], seed: int) -> None:
    design, reports = survey
    queries = all_queries(design, np.random.default_rng(seed))
    counted = ArrayEngine(design, reports).count(queries)
    assert counted == [by_hand(design, reports, query) for query in queries]


@given(surveys(), st.integers(0, 60), st.integers(0, 99))
def test_counts_add(survey: tuple[Design, Reports], cut: int, seed: int) -> None:
    design, reports = survey
    queries = all_queries(design, np.random.default_rng(seed))
    parts = [{n: c[:cut] for n, c in reports.items()}, {n: c[cut:] for n, c in reports.items()}]
    first, second = (ArrayEngine(design, part).count(queries) for part in parts)
    whole = ArrayEngine(design, reports).count(queries)
    assert [a + b for a, b in zip(first, second, strict=True)] == whole


@given(surveys())
def test_margins_of_counts_are_counts_of_margins(survey: tuple[Design, Reports]) -> None:
    design, reports = survey
    engine = ArrayEngine(design, reports)
    names = design.forms[0].names
    whole = engine.count([Query(names)])[0]
    for k in range(len(names) + 1):
        backwards = names[:k][::-1]
        assert whole.margin(backwards) == engine.count([Query(backwards)])[0]
