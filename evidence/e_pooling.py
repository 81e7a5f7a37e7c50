"""Lu's setting on Adult: several holders, two hidden columns, and a tree of height three."""

import csv
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

import frankly as fk
from evidence.claim import Claim
from evidence.sources import data
from frankly.count import ArrayEngine, PooledEngine
from frankly.estimate import heterogeneity

THETAS = (0.3, 0.5, 0.7, 0.9)
RUNS = 10
CLEAR = "married", "sex", "income"
HOLDERS = ((0.6, 0.4), (0.7, 0.2, 0.1), (0.5, 0.3, 0.15, 0.05), (0.4, 0.3, 0.2, 0.08, 0.02))


def design(theta: float | None) -> fk.Design:
    """Ask age and education in three bins each, hidden together; the rest in clear."""
    attributes = [
        fk.Attribute("age", bins=[30, 50]),
        fk.Attribute("education", bins=[9, 13]),
        fk.Attribute("married", ["no", "yes"]),
        fk.Attribute("sex", ["Female", "Male"]),
        fk.Attribute("income", ["<=50K", ">50K"]),
    ]
    groups = [] if theta is None else [fk.Group(["age", "education"], fk.Uniform(theta=theta))]
    return fk.Design(attributes, groups=groups, target="income")


def adult(name: str) -> dict[str, Any]:
    """Read the columns that Lu's customers have."""
    with data(name).open(encoding="utf-8") as lines:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if len(row) == 15]
    return {
        "age": np.array([int(row[0]) for row in rows]),
        "education": np.array([int(row[4]) for row in rows]),
        "married": np.array(["yes" if row[5].startswith("Married") else "no" for row in rows]),
        "sex": np.array([row[9] for row in rows]),
        "income": np.array([row[14].rstrip(".") for row in rows]),
    }


def tree(survey: fk.Design, source: Any) -> Any:
    """Grow the tree of height three."""
    return fk.ID3(design=survey, max_depth=3, method="inverse").fit(source)


def right(model: Any, truths: dict[str, Any]) -> float:
    """Tell how often a tree is right about people it has not seen, by their truths."""
    features = {name: truths[name] for name in model.features_}
    return float(np.mean(model.predict(features) == truths["income"]))


def claims() -> Iterator[Claim]:
    """Compare with the tree that sees everything."""
    train, test = adult("adult.data"), adult("adult.test")
    clear = design(None)
    open_ = right(tree(clear, fk.randomize(clear, train)), test)
    for theta in THETAS:
        yield hidden(theta, open_, train, test)
    yield from pooled(train)
    yield told(train)


def hidden(theta: float, open_: float, train: dict[str, Any], test: dict[str, Any]) -> Claim:
    """Grow trees from reports, and judge them by the truth."""
    survey = design(theta)
    found = [
        right(tree(survey, fk.randomize(survey, train, fk.Tape.seeded(seed))), test)
        for seed in range(RUNS)
    ]
    mean = float(np.mean(found))
    figure = f"{mean:.4f} (from {min(found):.4f} to {max(found):.4f}) against {open_:.4f}"
    text = f"Lu on Adult: at theta {theta} the tree is within .005 of the undisguised one"
    return Claim(text, figure, holds=abs(mean - open_) <= 0.005)


def pooled(train: dict[str, Any]) -> Iterator[Claim]:
    """Cut Adult into holders of unequal size, and compare the pooled tree with the whole one."""
    survey = design(0.5)
    reports = fk.randomize(survey, pa.table(train), fk.Tape.seeded(1))
    whole = tree(survey, ArrayEngine(survey, reports)).learned()
    for sizes in HOLDERS:
        engines = cut(survey, reports, sizes)
        same = tree(survey, PooledEngine(engines)).learned() == whole
        shares = ", ".join(f"{size:.0%}" for size in sizes)
        text = f"{len(sizes)} enterprises ({shares}) give the tree of the pooled table"
        yield Claim(text, "equal, split by split" if same else "another tree", holds=same)


def cut(survey: fk.Design, reports: Any, sizes: tuple[float, ...]) -> dict[str, ArrayEngine]:
    """Deal the rows to holders."""
    ends = np.round(np.cumsum((0.0, *sizes)) * reports.num_rows).astype(int).tolist()
    return {
        f"holder {i}": ArrayEngine(survey, reports[start:stop])
        for i, (start, stop) in enumerate(pairwise(ends))
    }


def told(train: dict[str, Any]) -> Claim:
    """Let one holder have the women and another the men."""
    survey = design(0.5)
    reports = fk.randomize(survey, pa.table(train), fk.Tape.seeded(2))
    men = np.asarray(reports["sex"].cast(pa.string())) == "Male"
    engines = {
        name: ArrayEngine(survey, reports.filter(pa.array(mask)))
        for name, mask in (("women", ~men), ("men", men))
    }
    tables = [["age", "income"], ["education", "income"]]
    differ = heterogeneity(engines, tables).p
    alike = heterogeneity(cut(survey, reports, (0.5, 0.5)), tables).p
    text = "a holder of women and a holder of men are told apart, two halves are not"
    return Claim(
        text, f"p = {differ:.2g} and p = {alike:.2f}", holds=differ < 1e-6 and alike > 0.01
    )
