"""The command line speaks in options, not in Python, and counts one as one."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main

NAMES = ("ill", "smokes", "drinks")
PYTHON = ("method='", "target=", "estimate(", "=True", "model.save", "NaiveBayes", " 1 reports")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def told(*words: object, code: int = 0) -> str:
    """Run a command, and give all it says, in which nothing is Python."""
    shown = run(*words)
    assert shown.exit_code == code, shown.output
    assert [word for word in PYTHON if word in shown.output] == []
    return shown.output


@pytest.fixture(autouse=True)
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A survey without a target, reports of one person, of alike people and of many."""
    monkeypatch.chdir(tmp_path)
    asked = [fk.Attribute(name, ["no", "yes"]) for name in NAMES]
    fk.Design(asked, groups=[fk.Group([*NAMES], fk.Uniform(0.4))]).save("s.json")
    rows = {"one": ["yes,no,no"], "alike": ["no,no,no"] * 300}
    rows["many"] = ["no,no,no", "yes,yes,no", "yes,yes,yes"] * 40
    for name, lines in rows.items():
        Path(f"{name}.csv").write_text("\n".join([",".join(NAMES), *lines]))


def test_an_estimate_names_the_option_that_stays_inside() -> None:
    shown = told("estimate", "one.csv", "ill", "-d", "s.json")
    assert "from 1 report\n" in shown
    assert "--method mle gives the nearest" in shown


def test_a_missing_target_is_asked_for_by_its_option() -> None:
    shown = told("mine", "id3", "many.csv", "-d", "s.json", code=2)
    assert "Give --target NAME, one of" in shown


def test_one_class_sends_people_to_the_command_that_shows_it() -> None:
    words = ("mine", "naive-bayes", "alike.csv", "-d", "s.json", "--target", "ill")
    shown = told(*words, code=2)
    assert "frankly estimate REPORTS TARGET" in shown


def test_a_fitted_tree_names_the_option_that_fits_nothing() -> None:
    words = ("many.csv", "-d", "s.json", "--target", "ill")
    assert "--method inverse" in told("mine", "id3", *words, "--method", "em")
    assert "--method inverse" in told("pool", *words, "--miner", "id3", "--method", "em")
    assert "--method inverse" not in told("pool", *words, "--miner", "id3", "--method", "inverse")


def test_rules_take_the_option_as_they_name_it() -> None:
    shown = told("mine", "rules", "many.csv", "-d", "s.json", "--method", "em", code=2)
    assert "only --method inverse gives" in shown


def test_a_model_that_is_none_names_the_command_that_writes_them() -> None:
    assert "written by frankly mine, pool and party join -o" in told(
        "judge", "s.json", "many.csv", code=2
    )


def test_a_confidence_above_everything_is_explained() -> None:
    shown = told("mine", "rules", "many.csv", "-d", "s.json", "--set", "chance=1")
    assert re.search(r"confidence 1\d\d\.\d%", shown), "some rule should overshoot"
    assert "above 100% is no mistake" in shown
    few = told("mine", "rules", "many.csv", "-d", "s.json", "--set", "max_size=1")
    assert "above 100%" not in few


def test_advice_asks_for_its_options() -> None:
    shown = told("advise", "--questions", "s.json", "--n", 1000, code=2)
    assert "(--n)" in shown
    assert "--max-epsilon, --max-posterior, --max-exposed or --min-privacy" in shown


def test_a_pool_says_which_rows_do_not_tell_their_survey() -> None:
    assert "If it holds true answers" in told("pool", "many.csv", "-d", "s.json")
    assert run("randomize", "many.csv", "-d", "s.json", "-o", "r.parquet").exit_code == 0
    for source in ("r.parquet", "r.*et"):  # a pattern carries what its files carry
        assert "If it holds" not in told("pool", source, "-d", "s.json")
        assert "120 reports" in told("pool", source)
