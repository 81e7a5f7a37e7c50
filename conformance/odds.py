"""Golden odds: what the page tells people must be what Python computes.

``python -m conformance.odds`` writes odds.json: for each form of each design its epsilon, and for
each protected question the chances of every report given every truth.
"""

import json
import math
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from conformance.designs import random_design
from frankly import Design, Form

__all__ = ["odds", "text"]

FILE = Path(__file__).with_name("odds.json")
DESIGNS = 60


def odds(design: Design) -> list[dict[str, Any]]:
    """Give epsilon and channels of every form."""
    return [of_form(form) for form in design.forms]


def of_form(form: Form) -> dict[str, Any]:
    """Give epsilon (null when infinite) and each protected question's channel."""
    names = [name for group in form.groups for name in group.names]
    epsilon = form.epsilon if math.isfinite(form.epsilon) else None
    return {"epsilon": epsilon, "channels": {name: channel(form, name) for name in names}}


def channel(form: Form, name: str) -> list[list[float]]:
    """Give the chance of every report of one question, a row a truth."""
    size = form.sizes([name])[0]
    return [form.push(np.eye(size)[truth], [name]).tolist() for truth in range(size)]


def text() -> str:
    """Write the golden odds of random designs."""
    random = Random(1965)
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(DESIGNS):
            design = random_design(random)
            lines.append({"design": design.document(), "odds": odds(design)})
    return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
