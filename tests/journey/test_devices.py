"""What the page says of each device is what that device does."""

import json
from pathlib import Path
from typing import Any

import pytest

from frankly import Attribute, Crosswise, Design, Flip, Forced, Group, Unrelated
from tests.journey.visit import Visit
from tests.live import running, survey_in


@pytest.mark.filterwarnings("ignore::frankly.errors.AskedCoverWarning")
def test_an_asked_cover_is_asked_with_a_warning(visit: Visit, store_url: str) -> None:
    # The name of a box among others to tick: a substitute is asked for each, so each has a page.
    ill = Attribute("sign.ill", ["no", "yes"], prompt="Are you ill?")
    group = Group(["sign.ill"], Unrelated(theta=0.7, cover={"sign.ill": [1, 1]}, asked=True))
    about = {"sign": "Which?", "cover.sign.ill": "Is your mother's birthday in an even month?"}
    (secret,) = survey_in(store_url, 1, Design([ill], groups=[group], about=about))
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/#{secret}")
        visit.press("Start")
        visit.press("Continue")
        page.get_by_label("No").check()
        visit.press("Continue")
        visit.heading("Is your mother's birthday in an even month?")
        page.get_by_text("Whoever knows it could tell the two apart").wait_for()
        visit.look("7-asked-cover")
        assert page.get_by_text("What can be sent?").count() == 0, "it is about the other question"
        page.get_by_label("Yes").check()
        visit.press("Continue")
        cover = page.locator("tr", has_text="Is your mother's birthday in an even month?")
        assert cover.locator("td").first.text_content() == "Yes"
        visit.look("7-asked-cover-check")
        visit.press("Send")
        visit.heading("Thank you. This is exactly what was sent")


def test_what_can_be_sent_is_what_the_devices_send(
    browser: Any, pictures: Path, store_url: str
) -> None:
    """A matrix never sends an answer as such, and no substitute is named that is never drawn."""
    names = ["crossed", "forced", "turned", "clear", "__proto__"]
    asked = [Attribute(name, ["no", "yes"], prompt=f"Is it {name}?") for name in names]
    groups = [
        Group(["crossed"], Crosswise(0.3)),
        Group(["forced"], Forced({"yes": "1/6"})),
        Group(["turned"], Flip(0.7)),
    ]
    design = Design(asked, groups=groups, accept_infinite_epsilon=True)
    survey_in(store_url, 0, design)
    with running(store_url) as live:
        visitor = Visit(browser, "phone", pictures)
        page = visitor.page
        page.goto(f"{live.base}/ward/")
        visitor.press("Start")
        visitor.press("Continue")
        for name in names:
            visitor.heading(f"Is it {name}?")
            page.get_by_label("No", exact=True).check()
            visitor.press("Continue")
        visitor.heading("Check your answers")
        own, other = (json.loads(text) for text in page.locator("pre").all_text_contents())
        both = {"crossed": "different | same", "clear": "no", "__proto__": "no"}
        assert own == {**both, "forced": "no", "turned": "no"}
        assert other == {**both, "forced": "yes", "turned": "yes"}
        # What follows a double click on Continue, where Send comes to lie under it.
        page.get_by_role("button", name="Send").dispatch_event("click", {"detail": 2})
        assert page.evaluate("Object.keys(localStorage).filter((k) => k.endsWith('body'))") == []
        visitor.press("Send")
        visitor.heading("Thank you. This is exactly what was sent")
        sent = json.loads(page.locator("#body").text_content() or "")["report"]
        assert sent["crossed"] in {"different", "same"}
        assert (sent["clear"], sent["__proto__"]) == ("no", "no")
        visitor.end()
