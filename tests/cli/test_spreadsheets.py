"""CSV files as spreadsheets write them: what is wrong is said, and no value of them is shown."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main
from frankly.count import Query
from frankly.randomize import randomize_file

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
    for command in (("estimate", tmp_path / "r.csv", "ill"), ("pool", tmp_path / "r.csv")):
        refused = run(*command, "-d", survey)
        assert refused.exit_code == 2, refused.output
        assert words in refused.stderr


def test_our_own_csv_reports_are_read_by_every_command(tmp_path: Path) -> None:
    """With labels and names that a spreadsheet would compute, and from columns of any type."""
    asked = {"-s": ["-1", "0", "1"], "b": ["False", "True"], "n": ["1", "2"], "=": ["@a", "'@a"]}
    design = fk.Design([fk.Attribute(name, values) for name, values in asked.items()])
    rows = 60
    truths = {
        "-s": pa.array([-1, 0, 1] * (rows // 3)),
        "b": pa.array([True, False] * (rows // 2)),
        "n": pa.array([1, 2, 2] * (rows // 3)),
        "=": pa.array(["@a", "'@a", "'@a"] * (rows // 3)),
    }
    pq.write_table(pa.table(truths), tmp_path / "t.parquet")
    randomize_file(design, tmp_path / "t.parquet", tmp_path / "r.parquet")
    randomize_file(design, tmp_path / "t.parquet", tmp_path / "r.csv")
    queries = [Query(name) for name in asked] + [Query("b", 0, [("-s", "-1"), ("=", "@a")])]
    one, other = (
        [counts.table.tolist() for counts in fk.open(tmp_path / name, design).count(queries)]
        for name in ("r.parquet", "r.csv")
    )
    assert one == other == [[20, 20, 20], [30, 30], [20, 40], [20, 40], [10, 10]]
    for name, values in asked.items():
        shown = run("estimate", tmp_path / "r.csv", "--", name)
        assert shown.exit_code == 0, shown.output
        assert all(value in shown.output for value in values)
    pooled = run("pool", tmp_path / "r.csv", tmp_path / "r.parquet")
    assert (pooled.exit_code, "120 reports" in pooled.output) == (0, True), pooled.output
    found = fk.estimate(design, str(tmp_path / "r.csv"), ["n"]).n
    assert found == rows, "a path of a CSV file is opened as well"


def test_answers_in_the_place_of_a_heading_are_not_shown(survey: Path, tmp_path: Path) -> None:
    bare = tmp_path / "r.csv"
    bare.write_text("canary,no\nyes,no\n")
    refused = run("estimate", bare, "ill", "-d", survey)
    assert refused.exit_code == 2, refused.output
    assert "canary" not in refused.output
    assert "its first row must name the questions" in refused.stderr
