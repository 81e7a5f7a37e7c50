"""Accounts and the life of a survey in a real browser, with every page looked at by axe."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.journey.visit import Visit
from tests.live import running
from tests.studio.people import DOCUMENT, PASSWORD, Studio


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("FRANKLY_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize(("size", "light"), [("phone", "dark"), ("desk", "light")])
def test_from_sign_in_to_deletion(  # noqa: PLR0915 - a journey has many steps
    studio: Studio, browser: Any, pictures: Path, size: str, light: Any
) -> None:
    certain = {**DOCUMENT, "groups": [{"names": ["ill"],
               "mechanism": {"kind": "unrelated", "theta": "1"}}]}  # fmt: skip
    studio.draft("ward")
    studio.draft("empty", document={"title": "Nothing yet", "attributes": []})
    studio.draft("certain", document={**certain, "title": "A survey that proves something"})
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        visit = Visit(browser, size, pictures, color_scheme=light, accept_downloads=True)
        page = visit.page

        def look(name: str) -> None:
            visit.look(f"run-{name}-{light}")

        page.goto(f"{live.base}/")
        visit.heading("Sign in")
        page.get_by_label("Name or e-mail").fill("ann")
        page.get_by_label("Password").fill("a wrong guess")
        visit.press("Sign in")
        page.get_by_role("alert").wait_for()
        look("sign-in-error")
        page.get_by_label("Password").fill(PASSWORD)
        visit.press("Sign in")
        visit.heading("Your surveys")
        look("surveys")

        page.goto(f"{live.base}/account")
        page.get_by_label("Name of the new key").fill("my notebook")
        visit.press("Make a key")
        page.get_by_text("This is the key").wait_for()
        visit.press("Make a link")
        page.get_by_text("Send this link to one person").wait_for()
        look("account")
        welcome = page.locator("code.big").text_content()
        with browser.new_context(color_scheme=light) as other:
            other.new_page().goto(welcome)

        page.goto(f"{live.base}/surveys/empty/invite")
        visit.heading("Not ready to open")
        look("not-ready")
        page.goto(f"{live.base}/surveys/certain/invite")
        page.get_by_text("accept it by name").wait_for()
        look("certain")
        page.goto(f"{live.base}/surveys/ward/invite")
        visit.heading("Ready to open")
        look("ready")
        visit.press("Open the survey")
        visit.heading("No answers yet")
        look("open")
        with page.expect_download() as saved:
            visit.press("Save links.csv")
        links = Path(saved.value.path()).read_text(encoding="utf-8").split()[1:]
        assert len(links) == 200
        page.get_by_label("or paste links").fill("nothing")
        visit.press("Save unused.csv")
        page.get_by_role("alert").wait_for()
        look("open-error")
        page.locator("details.fold summary").click()
        page.locator("select[name=account]").select_option("carl")
        visit.press("Let in")
        page.get_by_role("row", name="carl").wait_for()
        studio.answer(130)
        page.reload()
        visit.heading("130 answers so far")
        page.get_by_label("I am sure").check()
        visit.press("Close the survey")
        visit.heading("This survey is closed")
        look("closed")
        page.get_by_label("to delete it").fill("ward")
        visit.press("Delete for good")
        visit.heading("Your surveys")
        page.goto(f"{live.base}/surveys/ward/invite")
        visit.heading("That did not work")
        look("gone")
        visit.end()
