"""frankly mine for trees, clusters and rules: text, JSON and a picture from a file of reports."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from frankly.cli import main
from frankly.cli.screen import in_options
from frankly.design import Design, Group, canonical
from frankly.mechanism import Unrelated
from frankly.mine import load
from frankly.randomize import Tape, randomize
from tests.mine.survey import attributes, people

SIZES = {"a": 2, "b": 3, "c": 2, "class": 2}


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    design = Design(
        attributes(SIZES), groups=[Group(list(SIZES), Unrelated(theta=0.7))], target="class"
    )
    truths = {
        name: np.array([f"v{code}" for code in column])
        for name, column in people(SIZES, 4000, 1).items()
    }
    table = randomize(design, pa.table(truths), Tape.seeded(1))
    carried = {
        b"frankly.design": canonical(design.document()),
        b"frankly.fingerprint": design.fingerprint.encode(),
    }
    path = tmp_path / "reports.parquet"
    pq.write_table(table.replace_schema_metadata(carried), path)
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["mine", *map(str, words)])


@pytest.mark.parametrize("kind", ["id3", "cart"])
def test_a_tree_is_told_drawn_and_saved(kind: str, reports: Path, tmp_path: Path) -> None:
    picture, saved = tmp_path / "tree.svg", tmp_path / "tree.json"
    result = run(kind, reports, "--svg", picture, "-o", saved, "--set", "max_depth=2")
    assert result.exit_code == 0, result.output
    assert "everyone: " in result.stdout
    assert ET.fromstring(picture.read_text()).tag.endswith("svg")
    assert in_options(load(saved).summary()) in result.stdout


@pytest.mark.parametrize("kind", ["clusters", "rules"])
def test_clusters_and_rules_are_told_and_given_to_machines(kind: str, reports: Path) -> None:
    settings = ["--set", "k=2", "--set", "restarts=1"] if kind == "clusters" else []
    told = run(kind, reports, *settings)
    assert told.exit_code == 0, told.output
    machine = json.loads(run(kind, reports, *settings, "--json").stdout)
    assert machine["kind"] == kind
    assert machine["learned"]


def test_what_is_no_tree_cannot_be_drawn(reports: Path, tmp_path: Path) -> None:
    result = run("rules", reports, "--svg", tmp_path / "rules.svg")
    assert result.exit_code == 2
    assert "no tree" in result.output
