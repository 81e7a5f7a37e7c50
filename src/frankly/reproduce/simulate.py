"""Thousands of surveys at once: counts are drawn instead of records.

For one coin over the whole record the counts that naive Bayes needs can be drawn directly,
with exactly the distribution they have when every record is randomized by itself: of each
kind of record a binomial number is told straight. Among the others a flip turns the record
round, and fair drawn answers give binomial counts, independent given the class. A test
compares this with record-by-record simulation.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from frankly.reproduce.data import Bits

__all__ = ["Kinds", "Seen", "accuracies", "classify", "kinds", "majority", "pulled", "reports"]

Floats = NDArray[np.float64]
Device = Literal["unrelated", "flip"]
Rule = Literal["clipped", "raw"]


@dataclass(frozen=True)
class Kinds:
    """The different records of a data set, and how many people have each."""

    features: NDArray[np.uint8]
    target: NDArray[np.uint8]
    people: NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """Counts of reports in many surveys: by class, and by class and value of each feature.

    The first axis is the survey; ``table`` has the axes survey, class, feature, value.
    """

    classes: Floats
    table: Floats


def kinds(bits: Bits) -> Kinds:
    """Find the different records of a data set."""
    columns = [bits.codes[name] for name in bits.names]
    weights = 1 << np.arange(len(columns), dtype=np.int64)
    keys = np.stack(columns, axis=1).astype(np.int64) @ weights
    _, first, people = np.unique(keys, return_index=True, return_counts=True)
    features = np.stack([column[first] for column in columns[:-1]], axis=1)
    return Kinds(features, columns[-1][first], people)


def tables(records: Kinds, people: Floats) -> Seen:
    """Count records by class, and by class and value of each feature, in every survey."""
    classes, ones = [], []
    for value in (0, 1):
        mine = records.target == value
        kept = people[:, mine]
        classes.append(kept.sum(axis=1))
        ones.append(kept @ records.features[mine].astype(float))
    by_class = np.stack(classes, axis=1)
    yes = np.stack(ones, axis=1)
    return Seen(by_class, np.stack([by_class[:, :, None] - yes, yes], axis=-1))


def reports(
    records: Kinds, theta: float, surveys: int, chance: np.random.Generator, device: Device
) -> Seen:
    """Draw the counts of the reports of many surveys."""
    straight = chance.binomial(records.people, theta, size=(surveys, len(records.people)))
    told = tables(records, straight.astype(float))
    if device == "flip":
        turned = Kinds(1 - records.features, 1 - records.target, records.people)
        others = tables(turned, (records.people - straight).astype(float))
    else:
        others = drawn(records.people.sum() - straight.sum(axis=1), records, chance)
    return Seen(told.classes + others.classes, told.table + others.table)


def drawn(people: NDArray[np.int64], records: Kinds, chance: np.random.Generator) -> Seen:
    """Draw the counts of people whose answers are all fair coins."""
    one = chance.binomial(people, 0.5)
    classes = np.stack([people - one, one], axis=1)
    yes = chance.binomial(
        classes[:, :, None], 0.5, size=(*classes.shape, records.features.shape[1])
    )
    table = np.stack([classes[:, :, None] - yes, yes], axis=-1)
    return Seen(classes.astype(float), table.astype(float))


def pulled(seen: Seen, theta: float, device: Device) -> Seen:
    """Take the device out of the counts again, giving numbers of people."""
    if theta == 1:
        return seen
    everyone = seen.classes.sum(axis=1)
    if device == "flip":
        straight, other = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
        turned = seen.table[:, ::-1, :, ::-1]
        classes = straight * seen.classes + other * seen.classes[:, ::-1]
        return Seen(classes, straight * seen.table + other * turned)
    cover = (1 - theta) * everyone
    classes = (seen.classes - cover[:, None] / 2) / theta
    return Seen(classes, (seen.table - cover[:, None, None, None] / 4) / theta)


def classify(people: Seen, features: NDArray[np.uint8], rule: Rule) -> NDArray[np.intp]:
    """Classify records by naive Bayes in every survey: one row a survey.

    ``clipped`` sets negative shares to zero and renormalises; ``raw`` multiplies the
    unbiased shares as they are, as the papers seem to do.
    """
    if rule == "raw":
        return multiplied(people, features)
    classes, table = np.maximum(people.classes, 0), np.maximum(people.table, 0)
    whole = table.sum(axis=-1, keepdims=True)
    table = np.where(whole > 0, table, 1.0)
    with np.errstate(divide="ignore"):
        logs = np.log(table) - np.log(table.sum(axis=-1, keepdims=True))
        prior = np.log(classes) - np.log(classes.sum(axis=1, keepdims=True))
    joint = [total(logs[:, c], features, prior[:, c]) for c in (0, 1)]
    return np.asarray((joint[1] > joint[0]).astype(np.intp))


def multiplied(people: Seen, features: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Multiply shares as they are; a class in which nobody is left is never chosen."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = people.table / people.classes[:, :, None, None]
        score = np.repeat(people.classes[:, :, None], len(features), axis=2)
        for feature, values in enumerate(features.T):
            score *= shares[:, :, feature, :][:, :, values]
    return np.asarray(np.nan_to_num(score, nan=-np.inf).argmax(axis=1))


def total(logs: Floats, features: NDArray[np.uint8], prior: Floats) -> Floats:
    """Add up the logs of one class for every survey and record; the log of 0 wins over all."""
    never = np.isneginf(logs)
    finite = np.where(never, 0.0, logs)
    base = finite[:, :, 0].sum(axis=1) + prior
    change = finite[:, :, 1] - finite[:, :, 0]
    ones = features.astype(float)
    score = base[:, None] + change @ ones.T
    ruled = never[:, :, 1].astype(float) @ ones.T + never[:, :, 0].astype(float) @ (1 - ones).T
    return np.where(ruled > 0, -np.inf, score)


def accuracies(
    train: Kinds,
    test: Kinds,
    theta: float,
    surveys: int,
    chance: np.random.Generator,
    *,
    device: Device = "unrelated",
    rule: Rule = "clipped",
) -> Floats:
    """Give the accuracy on true test records of the model from each simulated survey."""
    found = []
    for start in range(0, surveys, 250):
        many = min(250, surveys - start)
        people = pulled(reports(train, theta, many, chance, device), theta, device)
        right = classify(people, test.features, rule) == test.target
        found.append(right @ test.people / test.people.sum())
    return np.concatenate(found)


def majority(train: Kinds, test: Kinds) -> float:
    """Give the accuracy of always saying the commonest class: all that theta 0 leaves."""
    counts = [train.people[train.target == value].sum() for value in (0, 1)]
    best = int(np.argmax(counts))
    return float(test.people[test.target == best].sum() / test.people.sum())
