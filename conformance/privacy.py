"""Write the golden statements: ``python -m conformance.privacy``, always with the same result.

Every design of the golden vectors, with what a privacy statement and the respondent's page
say of it: chances of each report, epsilon, odds in natural frequencies, and the text. The
browser's twin (``web/odds.js``, ``web/words/en.js``) is held to the same numbers.
"""

import json
from pathlib import Path
from typing import Any

from conformance.make import SUBJECTS
from frankly import Attribute, Design, Flip, Unrelated
from frankly.design import Form, Group
from frankly.judge import Asking, privacy
from frankly.mechanism import Coin
from frankly.report import odds_of, respondent_text

__all__ = ["main", "text"]

FILE = Path(__file__).with_name("privacy.json")

ASKED = [
    Attribute("a", ["no", "yes"]),
    Attribute("b", ["1", "2", "3"]),
    Attribute("c", ["no", "yes"]),
]
TOSSES = [Group(["a"], Unrelated("8/25")), Group(["b"], Unrelated("4/25"))]

SAID = {
    "words: a span where groups differ": Design(
        ASKED, groups=[*TOSSES, Group(["c"], Unrelated("1/5"))]
    ),
    "words: a flip beside a draw": Design(ASKED, groups=[*TOSSES, Group(["c"], Flip("4/5"))]),
    "words: nothing but flips": Design(
        ASKED, groups=[Group(["a"], Flip("4/5")), Group(["c"], Flip("4/5"))]
    ),
    "words: a die of one's own": Design(
        ASKED, groups=[Group(["a", "b"], Unrelated("2/3"))], own_device="die"
    ),
}
"""Designs whose words differ."""


def group_odds(form: Form, index: int, group: Group) -> dict[str, Any]:
    """Give what one group says."""
    asking, odds, device = Asking.of(form), odds_of(group), group.device
    epsilon = asking.epsilon(index)
    return {
        "names": list(group.names),
        "told": float(device.theta) if isinstance(device, Coin) else None,
        "epsilon": "infinite" if epsilon == float("inf") else epsilon,
        "channels": [asking.channel(index, place).tolist() for place in range(len(group.names))],
        "own": None if odds is None else odds.own,
        "chance": None if odds is None else odds.chance,
        "about": None if odds is None else odds.about,
        "sentence": None if odds is None else odds.sentence(),
    }


def design_odds(design: Design) -> list[dict[str, Any]]:
    """Give what every form of a design says."""
    stated = privacy(design)
    return [
        {
            "form": index,
            "epsilon": stated.forms[index].to_dict()["epsilon"],
            "groups": [group_odds(form, i, group) for i, group in enumerate(form.groups)],
            "text": respondent_text(design, index),
        }
        for index, form in enumerate(design.forms)
    ]


def text() -> str:
    """Write all designs, one a line; there are no tapes here, so no cases."""
    lines = [
        {"what": what, "design": design.document(), "cases": [], "odds": design_odds(design)}
        for designs in (*SUBJECTS.values(), SAID)
        for what, design in designs.items()
    ]
    return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n]\n"


def main() -> None:
    """Write the file."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
