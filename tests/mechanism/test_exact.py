"""Exact chances: what people write is read exactly, and nothing they write takes long."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frankly as fk
from frankly.errors import CoverError, ThetaError
from frankly.mechanism.exact import LARGEST, fraction, integers, share_out, weights


@pytest.mark.parametrize(
    ("text", "meant"),
    [("0.7", Fraction(7, 10)), (" 2/3 ", Fraction(2, 3)), ("5e-1", Fraction(1, 2)), ("1", 1),
     (".25", Fraction(1, 4)), (f"1/{LARGEST}", Fraction(1, LARGEST))],
)  # fmt: skip
def test_a_chance_written_as_text_is_the_fraction_meant(text: str, meant: Fraction) -> None:
    assert fraction(text) == meant


@pytest.mark.parametrize("text", ["1e9999", "1e-9999", "0." + "0" * 5000 + "1", "1/" + "9" * 50])
def test_a_text_that_stands_for_a_giant_is_refused_before_it_is_read(text: str) -> None:
    with pytest.raises(ThetaError, match=r"is not a number.*40 characters") as refused:
        fk.Unrelated(text)
    assert len(str(refused.value)) < 300, "a long text is not repeated"


def test_a_weight_that_no_float_can_hold_is_refused_in_words() -> None:
    with pytest.raises(CoverError, match="finite"):
        fk.Unrelated("1/2", [10**400, 1])


def test_many_unlike_weights_are_read_at_once() -> None:
    """Added up as exact fractions, these thousand took fifteen seconds, and more the next."""
    unlike = np.random.default_rng(1).random(1000)
    start = time.perf_counter()
    device = fk.Unrelated("1/2", {"town": unlike.tolist()})
    fk.Matrix(unlike[:900].reshape(30, 30) + np.eye(30))
    assert time.perf_counter() - start < 3
    assert isinstance(device.cover, dict)
    drawn = np.array(device.cover["town"], dtype=float)
    np.testing.assert_allclose(drawn / drawn.sum(), unlike / unlike.sum(), atol=1e-9)


POSITIVE = st.fractions(0, 1000, max_denominator=LARGEST)


@given(st.lists(POSITIVE, min_size=1, max_size=8).filter(any), st.integers(1000, 2**31))
def test_a_total_is_shared_out_within_one_of_its_proportions(
    values: list[Fraction], total: int
) -> None:
    shared = share_out(values, total)
    assert sum(shared) == total
    for part, value in zip(shared, values, strict=True):
        assert (part > 0) == (value > 0)
        assert abs(part - value * total / sum(values)) <= len(values)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=6).filter(any))
def test_weights_are_the_smallest_integers_wherever_a_word_can_draw_them(
    given: list[float],
) -> None:
    values = [Fraction(one).limit_denominator(LARGEST) or Fraction(one) for one in given]
    exact, found = integers(values), weights(given, "cover")
    assert exact is not None
    assert [Fraction(one, sum(exact)) for one in exact] == [v / sum(values) for v in values]
    assert found == tuple(exact) or sum(exact) > LARGEST >= sum(found)
