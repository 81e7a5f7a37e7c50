"""P2: the coin is the one displayed, in Python and in the browser's half.

False alarms: |z| < 5 fails by chance with probability 5.7e-7, so 19 thetas in two languages
fail once in 46,000 runs; the chi-square tests have the same level each, and there are four.
"""

import json
import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from frankly import Attribute, Design, Flip, Form, Group, Kuk, Tape, Uniform, Unrelated
from frankly.randomize import draw_blocks

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src/frankly/web"
DRAWS = 1_000_000
LEVEL = 5.7e-7
THETAS = [Fraction(k, 20) for k in range(1, 20)]
SEVEN_TENTHS = Fraction(7, 10)

ILL = Attribute("ill", ["no", "yes"])
DRINKS = Attribute("drinks", ["never", "sometimes", "often"])
BOTH = ["ill", "drinks"]
TRUTH = {"ill": 0, "drinks": 1}
DESIGNS = {
    "a joint cover with a rare and an empty cell": Design(
        [ILL, DRINKS],
        groups=[Group(BOTH, Unrelated("1/3", [[50, 10, 0], [1, 19, 20]]))],
        accept_infinite_epsilon=True,
    ),
    "forms: a cover by attribute, cards, and a uniform cover": Design(
        [ILL, DRINKS],
        forms=[
            Form([Group(BOTH, Unrelated(0.3, {"ill": [3, 1], "drinks": [9, 7, 4]}))], weight=3),
            Form([Group(["ill"], Kuk(0.8, 0.3, draws=3))], ["drinks"], weight=2),
            Form([Group(["drinks"], Uniform(0.1))]),
        ],
    ),
}
Counts = dict[tuple[Any, ...], int]


def z(told: int, theta: Fraction) -> float:
    """Tell how many standard errors the draws lie from the stated theta."""
    chance = float(theta)
    return abs(told - DRAWS * chance) / math.sqrt(DRAWS * chance * (1 - chance))


def wrong(told: Iterable[int], thetas: Iterable[Fraction] = THETAS) -> list[Fraction]:
    """List the thetas that a million draws contradict."""
    return [theta for count, theta in zip(told, thetas, strict=True) if not z(count, theta) < 5]


def chances(design: Design) -> dict[tuple[Any, ...], float]:
    """Give the probability of every report of the person in `TRUTH`."""
    total = sum(form.weight for form in design.forms)
    found = {}
    for index, form in enumerate(design.forms):
        names = [name for name in design.names if name in form.names]
        truth = np.zeros(form.sizes(names))
        truth[tuple(TRUTH[name] for name in names)] = form.weight / total
        for cell, chance in np.ndenumerate(form.push(truth, names)):
            codes = dict(zip(names, cell, strict=True))
            found[report(design, index, codes)] = float(chance)
    return found


def report(design: Design, index: int, codes: dict[str, int]) -> tuple[Any, ...]:
    """Write a report as its labels, after its form when there are several."""
    form = design.forms[index]
    labels = [form.reported(n)[codes[n]] if n in form.names else None for n in design.names]
    return (index, *labels) if len(design.forms) > 1 else tuple(labels)


def fits(design: Design, counts: Counts) -> bool:
    """Tell whether the counts of reports may come from this design."""
    expected = chances(design)
    possible = [cell for cell, chance in expected.items() if chance > 0]
    if not set(counts) <= set(possible):
        return False
    seen = [counts.get(cell, 0) for cell in possible]
    test = chisquare(seen, [DRAWS * expected[cell] for cell in possible])
    return bool(test.pvalue > LEVEL)


def told_in_python(theta: Fraction, tape: Tape) -> int:
    truth = np.zeros(DRAWS, dtype=np.uint8)
    (reports,) = Flip(theta).draw([truth], [2], tape)
    return int((reports == 0).sum())


def reports_in_python(design: Design) -> Counts:
    truths = {name: np.full(DRAWS, code, dtype=np.uint8) for name, code in TRUTH.items()}
    counts: Counts = Counter()
    for drawn in draw_blocks(design, truths, Tape.secure()):
        columns = [drawn.form, *(drawn.columns[name] for name in design.names)]
        cells, sizes = np.unique(np.stack(columns), axis=1, return_counts=True)
        for (index, *codes), n in zip(cells.T.tolist(), sizes.tolist(), strict=True):
            counts[report(design, index, dict(zip(design.names, codes, strict=True)))] += n
    return counts


def in_node(web: Path, thetas: list[Fraction], designs: dict[str, Design]) -> dict[str, Any]:
    truth = {a.name: a.values[TRUTH[a.name]] for a in (ILL, DRINKS)}
    documents = {what: {"design": d.document(), "truth": truth} for what, d in designs.items()}
    task = {"draws": DRAWS, "thetas": [str(theta) for theta in thetas], "designs": documents}
    command = ["node", str(ROOT / "tests/web/coin.js"), str(web), json.dumps(task)]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    heard: dict[str, Any] = json.loads(said.stdout)
    return heard


def as_counts(heard: dict[str, int]) -> Counts:
    return {tuple(json.loads(cell)): n for cell, n in heard.items()}


def mutated(folder: Path, file: str, line: str, mutant: str) -> Path:
    """Copy the browser's half with one line changed."""
    web = folder / "web"
    shutil.copytree(WEB, web)
    (folder / "package.json").write_text('{"type": "module"}')
    source = (web / file).read_text(encoding="utf-8")
    assert source.count(line) == 1
    (web / file).write_text(source.replace(line, mutant), encoding="utf-8")
    return web


def test_a_million_draws_agree_with_every_theta_in_python() -> None:
    assert wrong(told_in_python(theta, Tape.secure()) for theta in THETAS) == []


def test_a_million_draws_agree_with_every_theta_in_the_browsers_half() -> None:
    assert wrong(in_node(WEB, THETAS, {})["told"]) == []


@pytest.mark.parametrize("what", DESIGNS)
def test_every_substitute_is_drawn_as_often_as_stated_in_python(what: str) -> None:
    assert fits(DESIGNS[what], reports_in_python(DESIGNS[what]))


def test_every_substitute_is_drawn_as_often_as_stated_in_the_browsers_half() -> None:
    heard = in_node(WEB, [], DESIGNS)["reports"]
    assert [what for what in DESIGNS if not fits(DESIGNS[what], as_counts(heard[what]))] == []


class ByteTape(Tape):
    """A mutant: a byte's remainder."""

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        return np.asarray((self.read(n) & 255) % 100 * q < 100 * p)


class RoundedTape(Tape):
    """A mutant: a number rounded to one decimal."""

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        return np.asarray(np.round(self.read(n) / 2**32, 1) < p / q)


class InvertedTape(Tape):
    """A mutant: the comparison the wrong way round."""

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        return ~super().toss(p, q, n)


# What each mutant makes of 7/10: THREATS P2.
PYTHON_MUTANTS = {ByteTape: 0.766, RoundedTape: 0.650, InvertedTape: 0.300}
TOSS = "return this.below(q) < p;"
NODE_MUTANTS = {
    "return (this.read() & 255) % 100 < (100 * p) / q;": 0.766,
    "return Math.round((this.read() / 2 ** 32) * 10) / 10 < p / q;": 0.650,
    "return this.below(q) >= p;": 0.300,
}


@pytest.mark.parametrize(("mutant", "share"), PYTHON_MUTANTS.items())
def test_a_wrong_coin_is_noticed_in_python(mutant: type[Tape], share: float) -> None:
    told = told_in_python(SEVEN_TENTHS, mutant.secure())
    assert wrong([told], [SEVEN_TENTHS]) == [SEVEN_TENTHS]
    assert told / DRAWS == pytest.approx(share, abs=0.0025)


@pytest.mark.parametrize(("mutant", "share"), NODE_MUTANTS.items())
def test_a_wrong_coin_is_noticed_in_the_browsers_half(
    mutant: str, share: float, tmp_path: Path
) -> None:
    web = mutated(tmp_path, "tape.js", TOSS, mutant)
    (told,) = in_node(web, [SEVEN_TENTHS], {})["told"]
    assert wrong([told], [SEVEN_TENTHS]) == [SEVEN_TENTHS]
    assert told / DRAWS == pytest.approx(share, abs=0.0025)


def test_wrong_substitutes_are_noticed(tmp_path: Path) -> None:
    line = "drawn < (end += weight)"
    web = mutated(tmp_path, "mechanism/cover.js", line, line.replace("<", "<="))
    heard = in_node(web, [], DESIGNS)["reports"]
    assert [what for what in DESIGNS if fits(DESIGNS[what], as_counts(heard[what]))] == []


# What is not code: comments, texts, and the text around the holes of a template.
WORDS = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.S
)
HOLE = re.compile(r"\$\{[^}]*\}")


def weak(source: str) -> bool:
    """Tell whether a script tosses a weak coin: a weak source, or a draw by remainder."""
    code = WORDS.sub(lambda words: " ".join(HOLE.findall(words[0])), source)
    draws = re.search(r"tape|getRandomValues", code, re.I)
    return "Math.random" in code or bool(draws and "%" in code)


def test_no_shipped_script_tosses_a_weak_coin() -> None:
    scripts = sorted(WEB.rglob("*.js"))
    assert [path.name for path in scripts if weak(path.read_text(encoding="utf-8"))] == []
    assert {"tape.js", "cover.js", "randomize.js"} <= {path.name for path in scripts}


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("if (Math.random() < 0.7) tell();", True),
        ("const straight = crypto.getRandomValues(new Uint8Array(1))[0] % 100 < 70;", True),
        ("const code = tape.read() % size;", True),
        ("const text = `${tape.read() % 2}`;", True),
        ("// 70 % of all\nconst width = `${share}%`; tape.below(10);", False),
        ("const even = row % 2 === 0;", False),
    ],
)
def test_the_check_knows_a_weak_coin(source: str, verdict: bool) -> None:
    assert weak(source) is verdict
