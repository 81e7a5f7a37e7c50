"""Privacy: oracles matched, an attack on Adult that works, and advice that is kept."""

import json
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import frankly as fk
from evidence.claim import Claim
from evidence.sources import data, oracle
from frankly.judge import Asking, printed_pse, printed_recoverability, pse_after, uniqueness

TOLERANCE = 1e-9
ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours", "country"),
    "income",
]


def read(name: str) -> Any:
    """Read one oracle."""
    return json.loads(oracle(name).read_text())


def number(given: float | str) -> float:
    """Read a number that may be endless."""
    return float(given)


def apart(found: float, wanted: float) -> float:
    """Tell how far two numbers are apart; two endless ones are not."""
    return 0.0 if found == wanted else abs(found - wanted)


def matched(text: str, differences: list[float]) -> Claim:
    """Claim that many numbers equal the oracle's."""
    worst = max(differences)
    figure = f"{len(differences)} numbers, worst difference {worst:.1e}"
    return Claim(text, figure, worst <= TOLERANCE)


def bits(count: int) -> list[fk.Attribute]:
    """Make yes-or-no questions."""
    return [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(count)]


def grouped(sizes: list[int], device: fk.Unrelated | fk.Flip) -> fk.Design:
    """Make a design of yes-or-no questions in groups of these sizes."""
    names = [f"q{i}" for i in range(sum(sizes))]
    ends = np.cumsum(sizes)
    groups = [
        fk.Group(names[end - size : end], device) for end, size in zip(ends, sizes, strict=True)
    ]
    return fk.Design(bits(sum(sizes)), groups=groups, accept_infinite_epsilon=True)


def pse_claims() -> Iterator[Claim]:
    """PSE before mining, and what the papers print instead."""
    rows = read("seeds/pse.json")
    found = []
    for kind in ("unrelated_Wy_half", "unrelated_other_Wy", "flip"):
        for row in rows[kind]:
            device: fk.Unrelated | fk.Flip = fk.Flip(row["theta"])
            if kind != "flip":
                device = fk.Unrelated(row["theta"], [1 - row["Wy"], row["Wy"]])
            one = fk.privacy(device, row["Wa"]).attributes["answer"]
            found += [
                apart(one.pse, row["PSE"]),
                apart(one.bayes_risk, row["bayes_risk"]),
                apart(one.information, row["mutual_information_bits"]),
                apart(one.epsilon, number(row["eps_ldp"])),
            ]
    yield matched("PSE, Bayes risk, information and epsilon of one bit equal the oracle's", found)
    keys = {
        "components": "components_sum_000_002",
        "simplified": "simplified_000",
        "zhan": "simplified_002",
        "short": "eq2_004",
    }
    printed, sound = [], []
    for row in rows["printed_formulas_wrong_when_Wy_not_half"]:
        a, y, theta = row["Wa"], row["Wy"], row["theta"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            printed += [apart(printed_pse(theta, a, y, r), row[key]) for r, key in keys.items()]
        one = fk.privacy(fk.Unrelated(theta, [1 - y, y]), a).attributes["answer"]
        sound.append(apart(one.pse, row["PSE_correct"]))
    yield matched("the four printed PSE formulas, under faithful, give what they give", printed)
    yield matched("and the definition gives the corrected values", sound)


def rec_claims() -> Iterator[Claim]:
    """Privacy after mining, and the printed recoverability."""
    oracle_rows = read("seeds/rec.json")
    printed, sound = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        c = oracle_rows["printed_example"]["confidences"]
        rules = np.array([[c["c00"], c["c01"]], [c["c10"], c["c11"]]])
        for text, value in oracle_rows["printed_example"]["REC_I_printed"].items():
            share = float(text.split("=")[-1])
            found = printed_recoverability(np.array([1 - share, share]), rules)[0]
            printed.append(apart(found, value))
        for row in oracle_rows["worked"]:
            mine, theirs = worked(row)
            sound += [apart(a, b) for a, b in mine]
            printed += [apart(a, b) for a, b in theirs]
    yield matched("privacy after mining and recoverability equal the corrected oracle", sound)
    yield matched(
        "the printed REC, scenarios I and II, under faithful, equals the oracle's", printed
    )


def worked(row: dict[str, Any]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Compare one worked example: sound figures, then printed ones."""
    joint, theta = np.array(row["P_joint"]), row["theta"]
    device = fk.Unrelated(theta, {"q0": [1 - row["Wy"], row["Wy"]]})
    second = fk.Unrelated(theta, {"q1": [1 - row["Wy"], row["Wy"]]})
    both = fk.Unrelated(theta, {name: [1 - row["Wy"], row["Wy"]] for name in ("q0", "q1")})
    alone = fk.Design(bits(2), groups=[fk.Group(["q1"], second)])
    one = fk.Design(bits(2), groups=[fk.Group(["q0", "q1"], both)])
    two = fk.Design(bits(2), groups=[fk.Group(["q0"], device), fk.Group(["q1"], second)])
    wanted = row["scenario_I"]
    stated = fk.privacy(alone, joint=joint).attributes["q1"]
    sound = [
        (stated.pse, wanted["PSE_pre_A2"]),
        (stated.after or 0, wanted["PSE_post_A2_when_A1_known_and_A2_reported"]),
        (stated.recoverability or 0, wanted["REC_corrected"]),
        (pse_after(Asking.of(two.forms[0]), joint, "q1", ["q0"]), stated.after or 0),
    ]
    known = joint.sum(axis=1)
    printed = [
        (printed_recoverability(known, joint / known[:, None])[0], wanted["sum_printed"]),
    ]
    for design, key in ((one, "scenario_II_one_group"), (two, "scenario_II_two_groups")):
        wanted = row[key]
        stated = fk.privacy(design, joint=joint).attributes["q1"]
        sound += [
            (stated.pse, wanted["PSE_pre_A2"]),
            (stated.after or 0, wanted["PSE_post_A2"]),
            (stated.recoverability or 0, wanted["REC_corrected"]),
        ]
        reports = design.push(joint, ["q0", "q1"])
        sound += list(zip(reports.ravel(), np.ravel(wanted["randomized_joint"]), strict=True))
        as_printed = fk.privacy(design, joint=joint, faithful=True).attributes["q1"]
        printed.append((as_printed.recoverability or 0, wanted["sum_printed"]))
    return sound, printed


def epsilon_claims() -> Iterator[Claim]:
    """Epsilon of every design in the oracle, and by enumeration."""
    found = []
    tried = []
    for row in read("seeds/ldp_designs.json")["rows"]:
        theta, text = row["theta"], row["design"]
        if text.startswith("k-ary"):
            k = row["k"]
            stated = fk.privacy(fk.Uniform(theta), np.full(k, 1 / k))
            one, wanted = stated.attributes["answer"], row["uniform_prior"]
            found += [
                apart(stated.record.epsilon, row["eps"]),
                apart(one.bayes_risk, wanted["bayes_risk"]),
                apart(one.information, wanted["mutual_information_bits"]),
                apart(one.pse, wanted["gini_PSE"]),
                apart(float(one.measure.channel[0, 0]), row["p_keep"]),
            ]
            continue
        device: fk.Unrelated | fk.Flip = (
            fk.Flip(theta) if text.startswith("flip") else fk.Unrelated(theta)
        )
        sizes = row.get("sizes") or ([1] * row["N"] if "own group" in text else [row["N"]])
        if device == fk.Flip(0.5):
            # A survey refuses it, a device by itself does not.
            alone = [fk.privacy(device, np.full((2,) * size, 0.5**size)) for size in sizes]
            total = sum(stated.record.epsilon for stated in alone)
            found.append(apart(total, number(row["eps_record"])))
            continue
        stated = fk.privacy(grouped(sizes, device))
        found.append(apart(stated.record.epsilon, number(row["eps_record"])))
        if "eps_one_bit" in row:
            found.append(apart(stated.attributes["q0"].epsilon, row["eps_one_bit"]))
        enumerated = stated.forms[0].enumerated
        if enumerated is not None:
            tried.append(apart(enumerated, stated.record.epsilon))
    yield matched("epsilon, risk and information of every oracle design are equal", found)
    yield matched("epsilon found by trying every truth and report equals the stated one", tried)
    shown = [fk.privacy(grouped([n], fk.Unrelated(0.7))).record.epsilon for n in (1, 9, 14)]
    yield Claim(
        "theta .7: 1.73 for one yes-or-no question, 7.09 for nine and 10.55 for fourteen a group",
        ", ".join(f"{epsilon:.4f}" for epsilon in shown),
        [round(epsilon, 2) for epsilon in shown] == [1.73, 7.09, 10.55],
    )
    wishes = [fk.privacy(fk.Uniform(epsilon=1), np.full(k, 1 / k)) for k in range(2, 65)]
    most = max(stated.record.epsilon for stated in wishes)
    yield Claim(
        "Uniform(epsilon=1) never states more than 1, for 2 to 64 values",
        f"largest {most:.9f}",
        0.99 < most <= 1,
    )


def uniqueness_claims() -> Iterator[Claim]:
    """Rows of Adult that are unique on what would be sent in clear."""
    lines = [line for line in data("adult.data").read_text().splitlines() if line.strip()]
    columns = zip(*(line.split(", ") for line in lines), strict=True)
    adult = {name: list(column) for name, column in zip(ADULT, columns, strict=True)}
    seven = ["age", "sex", "race", "education", "marital", "occupation", "country"]
    eleven = [n for n in ADULT if n not in {"fnlwgt", "capital-gain", "capital-loss", "income"}]
    shares = [uniqueness(adult, seven), uniqueness(adult, eleven)]
    yield Claim(
        "Adult in clear: 36.8 % of rows are unique on seven attributes, 76.2 % on eleven",
        ", ".join(f"{100 * share:.1f} %" for share in shares),
        [round(1000 * share) for share in shares] == [368, 762] and math.isfinite(shares[0]),
    )


def claims() -> Iterator[Claim]:
    """Check everything."""
    yield from pse_claims()
    yield from rec_claims()
    yield from epsilon_claims()
    yield from uniqueness_claims()
