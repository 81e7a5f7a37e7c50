"""Write the golden vectors: ``python -m conformance.make``, always with the same result.

One file a subject, one design a line: ``{"what", "design", "cases": [{"truth", "words",
"report"}]}``. Python and the browser must give that report for that truth and those words,
and read every word. A vector changes only when the order of the tape does; then old and new
pages disagree about the same words, so it needs a reason.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from conformance.designs import random_truth
from conformance.record import case
from frankly import (
    Attribute,
    Crosswise,
    Design,
    Flip,
    Forced,
    Form,
    Group,
    Kuk,
    Mangat,
    Matrix,
    Triangular,
    Uniform,
    Unrelated,
)
from frankly.mechanism import Mechanism, Wish

__all__ = ["SUBJECTS", "lines", "main"]

HERE = Path(__file__).parent
CASES = 12

ILL = Attribute("ill", ["no", "yes"])
SMOKES = Attribute("smokes", ["no", "yes"])
DRINKS = Attribute("drinks", ["never", "sometimes", "often"])
AGE = Attribute("age", bins=[18, 30.5, 65])
LIVES = Attribute(
    "lives", ["alone", "with others"], merged={"widowed": "alone", "wed": "with others"}
)


def hidden(mechanism: Mechanism | Wish, *attributes: Attribute) -> Design:
    """Make the design that hides these questions together and asks nothing else."""
    group = Group([attribute.name for attribute in attributes], mechanism)
    return Design(attributes, groups=[group], accept_infinite_epsilon=True)


def several(*forms: Form) -> Design:
    """Make a design of several forms."""
    return Design([ILL, SMOKES, DRINKS], forms=forms, accept_infinite_epsilon=True)


JOINT = [[5, 1, 0], [1, 2, 4]]
WEIGHTS: dict[str, list[float]] = {"drinks": [0.45, 0.35, 0.2], "ill": [3, 1]}

SUBJECTS: dict[str, dict[str, Design]] = {
    "unrelated": {
        "uniform cover, one draw a question": hidden(Uniform(0.7), ILL, DRINKS),
        "a theta that no power of two divides": hidden(Uniform("1/3"), DRINKS),
        "the finest theta a word can draw": hidden(Uniform("2147483648/4294967295"), ILL),
        "half of all words are thrown away": hidden(Uniform("5/2147483649"), ILL),
        "theta 1 still reads a word": hidden(Uniform(1), ILL),
        "theta from a wished epsilon": hidden(Uniform(epsilon=1), ILL, SMOKES),
        "a cover by attribute, in the group's order": hidden(Unrelated(0.6, WEIGHTS), ILL, DRINKS),
        "a joint cover, one draw": hidden(Unrelated("2/3", JOINT), ILL, DRINKS),
        "a joint cover of one question": hidden(Unrelated(0.5, [3, 0, 4]), DRINKS),
        "a cover of very large weights": hidden(Unrelated(0.5, {"ill": [2**31, 2**31 - 1]}), ILL),
        "forced answers": hidden(Forced({"yes": "1/6", "no": "1/12"}), ILL),
        "an asked cover, drawn when nobody answered": hidden(
            Unrelated(0.7, {"ill": [1, 3]}, asked=True), ILL
        ),
    },
    "flip": {
        "one answer": hidden(Flip(0.7), ILL),
        "two answers turned together": hidden(Flip("1/3"), ILL, SMOKES),
        "always the opposite": hidden(Flip(0), ILL),
    },
    "matrix": {
        "a square channel": hidden(Matrix([[7, 2, 1], [1, 7, 2], [2, 1, 7]]), DRINKS),
        "Kuk, one card": hidden(Kuk(0.8, 0.3), ILL),
        "Kuk, three cards: more reports than truths": hidden(Kuk(0.8, 0.3, draws=3), ILL),
        "Mangat": hidden(Mangat(0.7), ILL),
        "crosswise": hidden(Crosswise(0.25), ILL),
        "triangular": hidden(Triangular("1/3"), ILL),
    },
    "forms": {
        "two groups and a clear question": Design(
            [ILL, SMOKES, DRINKS],
            groups=[Group(["smokes"], Flip(0.8)), Group(["ill"], Uniform(0.4))],
        ),
        "two thetas in parallel": several(
            Form([Group(["ill"], Uniform(0.3))], ["smokes", "drinks"], weight=2),
            Form([Group(["ill"], Uniform(0.8))], ["drinks"]),
        ),
        "three forms, one of them clear, one with reports of its own": several(
            Form([Group(["drinks", "ill"], Unrelated(0.5, WEIGHTS))], weight=3),
            Form(clear=["ill", "smokes", "drinks"]),
            Form([Group(["ill"], Crosswise(0.3)), Group(["smokes"], Flip(0.7))], weight=3),
        ),
        "modules": Design.modules(
            [ILL, SMOKES, DRINKS], target="ill", mechanism=Uniform(epsilon=1)
        ),
    },
    "attributes": {
        "a number is cut into bins": hidden(Uniform(0.5), AGE),
        "finer answers are merged": hidden(Flip(0.9), LIVES),
        "bins and merged values in clear": Design(
            [ILL, AGE, LIVES], groups=[Group(["ill"], Uniform(0.5))]
        ),
    },
}


def lines(subject: str) -> Iterator[dict[str, Any]]:
    """Make the vectors of one subject."""
    for what, design in SUBJECTS[subject].items():
        random = Random(f"{subject}: {what}")
        cases = [case(design, random_truth(design, random), random) for _ in range(CASES)]
        yield {"what": what, "design": design.document(), "cases": cases}


def text(subject: str) -> str:
    """Write one subject, one design a line."""
    parts = [json.dumps(line, ensure_ascii=False) for line in lines(subject)]
    return "[\n" + ",\n".join(parts) + "\n]\n"


def main() -> None:
    """Write all subjects."""
    for subject in SUBJECTS:
        (HERE / f"{subject}.json").write_text(text(subject), encoding="utf-8")


if __name__ == "__main__":
    main()
