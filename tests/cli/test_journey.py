"""From a table of truths to shares, by commands alone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main
from frankly.cli.demo import POPULATION, compared, simulated
from frankly.cli.new import sample
from frankly.design import Design

PEOPLE = 20_000


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def answered(shown: Result) -> Any:
    assert shown.exit_code == 0, shown.stderr
    return json.loads(shown.stdout)


@pytest.fixture(params=["parquet", "csv"])
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ward(tmp_path: Path, suffix: str) -> Path:
    """A folder with a survey and the truths of many people, who all have an address too."""
    run("new", tmp_path / "survey.yaml")
    people = simulated(PEOPLE, np.random.default_rng(5))
    table = pa.table({**people, "address": [f"{i} High Street" for i in range(PEOPLE)]})
    if suffix == "csv":
        pyarrow.csv.write_csv(table, tmp_path / "truths.csv")
    else:
        pq.write_table(table, tmp_path / "truths.parquet")
    return tmp_path


def randomized(ward: Path, suffix: str, *more: object) -> Result:
    reports = ward / f"reports.{suffix}"
    survey = ward / "survey.yaml"
    return run("randomize", ward / f"truths.{suffix}", "-d", survey, "-o", reports, *more)


def test_truths_go_in_and_shares_come_out(ward: Path, suffix: str) -> None:
    made = randomized(ward, suffix, "--simulate", "--seed", 7)
    assert made.exit_code == 0
    assert f"{PEOPLE:,} reports in reports.{suffix}" in made.stdout
    assert "address" in made.stderr
    for name, truth in POPULATION.items():
        shown = answered(run("estimate", ward / f"reports.{suffix}", name, "--json"))
        for row in shown["rows"]:
            # Five standard errors: each of nine rows fails once in a million seeds.
            assert abs(row["share"] - truth[row[name]]) < 5 * row["stderr"]


def test_text_and_json_say_the_same(ward: Path, suffix: str) -> None:
    randomized(ward, suffix)
    reports = ward / f"reports.{suffix}"
    rows = answered(run("estimate", reports, "mistake", "--level", 0.9, "--json"))["rows"]
    text = run("estimate", reports, "mistake", "--level", 0.9).stdout
    for row in rows:
        for number in ("share", "stderr", "low", "high"):
            assert f"{100 * row[number]:.1f}%" in text


def test_shares_within_each_value_of_another_question(ward: Path, suffix: str) -> None:
    randomized(ward, suffix)
    reports = ward / f"reports.{suffix}"
    rows = answered(run("estimate", reports, "drove", "--by", "shift", "--json"))["rows"]
    assert [(row["drove"], row["shift"]) for row in rows] == [
        (drove, shift) for drove in ("no", "yes") for shift in ("days", "nights")
    ]
    for shift in ("days", "nights"):
        told = sum(row["share"] for row in rows if row["shift"] == shift)
        assert told == pytest.approx(1)


def test_a_seed_gives_the_same_reports_and_none_gives_others(ward: Path, suffix: str) -> None:
    reports = ward / f"reports.{suffix}"
    drawn = []
    for more in (["--simulate", "--seed", 3], ["--simulate", "--seed", 3], []):
        assert randomized(ward, suffix, "--force", *more).exit_code == 0
        drawn.append(reports.read_bytes())
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_seed_is_refused_for_real_people(ward: Path, suffix: str) -> None:
    refused = randomized(ward, suffix, "--seed", 3)
    assert refused.exit_code == 2
    assert "--simulate" in refused.stderr
    assert not (ward / f"reports.{suffix}").exists()


def test_randomize_tells_machines_what_it_wrote(ward: Path, suffix: str) -> None:
    told = answered(randomized(ward, suffix, "--json"))
    assert (told["reports"], told["left_out"]) == (PEOPLE, ["address"])
    assert told["fingerprint"] == Design.load(ward / "survey.yaml").fingerprint
    assert all(Path(path).is_file() for path in told["files"])


def test_reports_of_another_survey_are_refused(ward: Path, suffix: str) -> None:
    randomized(ward, suffix)
    other = ward / "other.yaml"
    other.write_text((ward / "survey.yaml").read_text().replace('"1/2"', '"1/3"'))
    refused = run("estimate", ward / f"reports.{suffix}", "mistake", "-d", other)
    assert refused.exit_code == 2
    assert "made under" in refused.stderr


def test_reports_that_lost_their_survey_need_it_named(ward: Path) -> None:
    truths = next(ward.glob("truths.*"))
    refused = run("estimate", truths, "mistake")
    assert refused.exit_code == 2
    assert "--design" in refused.stderr
    assert run("estimate", truths, "mistake", "-d", ward / "survey.yaml").exit_code == 0


def test_a_folder_of_reports_is_read_as_one(ward: Path, suffix: str) -> None:
    parts = ward / "parts"
    parts.mkdir()
    for part in ("a", "b"):
        run("randomize", ward / f"truths.{suffix}", "-d", ward / "survey.yaml",
            "-o", parts / f"{part}.parquet")  # fmt: skip
    assert answered(run("estimate", parts, "took", "--json"))["n"] == 2 * PEOPLE


def test_a_bad_value_is_named_by_place_and_never_shown(tmp_path: Path) -> None:
    run("new", tmp_path / "survey.yaml")
    truths = tmp_path / "truths.csv"
    truths.write_text("mistake,took,drove,shift\nno,never,no,days\nyes,SECRET,no,days\n")
    before = sorted(tmp_path.iterdir())
    refused = randomized(tmp_path, "csv")
    assert refused.exit_code == 2
    assert 'truths.csv, row 2, column "took"' in refused.stderr
    assert "SECRET" not in refused.output
    assert sorted(tmp_path.iterdir()) == before


def test_bad_reports_are_refused_without_showing_them(tmp_path: Path) -> None:
    run("new", tmp_path / "survey.yaml")
    reports = tmp_path / "reports.csv"
    for rows in ("yes,SECRET,no,days", "yes,never,no,days,SECRET"):
        reports.write_text(f"mistake,took,drove,shift\n{rows}\n")
        refused = run("estimate", reports, "took", "-d", tmp_path / "survey.yaml")
        assert refused.exit_code == 2
        assert "SECRET" not in refused.output


def test_what_the_system_refuses_ends_with_1(ward: Path, suffix: str) -> None:
    target = ward / f"{'long' * 80}.{suffix}"
    refused = run("randomize", ward / f"truths.{suffix}", "-d", ward / "survey.yaml", "-o", target)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("frankly: ")


def test_the_demo_shows_estimates_beside_the_truth() -> None:
    told = answered(run("demo", "--people", 2000, "--json"))
    shown = run("demo", "--people", 2000, "--no-serve").stdout
    assert [(row["name"], row["value"]) for row in told["rows"]] == [
        (name, value) for name, shares in POPULATION.items() for value in shares
    ]
    for row in told["rows"]:
        assert row["truth"] == POPULATION[row["name"]][row["value"]]
        assert f"{100 * row['truth']:.1f}%" in shown


def test_the_demo_finds_the_truth() -> None:
    design = Design.from_document(yaml.safe_load(sample()))
    people = simulated(PEOPLE, np.random.default_rng(1))
    for row in compared(design, fk.randomize(design, people, fk.Tape.seeded(1))):
        # Five standard errors: each of nine rows fails once in a million seeds.
        assert abs(row["share"] - row["truth"]) < 5 * row["stderr"]
        assert row["low"] < row["share"] < row["high"]


def test_the_demo_tosses_a_real_coin() -> None:
    # Equal by chance less often than once in a million: nine shares of 2,000 people.
    first, second = (answered(run("demo", "--people", 2000, "--json")) for _ in range(2))
    assert first != second


def in_terminal(ward: Path, suffix: str, **env: str) -> str:
    """Randomize as if somebody watched, and give what is seen beside the result."""
    files = [ward / f"truths.{suffix}", "-d", ward / "survey.yaml", "-o", ward / f"seen.{suffix}"]
    words = [sys.executable, "-m", "frankly", "randomize", *map(str, files), "--force"]
    kept = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR"}}
    return subprocess.run(
        words, env={**kept, "TERM": "xterm", **env}, capture_output=True, text=True, check=True
    ).stderr


COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])")


def test_progress_is_shown_to_whoever_watches_and_in_colour_unless_unwanted(
    ward: Path, suffix: str
) -> None:
    watched = in_terminal(ward, suffix, FORCE_COLOR="1")
    assert "Randomizing" in watched
    assert COLOUR.search(watched)
    unwanted = in_terminal(ward, suffix, FORCE_COLOR="1", NO_COLOR="1")
    assert "Randomizing" in unwanted
    assert not COLOUR.search(unwanted)


def test_nobody_is_bothered_when_the_output_is_piped(ward: Path, suffix: str) -> None:
    piped = in_terminal(ward, suffix)
    assert piped == "Note: left out, because the survey does not ask them: address\n"


TOLD = """
import os, signal, sys
from contextlib import contextmanager
from frankly.cli import main, randomize

@contextmanager
def bar(what):
    yield lambda done, total: os.kill(os.getpid(), signal.SIGTERM)

randomize.progress_bar = bar
main(sys.argv[1:])
"""


def test_a_polite_signal_leaves_no_half_of_a_file(ward: Path, suffix: str) -> None:
    before = sorted(ward.iterdir())
    words = ["randomize", f"truths.{suffix}", "-d", "survey.yaml", "-o", f"r.{suffix}"]
    told = subprocess.run([sys.executable, "-c", TOLD, *words], cwd=ward, check=False, timeout=60)
    assert told.returncode == 143
    assert sorted(ward.iterdir()) == before
