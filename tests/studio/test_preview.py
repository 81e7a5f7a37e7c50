"""The preview: the very page of respondents, and nothing of it is stored."""

import sys
from pathlib import Path
from typing import Any

import httpx

from frankly import Design
from frankly.collect.site import load_site
from frankly.report import respondent_text
from frankly.store import Store
from frankly.store.drafts import Draft, add_draft
from frankly.store.people import add_account, start_session
from frankly.studio.access import COOKIE
from tests.live import body_for, running
from tests.studio.people import DOCUMENT, Studio


def open_preview(client: httpx.Client, name: str = "draft") -> str:
    sent = client.get(f"/surveys/{name}/preview/")
    assert sent.status_code == 303
    return sent.headers["location"].partition("#")[0]


TOGETHER = {
    **DOCUMENT,
    "groups": [{"names": ["ill", "drinks"], "mechanism": {"kind": "unrelated", "theta": "2/3"}}],
}
"""A design in which every sentence for respondents has its place."""


def promised() -> list[str]:
    """What the report for an ethics board says that respondents are told."""
    return respondent_text(Design.from_document(TOGETHER)).splitlines()


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_the_page_is_the_collectors_byte_for_byte_and_under_its_headers(
    studio: Studio, ann: httpx.Client, nobody: httpx.Client
) -> None:
    studio.draft()
    where, site = open_preview(ann), load_site()
    nobody.headers["accept-encoding"] = "identity"
    page = nobody.get(where)
    assert page.content == site.page.body
    for name, value in site.headers.items():
        assert page.headers.get_list(name) == [value]
    for path, asset in site.assets.items():
        found = nobody.get(f"/web/{path}")
        assert found.content == asset.body
        assert found.headers["content-security-policy"] == site.headers["Content-Security-Policy"]
    told = nobody.get(f"{where}design.json").json()
    assert told["design"]["title"] == "Preview: Nights on the ward"
    assert nobody.get("/preview/0123456789abcdef/").status_code == 404


def test_answers_are_checked_as_the_collector_does_and_go_nowhere(
    studio: Studio, ann: httpx.Client, nobody: httpx.Client
) -> None:
    studio.draft()
    where = open_preview(ann)
    design = studio.app.state.previews.survey(where.split("/")[2]).design
    good = body_for(design, "x" * 22, {"ill": "no", "drinks": "never", "sex": "f"})
    assert nobody.post(f"{where}reports", json=good).status_code == 201
    bad = {**good, "report": {"ill": "perhaps", "drinks": "never", "sex": "f"}}
    assert nobody.post(f"{where}reports", json=bad).status_code == 422
    with studio.store.engine.connect() as connection:
        assert connection.exec_driver_sql("select count(*) from report").scalar() == 0


def test_only_a_designer_opens_a_preview(
    studio: Studio, bob: httpx.Client, carl: httpx.Client, nobody: httpx.Client
) -> None:
    studio.draft()
    studio.opened()
    assert bob.get("/surveys/draft/preview/").status_code == 404
    assert carl.get("/surveys/ward/preview/").status_code == 403
    assert nobody.get("/surveys/draft/preview/").headers["location"] == "/sign-in"
    assert len(studio.app.state.previews.kept) == 0


def test_the_whole_journey_can_be_tried_in_a_browser_again_and_again(
    browser: Any, tmp_path: Path
) -> None:
    url = str(tmp_path / "s.sqlite")
    with Store(url) as store:
        add_account(store, "ann", "-", "owner")
        add_draft(store, Draft("draft", TOGETHER), "ann")
        secret = start_session(store, "ann")
    broken: list[str] = []
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        context = browser.new_context()
        context.add_cookies([{"name": COOKIE, "value": secret, "url": live.base}])
        page = context.new_page()
        page.on("console", lambda said: broken.append(said.text))
        page.on("pageerror", lambda said: broken.append(str(said)))
        for _ in range(2):
            page.goto(f"{live.base}/surveys/draft/preview/")
            page.wait_for_selector("#epsilon")
            read = page.text_content("main")
            page.click("text=Start")
            page.wait_for_selector("text=See it once")
            read += page.text_content("main")
            page.click("text=Continue")
            for answer in ("Yes", "never", "f"):
                page.click(f"label:has-text('{answer}')")
                read += page.text_content("main")
                page.click("text=Continue")
            page.click("button.go")
            page.wait_for_selector("text=this is exactly what was sent")
            assert "Preview: Nights on the ward" in page.text_content("header")
            assert [one for one in promised() if squeezed(one) not in squeezed(read)] == []
        context.close()
    assert broken == []
