"""The laws of the one algebra, over every registered mechanism and random designs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import find, given
from hypothesis import strategies as st

import frankly as fk
from frankly.mechanism import MECHANISMS
from frankly.randomize import Tape, draw
from tests.strategies import designs, seeds, table


def close(a: object, b: object) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-9, atol=1e-9)


@given(designs(), seeds)
def test_pull_undoes_push(design: fk.Design, seed: int) -> None:
    names = design.forms[0].names
    truth = table(seed, design.sizes(names))
    close(design.pull(design.push(truth, names), names), truth)


@given(designs(), seeds, st.data())
def test_a_device_seen_through_fewer_attributes_is_the_same_device(
    design: fk.Design, seed: int, data: st.DataObject
) -> None:
    names = design.forms[0].names
    order = data.draw(st.permutations(names))
    kept = order[: data.draw(st.integers(1, len(order)))]
    truth = table(seed, design.sizes(names))
    dropped = tuple(i for i, name in enumerate(names) if name not in kept)
    left = [name for name in names if name in kept]
    small = truth.sum(axis=dropped)
    close(design.push(truth, names).sum(axis=dropped), design.push(small, left))
    turned = [left.index(name) for name in kept]
    close(design.push(small, left).transpose(turned), design.push(small.transpose(turned), kept))


@given(designs(), seeds)
def test_scores_and_tables_pull_alike(design: fk.Design, seed: int) -> None:
    form = design.forms[0]
    names = form.names
    seen = table(seed, [len(form.reported(name)) for name in names])
    score = np.random.default_rng(seed).normal(size=design.sizes(names))
    close((design.pull(seen, names) * score).sum(), (seen * design.pull_score(score, names)).sum())


@given(designs(), seeds)
def test_scores_and_tables_push_alike(design: fk.Design, seed: int) -> None:
    form = design.forms[0]
    names = form.names
    truth = table(seed, design.sizes(names))
    score = np.random.default_rng(seed).normal(size=[len(form.reported(n)) for n in names])
    close((form.push(truth, names) * score).sum(), (truth * form.push_score(score, names)).sum())


@given(designs(most=3), seeds, st.sampled_from([1, 2, 3]))
def test_pull_to_a_power_raises_every_entry(design: fk.Design, seed: int, power: int) -> None:
    form = design.forms[0]
    names = form.names
    seen = table(seed, [len(form.reported(name)) for name in names])
    expected = np.zeros(design.sizes(names))
    low, high = (end.copy() for end in form.pull_range(names))
    for cell in np.ndindex(expected.shape):
        unit = np.zeros(expected.shape)
        unit[cell] = 1
        row = form.pull_score(unit, names)
        expected[cell] = (row**power * seen).sum()
        close([low[cell], high[cell]], [row.min(), row.max()])
    close(form.pull(seen, names, power), expected)


@given(designs(most=3))
def test_epsilon_is_the_largest_ratio_in_the_enumerated_channel(design: fk.Design) -> None:
    form = design.forms[0]
    names = [name for group in form.groups for name in group.names]
    if not names:
        assert form.epsilon == 0
        return
    shape = design.sizes(names)
    units = np.eye(math.prod(shape)).reshape(-1, *shape)
    channel = np.stack([form.push(unit, names).ravel() for unit in units])
    worst = 0.0
    for one, other in itertools.permutations(channel, 2):
        certain = (other < 1e-15) & (one > 1e-15)
        both = (other > 1e-15) & (one > 1e-15)
        worst = math.inf if certain.any() else max(worst, np.log(one[both] / other[both]).max())
    close(form.epsilon, worst)


@given(designs(most=3), st.integers(0, 10**6))
def test_reports_are_drawn_with_the_pushed_chances(design: fk.Design, seed: int) -> None:
    """False alarm: each example fails with probability below 1e-9 (chi-square, Wilson-Hilferty)."""
    form = design.forms[0]
    names = form.names
    n = 4000
    truths = {name: np.full(n, design[name].size - 1, dtype=np.uint8) for name in names}
    reports = draw(design, truths, Tape.seeded(seed)).columns
    shape = [len(form.reported(name)) for name in names]
    codes = np.ravel_multi_index([reports[name] for name in names], shape)
    seen = np.bincount(codes, minlength=math.prod(shape))
    unit = np.zeros(design.sizes(names))
    unit[tuple(-1 for _ in names)] = 1
    expected = n * form.push(unit, names).ravel()
    assert seen[expected < 1e-9].sum() == 0
    wide = expected > 5
    if wide.sum() > 1:
        statistic = ((seen[wide] - expected[wide]) ** 2 / expected[wide]).sum()
        freedom = wide.sum()
        z = ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / math.sqrt(
            2 / (9 * freedom)
        )
        assert z < 6.5


@pytest.mark.parametrize("kind", sorted(MECHANISMS))
def test_every_registered_mechanism_is_reached_by_the_laws(kind: str) -> None:
    found = find(
        designs(),
        lambda design: any(g.device.kind == kind for f in design.forms for g in f.groups),
    )
    assert kind in {group.device.kind for form in found.forms for group in form.groups}


# Soni & Shrivastva: M_k is the k-fold Kronecker power of M_1.
@pytest.mark.parametrize("groups", [1, 2, 3, 4])
def test_flip_groups_are_kronecker_powers(groups: int) -> None:
    names = [f"q{i}" for i in range(groups)]
    design = fk.Design(
        [fk.Attribute(name, ["0", "1"]) for name in names],
        groups=[fk.Group([name], fk.Flip(0.7)) for name in names],
    )
    one = np.array([[0.7, 0.3], [0.3, 0.7]])
    whole = np.array([[1.0]])
    for _ in range(groups):
        whole = np.kron(whole, one)
    units = np.eye(2**groups).reshape(-1, *[2] * groups)
    close(np.stack([design.push(unit, names).ravel() for unit in units]), whole)
