"""A circle of parties is an engine: what it answers is what one pile of all rows would answer."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from frankly.collaborate import replay
from frankly.count import ArrayEngine
from frankly.mine import ID3
from frankly.mine.naive_bayes import from_finite
from frankly.mine.saved import document
from tests.collaborate.rooms import (
    DESIGN,
    SIZES,
    LocalPost,
    agreed,
    hospitals,
    meet,
    together,
)

SCHEMES = ("masks", "paillier")
FEATURES = [name for name in SIZES if name != "ill"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pooled_naive_bayes_is_scikit_learns_bit_for_bit(tmp_path: Path, scheme: str) -> None:
    parties = hospitals(tmp_path)
    session = agreed(parties, scheme=scheme)
    results = meet(session, parties, LocalPost())
    assert results[0] == results[1] == results[2]
    pile = together([party.rows for party in parties])
    X = np.stack([pile[name] for name in FEATURES], axis=1)
    central = CategoricalNB(alpha=1.0, min_categories=[SIZES[n] for n in FEATURES])
    central.fit(X, pile["ill"])
    learned = results[0]["model"]["learned"]
    assert np.array_equal(from_finite(learned["class_log_prior"]), central.class_log_prior_)
    for name, table in zip(FEATURES, central.feature_log_prob_, strict=True):
        assert np.array_equal(from_finite(learned["feature_log_prob"][name]), table)
    assert results[0]["rounds"] == 1
    verified, again = replay(parties[0].folder / "transcript.jsonl")
    assert again == results[0]
    assert verified.session.hash == session.hash


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_pooled_tree_is_the_central_one_in_one_round_a_level(tmp_path: Path, scheme: str) -> None:
    parties = hospitals(tmp_path)
    task = {"kind": "id3", "max_depth": 3, "accuracy": True}
    results = meet(agreed(parties, scheme=scheme, task=task), parties, LocalPost())
    pile = ArrayEngine.from_codes(DESIGN, together([party.rows for party in parties]))
    central = ID3(design=DESIGN, max_depth=3).fit(pile)
    assert results[1]["model"] == document(central)
    assert results[1]["rounds"] == central.tree_.depth
    assert results[1]["accuracy"]["accuracy"] == pytest.approx(central.score(pile), abs=1e-12)
    assert results[1]["accuracy"]["n"] == pile.n[0]
