"""The algebra against numbers from independent programs: matrices, worked examples, variances."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import frankly as fk
from evidence.claim import Claim
from evidence.sources import oracle
from frankly.count import Counts

Table = NDArray[np.float64]
CLOSE = 1e-9


def bits(count: int, *groups: fk.Group) -> fk.Design:
    """A design of yes/no questions q0, q1, ... ."""
    attributes = [fk.Attribute(f"q{i}", ["0", "1"]) for i in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fk.Design(attributes, groups=list(groups))


def far(ours: Any, theirs: Any) -> float:
    """The largest difference between our numbers and theirs."""
    return float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float))))


def verdict(text: str, errors: list[float]) -> Claim:
    """Claim that all numbers agree to 1e-9."""
    worst = max(errors)
    return Claim(text, f"{len(errors)} tables, largest difference {worst:.1e}", worst <= CLOSE)


def claims() -> Iterator[Claim]:
    """Compare every matrix and every worked example."""
    yield kronecker(json.loads(oracle("seeds/matrices.json").read_text()))
    worked = json.loads(oracle("seeds/worked_examples.json").read_text())
    yield one_group(worked)
    yield two_groups(worked)
    yield from lu(worked)
    yield variances(worked)


def kronecker(given: dict[str, Any]) -> Claim:
    """Soni and Shrivastva's M1 to M4, forwards and back."""
    errors: list[float] = []
    for key, matrix in given["matrices"].items():
        if key == "cond_number":
            errors.extend(conditions(matrix))
            continue
        which, theta = key.split("|theta=")
        count = int(which[-1])
        names, shape = [f"q{i}" for i in range(count)], [2] * count
        design = bits(count, *(fk.Group([name], fk.Flip(float(theta))) for name in names))
        act = design.pull if which.startswith("inverse") else design.push
        undo = design.push if which.startswith("inverse") else design.pull
        for unit, column in zip(np.eye(2**count), np.asarray(matrix).T, strict=True):
            errors.append(far(act(unit.reshape(shape), names).ravel(), column))
            errors.append(far(undo(np.asarray(column).reshape(shape), names).ravel(), unit))
    return verdict("M1 to M4 are flips of one to four groups, and pull undoes each column", errors)


def conditions(given: dict[str, float]) -> Iterator[float]:
    """How much a flip of one to four groups magnifies: the relative difference to theirs."""
    for key, number in given.items():
        count, theta = int(key[1]), float(key.split("=")[1])
        straight, other = fk.Flip(theta).undo()
        yield abs((straight - other) ** count / number - 1)


def one_group(worked: dict[str, Any]) -> Claim:
    """Equation 1 for one group, unrelated and flipped."""
    case, flip = worked["unrelated_one_group"], worked["flip_one_group"]
    names, truth = ["q0", "q1"], np.array(case["P_true"])
    drawn = bits(2, fk.Group(names, fk.Unrelated(case["theta"], case["P_Y"])))
    turned = bits(2, fk.Group(names, fk.Flip(flip["theta"])))
    errors = [
        far(drawn.push(truth, names), case["P_star"]),
        far(drawn.pull(np.array(case["P_star"]), names), case["P_recovered"]),
        far(turned.push(truth, names), flip["P_star"]),
        far(turned.pull(np.array(flip["P_star"]), names), flip["P_recovered"]),
        far(variance(drawn, names, case["P_star"], case["var_of_estimate_n"]["n"]),
            case["var_of_estimate_n"]["var"]),
        far(variance(turned, names, flip["P_star"], flip["n"]), flip["var_of_estimate"]),
    ]  # fmt: skip
    return verdict("one group, unrelated and flip: reports, truths and variances", errors)


def variance(design: fk.Design, names: list[str], seen: Any, n: int) -> Table:
    """The variance we state when exactly these proportions are seen."""
    counts = np.round(np.array(seen) * n)
    form = design.forms[0].fingerprint
    return np.asarray(
        fk.estimate(design, Counts.from_table(names, form, counts), names).stderr ** 2
    )


def two_groups(worked: dict[str, Any]) -> Claim:
    """Two groups, flipped and unrelated with a fair cover."""
    names, errors = ["q0", "q1"], []
    flip, drawn = worked["flip_two_group"], worked["unrelated_two_group_Wy_half"]
    truth = np.array(flip["P_true"]).reshape(2, 2)
    for case, device in ((flip, fk.Flip(flip["theta"])), (drawn, fk.Unrelated(drawn["theta"]))):
        design = bits(2, *(fk.Group([name], device) for name in names))
        errors.append(far(design.push(truth, names).ravel(), case["P_star"]))
        back = design.pull(np.array(case["P_star"]).reshape(2, 2), names)
        errors.append(far(back.ravel(), case["P_recovered"]))
        if "channel" in case:
            units = np.eye(4).reshape(4, 2, 2)
            channel = [design.push(unit, names).ravel() for unit in units]
            errors.append(far(channel, np.array(case["channel"]).T))
    return verdict("two groups, flip and unrelated: channel, reports and truths", errors)


def lu(worked: dict[str, Any]) -> Iterator[Claim]:
    """Lu's equations 1 to 5 and 7: many-valued private attributes beside a clear class."""
    case = worked["lu_table"]
    names = ["age", "income", "class"]
    sizes = [["old", "middle", "young"], ["high", "middle", "low"], ["A", "B"]]
    attributes = [fk.Attribute(n, v) for n, v in zip(names, sizes, strict=True)]
    design = fk.Design(
        attributes, groups=[fk.Group(["age", "income"], fk.Unrelated(case["theta"]))]
    )
    seen, truth = np.array(case["p_star"]), np.array(case["p_true"])

    def share(kept: list[str], cell: tuple[int, ...]) -> float:
        dropped = tuple(i for i, name in enumerate(names) if name not in kept)
        return float(design.pull(seen.sum(axis=dropped), kept)[cell])

    errors = [
        far(design.push(truth, names), seen),
        far(design.pull(seen, names), truth),
        far(share(["age", "income"], (0, 0)), case["eq1_p_OH"]["p"]),
        far(share(["age"], (0,)), case["eq2_p_O"]["p"]),
        far(share(names, (0, 0, 0)), case["eq3_p_OHA"]["p"]),
        far(share(["age", "class"], (0, 0)), case["eq4_p_OA"]["p"]),
        far(share(["class"], (0,)), case["eq5_class_clear"]["p_A"]),
    ]
    yield verdict("Lu's equations 1 to 5 on a 3 x 3 x 2 table", errors)
    yield lu_variance(worked["lu_eq5"])


def lu_variance(case: dict[str, Any]) -> Claim:
    """Equation 5 with its exact variance when the clear part is estimated from the same rows."""
    hidden = fk.Attribute("cell", [str(k) for k in range(case["s_v"])])
    design = fk.Design(
        [hidden, fk.Attribute("clear", ["0", "1"])],
        groups=[fk.Group(["cell"], fk.Unrelated(case["theta"]))],
    )
    rest = (case["p"] - case["x"]) / (case["s_v"] - 1)
    seen = np.zeros((case["s_v"], 2))
    seen[:, 1], seen[:, 0] = rest, (1 - case["p"]) / case["s_v"]
    seen[0, 1] = case["x"]
    pulled = design.pull(seen, ["cell", "clear"])[0, 1]
    second = design.forms[0].pull(seen, ["cell", "clear"], power=2)[0, 1]
    exact = (second - pulled**2) / 120
    errors = [
        far(pulled, case["y_recovered"]),
        far(exact, case["var_exact_when_p_is_estimated_from_same_120_rows"]),
    ]
    return verdict("Lu's equation 5 and its exact variance with 120 rows", errors)


def variances(worked: dict[str, Any]) -> Claim:
    """Both kinds of variance, and the error of an accuracy from randomized test data."""
    case = worked["variance_two_kinds"]
    design = bits(1, fk.Group(["q0"], fk.Unrelated(case["theta"])))
    seen = design.push(np.array([1 - case["pi"], case["pi"]]), ["q0"]) * case["n"]
    counts = Counts.from_table(["q0"], design.forms[0].fingerprint, np.round(seen))
    errors = []
    for target, key in (("population", "sampling"), ("people", "randomization_only")):
        stated = fk.estimate(design, counts, "q0", target=target)  # type: ignore[arg-type]
        errors.append(far(stated.stderr[1] ** 2, case[key]))
    test = worked["accuracy_on_randomized_test"]
    pair = bits(1, fk.Group(["q0"], fk.Unrelated(test["theta"])))
    right = np.array([1 - test["P_star_cc"], test["P_star_cc"]])
    pulled = pair.pull(right, ["q0"])[1]
    second = pair.forms[0].pull(right, ["q0"], power=2)[1]
    errors.append(far(pulled, test["recovered"]))
    errors.append(far(np.sqrt((second - pulled**2) / test["m"]), test["se_with_known_P_Y"]))
    return verdict("variance for a population and for these very people; accuracy's error", errors)
