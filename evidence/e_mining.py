"""Naive Bayes and accuracy from reports of Adult, beside the undisguised truth.

15 yes-or-no answers of 48,842 people (see frankly.reproduce.data). Three random splits into 80 %
to learn from and 20 % to test on; gaps are to the undisguised model of the same split.
"""

import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import frankly as fk
from evidence.claim import Claim
from evidence.sources import data
from frankly.count import ArrayEngine, ParquetEngine
from frankly.estimate import Moments, pulled_scores, score_interval, views_of
from frankly.estimate.pulled import Inverse
from frankly.estimate.shrink import shrunken
from frankly.mechanism import Mechanism, Wish
from frankly.mine import NaiveBayes
from frankly.randomize import draw
from frankly.reproduce.data import Bits, adult, split

SPLITS, RANDOMIZATIONS, REPEATS, PEOPLE = 3, 20, 2000, 2000
Floats = NDArray[np.float64]


@cache
def everybody() -> Bits:
    return adult(data("adult.data").parent)


@cache
def parted(seed: int) -> tuple[Bits, Bits]:
    return split(everybody(), seed)


def right(model: NaiveBayes, bits: Bits) -> float:
    """Tell how often a model is right about the truth."""
    return float((model.predict_codes(bits.codes) == bits.codes[bits.target]).mean())


@cache
def undisguised(seed: int) -> float:
    train, test = parted(seed)
    design = fk.Design(train.attributes, target=train.target)
    return right(NaiveBayes(design=design).fit(ArrayEngine.from_codes(design, train.codes)), test)


def hidden(device: Mechanism | Wish, groups: int = 1) -> fk.Design:
    """Give the design in which all 15 attributes are dealt to some groups."""
    names = everybody().names
    dealt = [fk.Group(names[i::groups], device) for i in range(groups)]
    return fk.Design(
        everybody().attributes, groups=dealt, target="class", accept_infinite_epsilon=True
    )


def modules(epsilon: float) -> fk.Design:
    device = fk.Uniform(epsilon=epsilon)
    return fk.Design.modules(everybody().attributes, target="class", mechanism=device)


def reports(design: fk.Design, bits: Bits, seed: str) -> ArrayEngine:
    """Randomize people, and count their reports."""
    drawn = draw(design, bits.codes, fk.Tape.seeded(seed))
    several = len(design.forms) > 1
    return ArrayEngine.from_codes(design, drawn.columns, drawn.form if several else None)


def runs(design: fk.Design, method: str) -> tuple[Floats, str]:
    """Learn from many randomizations of every split; give accuracy and gap, and the method."""
    found = []
    for seed, repeat in product(range(SPLITS), range(RANDOMIZATIONS)):
        train, test = parted(seed)
        engine = reports(design, train, f"mining {seed} {repeat}")
        model = NaiveBayes(design=design, method=method).fit(engine)
        accuracy = right(model, test)
        found.append((accuracy, undisguised(seed) - accuracy))
    return np.array(found).mean(axis=0), model.method_


def close(design: fk.Design, what: str, most: float) -> Claim:
    (accuracy, gap), method = runs(design, "auto")
    text = f"{what}: naive Bayes by auto is within {most} of the undisguised model"
    figure = f"gap {gap:.4f} (accuracy {accuracy:.4f}, {method}; {SPLITS} x {RANDOMIZATIONS} runs)"
    return Claim(text, figure, holds=gap <= most)


def as_measured(theta: float, expected: float) -> Claim:
    (accuracy, _), _ = runs(hidden(fk.Unrelated(theta)), "inverse")
    text = f"one group, theta {theta}: the papers' inverse gives {expected} within .005"
    return Claim(text, f"accuracy {accuracy:.4f}", holds=abs(accuracy - expected) <= 0.005)


def at_epsilon(epsilon: float, least: float) -> Claim:
    (accuracy, _), method = runs(modules(epsilon), "auto")
    text = f"14 modules at record epsilon {epsilon:g}: naive Bayes reaches {least}"
    figure = f"accuracy {accuracy:.4f} ({method}; {SPLITS} x {RANDOMIZATIONS} runs)"
    return Claim(text, figure, holds=accuracy >= least)


def unexposed(epsilon: float) -> Claim:
    engine = reports(modules(epsilon), parted(0)[0], "exposed")
    model = shrunken(Inverse(engine), "class")
    worst = max(float(told.max()) for view in views_of(engine) for told in view.told(model))
    bound = 1 - np.exp(-epsilon)
    text = f"14 modules at record epsilon {epsilon:g}: no report betrays its coin at .9"
    figure = f"largest posterior of a coin {worst:.3f}, at most {bound:.3f} in theory"
    return Claim(text, figure, holds=bool(worst <= bound < 0.9))


def judged(design: fk.Design, fixed: bool) -> tuple[float, float, float]:
    """Judge one model many times; give the bias in standard errors, and the coverage.

    With ``fixed`` the test people stay and only their coins are tossed again; otherwise they
    are drawn anew from everybody.
    """
    train, test = parted(0)
    clear = fk.Design(train.attributes, target="class")
    model = NaiveBayes(design=clear).fit(ArrayEngine.from_codes(clear, train.codes))
    form, names = design.forms[0], everybody().names
    cells = np.stack(np.unravel_index(np.arange(2**15), (2,) * 15), axis=1)
    scores = pulled_scores(form, names, cells, model.predict_codes)
    some = test.rows(np.arange(PEOPLE))
    rng, found = np.random.default_rng(7), []
    tape = fk.Tape.seeded(f"judged {design.fingerprint} {fixed}")
    for _ in range(REPEATS):
        people = some if fixed else everybody().rows(rng.integers(0, everybody().n, PEOPLE))
        sent = draw(design, people.codes, tape).columns
        cell = np.ravel_multi_index([sent[name] for name in names], (2,) * 15)
        counts = np.bincount(cell, minlength=2**15).astype(np.float64)
        seen = np.flatnonzero(counts)
        part = type(scores)(scores.scores[seen][:, :1], scores.low[:1], scores.high[:1])
        found.append(part.moments(counts[seen]))
    stacked = Moments(
        n=np.full(REPEATS, float(PEOPLE)),
        mean=np.concatenate([one.mean for one in found]),
        variance=np.concatenate([one.variance for one in found]),
        up=np.concatenate([one.up for one in found]),
        down=np.concatenate([one.down for one in found]),
    )
    truth = right(model, some if fixed else everybody())
    low, high = score_interval([stacked], sampled=not fixed)
    off = (stacked.mean.mean() - truth) / (stacked.mean.std() / np.sqrt(REPEATS))
    return float(off), float(((low <= truth) & (truth <= high)).mean()), truth


def honest(groups: int, theta: float, *, fixed: bool) -> Claim:
    off, covered, truth = judged(hidden(fk.Unrelated(theta), groups), fixed)
    whose = "a fixed test set, coin alone" if fixed else "test people redrawn"
    text = f"accuracy from reports, {groups} group(s), theta {theta}, {whose}: unbiased, 93-97 %"
    figure = f"z {off:+.1f}, coverage {covered:.1%} of the truth {truth:.4f}; {REPEATS} repeats"
    return Claim(text, figure, holds=abs(off) < 4 and 0.93 <= covered <= 0.97)


def same_everywhere(design: fk.Design, what: str) -> Claim:
    """Learn from memory and from a file."""
    drawn = draw(design, parted(0)[0].codes, fk.Tape.seeded("engines"))
    columns = {name: pa.array(codes.astype(str)) for name, codes in drawn.columns.items()}
    if len(design.forms) > 1:
        columns = blanked(design, drawn.form, columns) | {"form": pa.array(drawn.form)}
    table = pa.table(columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reports.parquet")
        pq.write_table(table, path, row_group_size=5000)
        models = [
            NaiveBayes(design=design).fit(engine)
            for engine in (ArrayEngine(design, table), ParquetEngine(design, path))
        ]
    one, other = ([m.class_log_prior_, *m.feature_log_prob_] for m in models)
    same = all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    text = f"{what}: the same model, cell by cell, from memory and from Parquet"
    cells = sum(table.size for table in one)
    return Claim(text, f"{cells} numbers {'equal' if same else 'differ'}", holds=same)


def blanked(
    design: fk.Design, form: NDArray[np.intp], columns: dict[str, pa.Array]
) -> dict[str, pa.Array]:
    """Leave out what a person's form did not ask."""
    asked = {name: [name in f.names for f in design.forms] for name in columns}
    return {
        name: pa.array(column.to_numpy(zero_copy_only=False), mask=~np.array(asked[name])[form])
        for name, column in columns.items()
    }


def reading() -> Claim:
    found = np.mean([undisguised(seed) for seed in range(SPLITS)])
    text = "Adult is read as in the papers: undisguised naive Bayes scores .819 to .821"
    return Claim(text, f"accuracy {found:.4f}", holds=bool(0.8185 <= found <= 0.8215))


def claims(thetas: Sequence[float] = (0.3, 0.5, 0.7)) -> Iterator[Claim]:
    yield reading()
    yield close(hidden(fk.Unrelated(0.1)), "one group, theta .1", 0.004)
    yield close(hidden(fk.Unrelated(0.05)), "one group, theta .05", 0.008)
    yield close(hidden(fk.Flip(0.51)), "one flipped group, theta .51", 0.002)
    yield as_measured(0.1, 0.800)
    yield as_measured(0.3, 0.818)
    yield at_epsilon(1, 0.802)
    yield at_epsilon(2, 0.814)
    yield unexposed(1)
    yield unexposed(2)
    for fixed, groups, theta in product((False, True), (1, 2), thetas):
        yield honest(groups, theta, fixed=fixed)
    yield same_everywhere(hidden(fk.Unrelated(0.1)), "one group (EM)")
    yield same_everywhere(modules(1), "modules (shrinkage)")
