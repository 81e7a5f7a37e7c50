"""P9: the page cannot be changed silently; one altered byte in any file and it does not run."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from frankly.cli import main
from frankly.collect import load_site
from tests.live import DESIGN, figure, running, survey_in

SITE = load_site()
CHANGE = b"\nglobalThis.altered = 1;\n"
LOADED = sorted(path for path in SITE.assets if path.endswith((".js", ".css")))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Any:
    url = str(tmp_path_factory.mktemp("site") / "s.sqlite")
    (secret,) = survey_in(url, 1)
    with running(url) as live:
        yield f"{live.base}/ward/#{secret}"


def runs(browser: Any, address: str, path: str, change: bytes) -> bool:
    """Alter one file on its way; tell whether the altered file had any effect."""
    locale = path[6:8] if path.startswith("words/") else "en"
    context = browser.new_context(locale=locale)
    page = context.new_page()
    asset = SITE.assets[path]

    def altered(route: Any) -> None:
        route.fulfill(body=asset.body + change, headers={"content-type": asset.media})

    page.route(f"**/web/{path}", altered)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    if path.endswith(".css"):
        sheets = page.evaluate("[...document.styleSheets].map((sheet) => sheet.href ?? '')")
        effect = any(sheet.endswith(path) for sheet in sheets)
    else:
        effect = page.evaluate("'altered' in window") or page.locator("button.go").count() > 0
    context.close()
    return bool(effect)


def test_no_altered_file_runs(browser: Any, address: str, full: bool) -> None:
    mine = [path for path in LOADED if not path.startswith("words/") or path == "words/en.js"]
    ran = [path for path in mine if runs(browser, address, path, CHANGE)]
    figure("P9", f"altered files that ran, of {len(mine)}", len(ran), full=full)
    assert ran == []
    assert len(mine) >= 20


@pytest.mark.parametrize("language", ["de", "ar"])
def test_no_altered_language_runs(browser: Any, tmp_path: Path, language: str) -> None:
    url = str(tmp_path / "s.sqlite")
    document = {**DESIGN.document(), "languages": ["en", "de", "ar"]}
    (secret,) = survey_in(url, 1, type(DESIGN).from_document(document))
    with running(url) as live:
        assert not runs(browser, f"{live.base}/ward/#{secret}", f"words/{language}.js", CHANGE)


def test_a_page_without_hashes_runs_altered_files(browser: Any, address: str) -> None:
    """The mutant, and the reason for hashes: without them the altered file runs."""
    page = browser.new_page()
    bare = re.sub(
        r' integrity="[^"]*"|<script type="importmap">.*?</script>', "", SITE.page.body.decode()
    )
    page.route("**/ward/", lambda r: r.fulfill(body=bare, headers={"content-type": "text/html"}))
    asset = SITE.assets["tape.js"]
    change = b"\nwindow.altered = true;\n"
    page.route("**/web/tape.js", lambda r: r.fulfill(
        body=asset.body + change, headers={"content-type": asset.media}))  # fmt: skip
    page.goto(address)
    page.get_by_role("button", name="Start").wait_for()
    assert page.evaluate("window.altered") is True
    page.close()


def test_the_page_is_built_the_same_every_time() -> None:
    assert load_site().hashes() == load_site().hashes()
    inline = re.findall(r"<script(?![^>]*src)[^>]*>", SITE.page.body.decode())
    assert inline == ['<script type="importmap">']
    assert not re.search(r"\son\w+=|style=", SITE.page.body.decode())


def test_verify_site_compares_a_live_site_with_the_published_one(address: str) -> None:
    shown = CliRunner().invoke(main, ["verify-site", address])
    assert shown.exit_code == 0, shown.output
    assert f"{len(SITE.assets) + 1} files are as published" in shown.output
    hashes = CliRunner().invoke(main, ["verify-site", "--hashes"]).output
    assert SITE.assets["randomize.js"].integrity in hashes
    for words in ([], [address, "--hashes"]):
        refused = CliRunner().invoke(main, ["verify-site", *words])
        assert (refused.exit_code, "nothing was compared" in refused.stderr) == (2, True)


def test_verify_site_notices_one_changed_file(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = sys.modules["frankly.cli.verify_site"]

    for path, asset in SITE.assets.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(asset.body)
    (tmp_path / "index.html").write_text(SITE.template)
    (tmp_path / "tape.js").write_bytes(SITE.assets["tape.js"].body + b"\n")
    monkeypatch.setattr(command, "load_site", lambda: load_site(tmp_path))
    found = {one.what for one in command.compare(address)}
    assert {"page", "web/tape.js", "header Content-Security-Policy"} == found
