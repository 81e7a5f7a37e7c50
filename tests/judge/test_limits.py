"""Limits: what a design must keep to, said so that nobody is lulled."""

import math

import pytest

import frankly as fk
from frankly.errors import DesignError
from frankly.judge import Limits

ILL, WARD = fk.Attribute("ill", ["no", "yes"]), fk.Attribute("ward", ["a", "b"])


@pytest.mark.parametrize(
    "limit", [{"min_privacy": 0.1}, {"max_epsilon": 9}, {"max_posterior": 1}, {"max_exposed": 1}]
)
def test_nothing_protected_keeps_no_limit_and_is_said(limit: dict[str, float]) -> None:
    clear = fk.privacy(fk.Design([ILL]))
    (said,) = Limits(**limit).broken(clear)
    assert "nothing is protected" in said
    assert Limits().broken(clear) == []
    assert "Nothing is protected: every answer is sent as it is" in clear.summary()
    assert "no guess" not in clear.summary()


def test_the_headline_speaks_of_what_is_protected_only() -> None:
    partly = fk.Design([ILL, WARD], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    assert "no guess about a protected answer moves" in fk.privacy(partly).summary()


@pytest.mark.parametrize(
    "limit",
    [{"max_posterior": 70}, {"max_exposed": 5}, {"max_epsilon": -2}, {"min_privacy": math.nan},
     {"max_epsilon": math.nan}, {"max_posterior": -0.1}],
)  # fmt: skip
def test_a_limit_that_could_never_be_broken_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(DesignError, match="is a number from 0"):
        Limits(**limit)


def test_a_prior_of_no_number_is_refused() -> None:
    with pytest.raises(DesignError, match="add up to 1"):
        fk.privacy(fk.Unrelated(0.5), prior=math.nan)
