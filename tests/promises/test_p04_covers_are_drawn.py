"""P4. Substitutes are drawn by the page: nobody who knows a person's life can tell them apart."""

import warnings

import numpy as np
import pytest

import frankly as fk
from frankly.errors import AskedCoverWarning

PEOPLE = 20_000


def found_out(design: fk.Design, seed: int) -> tuple[float, float]:
    """Attack with knowledge of everybody's innocent answers; give certain finds, and errors."""
    chance = np.random.default_rng(seed)
    names = design.names
    truths = {name: np.where(chance.random(PEOPLE) < 0.5, "yes", "no") for name in names}
    innocent = {name: np.where(chance.random(PEOPLE) < 0.5, "yes", "no") for name in names}
    sent = fk.randomize(design, truths, fk.Tape.seeded(seed))
    if design.forms[0].groups[0].device.document().get("asked", False):
        straight = chance.random(PEOPLE) < 0.7
        sent = {name: np.where(straight, truths[name], innocent[name]) for name in names}
    differs = np.any([sent[name] != innocent[name] for name in names], axis=0)
    true = np.all([sent[name] == truths[name] for name in names], axis=0)
    return float(differs.mean()), float((~true[differs]).mean())


@pytest.mark.parametrize(("count", "share"), [(1, 0.35), (9, 0.70)])
def test_an_asked_cover_exposes_what_is_stated_and_a_drawn_one_nobody(
    count: int, share: float
) -> None:
    # 20,000 people: five standard errors are below .018, false-alarm rate below 1e-6.
    asked = [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(count)]
    names = [attribute.name for attribute in asked]
    group = fk.Group(names, fk.Unrelated(0.7, asked=True))
    with pytest.warns(AskedCoverWarning, match="look those up"):
        risky = fk.Design(asked, groups=[group])
    found, wrong = found_out(risky, count)
    stated = fk.privacy(risky).groups[0].exposed_by_cover
    assert stated == pytest.approx(share, abs=0.002)
    assert found == pytest.approx(share, abs=0.018)
    assert wrong == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        safe = fk.Design(asked, groups=[fk.Group(names, fk.Unrelated(0.7))])
    assert fk.privacy(safe).groups[0].exposed_by_cover is None
    _, wrong = found_out(safe, count)
    assert wrong > 0.1  # a difference proves nothing: .3 of them were drawn


def test_drawn_is_the_default() -> None:
    assert fk.Unrelated(0.7).asked is False
    assert "asked" not in fk.Unrelated(0.7).document()
