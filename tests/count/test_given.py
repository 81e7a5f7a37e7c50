"""Given counts: waves add up, and a form nobody drew counts nobody."""

import numpy as np
import pytest

from frankly.count import ArrayEngine, Counts, GivenCounts, Query, engine_for
from frankly.design import Attribute, Design, Form
from frankly.errors import FingerprintError, NotAskedError
from tests.count.surveys import all_queries, some_reports

TWO = Design([Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])])
ARMS = Design(TWO.attributes, forms=[Form(clear=["ill", "sex"]), Form(clear=["ill"])])
WHOLE = [Query(form.names, index) for index, form in enumerate(ARMS.forms)]


def test_whole_reports_of_two_waves_answer_every_query_of_both() -> None:
    rng = np.random.default_rng(1)
    waves = [ArrayEngine(ARMS, some_reports(ARMS, n, rng)) for n in (40, 70)]
    given = engine_for(ARMS, [counts for wave in waves for counts in wave.count(WHOLE)])
    queries = all_queries(ARMS, rng)
    first, second = (wave.count(queries) for wave in waves)
    assert given.count(queries) == [a + b for a, b in zip(first, second, strict=True)]
    assert given.histograms


def test_a_form_nobody_drew_counts_nobody_however_wide() -> None:
    many = [Attribute(f"q{i}", ["no", "yes"]) for i in range(100)]
    design = Design(many, forms=[Form(clear=["q0"]), Form(clear=[a.name for a in many])])
    only = Counts.from_table(["q0"], design.forms[0].fingerprint, [3, 4])
    given = GivenCounts(design, [only])
    drawn, pair, wide = given.count([Query("q0"), Query(["q1", "q2"], 1), Query(design.names, 1)])
    assert (drawn.n, pair.n, wide.n) == (7, 0, 0)
    assert pair.table.tolist() == [[0, 0], [0, 0]]
    assert not given.histograms


def test_two_forms_alike_do_not_count_their_people_twice() -> None:
    design = Design(TWO.attributes, forms=[Form(clear=["ill", "sex"])] * 2)
    table = Counts.from_table(["ill", "sex"], design.forms[0].fingerprint, [[1, 2], [3, 4]])
    both = GivenCounts(design, [table]).count([Query("ill", 0), Query("ill", 1)])
    assert [counts.n for counts in both] == [10, 0]


def test_what_the_counts_do_not_hold_is_refused() -> None:
    ill = Counts.from_table(["ill"], TWO.forms[0].fingerprint, [3, 4])
    with pytest.raises(NotAskedError, match="sex"):
        GivenCounts(TWO, [ill]).count([Query("ill", where=[("sex", "f")])])
    with pytest.raises(FingerprintError, match="none of the design's"):
        engine_for(ARMS, Counts.from_table(["ill"], "another form", [3, 4]))
