"""The coin is the one displayed (promise P2), and blocks do not change what is drawn."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2

import frankly as fk
from frankly.mechanism import Codes
from frankly.randomize import BLOCK, draw, draw_blocks
from tests.strategies import designs

DRAWS = 1_000_000
THETAS = [Fraction(k, 20) for k in range(1, 20)]


def told_straight(tape: fk.Tape, theta: Fraction, n: int = DRAWS) -> float:
    """The share of people whose truth is sent, seen through a flip."""
    truth = np.zeros(n, dtype=np.uint8)
    (report,) = fk.Flip(theta).draw([truth], [2], tape)
    return float(np.mean(report == 0))


def z(seen: float, theta: Fraction, n: int = DRAWS) -> float:
    return (seen - float(theta)) / math.sqrt(theta * (1 - theta) / n)


@pytest.mark.parametrize("theta", THETAS, ids=str)
def test_a_million_draws_agree_with_the_stated_theta(theta: Fraction) -> None:
    # |z| < 5: a fair coin fails once in 1.7 million seeds.
    assert abs(z(told_straight(fk.Tape.seeded(f"P2 {theta}"), theta), theta)) < 5


class Bent(fk.Tape):
    """A tape whose tosses are made in a way that is known to be wrong."""

    def __init__(self, seed: int, toss: Callable[[NDArray[np.uint32], int, int], Codes]) -> None:
        super().__init__(fk.Tape.seeded(seed).read)
        self.bent = toss

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        return np.asarray(self.bent(self.read(n), p, q), dtype=np.bool_)


MUTANTS = {
    "a byte modulo 100": (lambda w, p, q: (w % 256) % 100 < 100 * p // q, 0.766),
    "rounded to one decimal": (lambda w, p, q: np.round(w / 2**32, 1) < p / q, 0.650),
    "the comparison inverted": (lambda w, p, q: w // (2**32 // q) >= p, 0.300),
}


@pytest.mark.parametrize(("bent", "share"), MUTANTS.values(), ids=MUTANTS.keys())
def test_a_bent_coin_is_noticed(
    bent: Callable[[NDArray[np.uint32], int, int], Codes], share: float
) -> None:
    seen = told_straight(Bent(7, bent), Fraction(7, 10))
    assert seen == pytest.approx(share, abs=0.003)
    assert abs(z(seen, Fraction(7, 10))) > 5


def test_substitutes_follow_the_cover() -> None:
    # Chi-square over eight joint cells; a fair draw fails once in a million seeds.
    weights = np.array([[[9, 1], [3, 2]], [[1, 4], [5, 7]]])
    device = fk.Unrelated("1/1000", weights)
    truth = [np.zeros(DRAWS, dtype=np.uint8)] * 3
    told = device.draw(truth, [2, 2, 2], fk.Tape.seeded("cover"))
    seen = np.bincount(np.ravel_multi_index(told, (2, 2, 2)), minlength=8)
    expected = DRAWS * (0.999 * weights.ravel() / weights.sum() + 0.001 * np.eye(8)[0])
    assert ((seen - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 7)


def test_forms_are_drawn_by_their_weights() -> None:
    # |z| < 5: a fair draw fails once in 1.7 million seeds.
    ill = fk.Attribute("ill", ["no", "yes"])
    one, two = (fk.Form([fk.Group(["ill"], fk.Flip(0.8))], weight=w) for w in (3, 1))
    design = fk.Design([ill], forms=[one, two])
    drawn = draw(design, {"ill": np.zeros(DRAWS, dtype=np.uint8)}, fk.Tape.seeded("forms"))
    assert abs(z(float(np.mean(drawn.form == 0)), Fraction(3, 4))) < 5


def truths(design: fk.Design, rows: int) -> dict[str, Codes]:
    chance = np.random.default_rng(rows)
    return {a.name: chance.integers(0, a.size, rows, dtype=np.uint8) for a in design.attributes}


@given(designs(max_forms=3), st.integers(1, 40))
def test_clear_answers_pass_untouched(design: fk.Design, rows: int) -> None:
    own = truths(design, rows)
    drawn = draw(design, own, fk.Tape.seeded(rows))
    for index, form in enumerate(design.forms):
        for name in form.clear:
            mine = drawn.form == index
            assert np.array_equal(drawn.columns[name][mine], own[name][mine])


@given(designs(max_forms=3))
def test_reports_are_values_their_form_can_send(design: fk.Design) -> None:
    drawn = draw(design, truths(design, 200), fk.Tape.seeded("values"))
    for index, form in enumerate(design.forms):
        for name in form.names:
            seen = drawn.columns[name][drawn.form == index]
            assert (seen < len(form.reported(name))).all()


def test_a_long_table_is_drawn_block_after_block() -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    design = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(0.3))])
    own = truths(design, 2 * BLOCK + 5)
    tape, again = fk.Tape.seeded(1), fk.Tape.seeded(1)
    blocks = [drawn.columns["ill"] for drawn in draw_blocks(design, own, tape)]
    assert [len(block) for block in blocks] == [BLOCK, BLOCK, 5]
    by_hand = [
        draw(design, {"ill": own["ill"][start : start + BLOCK]}, again).columns["ill"]
        for start in (0, BLOCK, 2 * BLOCK)
    ]
    assert np.array_equal(np.concatenate(blocks), np.concatenate(by_hand))
