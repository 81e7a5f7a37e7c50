"""The service by commands alone, and what the owner sees."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import absent, main
from frankly.cli.demo import answer_all, simulated
from frankly.cli.new import sample
from frankly.estimate.text import percent
from frankly.store import Rows, Store
from frankly.store.drafts import Draft, add_draft, names_of
from frankly.store.ingest import Answer, ingest
from frankly.store.people import add_account
from frankly.store.store import hashed
from frankly.studio.app import create_app
from frankly.studio.passwords import hash_password
from frankly.studio.results import results
from tests.studio.people import PASSWORD, Studio

DESIGN = fk.Design.from_document(yaml.safe_load(sample()))


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@contextmanager
def started(*words: object, cwd: Path) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """Start a command that serves; give it with the lines it prints up to the last."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "frankly", *map(str, words)],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C stops" in line:
                break
        yield process, lines
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


def links(lines: list[str]) -> list[str]:
    return re.findall(r"http://\S+", "".join(lines))


@contextmanager
def account(welcome: str) -> Iterator[httpx.Client]:
    """Make the first account with the printed link, and stay signed in."""
    base, _, secret = welcome.partition("/welcome/")
    words = {"name": "ann", "password": PASSWORD}
    again = httpx.HTTPTransport(retries=20)
    with httpx.Client(base_url=base, timeout=30, transport=again) as client:
        assert client.post(f"/welcome/{secret}", data=words).status_code == 303
        yield client


def test_the_demo_starts_prints_links_that_answer_and_stops_cleanly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started("demo", "--people", 500, "--port", 0, cwd=tmp_path) as (process, lines):
        welcome, first, *_ = links(lines)
        with account(welcome) as owner:
            shown = owner.get("/surveys/ward/results")
        assert shown.status_code == 200
        assert "500 answers" in shown.text
        assert "make a mistake" in shown.text
        assert httpx.get(first, timeout=30).text.startswith("<!doctype html>")
        base, _, secret = first.partition("#")
        body = {
            "design": DESIGN.fingerprint, "invitation": secret, "receipt": "0" * 32,
            "report": {"mistake": "yes", "took": "once", "drove": "no", "shift": "days"},
        }  # fmt: skip
        assert httpx.post(f"{base}reports", json=body, timeout=30).status_code == 201
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert not list(tmp_path.glob("frankly-demo-*"))


def test_a_survey_from_document_to_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("new")
    assert run("open", "survey.yaml", "--name", "ward").exit_code == 0
    again = run("open", "survey.yaml", "--name", "ward")
    assert again.exit_code == 2
    assert "already" in again.stderr
    shown = run("invite", "ward", "--count", 3, "--base", "https://ask.example/")
    made = [row[0] for row in csv.reader(io.StringIO(shown.stdout))][1:]
    assert len(set(made)) == 3
    assert all(link.startswith("https://ask.example/ward/#") for link in made)
    Path("links.csv").write_text(shown.stdout)
    with Store("frankly.sqlite") as store:
        row = Rows(DESIGN).pack(0, [0, 0, 0, 0])
        secret = made[1].rpartition("#")[2]
        ingest(store, [Answer("ward", hashed(secret), hashed("r"), row)])
    rest = run("invite", "ward", "--unused", "links.csv").stdout.split()
    assert rest == ["link", made[0], made[2]]
    closed = json.loads(run("close", "ward", "--json").stdout)
    assert (closed["state"], closed["fingerprint"]) == ("closed", DESIGN.fingerprint)
    assert run("invite", "ward", "--count", 1).exit_code == 2
    assert run("delete", "ward").exit_code == 1
    assert run("delete", "ward", "--yes").exit_code == 0
    assert run("close", "ward").exit_code == 2


def test_an_open_link_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("new")
    shown = run("open", "survey.yaml", "--anyone")
    assert "answer many times" in shown.stderr
    assert json.loads(run("close", "survey", "--json").stdout)["mode"] == "anyone"


@pytest.mark.parametrize(
    "command", [["close", "x"], ["export", "x", "-o", "r.csv"], ["backup", "b"]]
)
def test_a_mistyped_database_is_not_made_anew(tmp_path: Path, command: list[str]) -> None:
    refused = run(*command, "--db", tmp_path / "nowhere.sqlite")
    assert refused.exit_code == 2
    assert "no database" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_serve_takes_answers_and_stops_when_told(tmp_path: Path) -> None:
    (tmp_path / "survey.yaml").write_text(sample())
    url = tmp_path / "frankly.sqlite"
    run("open", tmp_path / "survey.yaml", "--name", "ward", "--db", url)
    words = ("serve", "--port", 0, "--owner-port", 0, "--workers", 2, "--behind-proxy")
    with started(*words, cwd=tmp_path) as (process, lines):
        respondents, owner, welcome = links(lines)
        assert welcome.startswith(f"{owner}welcome/")
        client = httpx.Client(timeout=30, transport=httpx.HTTPTransport(retries=20))
        assert client.get(respondents).status_code == 200
        assert client.get(owner).headers["location"] == "/sign-in"
        assert client.get(welcome).status_code == 200
        with account(welcome) as ann:
            assert "ward" in ann.get("/").text
        assert client.get(welcome).status_code == 404, "the link works once"
        form, proxy = {"name": "ann", "password": PASSWORD}, {"X-Forwarded-Proto": "https"}
        told = client.post(f"{owner}sign-in", data=form, headers=proxy)
        assert "secure" in told.headers["set-cookie"].lower(), "the proxy is believed"
        client.close()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
        process.send_signal(signal.SIGTERM)  # told twice, as `timeout` does, it still waits
        assert process.wait(30) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_links_are_not_made_from_an_address_that_is_nowhere(tmp_path: Path, host: str) -> None:
    refused = run("serve", "--host", host, "--db", tmp_path / "s.sqlite")
    assert refused.exit_code == 2
    assert "Say with --base where respondents reach the service" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_address_with_colons_stands_in_brackets(tmp_path: Path) -> None:
    (tmp_path / "survey.yaml").write_text(sample())
    run("open", tmp_path / "survey.yaml", "--name", "ward", "--db", tmp_path / "frankly.sqlite")
    words = ("serve", "--host", "::1", "--port", 0, "--owner-port", 0)
    with started(*words, cwd=tmp_path) as (_, lines):
        respondents = links(lines)[0]
        assert respondents.startswith("http://[::1]:")
        with httpx.Client(timeout=30, transport=httpx.HTTPTransport(retries=20)) as client:
            assert client.get(respondents).status_code == 200


@pytest.fixture
def full_store(tmp_path: Path) -> Iterator[Store]:
    """A closed survey with the answers of a thousand made-up people."""
    people = simulated(1003, np.random.default_rng(3))
    reports = fk.randomize(DESIGN, people, fk.Tape.seeded(3))
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "invited")
        answer_all(store, "ward", reports)
        yield store


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_the_owner_sees_what_estimate_says_digit_for_digit(
    full_store: Store, tmp_path: Path, suffix: str
) -> None:
    full_store.close_survey("ward")
    exported = tmp_path / f"reports.{suffix}"
    assert run("export", "ward", "-o", exported, "--db", tmp_path / "s.sqlite").exit_code == 0
    shown = results(full_store, "ward")
    page = page_of(full_store)
    for one in shown.estimates:
        (name,) = one.names
        told: Any = json.loads(run("estimate", exported, name, "--json").stdout)
        assert told == one.to_dict()
        for row in told["rows"]:
            assert f"<td>{percent(row['share'])}</td>" in page
            assert f"{percent(row['low'])} to {percent(row['high'])}" in page
    assert {one.n for one in shown.estimates} == {1003}


@pytest.mark.parametrize(
    ("suffix", "holds"),
    [("sav", "on an export to .parquet"), ("dta", "on an export to .parquet"), ("xml", "none of")],
)
def test_an_export_for_another_program_says_what_estimates_its_shares(
    full_store: Store, tmp_path: Path, suffix: str, holds: str
) -> None:
    exported = tmp_path / f"reports.{suffix}"
    told = run("export", "ward", "-o", exported, "--db", tmp_path / "s.sqlite")
    assert (told.exit_code, holds in told.stdout) == (0, True)
    refused = run("estimate", exported, full_store.survey("ward").design.names[0])
    assert (refused.exit_code, "frankly export NAME -o" in refused.stderr) == (2, True)


def page_of(store: Store) -> str:
    """Ask the owner's app for its page, without a server."""
    add_account(store, "ann", hash_password(PASSWORD), "owner")
    with Studio(store, create_app(store)).signed_in("ann") as ann:
        return ann.get("/surveys/ward/results").text


def test_the_owner_never_follows_single_answers(tmp_path: Path) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "invited")
        seen = []
        for secret in store.invite("ward", 135):
            row = Rows(DESIGN).pack(0, [1, 0, 0, 1])
            ingest(store, [Answer("ward", hashed(secret), hashed("r" + secret), row)])
            shown = results(store, "ward")
            seen.append(
                (shown.n, len(shown.estimates), shown.estimates[0].n if shown.estimates else 0)
            )
        assert next(n for n, estimates, _ in seen if estimates) == 100
        assert {n % 10 for n, _, _ in seen} == {0}
        assert {told for _, _, told in seen} == {0, 100, 110, 120, 130}
        store.close_survey("ward")
        assert results(store, "ward").n == 130  # the last five would stand out by subtraction


def test_without_the_service_its_commands_say_what_to_install() -> None:
    refused = CliRunner().invoke(absent("serve", "server", "sqlalchemy"), ["--port", "1"])
    assert refused.exit_code == 1
    assert "frankly[server]" in refused.output


def test_what_is_opened_by_command_belongs_to_the_first_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new")
    run("open", "survey.yaml", "--name", "before")
    with Store("frankly.sqlite") as store:
        add_account(store, "ann", "no hash", "owner")
        add_draft(store, Draft("drafted", {}), "ann")
    assert run("open", "survey.yaml", "--name", "after").exit_code == 0
    refused = run("open", "survey.yaml", "--name", "drafted")
    assert refused.exit_code == 2
    assert "draft" in refused.stderr
    with Store("frankly.sqlite") as store:
        assert names_of(store, "ann") == ["after", "before", "drafted"]


def test_a_lost_password_is_replaced_by_a_printed_link_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store("frankly.sqlite") as store:
        add_account(store, "ann", hash_password(PASSWORD), "owner")
        studio = Studio(store, create_app(store))
        refused = run("password", "dora")
        assert refused.exit_code == 2
        assert "Accounts: ann" in refused.stderr
        link = run("password", "ann", "--base", "https://studio.example/").stdout.strip()
        assert link.startswith("https://studio.example/welcome/")
        path = link.removeprefix("https://studio.example")
        with studio.signed_in("ann") as before, studio.caller() as ann:
            assert "Choose a new password" in ann.get(path).text
            assert ann.post(path, data={"password": "short"}).status_code == 400
            assert ann.post(path, data={"password": "another sentence"}).status_code == 303
            assert before.get("/").headers["location"] == "/sign-in"
            ann.cookies.clear()
            for words, status in ((PASSWORD, 401), ("another sentence", 303)):
                told = ann.post("/sign-in", data={"name": "ann", "password": words})
                assert told.status_code == status
            assert ann.get(path).status_code == 404


@pytest.fixture
def two_wards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two open surveys, and a list of three links for each."""
    monkeypatch.chdir(tmp_path)
    run("new")
    for name in ("ward", "other"):
        assert run("open", "survey.yaml", "--name", name).exit_code == 0
        made = run("invite", name, "--count", 3)
        Path(f"{name}.csv").write_text(made.stdout)
    return tmp_path


def test_reminders_say_how_many_links_are_unused(two_wards: Path) -> None:
    made = (two_wards / "ward.csv").read_text()
    (two_wards / "sheet.csv").write_text("\ufeff" + made.replace("\n", ",Ann\n\n"), "utf-8")
    for name in ("ward.csv", "sheet.csv"):
        shown = run("invite", "ward", "--unused", name)
        assert shown.exit_code == 0, shown.output
        assert shown.stdout == made
        assert shown.stderr == "Note: 3 of 3 links are unused\n"


@pytest.mark.parametrize(
    ("given", "help_"),
    [
        ("other.csv", "line 2 of the list is no link of the survey 'ward'"),
        ("survey.yaml", "line 1 of the list is no link"),
        ("empty.csv", "no link of the survey 'ward'"),
        ("frankly.sqlite", "no text"),
        ("stale.csv", "1 of 4 links were not made for the survey 'ward'"),
    ],
)
def test_a_list_of_something_else_is_not_taken_for_answers(
    two_wards: Path, given: str, help_: str
) -> None:
    (two_wards / "empty.csv").write_text("link\n")
    stale = "https://ask.example/ward/#SECRETSECRET"
    (two_wards / "stale.csv").write_text((two_wards / "ward.csv").read_text() + stale)
    refused = run("invite", "ward", "--unused", given)
    assert (refused.exit_code, refused.stdout) == (2, ""), refused.output
    assert help_ in refused.stderr
    assert "SECRET" not in refused.output
    secrets = [line.rpartition("#")[2] for line in (two_wards / "other.csv").read_text().split()]
    assert not any(secret in refused.output for secret in secrets[1:])


NOWHERE = [
    "ask.example", "localhost:8000", "https://", "ftp://ask.example", "https://ask.example/#x",
    "https://ask .example", "https://ask.example:port", "",
]  # fmt: skip


def test_links_that_would_lead_nowhere_are_not_made(two_wards: Path) -> None:
    before = (two_wards / "frankly.sqlite").read_bytes()
    for command in ("invite ward --count 1", "password ann", "serve"):
        for base in NOWHERE:
            refused = run(*command.split(), "--base", base)
            assert (refused.exit_code, refused.stdout) == (2, ""), refused.output
            assert "https://ask.example" in refused.stderr
    assert (two_wards / "frankly.sqlite").read_bytes() == before
