"""check, audit and advise: exit codes that scripts can use, and files that can be read."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    asked = [fk.Attribute(name, ["no", "yes"]) for name in ("ill", "smokes", "sex")]
    groups = [fk.Group([name], fk.Uniform(0.5)) for name in ("ill", "smokes")]
    path = tmp_path / "survey.json"
    fk.Design(asked, groups=groups, title="Ward").save(path)
    return path


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (("--max-epsilon", 2.2), 0),
        (("--max-epsilon", 2.1), 1),
        (("--max-posterior", 0.76), 0),
        (("--max-posterior", 0.74), 1),
        (("--max-exposed", 0), 0),
        (("--min-privacy", 0.37), 0),
        (("--min-privacy", 0.38), 1),
    ],
)
def test_a_broken_limit_ends_with_one(survey: Path, limit: tuple[Any, ...], code: int) -> None:
    shown = run("check", survey, *limit)
    assert shown.exit_code == code, shown.output
    assert ("broken" in shown.stderr) is bool(code)
    assert shown.stdout.startswith("Privacy of Ward")


def test_a_prior_is_read_from_the_line(survey: Path) -> None:
    shown = json.loads(run("check", survey, "--prior", "ill=0.1", "--json").stdout)
    ill = next(one for one in shown["attributes"] if one["name"] == "ill")
    assert ill["prior"] == [0.9, 0.1]
    assert ill["posterior"][1][1] == pytest.approx(0.25)
    assert shown["broken"] == []
    assert run("check", survey, "--prior", "worst").exit_code == 0
    assert run("check", survey, "--prior", "ill=often").exit_code == 2
    assert run("check", survey, "--prior", "ill=0.2,0.3,0.5").exit_code == 2


def test_proof_is_refused_unless_accepted_by_name(tmp_path: Path) -> None:
    path = tmp_path / "flip.json"
    asked = [fk.Attribute(name, ["no", "yes"]) for name in "ab"]
    group = fk.Group(["a", "b"], fk.Flip(0.7))
    accepted = fk.Design(asked, groups=[group], accept_infinite_epsilon=True)
    accepted.save(path)
    assert run("check", path).exit_code == 0
    assert run("check", path, "--max-epsilon", 9).exit_code == 1
    document = json.loads(path.read_text())
    del document["accept_infinite_epsilon"]
    path.write_text(json.dumps(document))
    refused = run("check", path, "--json")
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["record"]["epsilon"] == "infinite"
    assert "accept_infinite_epsilon" in refused.stderr


def test_pages_and_pictures_are_written(survey: Path, tmp_path: Path) -> None:
    page, text, picture = (tmp_path / name for name in ("p.html", "p.md", "p.svg"))
    shown = run(
        "check", survey, "--html", page, "--markdown", text, "--svg", picture, "--respondent"
    )
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Nobody can see your answer")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert text.read_text(encoding="utf-8").startswith("# ")
    assert picture.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_reports_are_audited_with_and_without_truths(
    survey: Path, tmp_path: Path, kind: str
) -> None:
    truths = tmp_path / "truths.csv"
    rows = ["no,no,yes", "yes,yes,no", "no,yes,no"] * 100
    truths.write_text("ill,smokes,sex\n" + "\n".join(rows) + "\n")
    reports = tmp_path / f"reports.{kind}"
    seeded = ("--simulate", "--seed", 3)
    assert run("randomize", truths, "-d", survey, "-o", reports, *seeded).exit_code == 0
    alone = json.loads(run("audit", reports, "--json").stdout)
    assert (alone["people"], alone["checked"]) == (300, False)
    page = tmp_path / "audit.html"
    checked = run("audit", reports, "--truths", truths, "--classes", 2, "--html", page)
    assert checked.exit_code == 0, checked.output
    assert "checked against the truths" in checked.stdout
    assert "What an attacker finds" in page.read_text(encoding="utf-8")
    assert run("audit", reports, "--max-exposed", 0).exit_code == 0
    never = run("audit", reports, "--max-exposed", 90)
    assert (never.exit_code, "A share of 70 % is written 0.7" in never.stderr) == (2, True)
    stated = run("check", survey, "--reports", reports)
    assert "estimated from the reports" in stated.stdout
    assert stated.stderr == ""
    assert "If it holds true answers" in run("check", survey, "--reports", truths).stderr


def test_exposed_reports_end_with_one(tmp_path: Path) -> None:
    names = [f"q{i}" for i in range(12)]
    asked = [fk.Attribute(name, ["no", "yes"]) for name in names]
    # Four groups that hide well stand beside the one that does not, and make it no better.
    alone = [fk.Group([name], fk.Uniform(0.5)) for name in names[8:]]
    design = fk.Design(asked, groups=[fk.Group(names[:8], fk.Uniform(0.5)), *alone])
    survey, truths, reports = (tmp_path / name for name in ("s.json", "t.csv", "r.parquet"))
    design.save(survey)
    rows = [",".join([value] * 12) for value in ("no", "yes")] * 200
    truths.write_text(",".join(names) + "\n" + "\n".join(rows) + "\n")
    run("randomize", truths, "-d", survey, "-o", reports, "--simulate", "--seed", 1)
    shown = run("audit", reports, "--max-exposed", 0.5)
    assert shown.exit_code == 1
    assert "broken" in shown.stderr


def test_advice_is_a_survey_that_checks_out(survey: Path, tmp_path: Path) -> None:
    advised, picture = tmp_path / "advised.json", tmp_path / "front.svg"
    wishes = ("--n", 4000, "--precision", 0.06, "--max-epsilon", 2)
    shown = run("advise", "--questions", survey, *wishes, "-o", advised, "--svg", picture)
    assert shown.exit_code == 0, shown.output
    assert "4,000 people" in shown.stdout
    assert run("check", advised, "--max-epsilon", 2).exit_code == 0
    design = fk.Design.load(advised)
    assert design.title == "Ward"
    assert all(form.clear == ("sex",) for form in design.forms)
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_impossible_wishes_end_with_one_and_an_offer(survey: Path) -> None:
    wishes = ("--n", 2000, "--precision", 0.03, "--max-epsilon", 1)
    shown = run("advise", "--questions", survey, *wishes)
    assert shown.exit_code == 1
    assert "Relax one of them" in shown.stdout
    machine = json.loads(run("advise", "--questions", survey, *wishes, "--json").stdout)
    assert machine["possible"] is False
    assert {one["wish"] for one in machine["relaxed"]} == {"n", "precision", "max_epsilon"}
    assert run("advise", "--questions", survey, "--n", 200).exit_code == 2


def test_everybody_is_told_of_the_form_they_get(tmp_path: Path) -> None:
    path, ill = tmp_path / "two.json", fk.Attribute("ill", ["no", "yes"])
    hidden = [fk.Form([fk.Group(["ill"], fk.Uniform(theta))]) for theta in (0.2, 0.9)]
    fk.Design([ill], forms=[*hidden, fk.Form(clear=["ill"])]).save(path)
    shown = run("check", path, "--respondent").stdout
    assert [part in shown for part in ("Form 1", "Form 2", "Form 3")] == [True] * 3
    assert shown.count("Of 100 people like you") == 2
    fk.Design([ill], forms=hidden[:1] * 2).save(path)
    assert "Form 1" not in run("check", path, "--respondent").stdout


@pytest.mark.parametrize("name", ["naive-bayes", "naive_bayes"])
def test_a_miner_is_spelled_as_mine_does_or_as_python_does(survey: Path, name: str) -> None:
    wishes = ("--n", 4000, "--max-epsilon", 2, "--mine", name, "--target", "ill")
    shown = run("advise", "--questions", survey, *wishes)
    assert shown.exit_code == 0, shown.output


def test_shares_are_expected_of_all_or_of_each(survey: Path) -> None:
    def people(*shares: str) -> int:
        given = [word for share in shares for word in ("--share", share)]
        wishes = ("--precision", 0.06, "--max-epsilon", 2, "--json")
        shown = json.loads(run("advise", "--questions", survey, *wishes, *given).stdout)
        return int(shown["best"]["n"])

    rare = people("0.05")
    assert rare == people("ill=0.05", "smokes=0.05") < people("ill=0.05", "smokes=0.5") == people()
    for mistake in (("0.1", "ill=0.1"), ("ill=often",), ("ill=0.2,0.3,0.5",), ("age=0.1",)):
        words = [word for share in mistake for word in ("--share", share)]
        shown = run("advise", "--questions", survey, "--n", 900, "--precision", 0.1, *words)
        assert shown.exit_code == 2, mistake


@pytest.mark.parametrize("name", ["truths.csv", "truths.parquet"])
def test_truths_that_cannot_be_read_are_not_shown(survey: Path, tmp_path: Path, name: str) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / name
    good.write_text("ill,smokes,sex\nyes,no,no\nno,no,yes\n")
    assert run("randomize", good, "-d", survey, "-o", tmp_path / "r.parquet").exit_code == 0
    bad.write_text("ill,smokes,sex\nyes,no,no,SECRET\n")
    refused = run("audit", tmp_path / "r.parquet", "--truths", bad)
    assert refused.exit_code == 2, refused.output
    assert "cannot be read" in refused.stderr
    assert "SECRET" not in refused.output + repr(refused.exception)


def test_truths_in_csv_are_texts_whatever_they_look_like(tmp_path: Path) -> None:
    asked = [fk.Attribute("code", ["01", "true"])]
    path = tmp_path / "coded.json"
    fk.Design(asked, groups=[fk.Group(["code"], fk.Uniform(0.5))]).save(path)
    truths = tmp_path / "truths.csv"
    truths.write_text("code\n" + "01\n" * 60)
    assert run("randomize", truths, "-d", path, "-o", tmp_path / "r.csv").exit_code == 0
    shown = run("audit", tmp_path / "r.csv", "--truths", truths)
    assert shown.exit_code == 0, shown.output
