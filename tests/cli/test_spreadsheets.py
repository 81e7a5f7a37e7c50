"""CSV files as spreadsheets write them: what is wrong is said, and no value of them is shown."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main

HEADER = "ill,smokes\n"
ROWS = "yes,canary\nno,canary\n" * 5
GOOD = HEADER + ROWS


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    asked = [fk.Attribute("ill", ["no", "yes"]), fk.Attribute("smokes", ["canary", "yes"])]
    groups = [fk.Group([one.name], fk.Uniform(0.7)) for one in asked]
    fk.Design(asked, groups=groups).save(tmp_path / "s.yaml")
    return tmp_path / "s.yaml"


TELLING = {
    "Latin-1 in a row": ((GOOD + "yes,gr\u00fcn\n").encode("latin-1"), "UTF-8"),
    "Latin-1 in the header": (("gr\u00f6\u00dfe," + GOOD).encode("latin-1"), "UTF-8"),
    "Latin-1 at the very end": (GOOD.encode() + b"yes,canary\xc3", "UTF-8"),
    "UTF-16": (GOOD.encode("utf-16"), "UTF-8"),
    "UTF-16 without a mark": (GOOD.encode("utf-16-le"), "UTF-8"),
    "nothing": (b"", "is empty"),
    "semicolons": (GOOD.replace(",", ";").encode(), "separated by commas"),
    "tabs": (GOOD.replace(",", "\t").encode(), "separated by commas"),
    "capitals": (GOOD.replace("ill", "Ill").encode(), 'there is a column "Ill"'),
    "blanks": (GOOD.replace(",", ", ").encode(), 'there is a column " smokes"'),
    "no header": (ROWS.encode(), 'the column "ill" is missing'),
    "a row that is too long": ((GOOD + "yes,canary,canary\n").encode(), "more or fewer values"),
}


@pytest.mark.parametrize(("data", "words"), TELLING.values(), ids=TELLING)
def test_what_a_spreadsheet_did_to_the_truths_is_said(
    survey: Path, tmp_path: Path, data: bytes, words: str
) -> None:
    good, bad, reports = (tmp_path / name for name in ("good.csv", "bad.csv", "r.parquet"))
    good.write_text(GOOD)
    bad.write_bytes(data)
    assert run("randomize", good, "-d", survey, "-o", reports).exit_code == 0
    for command in (
        ("randomize", bad, "-d", survey, "-o", tmp_path / "new.parquet"),
        ("audit", reports, "--truths", bad),
    ):
        refused = run(*command)
        assert refused.exit_code == 2, refused.output
        assert words in refused.stderr
        assert "bad.csv" in refused.stderr
        assert "canary" not in refused.output
        assert "gr\u00f6" not in refused.output


@pytest.mark.parametrize("what", ["Latin-1 in a row", "UTF-16", "nothing"])
def test_what_a_spreadsheet_did_to_reports_is_said(survey: Path, tmp_path: Path, what: str) -> None:
    data, words = TELLING[what]
    (tmp_path / "r.csv").write_bytes(data)
    refused = run("estimate", tmp_path / "r.csv", "ill", "-d", survey)
    assert refused.exit_code == 2, refused.output
    assert words in refused.stderr


def test_answers_in_the_place_of_a_heading_are_not_shown(survey: Path, tmp_path: Path) -> None:
    bare = tmp_path / "r.csv"
    bare.write_text("canary,no\nyes,no\n")
    refused = run("estimate", bare, "ill", "-d", survey)
    assert refused.exit_code == 2, refused.output
    assert "canary" not in refused.output
    assert "its first row must name the questions" in refused.stderr
