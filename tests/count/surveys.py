"""Random surveys and their reports, for the laws of counting."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from frankly.count import Counts, Query
from frankly.design import Attribute, Design, Form, Group
from frankly.mechanism import Crosswise, Unrelated

Reports = dict[str, list[Any]]


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Draw one to four attributes in one to three forms; some reports have labels of their own."""
    sizes = draw(st.lists(st.integers(2, 5), min_size=1, max_size=4))
    attributes = [
        Attribute(f"q{i}", [f"v{code}" for code in range(size)]) for i, size in enumerate(sizes)
    ]
    count = draw(st.integers(1, 3))
    if count == 1:
        return Design(attributes, groups=[draw(groups(attributes[0]))])
    asked = [
        draw(st.lists(st.sampled_from(attributes), min_size=1, unique_by=lambda a: a.name))
        for _ in range(count - 1)
    ]
    return Design(attributes, forms=[draw(forms(part)) for part in [attributes, *asked]])


@st.composite
def groups(draw: st.DrawFn, attribute: Attribute) -> Group:
    """Hide one question, perhaps with a device whose reports are no values."""
    crosswise = attribute.size == 2 and draw(st.booleans())
    return Group([attribute.name], Crosswise(0.7) if crosswise else Unrelated(0.7))


@st.composite
def forms(draw: st.DrawFn, asked: Sequence[Attribute]) -> Form:
    """Ask some questions, one of them hidden."""
    return Form([draw(groups(asked[0]))], [attribute.name for attribute in asked[1:]])


@st.composite
def surveys(draw: st.DrawFn) -> tuple[Design, Reports]:
    """Draw a design and labels that its reports could be; what was not asked is None."""
    design = draw(designs())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, 60))
    return design, some_reports(design, n, rng)


def some_reports(design: Design, n: int, rng: np.random.Generator) -> Reports:
    """Make up the reports of n people."""
    form = rng.integers(0, len(design.forms), n)
    reports: Reports = {name: [] for name in design.names}
    for index in form:
        asked = design.forms[index]
        for name in design.names:
            label = str(rng.choice(asked.reported(name))) if name in asked.names else None
            reports[name].append(label)
    if len(design.forms) > 1:
        reports["form"] = [int(index) for index in form]
    return reports


def all_queries(design: Design, rng: np.random.Generator) -> list[Query]:
    """Ask for every table of up to three names of every form, some with conditions."""
    queries = []
    for index, form in enumerate(design.forms):
        for k in range(min(3, len(form.names)) + 1):
            for names in itertools.permutations(form.names, k):
                queries.append(Query(names, index))
                others = [str(rng.choice(form.names)) for _ in range(rng.integers(1, 5))]
                where = [(other, str(rng.choice(form.reported(other)))) for other in others]
                queries.append(Query(names, index, where))
    return queries


def by_hand(design: Design, reports: Reports, query: Query) -> Counts:
    """Count with nothing but a loop."""
    form = design.forms[query.form]
    n = len(reports[design.names[0]])
    forms = reports.get("form", [0] * n)
    kinds: Counter[tuple[int, ...]] = Counter()
    for row in range(n):
        if forms[row] != query.form:
            continue
        if all((name, reports[name][row]) in query.where for name in dict(query.where)):
            cell = tuple(form.reported(name).index(reports[name][row]) for name in query.names)
            kinds[cell] += 1
    table = np.zeros([len(form.reported(name)) for name in query.names], dtype=np.int64)
    for cell, number in kinds.items():
        table[cell] = number
    return Counts.from_table(query.names, form.fingerprint, table)
