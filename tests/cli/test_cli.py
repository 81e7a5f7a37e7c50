"""The command line: documented, quiet, helpful when it refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from frankly.cli import COMMANDS, load, main
from frankly.design import Design

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "cli.md").read_text()


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def options(command: click.Command) -> list[str]:
    """List the long options of a command."""
    return [
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
        if name.startswith("--") and name != "--help"
    ]


def test_all_commands_are_listed_each_with_a_whole_line() -> None:
    listed = run("--help").output
    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(entry.says)}$", listed, re.MULTILINE), name
        assert entry.says.endswith(".")


def test_the_list_and_the_version_load_no_large_package() -> None:
    for asked in ("--help", "--version"):
        script = (
            "import sys\nfrom frankly.cli import COMMANDS, load, main\n"
            f"try: main([{asked!r}])\nexcept SystemExit: pass\n"
            "sys.exit(' '.join({'numpy', 'scipy', 'sklearn', 'sqlalchemy'} & set(sys.modules)))"
        )
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        assert ended.stderr.strip() == b""  # sys.exit writes what was loaded
        assert ended.stdout


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself_and_is_documented(name: str) -> None:
    command = load(name)
    shown = run(name, "--help")
    assert shown.exit_code == 0
    assert command.help
    section = re.search(rf"^## frankly {name}$(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert section, f"docs/cli.md has no section on frankly {name}"
    assert [option for option in options(command) if option not in section[1]] == []
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{parameter.name} says nothing"


def test_every_documented_command_is_there() -> None:
    assert sorted(re.findall(r"^## frankly (.+)$", DOCS, re.MULTILINE)) == sorted(COMMANDS)


def test_the_version_is_told() -> None:
    assert run("--version").output == "frankly 0.1.0\n"


def test_the_package_runs_as_a_module() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "frankly", "--help"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("Usage: frankly ")


def test_a_new_survey_can_be_used_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    assert run("new", path).exit_code == 0
    design = Design.load(path)
    assert 3 <= len(design.names) <= 4
    assert len(design.forms[0].clear) == 1
    assert design.epsilon < 4
    assert path.read_text().count("\n#") >= 10


def test_a_new_survey_never_replaces_another_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    refused = run("new", path)
    assert (refused.exit_code, path.read_text()) == (2, "precious")
    assert "--force" in refused.stderr
    assert run("new", path, "--force").exit_code == 0
    assert path.read_text() != "precious"


def test_a_sample_in_another_format_is_refused(tmp_path: Path) -> None:
    refused = run("new", tmp_path / "mine.json")
    assert refused.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_json_schema() -> None:
    schema = json.loads(run("schema").output)
    assert schema["$schema"].endswith("2020-12/schema")
    assert "attributes" in json.dumps(schema)


def test_warnings_are_notes_without_a_line_of_code(tmp_path: Path) -> None:
    survey = tmp_path / "certain.json"
    attribute = {"name": "ill", "values": ["no", "yes"]}
    group = {"names": ["ill"], "mechanism": {"kind": "unrelated", "theta": 1}}
    survey.write_text(json.dumps({"attributes": [attribute], "groups": [group]}))
    truths = tmp_path / "truths.csv"
    truths.write_text("ill\nyes\n")
    shown = run("randomize", truths, "-d", survey, "-o", tmp_path / "reports.csv")
    assert shown.exit_code == 0
    assert shown.stderr.startswith("Note: the group ['ill'] has an infinite epsilon")
    assert ".py" not in shown.stderr


def test_a_bad_survey_is_refused_in_one_message(tmp_path: Path) -> None:
    survey = tmp_path / "bad.yaml"
    survey.write_text("attributes: [{name: ill, values: [no, yes]}]")
    truths = tmp_path / "truths.csv"
    truths.write_text("ill\nyes\n")
    shown = run("randomize", truths, "-d", survey, "-o", tmp_path / "reports.csv")
    assert shown.exit_code == 2
    assert shown.stderr.startswith("frankly: ")
    assert "Traceback" not in shown.output


def test_a_file_that_is_no_text_is_refused_in_one_message(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(b"\xff\xfeSECRET")
    shown = run("party", "verify", junk)
    assert (shown.exit_code, "UTF-8" in shown.stderr) == (2, True), shown.output
    assert "SECRET" not in shown.stderr


@pytest.mark.parametrize(
    "words", ["serve --port 70000", "serve --owner-port -1", "demo --port 70000"]
)
def test_a_port_that_cannot_be_is_refused(words: str, tmp_path: Path) -> None:
    shown = run(*words.split(), *(["--db", tmp_path / "s.sqlite"] if "serve" in words else []))
    assert (shown.exit_code, "65535" in shown.stderr) == (2, True), shown.output
    assert list(tmp_path.iterdir()) == []
