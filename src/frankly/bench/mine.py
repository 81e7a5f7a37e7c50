"""Mine: naive Bayes beside scikit-learn's, and EM through the device beside two seconds."""

from collections.abc import Iterator

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from frankly.bench import count
from frankly.bench.measure import Row, cpu
from frankly.count import ArrayEngine
from frankly.design import Attribute, Design, Group
from frankly.mechanism import Codes, Unrelated
from frankly.mine import NaiveBayes

__all__ = ["rows"]

PEOPLE, BITS, THETA = 48_842, 15, 0.1


def rows(scale: float = 1.0) -> Iterator[Row | str]:
    """Measure mining."""
    yield beside_sklearn(int(10**6 * scale))
    yield em(int(PEOPLE * scale))


def beside_sklearn(n: int) -> Row:
    """Measure a whole fit in clear beside CategoricalNB.fit."""
    reports = count.made_up(n)
    answers, label = reports[:, :-1].astype(np.int64), reports[:, -1].astype(np.int64)
    theirs = cpu(lambda: CategoricalNB().fit(answers, label))
    counting = count.engine(reports)
    ours = cpu(lambda: NaiveBayes(design=count.DESIGN, target="class").fit(counting))
    work = f"naive Bayes from {n:,} x 14 reports in memory, beside CategoricalNB.fit"
    return Row(work, ours=ours, peer=theirs, bar=10, better="at least")


def em(n: int) -> Row:
    """Measure EM through one coin over all answers, beside two seconds."""
    attributes = [Attribute(f"q{i}", ["no", "yes"]) for i in range(BITS)]
    groups = [Group([attribute.name for attribute in attributes], Unrelated(theta=THETA))]
    design = Design(attributes, groups=groups, target="q0")
    codes = reported(n)

    def fit() -> None:
        engine = ArrayEngine.from_codes(design, codes)
        NaiveBayes(design=design, method="em").fit(engine)

    work = f"EM through the device, {n:,} x {BITS} answers at theta {THETA}, beside 2 s"
    return Row(work, ours=cpu(fit), peer=2.0, bar=1, better="at most")


def reported(n: int) -> dict[str, Codes]:
    """Make up reports: a tenth tell answers that go with the class, the others are fair bits."""
    rng = np.random.default_rng(1)
    told, label = rng.random(n) < THETA, rng.random(n) < 0.25
    codes: dict[str, Codes] = {}
    for i in range(BITS):
        own = label if i == 0 else rng.random(n) < np.where(label, 0.5, 0.1 + 0.05 * i)
        codes[f"q{i}"] = np.where(told, own, rng.random(n) < 0.5).astype(np.uint8)
    return codes
