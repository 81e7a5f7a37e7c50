"""Pipes: a reader that goes away, as head does, ends a command quietly and loses nothing unsaid."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main

CLI = [sys.executable, "-m", "frankly"]
"""A process of its own: only there is a pipe a pipe, and an exit an exit."""


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def unread(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        return subprocess.run(
            [*CLI, *words], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )


@pytest.fixture(autouse=True)
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a survey, reports, and a database in which the survey is open."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRANKLY_DB", "frankly.sqlite")
    asked = [fk.Attribute("ill", ["no", "yes"])]
    design = fk.Design(asked, groups=[fk.Group(["ill"], fk.Uniform(0.7))])
    design.save("s.yaml")
    design.save("r.csv.design.json")
    Path("r.csv").write_text("ill\n" + "yes\nno\n" * 50)
    assert run("open", "s.yaml", "--name", "ward").exit_code == 0


def test_a_command_that_nobody_reads_ends_quietly() -> None:
    done = unread("estimate", "r.csv", "ill")
    assert (done.returncode, done.stderr) == (141, "")


def test_a_command_that_is_stopped_does_not_end_like_a_broken_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("frankly.cli.check.stated", stopped)
    shown = run("check", "s.yaml", "--max-epsilon", "1")
    assert (shown.exit_code, shown.stdout) == (130, "")
    assert "stopped, because you asked" in shown.stderr


def test_links_that_nobody_could_read_are_not_kept_in_silence() -> None:
    done = unread("invite", "ward", "--count", "3")
    assert done.returncode == 141
    (said,) = done.stderr.splitlines()
    assert said.startswith("Note: the list was cut off. All 3 links are made")
    assert "/ward/#" not in said
    Path("links.csv").write_text(run("invite", "ward", "--count", "2").stdout)
    reminded = unread("invite", "ward", "--unused", "links.csv")
    assert reminded.stderr == "Note: 2 of 2 links are unused\n"


def test_a_full_disk_is_still_said() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*CLI, "invite", "ward", "--count", "3"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "the list was cut off" in done.stderr
    assert "No space left" in done.stderr
