"""The printed protocols compute what the paper says they compute; what they leak is tested too."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frankly.collaborate.paillier import FixedBase, PrivateKey
from frankly.collaborate.zhan import (
    PLACES,
    Ring,
    fixed,
    largest,
    masked_sum,
    prior_times_product,
    product_chain,
    stopped_sum,
)
from frankly.errors import FaithfulWarning, HeadroomError

factors = st.lists(st.integers(1, 2**PLACES), min_size=3, max_size=8)
shares = st.lists(st.integers(0, 10**6), min_size=3, max_size=8)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaithfulWarning)
        yield


@settings(max_examples=8)
@given(factors=factors, rerandomise=st.booleans())
def test_protocol_1_is_the_exact_product_of_the_parties_factors(
    key: PrivateKey, powers: FixedBase, factors: list[int], rerandomise: bool
) -> None:
    ring = Ring(len(factors), key, powers, rerandomise)
    assert key.decrypt(product_chain(ring, factors).cipher) == prod(factors)


@settings(max_examples=8)
@given(shares=shares)
def test_protocol_2_is_the_sum(key: PrivateKey, powers: FixedBase, shares: list[int]) -> None:
    ring = Ring(len(shares), key, powers)
    assert masked_sum(ring, shares, 10**7)[0] == sum(shares)
    assert key.decrypt(stopped_sum(ring, shares).cipher) == sum(shares)


@pytest.mark.parametrize("decoys", ["real", "grid"])
def test_the_whole_record_is_classified_as_vertical_naive_bayes(
    key: PrivateKey, powers: FixedBase, decoys: str
) -> None:
    ring = Ring(4, key, powers, rerandomise=True)
    people = (12, 18)
    chances = [(0.2, 0.5, 0.9, 0.4), (0.3, 0.4, 0.6, 0.5)]
    scores, exact = [], []
    for count, chance in zip(people, chances, strict=True):
        numbers = [fixed(one) for one in chance]
        product = product_chain(ring, numbers).cipher
        parts = [fixed(count / 30), 0, 0, 0]
        prior = stopped_sum(ring, parts).cipher
        scores.append(
            prior_times_product(
                ring,
                prior,
                product,
                people=30,
                t=5,
                decoys=decoys,  # type: ignore[arg-type]
            ).cipher
        )
        exact.append(fixed(count / 30) * prod(numbers))
        assert key.decrypt(scores[-1]) == exact[-1]
    found, _ = largest(ring, scores, bits=5 * PLACES)
    plain = [count * prod(chance) for count, chance in zip(people, chances, strict=True)]
    assert found == exact.index(max(exact)) == plain.index(max(plain))


@settings(max_examples=10)
@given(scores=st.lists(st.integers(0, 2**100), min_size=2, max_size=5), fresh=st.booleans())
def test_the_largest_is_found(
    key: PrivateKey, powers: FixedBase, scores: list[int], fresh: bool
) -> None:
    ring = Ring(3, key, powers, rerandomise=True)
    ciphers = [ring.encrypt(score) for score in scores]
    found, _ = largest(ring, ciphers, bits=100, fresh=fresh)
    assert scores[found] == max(scores)


def test_a_factor_of_zero_is_there_for_everybody_to_see(key: PrivateKey, powers: FixedBase) -> None:
    ring = Ring(4, key, powers)
    wires = product_chain(ring, [0, 5, 5, 5]).wires
    assert wires[1].numbers == (1,)
    hidden = product_chain(replace(ring, rerandomise=True), [0, 5, 5, 5]).wires
    assert hidden[1].numbers != (1,)


def test_products_that_would_wrap_around_are_refused(key: PrivateKey, powers: FixedBase) -> None:
    with pytest.raises(HeadroomError, match="wrap around"):
        product_chain(Ring(40, key, powers), [2**PLACES] * 40)
    with pytest.raises(HeadroomError, match="larger than the sum"):
        masked_sum(Ring(3, key, powers), [5, 5, 5], 10)


def test_every_use_warns(key: PrivateKey, powers: FixedBase) -> None:
    ring = Ring(3, key, powers)
    one = ring.encrypt(1)
    uses: list[Callable[[], object]] = [
        lambda: product_chain(ring, [1, 1, 1]),
        lambda: masked_sum(ring, [1, 1, 1], 5),
        lambda: stopped_sum(ring, [1, 1, 1]),
        lambda: prior_times_product(ring, one, one, people=10, t=1),
        lambda: largest(ring, [one, one], bits=2),
    ]
    for use in uses:
        with pytest.warns(FaithfulWarning, match="for study"):
            use()
