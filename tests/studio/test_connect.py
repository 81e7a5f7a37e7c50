"""A studio from Python: real requests over a socket, typed answers, the studio's own words."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

import frankly as fk
from frankly.cli import main
from frankly.connect import Studio as Connected
from frankly.connect.survey import RemoteSurvey
from frankly.errors import DeniedError, FranklyError, StudioError
from frankly.store.people import make_key
from tests.live import running
from tests.studio.people import DESIGN, Studio

STUDIO = (sys.executable, "-m", "frankly.studio")


@pytest.fixture
def base(studio: Studio) -> Iterator[str]:
    """A studio that runs as a process of its own, over the same store."""
    with running(studio.store.url.removeprefix("sqlite:///"), launch=STUDIO) as live:
        yield live.base


def all_powers(studio: Studio) -> str:
    return make_key(
        studio.store, "ann", "all", ["read", "design", "run", "members", "mine", "export"]
    )


def test_a_survey_is_run_from_python(studio: Studio, base: str, tmp_path: Path) -> None:
    with fk.connect(base, all_powers(studio)) as studio_there:
        survey = studio_there.begin({"title": "Ward"}, name="ward", plan={"people": 500})
        assert "attributes" in survey.state.why_not
        with pytest.raises(StudioError, match="attributes") as refused:
            survey.open()
        assert refused.value.status == 400
        survey.write(DESIGN)
        assert survey.design.fingerprint == survey.state.fingerprint == DESIGN.fingerprint
        assert survey.state.epsilon == pytest.approx(DESIGN.epsilon)
        assert survey.open().state == "open"
        links = survey.invite(4)
        assert survey.unused(links) == links
        assert survey.results().shares == []
        studio.answer(200)
        shown = survey.results()
        assert shown.n == 200
        assert [one.names for one in shown.shares] == [["ill"], ["drinks"], ["sex"]]
        assert {row["ill"] for row in shown.shares[0].rows} == {"no", "yes"}
        crossed = survey.tables(("drinks", "ill")).tables
        assert [one.names for one in crossed] == [["drinks", "ill"]]
        model = survey.train("naive-bayes")
        assert (model.state, model.target, model.n) == ("done", "ill", 200)
        assert survey.models() == [model]
        loaded: Any = fk.load(survey.save_model(model.name, tmp_path / "model.json"))
        assert loaded.target_ == "ill"
        assert survey.privacy().before["record"]["epsilon"] == pytest.approx(DESIGN.epsilon)
        assert survey.audit().n == 200
        exported = fk.open(survey.export(tmp_path / "reports.parquet"), DESIGN)
        reports = fk.estimate(DESIGN, exported, ["ill"])
        row = next(row for row in shown.shares[0].rows if row["ill"] == "yes")
        assert reports.share[1] == row["share"]
        survey.let_in("carl")
        assert survey.members() == {"ann": "owner", "carl": "analyst"}
        survey.let_out("carl")
        copy = survey.duplicate()
        assert survey.close().state == "closed"
        assert [one.name for one in studio_there.surveys()] == ["ward", copy.name]
        with pytest.raises(StudioError, match="say its short name"):
            survey.delete(confirm="wart")
        survey.delete(confirm="ward")
        with pytest.raises(DeniedError, match="not yours"):
            studio_there.survey("ward")


def test_a_file_is_what_its_ending_says(studio: Studio, base: str, tmp_path: Path) -> None:
    studio.opened(200)
    with fk.connect(base, all_powers(studio)) as there:
        survey = there.survey("ward")
        plain = survey.export(tmp_path / "mine.csv")
        said = CliRunner().invoke(main, ["estimate", str(plain), "ill", "--json"]).stdout
        assert json.loads(said)["rows"] == survey.results().shares[0].rows
        beside = {"mine.csv", "mine.csv.design.json", "mine.csv.readme.txt"}
        assert {one.name for one in tmp_path.glob("*.csv*")} == beside
        assert "is in mine.csv.design.json" in (tmp_path / "mine.csv.readme.txt").read_text()
        assert zipfile.is_zipfile(survey.export(tmp_path / "all.zip"))
        for name in ("reports.xlsx", "reports"):
            with pytest.raises(FranklyError, match=r"end in one of \.csv, \.parquet, .*, \.zip"):
                survey.export(tmp_path / name)


def test_a_key_does_what_it_was_made_for(studio: Studio, base: str) -> None:
    studio.opened()
    with fk.connect(base, make_key(studio.store, "ann", "looks", ["read"])) as looking:
        ward = looking.survey("ward")
        assert ward.state.state == "open"
        with pytest.raises(DeniedError, match="may not do this") as refused:
            ward.close()
        assert refused.value.status == 403
    chooses = make_key(studio.store, "ann", "chooses", ["mine"])
    with fk.connect(base, chooses) as choosing, pytest.raises(DeniedError, match="may not do this"):
        choosing.survey("ward").tables(("drinks", "ill"))
    with fk.connect(base, "fk_wrong") as stranger, pytest.raises(DeniedError, match="Sign in"):
        stranger.surveys()
    assert studio.store.survey("ward").state == "open"


def test_a_key_never_travels_in_the_open_nor_shows_itself() -> None:
    with pytest.raises(FranklyError, match="https"):
        fk.connect("http://studio.example", "fk_a_key")
    with fk.connect("https://studio.example", "fk_a_key") as there:
        assert isinstance(there, Connected)
        assert "fk_a_key" not in repr(there)


def test_what_cannot_be_sent_is_said_in_words() -> None:
    for key in ("fk_ä", "fk_x\n", "", "fk_a key"):
        with pytest.raises(FranklyError, match="this is no key"):
            fk.connect("https://studio.example", key)
    with fk.connect("http://127.0.0.1:9", "fk_a_key") as there:
        for title in (float("nan"), {"a set"}, "\ud800"):
            with pytest.raises(FranklyError, match="cannot be sent as JSON"):
                there.begin({"title": title})


def test_a_studio_that_is_not_there_is_named() -> None:
    with (
        fk.connect("http://127.0.0.1:9", "fk_a_key") as there,
        pytest.raises(StudioError, match="does not answer") as refused,
    ):
        there.surveys()
    assert refused.value.status == 0
    assert "fk_a_key" not in str(refused.value)


class Elsewhere(BaseHTTPRequestHandler):
    """A server that is no studio: it answers everything with a page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<h1>Welcome</h1>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_what_is_no_studio_is_said_in_words(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with fk.connect(f"http://127.0.0.1:{server.server_port}", "fk_a_key") as there:
            survey = RemoteSurvey(there.caller, "ward")
            for ask in (there.surveys, lambda: there.survey("ward"), survey.results,
                        lambda: survey.export(tmp_path / "r.csv")):  # fmt: skip
                with pytest.raises(StudioError, match="not what a studio says"):
                    ask()
            for name in ("", "a b", "../accounts"):
                with pytest.raises(DeniedError, match="no survey is called"):
                    there.survey(name)
        server.shutdown()
    with pytest.raises(FranklyError, match="https"):
        fk.connect("http://[::1", "fk_a_key")


def test_without_the_service_it_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['httpx'] = None\n"
        "import frankly as fk\n"
        "try: fk.connect('https://studio.example', 'fk_a_key')\n"
        "except fk.errors.FranklyError as error: print(error)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "pip install 'frankly[server]'" in shown.stdout
