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
from frankly.collaborate.vertical import BITS
from frankly.count import ArrayEngine
from frankly.mine import MINERS, NaiveBayes
from frankly.mine.naive_bayes import from_finite
from frankly.mine.saved import document
from tests.collaborate.processes import Village, finished
from tests.collaborate.rooms import DESIGN, SIZES, Rows, made_up, together

TEN = 10
FEATURES = [name for name in SIZES if name != "ill"]


def claims() -> Iterator[Claim]:
    for scheme in ("masks", "paillier"):
        for kind in ("naive-bayes", "id3"):
            yield pooled(scheme, kind)
    for scheme in ("masks", "paillier"):
        yield vertical(scheme)
    yield from speed()
    yield from games()


def session_of(folder: str, parts: list[Rows] | None = None, **settings: object) -> Village:
    """Let ten processes run one session, and wait for all."""
    village = Village(Path(folder), TEN, bits=3072, **settings)
    tests: list[list[object]] = [[] for _ in range(TEN)]
    if parts is not None:
        for k, rows in enumerate(parts):
            village.write(rows, Path(folder, f"rows-{k}.parquet"))
            tests[k] = ["--test", Path(folder, f"rows-{k}.parquet")]
    with village.relay():
        finished([village.join(k, *tests[k]) for k in range(TEN)], 600)
    return village


def pooled(scheme: str, kind: str) -> Claim:
    """Compare the model of ten processes with the one learned from all rows on one pile."""
    with tempfile.TemporaryDirectory() as folder:
        village = session_of(folder, scheme=scheme, task={"kind": kind})
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


def vertical(scheme: str) -> Claim:
    """Compare the classes of vertical parties with the central model's."""
    n, train, rows = 60, made_up(2000, 5), made_up(60, 6)
    holders = {f"party-{k}": [name] for k, name in enumerate(FEATURES)}
    with tempfile.TemporaryDirectory() as folder:
        village = Village(Path(folder), len(holders), bits=3072, scheme=scheme, task={
            "kind": "vertical-naive-bayes", "target": "ill", "alpha": 1.0, "rows": n,
            "holders": holders,
        })  # fmt: skip
        running = []
        with village.relay():
            for k, name in enumerate(FEATURES):
                village.write({name: train[name], "ill": train["ill"]}, village.data(k))
                village.write({name: rows[name]}, Path(folder, f"rows-{k}.parquet"))
                words = ["--test", Path(folder, f"rows-{k}.parquet")]
                running.append(village.join(k, *words))
            finished(running, 300)
        found = village.result(0)
    central = NaiveBayes(design=DESIGN).fit(ArrayEngine.from_codes(DESIGN, train))
    joint = central.joint_log({name: rows[name] for name in FEATURES})
    sure = np.abs(joint[:, 0] - joint[:, 1]) > len(DESIGN.names) * 2.0**-BITS
    same = np.array(found["classes"]) == [f"ill {code}" for code in joint.argmax(axis=1)]
    return Claim(
        f"Vertical parties with {scheme} name the central class where the lead exceeds rounding",
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
