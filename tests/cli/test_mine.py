"""frankly mine and frankly judge: from files of reports to a judged model."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main
from frankly.cli.screen import in_options
from frankly.mine import MINERS, Miner


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def survey(theta: float = 0.6) -> fk.Design:
    attributes = [fk.Attribute(name, ["no", "yes"]) for name in ("ill", "smokes", "drinks")]
    group = fk.Group(["ill", "smokes", "drinks"], fk.Unrelated(theta))
    return fk.Design(attributes, groups=[group], target="ill")


def write(path: Path, seed: int, design: fk.Design) -> Path:
    rng = np.random.default_rng(seed)
    ill = rng.random(3000) < 0.4
    answers = {"ill": ill, "smokes": rng.random(3000) < 0.2 + 0.6 * ill}
    answers["drinks"] = rng.random(3000) < 0.5
    truths = pa.table({name: np.where(yes, "yes", "no") for name, yes in answers.items()})
    pq.write_table(fk.randomize(design, truths, fk.Tape.seeded(seed)), path)
    return path


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.parquet", 1, survey())


@pytest.fixture
def test(tmp_path: Path) -> Path:
    return write(tmp_path / "test.parquet", 2, survey())


@pytest.mark.parametrize("name", MINERS)
def test_every_miner_learns_saves_and_is_read_back(name: str, train: Path, tmp_path: Path) -> None:
    shown = run("mine", name, train, "-o", tmp_path / "model.json")
    assert shown.exit_code == 0, shown.output
    assert "3,000 reports" in shown.stdout
    assert shown.stderr.startswith("Note: ")
    model = fk.load(tmp_path / "model.json")
    assert model.kind == name
    assert in_options(model.summary()) == shown.stdout.rstrip("\n")


@pytest.mark.parametrize("name", [n for n, kind in MINERS.items() if issubclass(kind, Miner)])
def test_every_classifier_is_judged(name: str, train: Path, test: Path, tmp_path: Path) -> None:
    run("mine", name, train, "-o", tmp_path / "model.json")
    shown = run("judge", tmp_path / "model.json", test)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("accuracy on true answers   from 3,000 reports")
    found = json.loads(run("judge", tmp_path / "model.json", test, "--json").stdout)
    assert found["accuracy"] == pytest.approx(0.8, abs=0.08)  # four standard errors of .02
    narrow = run("judge", tmp_path / "model.json", test, "--about", "people", "--json").stdout
    assert json.loads(narrow)["stderr"] < found["stderr"]


def test_json_is_the_model_itself(train: Path, tmp_path: Path) -> None:
    shown = run("mine", "naive-bayes", train, "--json", "-o", tmp_path / "model.json")
    assert json.loads(shown.stdout) == json.loads((tmp_path / "model.json").read_text())


def test_settings_target_and_method_reach_the_miner(train: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    wanted = ["--target", "smokes", "--method", "inverse", "--set", "alpha=2.5"]
    assert run("mine", "naive-bayes", train, *wanted, "-o", out).exit_code == 0
    model = fk.load(out)
    assert model.get_params() | {"design": None} == {
        "alpha": 2.5,
        "design": None,
        "method": "inverse",
        "target": "smokes",
    }


def test_a_tree_is_drawn(train: Path, tmp_path: Path) -> None:
    assert run("mine", "id3", train, "--svg", tmp_path / "tree.svg").exit_code == 0
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    refused = run("mine", "naive-bayes", train, "--svg", tmp_path / "other.svg")
    assert (refused.exit_code, "no tree" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "help_"),
    [
        (["--target", "wealth"], "none of the design's attributes"),
        (["--set", "depth"], "NAME=VALUE"),
        (["--set", "depth=3"], "it has ["),
        (["--set", "design=3"], "no setting ['design']"),
        (["--set", "alpha=-1"], "alpha"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_message(
    words: list[str], help_: str, train: Path
) -> None:
    refused = run("mine", "naive-bayes", train, *words)
    assert refused.exit_code == 2
    assert help_ in refused.stderr
    assert "Traceback" not in refused.output


def test_reports_of_another_survey_judge_nothing(train: Path, tmp_path: Path) -> None:
    run("mine", "naive-bayes", train, "-o", tmp_path / "model.json")
    other = write(tmp_path / "other.parquet", 3, survey(theta=0.5))
    refused = run("judge", tmp_path / "model.json", other)
    assert (refused.exit_code, "made under" in refused.stderr) == (2, True)


def test_rows_that_may_be_truths_judge_nothing_unless_their_survey_is_named(
    train: Path, test: Path, tmp_path: Path
) -> None:
    run("mine", "naive-bayes", train, "-o", tmp_path / "model.json")
    survey().save(tmp_path / "survey.json")
    survey(theta=0.5).save(tmp_path / "other.json")
    bare = tmp_path / "bare.parquet"
    pq.write_table(pq.read_table(test).replace_schema_metadata(None), bare)
    words = ("judge", tmp_path / "model.json", bare)
    refused = run(*words)
    assert (refused.exit_code, "does not carry the survey" in refused.stderr) == (2, True)
    refused = run(*words, "-d", tmp_path / "other.json")
    assert (refused.exit_code, "under another survey" in refused.stderr) == (2, True)
    named = run(*words, "-d", tmp_path / "survey.json")
    assert named.exit_code == 0, named.output
    assert "If it holds true answers" in named.stderr
    assert "± is the standard error; the brackets hold a 95% interval." in named.stdout
    carried = run("judge", tmp_path / "model.json", test)
    assert (carried.stdout, carried.stderr) == (named.stdout, "")


def test_what_predicts_nothing_cannot_be_judged(train: Path, test: Path, tmp_path: Path) -> None:
    run("mine", "rules", train, "-o", tmp_path / "rules.json")
    refused = run("judge", tmp_path / "rules.json", test)
    assert (refused.exit_code, "predicts no attribute" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("miner", "setting"),
    [
        *(
            ("id3", f"max_depth={word}")
            for word in ("abc", "2.5", "None", "1e3", "true", "0", "1,2")
        ),
        *(("cart", f"min_leaf={word}") for word in ("abc", "1", "-0.1", "NaN", "false")),
        *(("id3", f"noise={word}") for word in ("abc", "-1", "Infinity", "[1]")),
        ("id3", "gain_noise=abc"),
        ("cart", "ccp_alpha=abc"),
        ("cart", "ccp_alpha=NaN"),
        *(("naive-bayes", f"alpha={word}") for word in ("abc", "nan", "NaN", "-1", "{}")),
        *(("tan", f"alpha={word}") for word in ("abc", "nan", "Infinity")),
        *(("clusters", f"k={word}") for word in ("abc", "2.5", "0", "1,0", "1,x", "[]", "null,1")),
        *(("clusters", f"seed={word}") for word in ("-1", "abc", "1.5")),
        *(("clusters", f"restarts={word}") for word in ("x", "0", "2.5")),
        *(("clusters", f"prior={word}") for word in ("abc", "-1", "NaN")),
        *(("rules", f"min_support={word}") for word in ("abc", "0", "5")),
        *(("rules", f"min_confidence={word}") for word in ("abc", "80")),
        *(("rules", f"max_size={word}") for word in ("2.5", "0", "abc")),
        *(("rules", f"level={word}") for word in ("95", "1", "abc")),
        ("rules", "chance=abc"),
    ],
)
def test_a_setting_that_is_no_such_number_is_refused_by_name(
    miner: str, setting: str, train: Path
) -> None:
    refused = run("mine", miner, train, "--set", setting)
    assert refused.exit_code == 2, refused.output
    assert refused.stderr.startswith(f"frankly: {setting.partition('=')[0]}")
    assert " is a " in refused.stderr


def test_several_numbers_are_given_as_people_type_them(train: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    assert run("mine", "clusters", train, "--set", "k=1,2", "-o", out).exit_code == 0
    assert [k for k, _ in json.loads(out.read_text())["learned"]["bic"]] == [1, 2]
