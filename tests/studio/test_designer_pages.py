"""The designer's pages in a real browser: no axe or CSP violation, nothing wider than a phone."""

import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from frankly.store import Store
from frankly.store.drafts import Draft, add_draft, put_member
from frankly.store.people import add_account, start_session
from frankly.studio.access import COOKIE
from frankly.studio.samples import sample
from tests.live import running, survey_in

LONG = "Rechtsschutzversicherungsgesellschaften" * 2
WORDY = {
    "title": f"\u202eOn {LONG}",
    "about": {"who": LONG, "contact": f"{LONG}@example.org"},
    "attributes": [{"name": "w" * 60, "values": [LONG, LONG[::-1]], "prompt": f"{LONG}?"}],
    "groups": [{"names": ["w" * 60], "mechanism": {"kind": "unrelated", "theta": "1/2"}}],
}
"""Words that no line holds, behind a letter that turns the line round."""

PAGES = (
    "/",
    "/account",
    "/surveys/wordy/questions",
    "/surveys/wordy/protection",
    "/surveys/wordy/report",
    "/new",
    "/surveys/draft/questions",
    "/surveys/draft/questions/edit",
    "/surveys/draft/questions/edit?question=notes",
    "/surveys/draft/questions/about",
    "/surveys/draft/protection",
    "/surveys/draft/protection/table?people=500&layout=own+tosses",
    "/surveys/small/protection",
    "/surveys/blank/questions",
    "/surveys/blank/protection",
    "/surveys/ward/questions",
    "/surveys/ward/protection",
)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_every_page_is_accessible_and_keeps_to_its_policy(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    url = str(tmp_path / "s.sqlite")
    survey_in(url, 0)
    with Store(url) as store:
        add_account(store, "ann", "-", "owner")
        add_draft(store, Draft("draft", sample("exams"), {"people": 500}), "ann")
        small = {"people": 40, "layout": "own tosses", "epsilon": 1.1}
        add_draft(store, Draft("small", sample("health"), small), "ann")
        add_draft(store, Draft("blank", {"title": "Blank", "attributes": []}), "ann")
        add_draft(store, Draft("wordy", WORDY), "ann")
        add_account(store, f"{LONG.lower()}@example.org", "-", "owner")
        own(store)
        secret = start_session(store, "ann")
    said: list[str] = []
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.add_cookies([{"name": COOKIE, "value": secret, "url": live.base}])
        page = context.new_page()
        page.on("console", lambda one: said.append(f"{page.url}: {one.text}"))
        for path in PAGES:
            page.goto(f"{live.base}{path}")
            page.wait_for_load_state("networkidle")
            look(page, path)
        page.goto(f"{live.base}/surveys/draft/questions/edit")
        page.check("input[value=choice]")
        page.click("button:has-text('Add')")
        assert page.is_visible("text=There is a problem")
        assert page.is_visible("[name=answers]"), "what belongs to the kind is shown again"
        look(page, "an error")
        context.close()
    assert [one for one in said if "400" not in one] == []


def own(store: Store) -> None:
    """Give the opened survey to its owner."""

    with store.writing() as connection:
        put_member(connection, "ward", "ann", "owner")


def look(page: Any, path: str) -> None:
    """Ask axe, and measure."""
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], path
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert page.evaluate(APART) == [], f"{path}: the list of surveys runs over the page"
    assert page.evaluate(BACKWARDS) == [], f"{path}: a title turned its badge round"
    assert page.locator("h1").count() == 1


APART = """[...document.querySelectorAll('.side a')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""

BACKWARDS = """[...document.querySelectorAll('.state')].filter((one) => {
  const [first, last] = [0, one.textContent.length - 1].map((i) => {
    const letter = document.createRange();
    letter.setStart(one.firstChild, i); letter.setEnd(one.firstChild, i + 1);
    return letter.getBoundingClientRect().left;
  });
  return first > last;
}).map((one) => one.textContent)"""
