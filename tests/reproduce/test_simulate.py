"""Counts drawn at once have the distribution of counts made record by record."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from frankly.count import ArrayEngine
from frankly.mechanism import Flip, Mechanism, Unrelated
from frankly.mine import NaiveBayes
from frankly.reproduce.data import Bits, split, wdbc
from frankly.reproduce.simulate import (
    Device,
    Seen,
    accuracies,
    classify,
    kinds,
    majority,
    pulled,
    reports,
    tables,
)
from frankly.reproduce.surveys import answered, hidden

Floats = NDArray[np.float64]
SURVEYS = 400


def people(n: int, seed: int) -> Bits:
    """Make up six answers that go with the class, more and less."""
    chance = np.random.default_rng(seed)
    target = (chance.random(n) < 0.4).astype(np.uint8)
    pulls = [0.35, 0.25, 0.15, 0.1, 0.05, 0.0]
    codes = {
        f"q{i}": (chance.random(n) < 0.5 - pull + 2 * pull * target).astype(np.uint8)
        for i, pull in enumerate(pulls)
    }
    return Bits({**codes, "class": target}, "class")


def device_of(device: Device, theta: float) -> Mechanism:
    return Flip(theta=theta) if device == "flip" else Unrelated(theta=theta)


def by_record(train: Bits, test: Bits, device: Device, theta: float, surveys: int) -> Floats:
    """Survey record by record, with the coin and the miner that users call."""
    design = hidden(train.attributes, "class", device_of(device, theta))
    found = []
    for survey in range(surveys):
        engine = answered(design, train, f"record {survey}")
        model = NaiveBayes(design=design, method="inverse", alpha=0.0).fit(engine)
        found.append((model.predict_codes(test.codes) == test.codes["class"]).mean())
    return np.array(found)


def z_of(one: Floats, other: Floats) -> float:
    spread = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return float((one.mean() - other.mean()) / spread)


@pytest.mark.parametrize(("device", "theta"), [("unrelated", 0.3), ("flip", 0.62)])
def test_counts_drawn_at_once_are_equal_in_distribution_to_records(
    device: Device, theta: float
) -> None:
    # Seeded. False-alarm rate under other seeds: 6e-5 for the mean, 1e-4 for KS.
    train, test = people(400, 1), people(3000, 2)
    records = by_record(train, test, device, theta, SURVEYS)
    fast = accuracies(
        kinds(train), kinds(test), theta, 4 * SURVEYS, np.random.default_rng(5), device=device
    )
    assert abs(z_of(records, fast)) < 4
    assert ks_2samp(records, fast).pvalue > 1e-4
    # The comparison can fail: a theta that is off by a sixth is noticed.
    other = accuracies(
        kinds(train), kinds(test), theta * 1.17, 1600, np.random.default_rng(5), device=device
    )
    assert abs(z_of(records, other)) > 4
    assert ks_2samp(records, other).pvalue < 1e-4


@pytest.mark.parametrize(("device", "theta"), [("unrelated", 0.4), ("flip", 0.7)])
def test_single_counts_have_the_mean_and_spread_of_records(device: Device, theta: float) -> None:
    # 16 cells x 2 devices, z below 4.5 each: false-alarm rate below 3e-4 for all together.
    train = people(300, 3)
    design = hidden(train.attributes, "class", device_of(device, theta))
    found = []
    for survey in range(SURVEYS):
        engine = answered(design, train, f"count {survey}")
        found.append(seen_in(reported(engine)).table[0])
    records = np.array(found)
    fast = reports(kinds(train), theta, 4000, np.random.default_rng(6), device).table
    z = (records.mean(axis=0) - fast.mean(axis=0)) / np.sqrt(
        records.var(axis=0) / len(records) + fast.var(axis=0) / len(fast)
    )
    assert np.abs(z).max() < 4.5
    ratio = records.var(axis=0, ddof=1) / fast.var(axis=0, ddof=1)
    # A ratio of variances from 400 and 4000 surveys has a standard error of about 0.075.
    assert np.abs(ratio - 1).max() < 0.4


def reported(engine: ArrayEngine) -> Bits:
    """Give the reports as they were sent."""
    names = engine.design.names
    return Bits({name: engine.codes(0, name).astype(np.uint8) for name in names}, "class")


def seen_in(bits: Bits) -> Seen:
    """Count the reports of one survey."""
    records = kinds(bits)
    return tables(records, records.people[np.newaxis].astype(float))


@pytest.mark.parametrize(("device", "theta"), [("unrelated", 0.2), ("flip", 0.55), ("flip", 0.9)])
def test_the_clipped_rule_is_naive_bayes_exactly(device: Device, theta: float) -> None:
    train, test = split(wdbc(), 1)
    design = hidden(train.attributes, "class", device_of(device, theta))
    records = kinds(test)
    codes = dict(zip(test.names, records.features.T, strict=False))
    for survey in range(5):
        engine = answered(design, train, f"exact {survey}")
        own = reported(engine)
        model = NaiveBayes(design=design, method="inverse", alpha=0.0).fit(engine)
        ours = classify(pulled(seen_in(own), theta, device), records.features, "clipped")
        assert np.array_equal(ours[0], model.predict_codes(codes))


def test_the_raw_rule_multiplies_the_shares_as_they_are() -> None:
    # Two features; class 0: shares 1.2 and -0.2, which the raw rule keeps.
    table = np.array([[[[-2.0, 12.0], [4.0, 6.0]], [[5.0, 5.0], [1.0, 9.0]]]])
    counts = Seen(np.array([[10.0, 10.0]]), table)
    features = np.array([[0, 0], [1, 0], [1, 1]], dtype=np.uint8)
    # Class 0: -0.8, 4.8, 7.2; class 1: 0.5, 0.5, 4.5.
    assert classify(counts, features, "raw").tolist() == [[1, 0, 0]]


def test_at_theta_1_nothing_is_drawn() -> None:
    train, test = people(300, 7), people(300, 8)
    found = accuracies(kinds(train), kinds(test), 1.0, 3, np.random.default_rng(0))
    assert len(set(found.tolist())) == 1
    told = reports(kinds(train), 1.0, 2, np.random.default_rng(0), "unrelated")
    assert told.classes[0].tolist() == np.bincount(train.codes["class"]).tolist()


def test_without_any_answer_the_commoner_class_is_all_there_is() -> None:
    train, test = people(300, 7), people(300, 8)
    assert majority(kinds(train), kinds(test)) == (test.codes["class"] == 0).mean()
