"""Exposure: whose coins a whole report gives away, whichever side of the coin tells the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frankly as fk
from frankly.judge import Asking, Limits, exposed_share
from tests.strategies import seeds, table


def bits(count: int) -> list[fk.Attribute]:
    return [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(count)]


def test_a_joint_exposes_coins_and_a_bound_replaces_it() -> None:
    wide = fk.Design(bits(6), groups=[fk.Group([f"q{i}" for i in range(6)], fk.Unrelated(0.5))])
    assert fk.privacy(wide).exposed() is None
    alike = np.zeros((2,) * 6)
    alike[(0,) * 6] = alike[(1,) * 6] = 0.5
    stated = fk.privacy(wide, joint=alike)
    assert stated.exposed() == pytest.approx(1)
    assert stated.groups[0].exposed == exposed_share(Asking.of(wide.forms[0]), alike, 0)
    small = fk.Design(bits(6), groups=[fk.Group([f"q{i}"], fk.Uniform(0.5)) for i in range(6)])
    assert fk.privacy(small).exposed() == 0


@given(st.integers(0, 49), st.integers(2, 3), seeds)
def test_a_flip_exposes_as_many_as_its_opposite(percent: int, size: int, seed: int) -> None:
    joint = table(seed, (2,) * size)
    below, above = (
        fk.privacy(fk.Flip(f"{theta}/100"), prior=joint).groups[0]
        for theta in (percent, 100 - percent)
    )
    assert below.exposed == pytest.approx(above.exposed)
    assert below.bound == above.bound == 1
    assert (below.turned, above.turned) == (True, False)


@given(st.integers(51, 99), st.integers(2, 3), seeds)
def test_of_the_two_sides_of_a_flip_the_likelier_is_exposed_more(
    percent: int, size: int, seed: int
) -> None:
    joint, theta = table(seed, (2,) * size), percent / 100
    straight, turned = theta * joint, (1 - theta) * np.flip(joint)
    exposed = fk.privacy(fk.Flip(theta), prior=joint).groups[0].exposed
    for level, share in exposed.items():
        assert share is not None
        sides = [
            side[side > level * (straight + turned)].sum() / side.sum()
            for side in (straight, turned)
        ]
        assert share == pytest.approx(sides[0], abs=1e-9)
        assert share >= sides[1] - 1e-9


@pytest.mark.parametrize("theta", [0.05, 0.3, 0.8, 0.95])
def test_a_binary_matrix_is_judged_as_the_flip_that_it_is(theta: float) -> None:
    joint = np.array([[0.5, 0.1], [0.1, 0.3]])
    other = fk.Group(["q1"], fk.Unrelated(0.5))
    rows = [[theta, 1 - theta], [1 - theta, theta]]
    matrix, flip = (
        fk.privacy(fk.Design(bits(2), groups=[fk.Group(["q0"], device), other]), joint=joint)
        for device in (fk.Matrix(rows), fk.Flip(theta))
    )
    assert matrix.groups[0].exposed == pytest.approx(flip.groups[0].exposed)
    assert matrix.exposed() == pytest.approx(flip.exposed())


def test_a_device_that_tells_by_its_opposite_does_not_keep_to_a_limit() -> None:
    limit = Limits(max_exposed=0.5)
    for device, who in (
        (fk.Flip(0.05), "those whose answers were turned"),
        (fk.Flip(0.95), "truth-tellers"),
        (fk.Matrix([[0.05, 0.95], [0.95, 0.05]]), "those who gave their likelier report"),
    ):
        stated = fk.privacy(device, joint=[0.5, 0.5])
        assert limit.broken(stated) == [f"1.000 of {who} are exposed, more than 0.500"]
        assert f"100% of {who} are exposed" in str(stated)
        (unknown,) = limit.broken(fk.privacy(device))
        assert "cannot be bounded" in unknown
