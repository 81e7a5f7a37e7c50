"""Limits: what a design must keep to, said so that nobody is lulled."""

import math

import pytest

import frankly as fk
from frankly.errors import AskedCoverWarning, DesignError
from frankly.judge import Limits
from frankly.judge.text import in_hundred
from frankly.report.privacy_pages import finding

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
    stated = fk.privacy(partly)
    assert "no guess about a protected answer moves" in stated.summary()
    assert "27 points beyond what is sent in clear" in stated.summary()
    assert "the protected answers move no guess by more than 27 points" in finding(stated)


def test_a_cover_that_was_asked_is_no_promise_about_whoever_knows_it() -> None:
    with pytest.warns(AskedCoverWarning):
        asked = fk.Design(
            [ILL, WARD], groups=[fk.Group(["ill", "ward"], fk.Unrelated(0.5, asked=True))]
        )
    stated = fk.privacy(asked)
    said = "whoever knows what people answered as cover finds out for certain what 38 in 100 people"
    assert f"But {said}" in stated.summary()
    assert said[1:] in finding(stated)
    assert "whoever" not in fk.privacy(fk.Unrelated(0.5)).summary()


def test_what_is_promised_at_most_is_rounded_up_and_some_are_never_none() -> None:
    stated = fk.privacy(fk.Unrelated(0.52))  # tanh(epsilon / 4) is .2802
    assert "more\nthan 29 points" in stated.summary()
    assert "more than 29 points" in finding(stated)
    rare = fk.privacy(fk.Unrelated(0.999), prior=0.0001)
    assert "yes: 1 in 10000" in rare.summary()
    assert [in_hundred(share) for share in (1e-9, 1 - 1e-9, 0.0, 1.0)] == [
        *("fewer than 1 in 1000000", "more than 999999 in 1000000", "0 in 100", "100 in 100")
    ]
    (said,) = Limits(max_epsilon=1).broken(fk.privacy(fk.Uniform(theta=0.463)))
    assert said == "epsilon of a whole report is 1.002, more than 1.000"


def test_a_limit_on_posteriors_looks_at_whole_reports_where_their_joint_is_known() -> None:
    # Both answers agree: a report that says "yes" twice was told straight with .5 / (.5 + .25).
    design = fk.Design([ILL, WARD], groups=[fk.Group(["ill", "ward"], fk.Unrelated(0.5))])
    agree = fk.privacy(design, joint=[[0.5, 0], [0, 0.5]])
    assert agree.attributes["ill"].measure.highest == pytest.approx(0.75)
    assert agree.highest_posterior == pytest.approx((0.25 + 0.125 / 2) / (0.25 + 0.125))
    assert Limits(max_posterior=0.8).broken(fk.privacy(design)) == []
    (said,) = Limits(max_posterior=0.8).broken(agree)
    assert "0.833 likely" in said


@pytest.mark.parametrize(
    "limit", [{"min_privacy": 0.1}, {"max_epsilon": 9}, {"max_posterior": 1}, {"max_exposed": 1}]
)
def test_a_question_that_some_people_send_as_it_is_keeps_no_limit(limit: dict[str, float]) -> None:
    hidden, open_ = (
        fk.Form([fk.Group(["ill"], fk.Unrelated(0.5))]),
        fk.Form(clear=["ill"], weight=9),
    )
    stated = fk.privacy(fk.Design([ILL], forms=[hidden, open_]))
    assert stated.direct == {"ill": 0.9}
    (said,) = Limits(**limit).broken(stated)
    assert "send as it is what others send protected (ill by 90 in 100)" in said
    assert Limits().broken(stated) == []
    assert "nothing protects them" in stated.summary()
    assert finding(stated).startswith("Some people send as it is")
    named = fk.Attribute("HIV", ["no", "yes"])
    both = [fk.Form([fk.Group(["HIV"], fk.Unrelated(0.5))]), fk.Form(clear=["HIV"])]
    assert "(HIV by 50 in 100)" in finding(fk.privacy(fk.Design([named], forms=both)))


def test_the_headline_of_a_page_promises_nothing_where_nothing_is_protected() -> None:
    assert finding(fk.privacy(fk.Design([ILL]))).startswith("Nothing is protected")


def test_limits_look_at_every_form_not_only_at_the_largest_epsilon() -> None:
    rare = fk.Unrelated(0.2, {"ill": [1, 99]})  # epsilon 3.26, and little is told by a "yes"
    forms = [fk.Form([fk.Group(["ill"], device)]) for device in (rare, fk.Flip(0.9))]
    design = fk.Design([ILL], forms=forms)
    stated = fk.privacy(design, prior={"ill": 0.3})
    assert stated.pse == pytest.approx(fk.privacy(fk.Flip(0.9), prior=0.3).pse, abs=1e-12)
    (said,) = Limits(min_privacy=0.2).broken(stated)
    assert said == "'ill' in form 1 has privacy (PSE) 0.168, less than 0.200"
    likely = fk.privacy(design, prior={"ill": 0.9})
    assert likely.highest_posterior == pytest.approx(0.81 / 0.82, abs=1e-12)
    assert "in form 1 makes one answer 0.988 likely" in Limits(max_posterior=0.95).broken(likely)[0]


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
