"""The browser sends what Python sends: the same words give the same report."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.designs import random_design, random_truth
from conformance.make import SUBJECTS, text
from conformance.record import Case, case, send
from frankly import Design, Tape
from frankly.errors import FranklyError
from frankly.mechanism import MECHANISMS

ROOT = Path(__file__).parents[1]
WEB = ROOT / "src/frankly/web"
GOLDEN = ROOT / "conformance"

Line = dict[str, Any]


def golden(subject: str) -> list[Line]:
    lines: list[Line] = json.loads((GOLDEN / f"{subject}.json").read_text(encoding="utf-8"))
    return lines


@cache
def random_lines(designs: int = 2_000, truths: int = 3) -> list[Line]:
    random = Random(2007)
    made = []
    for _ in range(designs):
        design = random_design(random)
        cases = [case(design, random_truth(design, random), random) for _ in range(truths)]
        made.append({"design": design.document(), "cases": cases})
    return made


def spoken(web: Path, lines: list[Line], folder: Path) -> list[list[Any]]:
    """Ask one node process for the reports of all lines."""
    file = folder / "lines.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = ["node", str(ROOT / "tests/web/speak.js"), str(web), str(file)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    return [json.loads(line) for line in said.stdout.splitlines()]


def mismatches(web: Path, lines: list[Line], folder: Path) -> list[tuple[Case, Any]]:
    """List every record on which the two halves differ, in the report or in the words read."""
    said = spoken(web, lines, folder)
    return [
        (one, heard)
        for line, reports in zip(lines, said, strict=True)
        for one, heard in zip(line["cases"], reports, strict=True)
        if heard != {"report": one["report"], "used": len(one["words"])}
    ]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_python_sends_the_golden_report(subject: str) -> None:
    for line in golden(subject):
        design = Design.from_document(line["design"])
        for one in line["cases"]:
            tape = Tape.recorded(one["words"])
            assert send(design, one["truth"], tape) == one["report"], line["what"]
            with pytest.raises(FranklyError, match="the recorded tape ends"):
                tape.read(1)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_golden_vectors_are_the_ones_that_make_writes(subject: str) -> None:
    assert (GOLDEN / f"{subject}.json").read_text(encoding="utf-8") == text(subject)


def test_the_golden_vectors_cover_every_device_and_rejected_words() -> None:
    others = {"odds", "privacy"}  # what the page says, not what a tape gives
    assert {path.stem for path in GOLDEN.glob("*.json")} - others == set(SUBJECTS)
    forms = [form for s in SUBJECTS for line in golden(s) for form in line["design"]["forms"]]
    groups = [group for form in forms for group in form.get("groups", [])]
    assert {group["mechanism"]["kind"] for group in groups} == set(MECHANISMS)
    half = next(line for line in golden("unrelated") if "half of all words" in line["what"])
    assert max(len(one["words"]) for one in half["cases"]) > 2  # a cover and a toss need two


def test_the_browser_sends_what_python_sends(tmp_path: Path) -> None:
    lines = random_lines()
    assert len(lines) >= 2_000
    assert mismatches(WEB, lines, tmp_path) == []


def test_the_random_designs_cover_everything_a_design_can_say() -> None:
    designs = [line["design"] for line in random_lines()]
    forms = [form for design in designs for form in design["forms"]]
    groups = [group for form in forms for group in form["groups"]]
    devices = [group["mechanism"] for group in groups]
    covers = {type(device.get("cover")) for device in devices if device["kind"] == "unrelated"}
    assert {device["kind"] for device in devices} == set(MECHANISMS)
    assert covers == {type(None), dict, list}
    assert {key for device in devices for key in device} >= {"asked", "reports", "scores"}
    assert {key for d in designs for a in d["attributes"] for key in a} >= {"bins", "merged"}
    assert {len(design["attributes"]) for design in designs} == {1, 2, 3, 4, 5}
    assert {len(design["forms"]) for design in designs} == {1, 2, 3}
    assert {len(form["groups"]) for form in forms} == {1, 2, 3}


def test_a_design_read_from_its_document_is_the_same_design() -> None:
    for line in random_lines():
        assert Design.from_document(line["design"]).document() == line["design"]


# One line changed each; the differential test must notice all of them.
MUTANTS = {
    "a threshold 0.1 % too high": (
        "tape.js",
        "return this.below(q) < p;",
        "return this.below(q) < p * 1.001;",
    ),
    "a threshold one too high": (
        "tape.js",
        "return this.below(q) < p;",
        "return this.below(q) <= p;",
    ),
    "a word too many is accepted": ("tape.js", "word >= width * q", "word > width * q"),
    "no word is thrown away": ("tape.js", "word >= width * q", "false"),
    "a draw by remainder": ("tape.js", "Math.floor(word / width)", "word % q"),
    "weights one too wide": (
        "mechanism/cover.js",
        "drawn < (end += weight)",
        "drawn <= (end += weight)",
    ),
    "a joint cover read the other way round": (
        "mechanism/cover.js",
        "[...place(rest, sizes.slice(0, -1)), position - rest * size]",
        "[position - rest * size, ...place(rest, sizes.slice(0, -1))]",
    ),
    "the toss before the substitutes": (
        "mechanism/base.js",
        """const substitutes = standIn(device, group, tape);
  return tape.toss(p, q) ? group.truth : substitutes;""",
        "return tape.toss(p, q) ? group.truth : standIn(device, group, tape);",
    ),
    "a number equal to a cut falls below it": (
        "design.js",
        "cut <= Number(answer)",
        "cut < Number(answer)",
    ),
    "weights of forms ignored": ("randomize.js", "({ weight = 1 }) => weight", "() => 1"),
    "reports without names of their own": ("randomize.js", ", mechanism.reports)", ")"),
}


@pytest.mark.parametrize(("file", "line", "mutant"), MUTANTS.values(), ids=MUTANTS.keys())
def test_a_changed_line_in_the_browser_is_noticed(
    file: str, line: str, mutant: str, tmp_path: Path
) -> None:
    changed = tmp_path / "web"
    shutil.copytree(WEB, changed)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    source = (changed / file).read_text(encoding="utf-8")
    assert source.count(line) == 1
    (changed / file).write_text(source.replace(line, mutant), encoding="utf-8")
    found = mismatches(changed, random_lines(), tmp_path)
    assert any("report" in heard for _, heard in found)
