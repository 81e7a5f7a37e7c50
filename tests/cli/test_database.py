"""A database that cannot be opened is said in words, and no word of them is a password."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import create_engine, text

from frankly.cli import main
from frankly.cli.database import opened
from frankly.errors import EngineError


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(autouse=True)
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("new").exit_code == 0
    return tmp_path


COMMANDS = [
    "open survey.yaml", "close x", "delete x", "export x -o x.csv", "invite x --count 1",
    "backup b", "password ann", "serve --port 0 --owner-port 0",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_no_database_is_named_and_left_alone(command: str) -> None:
    before = Path("survey.yaml").read_bytes()
    refused = run(*command.split(), "--db", "survey.yaml")
    assert refused.exit_code == 1, refused.output
    assert refused.stderr.startswith("frankly: the database survey.yaml cannot be used")
    assert "not a database" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert Path("survey.yaml").read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["survey.yaml"]


@pytest.mark.parametrize("command", [*COMMANDS, "restore kept"])
def test_a_server_that_does_not_answer_is_named_without_its_password(command: str) -> None:
    if command == "restore kept":
        assert run("open", "survey.yaml").exit_code == run("backup", "kept").exit_code == 0
    address = "postgresql://ann:hush@127.0.0.1:1/ward?options=hush"
    refused = run(*command.split(), "--db", address)
    assert refused.exit_code == 1, refused.output
    assert "the database postgresql://127.0.0.1:1/ward cannot be used" in refused.stderr
    assert "refused" in refused.stderr
    assert "running" in refused.stderr
    assert "hush" not in refused.output


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("postgresql://ann:hu@sh@127.0.0.1:1/ward", 1),
        ("postgresql://ann:hush@127.0.0.1:port/ward", 2),
        ("mysql://ann:hush@127.0.0.1:1/ward", 2),
        ("postgresql+none://ann:hush@127.0.0.1:1/ward", 1),
    ],
)
def test_an_address_that_cannot_be_read_keeps_its_password(address: str, code: int) -> None:
    refused = run("open", "survey.yaml", "--db", address)
    assert refused.exit_code == code, refused.output
    assert "--db" in refused.stderr
    assert "sh" not in refused.stderr.replace("should", "")


@pytest.mark.parametrize("place", ["none/a.sqlite", "."])
def test_a_place_where_no_file_can_be_is_said(place: str) -> None:
    refused = run("open", "survey.yaml", "--db", place)
    assert refused.exit_code == 1, refused.output
    assert "unable to open database file" in refused.stderr
    assert "folder" in refused.stderr


def test_a_missing_file_is_not_made_by_its_address_either(ward: Path) -> None:
    refused = run("close", "x", "--db", "sqlite:///nowhere.sqlite")
    assert (refused.exit_code, "no database" in refused.stderr) == (2, True)
    assert not (ward / "nowhere.sqlite").exists()


@pytest.mark.parametrize("command", [*COMMANDS, "restore kept"])
@pytest.mark.parametrize(
    "address", ["", ":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:"]
)
def test_what_would_be_kept_in_memory_is_refused(
    ward: Path, monkeypatch: pytest.MonkeyPatch, command: str, address: str
) -> None:
    monkeypatch.delattr("frankly.cli.serve.doors")  # who comes so far would serve without end
    if command == "restore kept":
        assert run("open", "survey.yaml").exit_code == run("backup", "kept").exit_code == 0
    before = sorted(ward.iterdir())
    refused = run(*command.split(), "--db", address)
    assert (refused.exit_code, refused.stdout) == (2, ""), refused.output
    assert f"--db {address!r} names no file" in refused.stderr
    assert sorted(ward.iterdir()) == before


def test_a_file_may_be_named_with_its_driver(ward: Path) -> None:
    address = f"sqlite+pysqlite:///{ward / 'a.sqlite'}"
    refused = run("close", "survey", "--db", address)
    assert (refused.exit_code, "no database" in refused.stderr) == (2, True)
    for command in ("open survey.yaml", "invite survey --count 1", "close survey"):
        done = run(*command.split(), "--db", address)
        assert done.exit_code == 0, done.output


def test_a_file_whose_name_begins_like_a_server_is_a_file(ward: Path) -> None:
    refused = run("close", "x", "--db", "postgres.sqlite")
    assert (refused.exit_code, "no database" in refused.stderr) == (2, True)
    assert not (ward / "postgres.sqlite").exists()
    refused = run("open", "survey.yaml", "--db", "postgres/a.sqlite")
    assert (refused.exit_code, "folder" in refused.stderr) == (1, True)


def test_a_database_of_a_newer_version_is_said() -> None:
    assert run("open", "survey.yaml").exit_code == 0
    engine = create_engine("sqlite:///frankly.sqlite")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    engine.dispose()
    refused = run("close", "survey")
    assert (refused.exit_code, "version" in refused.stderr) == (1, True)


def test_what_fails_later_is_said_too_and_no_row_is_shown() -> None:
    insert = text("INSERT INTO survey (name) VALUES ('SECRET')")
    with (
        pytest.raises(EngineError) as raised,
        opened("frankly.sqlite") as store,
        store.engine.begin() as connection,
    ):
        connection.execute(insert)
    assert "cannot be used. Check" in str(raised.value)
    assert "SECRET" not in str(raised.value)


def test_a_refused_restore_leaves_no_new_database(ward: Path) -> None:
    assert run("open", "survey.yaml").exit_code == 0
    assert run("backup", "kept").exit_code == 0
    engine = create_engine("sqlite:///kept")
    with engine.begin() as connection:
        connection.execute(text("UPDATE survey SET state = 'closed'"))
    engine.dispose()
    before = sorted(ward.iterdir())
    for bad in ("kept", "survey.yaml", "frankly.sqlite"):
        refused = run("restore", bad, "--db", "new.sqlite")
        assert refused.exit_code == 2, refused.output
        assert sorted(ward.iterdir()) == before
