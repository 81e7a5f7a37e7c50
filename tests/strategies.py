"""Random devices, designs and tables for the laws."""

import warnings
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import frankly as fk
from frankly.mechanism import MECHANISMS, Mechanism

thetas = st.integers(1, 99).filter(lambda p: p != 50).map(lambda p: f"{p}/100")


@st.composite
def unrelated(draw: st.DrawFn, sizes: Sequence[int], names: Sequence[str]) -> fk.Unrelated:
    """An unrelated device with any kind of cover."""
    theta = draw(thetas)
    kind = draw(st.sampled_from(["uniform", "each", "joint"]))
    weight = st.integers(1, 9)
    if kind == "uniform":
        return fk.Unrelated(theta)
    if kind == "each":
        parts = [draw(st.lists(weight, min_size=k, max_size=k)) for k in sizes]
        return fk.Unrelated(theta, dict(zip(names, parts, strict=True)))
    cells = int(np.prod(sizes))
    flat = draw(st.lists(weight, min_size=cells, max_size=cells))
    return fk.Unrelated(theta, np.array(flat).reshape(sizes))


@st.composite
def matrices(draw: st.DrawFn, size: int) -> fk.Matrix:
    """An invertible channel, sometimes with more reports than truths."""
    seen = size + draw(st.integers(0, 2))
    weight = st.integers(0, 4)
    rows = [draw(st.lists(weight, min_size=seen, max_size=seen)) for _ in range(size)]
    for truth, row in enumerate(rows):
        row[truth] += 6 * size
    return fk.Matrix(rows, reports=[f"seen {k}" for k in range(seen)])


@st.composite
def mechanisms(draw: st.DrawFn, sizes: Sequence[int], names: Sequence[str]) -> Mechanism:
    """Any registered mechanism that fits these questions."""
    kinds = sorted(MECHANISMS)
    if any(size != 2 for size in sizes):
        kinds.remove("flip")
    if len(sizes) > 1:
        kinds.remove("matrix")
    kind = draw(st.sampled_from(kinds))
    if kind == "unrelated":
        return draw(unrelated(sizes, names))
    if kind == "flip":
        return fk.Flip(draw(thetas))
    return draw(matrices(sizes[0]))


@st.composite
def forms(draw: st.DrawFn, attributes: Sequence[fk.Attribute]) -> fk.Form:
    """A form over some of the attributes: groups, clear ones, some not asked."""
    names = list(draw(st.permutations([a.name for a in attributes])))
    wanted = draw(st.integers(1, len(names)))
    asked = names[:wanted]
    sizes = {a.name: a.size for a in attributes}
    groups = []
    while asked:
        if draw(st.integers(0, 3)) == 0:
            break
        width = draw(st.integers(1, min(3, len(asked))))
        group, asked = asked[:width], asked[width:]
        groups.append(fk.Group(group, draw(mechanisms([sizes[n] for n in group], group))))
    return fk.Form(groups, asked, draw(st.integers(1, 5)))


@st.composite
def designs(draw: st.DrawFn, most: int = 4, max_forms: int = 1) -> fk.Design:
    """A design of one or more forms; certainty is accepted, so that nothing warns."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=most))
    attributes = [
        fk.Attribute(f"q{i}", [f"v{k}" for k in range(size)]) for i, size in enumerate(sizes)
    ]
    count = draw(st.integers(1, max_forms))
    asked = [draw(forms(attributes)) for _ in range(count)]
    seen = {name for form in asked for name in form.names}
    kept = [a for a in attributes if a.name in seen]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fk.Design(kept, forms=asked, accept_infinite_epsilon=True)


def table(seed: int, shape: Sequence[int]) -> NDArray[np.float64]:
    """A random table of probabilities."""
    cells = int(np.prod(shape))
    return np.random.default_rng(seed).dirichlet(np.ones(cells)).reshape(shape)


seeds = st.integers(0, 2**32 - 1)
