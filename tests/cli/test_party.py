"""frankly party session: what all agree on can be done, and is never replaced by mistake."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frankly.cli import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample survey, three parties and a relay."""
    monkeypatch.chdir(tmp_path)
    assert run("new", "survey.yaml").exit_code == 0
    for name in ("relay", "north", "south", "west"):
        assert run("party", "init", name, "--name", name).exit_code == 0
    return tmp_path


def agree(task: str, *more: str, name: str = "one") -> Result:
    parties = [f"--party={party}/certificate.pem" for party in ("north", "south", "west")]
    where = ["--relay=relay/certificate.pem", "--url=https://localhost:8443", f"--id={name}"]
    return run("party", "session", "s.toml", "-d", "survey.yaml", *parties, *where, "--task", task,
               *more)  # fmt: skip


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("{}", "a session's task is"),
        ("[]", "a session's task is"),
        ("id3", "--task is JSON"),
        ('{"kind": "foo"}', "a session's task is"),
        ('{"kind": "id3"}', "which attribute is to be predicted"),
        ('{"kind": "id3", "target": "smokes"}', "none of the design's attributes"),
        ('{"kind": "id3", "target": "took", "max_dept": 3}', "max_depth"),
        ('{"kind": "tables"}', '"tables": [["mistake"]]'),
    ],
)
def test_a_task_that_nobody_could_do_makes_no_session(town: Path, task: str, sentence: str) -> None:
    refused = agree(task)
    assert (refused.exit_code, sentence in refused.stderr) == (2, True), refused.output
    assert not list(town.glob("s.toml*"))


def test_a_session_is_replaced_only_by_force(town: Path) -> None:
    task = '{"kind": "id3", "target": "took"}'
    made = agree(task)
    assert (made.exit_code, "estimates by shrink: whole reports" in made.stderr) == (0, True)
    before = [(town / name).read_bytes() for name in ("s.toml", "s.toml.design.json")]
    refused = agree(task, name="two")
    assert (refused.exit_code, "--force" in refused.stderr) == (2, True)
    assert before == [(town / name).read_bytes() for name in ("s.toml", "s.toml.design.json")]
    assert agree(task, "--force", name="two").exit_code == 0
    assert (town / "s.toml").read_bytes() != before[0]


UNUSABLE = {
    "--rows=-5": "rows is a whole number from 1 to",
    "--rows=0": "rows is a whole number",
    f"--rows={2**62}": "session of 3 parties",
    "--minimum-cell=-3": "minimum_cell is a whole number from 0",
    "--bits=99999999": "not made in a day",
    "--url=nonsense": "https://host:port",
    "--url=http://x": "https://host:port",
    "--url=https://localhost:abc": "https://host:port",
    "--url=https://:8443": "https://host:port",
    "--url=https://a..b": "https://host:port",
    "--url=https://me@x": "https://host:port",
    "--id=\x1b[2J": "a session's id",
    "--id=": "a session's id",
}


def test_numbers_and_words_that_no_session_could_use_are_refused(town: Path) -> None:
    for word, sentence in UNUSABLE.items():
        refused = agree('{"kind": "id3", "target": "took"}', word)
        assert (refused.exit_code, sentence in refused.stderr) == (2, True), refused.output
        assert "\x1b" not in refused.output
    assert not list(town.glob("s.toml*"))


CHANGED = [
    ("rows = 16777216", 'rows = "many"', "Expected 'int', got 'str' - at 'rows'"),
    ("rows = 16777216", "rows = true", "got 'bool'"),
    ("rows = 16777216", "rows = -1", "rows is a whole number"),
    ('scheme = "masks"', 'scheme = "none"', "at 'scheme'"),
    ('id = "one"', "id = 1", "at 'id'"),
    ('"https://localhost:8443"', '"https://localhost:abc"', "https://host:port"),
    ('"https://localhost:8443"', "8443", "at 'relay"),
    ("[domains]", "[rooms]", "a session has no ['rooms']"),
    ('["no", "yes"]', "3", "at 'domains"),
    ("[task]", "[[task]]", "at 'task'"),
]


def test_a_session_file_changed_by_hand_is_refused_in_words(town: Path) -> None:
    assert agree('{"kind": "id3", "target": "took"}').exit_code == 0
    whole = (town / "s.toml").read_text()
    join = ["party", "join", "s.toml", "--data", "survey.yaml", "-i", "north"]
    status = ["party", "status", "s.toml", "-i", "north"]
    for line, instead, sentence in CHANGED:
        assert line in whole
        (town / "s.toml").write_text(whole.replace(line, instead))
        for words in (join, status, ["relay", "s.toml", "-i", "relay"]):
            refused = run(*words)
            assert (refused.exit_code, sentence in refused.stderr) == (2, True), refused.output
