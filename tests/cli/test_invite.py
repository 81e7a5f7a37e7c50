"""Links that are made and links that are printed are the same, also when something fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from frankly.cli import main
from frankly.store import Store, hashed
from frankly.store.tables import invitation

FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
from frankly.cli import main
main()
"""
"""Frankly on a disk that has room for two or three times ten thousand links."""


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(autouse=True)
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new").exit_code == 0
    assert run("open", "survey.yaml", "--name", "ward").exit_code == 0


def kept() -> set[bytes]:
    """Give the hashes of all invitations."""
    with Store("frankly.sqlite") as store, store.engine.connect() as connection:
        return set(connection.scalars(select(invitation.c.secret)))


def printed(text: str) -> list[bytes]:
    """Give the hashes of the links in a list."""
    heading, *links = text.splitlines() or ["link"]
    assert heading == "link"
    return [hashed(link.rpartition("#")[2]) for link in links]


def test_on_a_full_disk_every_link_that_counts_is_in_the_list() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, "invite", "ward", "--count", "100001"],
        capture_output=True,
        text=True,
        check=False,
    )
    links = printed(done.stdout)
    assert done.returncode == 1
    assert 0 < len(links) < 100_001
    assert set(links) == kept()
    assert f"only {len(links):,} of 100,001 links were made" in done.stderr
    assert f"frankly invite ward --count {100_001 - len(links)} > more.csv" in done.stderr
    assert "cannot be used" in done.stderr


def test_who_stops_half_way_has_the_links_that_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Store.invite

    def impatient(store: Store, name: str, count: int) -> list[str]:
        if store.total_rows()["invitation"] == 4:
            raise KeyboardInterrupt
        return make(store, name, count)

    monkeypatch.setattr("frankly.cli.invite.CHUNK", 2, raising=False)
    monkeypatch.setattr(Store, "invite", impatient)
    shown = run("invite", "ward", "--count", 5)
    assert shown.exit_code == 130
    links = printed(shown.stdout)
    assert (len(links), set(links)) == (4, kept())
    assert "only 4 of 5 links were made" in shown.stderr


def test_a_list_that_cannot_be_written_ends_the_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("frankly.cli.invite.CHUNK", 2, raising=False)
    monkeypatch.setattr("frankly.cli.invite.print_links", full)
    shown = run("invite", "ward", "--count", 5)
    assert (shown.exit_code, len(kept())) == (1, 2)
    assert "2 of 5 links are made and count as invitations" in shown.stderr
    assert "No space left" in shown.stderr


def test_a_list_that_is_made_in_parts_is_one_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frankly.cli.invite.CHUNK", 2, raising=False)
    shown = run("invite", "ward", "--count", 5)
    assert (shown.exit_code, shown.stderr) == (0, "")
    links = printed(shown.stdout)
    assert (len(links), set(links)) == (5, kept())


def test_a_survey_that_invites_nobody_prints_no_list() -> None:
    assert run("close", "ward").exit_code == 0
    refused = run("invite", "ward", "--count", 5)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "links were made" not in refused.stderr
