"""Several organisations, one model: ten processes over mutual TLS, and the games at full length."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from evidence.claim import Claim
from evidence.sources import CHECKOUT
from frankly.bench.adv import rows as adv_rows
from frankly.collaborate.adv import CAUGHT, HIDDEN, Advantage
from frankly.collaborate.vertical import BITS, CONSENT
from frankly.count import ArrayEngine
from frankly.design import Attribute, Design
from frankly.mine import MINERS, NaiveBayes
from frankly.mine.naive_bayes import from_finite
from frankly.mine.saved import document
from tests.collaborate.processes import Village, finished
from tests.collaborate.rooms import DESIGN, SIZES, Rows, together

TEN = 10
FEATURES = [name for name in SIZES if name != "ill"]
WIDE = Design(
    [
        *(Attribute(f"q{k}", [f"q{k} {code}" for code in range(3)]) for k in range(TEN)),
        Attribute("ill", ["ill 0", "ill 1"]),
    ],
    target="ill",
)


def claims() -> Iterator[Claim]:
    for scheme in ("masks", "paillier"):
        for kind in ("naive-bayes", "id3"):
            yield pooled(scheme, kind)
    for scheme in ("masks", "paillier"):
        yield vertical(scheme)
    yield from speed()
    yield from games()


def session_of(folder: str, scheme: str, kind: str) -> Village:
    """Let ten processes run one session, and wait for all."""
    village = Village(Path(folder), TEN, bits=3072, scheme=scheme, task={"kind": kind})
    with village.relay():
        finished([village.join(k) for k in range(TEN)], 600)
    return village


def pooled(scheme: str, kind: str) -> Claim:
    """Compare the model of ten processes with the one learned from all rows on one pile."""
    with tempfile.TemporaryDirectory() as folder:
        village = session_of(folder, scheme, kind)
        found = [village.result(k)["model"] for k in range(TEN)]
        pile = together(village.rows)
    central = MINERS[kind](design=DESIGN).fit(ArrayEngine.from_codes(DESIGN, pile))
    same = all(model == json.loads(json.dumps(document(central))) for model in found)
    figure = f"{TEN} models, {len(pile['ill']):,} rows: {'all' if same else 'NOT all'} equal"
    if kind == "naive-bayes":
        peer = scikit_learn(found[0], pile)
        same, figure = same and peer, f"{figure}; CategoricalNB {'equal' if peer else 'DIFFERS'}"
    return Claim(
        f"Ten processes over mutual TLS with {scheme} learn the central {kind}, bit for bit",
        figure,
        same,
    )


def scikit_learn(model: dict[str, Any], pile: Rows) -> bool:
    """Tell whether a model is scikit-learn's on the pile, bit for bit."""
    X = np.stack([pile[name] for name in FEATURES], axis=1)
    peer = CategoricalNB(alpha=1.0, min_categories=[SIZES[name] for name in FEATURES])
    peer.fit(X, pile["ill"])
    learned = model["learned"]
    tables = [from_finite(learned["feature_log_prob"][name]) for name in FEATURES]
    pairs = zip(tables, peer.feature_log_prob_, strict=True)
    prior = np.array_equal(from_finite(learned["class_log_prior"]), peer.class_log_prior_)
    return bool(prior and all(np.array_equal(mine, theirs) for mine, theirs in pairs))


def wide(n: int, seed: int) -> Rows:
    """Make up rows of ten questions; the class goes with all of them."""
    rng = np.random.default_rng(seed)
    rows = {name: rng.integers(0, 3, n) for name in WIDE.names if name != "ill"}
    score = np.sum([codes - 1 for codes in rows.values()], axis=0)
    return {**rows, "ill": (score + rng.normal(0, 2, n) > 0).astype(np.int64)}


def vertical(scheme: str) -> Claim:
    """Compare the classes named by ten parties, one question each, with the central model's."""
    n, train, rows = 60, wide(2000, 5), wide(60, 6)
    names = [name for name in WIDE.names if name != "ill"]
    task = {"kind": "vertical-naive-bayes", "target": "ill", "alpha": 1.0, "rows": n,
            "holders": {f"party-{k}": [name] for k, name in enumerate(names)},
            CONSENT: True}  # fmt: skip
    parts = [{name: train[name], "ill": train["ill"]} for name in names]
    with tempfile.TemporaryDirectory() as folder:
        village = Village(
            Path(folder), TEN, design=WIDE, rows=parts, scheme=scheme, task=task, bits=3072
        )
        running = []
        with village.relay():
            for k, name in enumerate(names):
                asked = Path(folder, f"rows-{k}.parquet")
                village.write({name: rows[name]}, asked)
                running.append(village.join(k, "--test", asked))
            finished(running, 600)
        found = village.result(0)
    central = NaiveBayes(design=WIDE).fit(ArrayEngine.from_codes(WIDE, train))
    joint = central.joint_log({name: rows[name] for name in names})
    sure = np.abs(joint[:, 0] - joint[:, 1]) > len(WIDE.names) * 2.0**-BITS
    same = np.array(found["classes"]) == [f"ill {code}" for code in joint.argmax(axis=1)]
    return Claim(
        f"Ten vertical parties with {scheme} name the central class if its lead exceeds rounding",
        f"{int(same[sure].sum())} of {int(sure.sum())} rows; {n - int(sure.sum())} within rounding",
        bool(same[sure].all() and sure.any()),
    )


def speed() -> Iterator[Claim]:
    """Run `frankly bench collaborate` where phe is installed."""
    python = CHECKOUT / ".venv-bench/bin/python"
    if not python.exists() and shutil.which("make"):
        subprocess.run(["make", "-s", ".venv-bench/.ready"], cwd=CHECKOUT, check=True)
    code = (
        "import json; from frankly.bench.collaborate import rows; "
        "print(json.dumps([r.to_dict() for r in rows() if not isinstance(r, str)]))"
    )
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    if said.returncode:
        print(said.stderr, file=sys.stderr)
    found = json.loads(said.stdout) if said.returncode == 0 else []
    for row in found:
        figure = f"{row['ours']:.3g} {row['unit']} and {row['peer']:.3g}: ratio {row['ratio']:.4g}"
        yield Claim(f"{row['work']}, {row['better']} {row['bar']:g}", figure, row["holds"])
    yield Claim("All five figures were measured", f"{len(found)} of 5", len(found) == 5)


def games() -> Iterator[Claim]:
    """Play every game of `frankly bench adv` at full length."""
    for row in adv_rows():
        if not isinstance(row, Advantage) or row.bar == "told":
            continue
        low, high = row.interval()
        bar = f"upper limit at most {HIDDEN}" if row.bar == "hidden" else f"lower at least {CAUGHT}"
        yield Claim(
            f"ADV of {row.view} on {row.scheme} ({row.attack}): {bar}",
            f"{row.adv:+.3f} [{low:+.3f}, {high:+.3f}], {row.games:,} games",
            row.holds,
        )
