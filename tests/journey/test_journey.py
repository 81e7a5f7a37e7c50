"""A respondent's journey in a real browser, on a phone and on a desk, in three languages.

Every page and state is kept as a picture in the folder that FRANKLY_PICTURES names (otherwise in
pytest's own), so that somebody can look at them.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from frankly import Attribute, Design, Form, Group, Unrelated
from frankly.store import Store
from tests.journey.visit import SAMPLE, SIZES, Visit
from tests.live import figure, running, survey_in

LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwe"

EVERY_KIND = Design.from_document(
    {
        "title": "Every kind of question",
        "about": {"who": "A test", "time": "A minute", "symptom": "Which of these did you have?"},
        "attributes": [
            {"name": "age", "prompt": "How old are you?", "bins": [30, 50]},
            {"name": "stress", "prompt": "How stressed are you?", "values": list("12345")},
            {"name": "rating", "prompt": "From 0 to 10?", "values": [str(i) for i in range(11)]},
            {"name": "income", "prompt": "Your income?", "bins": [1000, 2000]},
            {"name": "symptom.cough", "prompt": "A cough", "values": ["no", "yes"]},
            {"name": "symptom.fever", "prompt": "A fever", "values": ["no", "yes"]},
            {"name": "status", "prompt": "You are", "values": ["single", "married"],
             "labels": {"single": LONG}, "merged": {"widowed": "single"}},
        ],
        "groups": [
            {"names": ["age", "stress"], "mechanism": {"kind": "unrelated", "theta": "1/3"}},
            {"names": ["symptom.cough"], "mechanism": {"kind": "flip", "theta": "7/10"}},
            {"names": ["symptom.fever"], "mechanism": {"kind": "flip", "theta": "7/10"}},
        ],
    }
)  # fmt: skip

EACH = (
    "Of 100 people whose answer is “Never”, about 67 send “Never”, about 17 send each of the others"
)

APART = """[...document.querySelectorAll(".spinner text")].every((text) => {
  const box = text.getBBox(), hand = 50 - document.querySelector(".hand").getBBox().y;
  const away = (from, size) => Math.max(from - 50, 0, 50 - from - size);
  return Math.hypot(away(box.x, box.width), away(box.y, box.height)) > hand;
})"""


def test_from_the_welcome_to_the_receipt(  # noqa: PLR0915 - a journey has many steps
    visit: Visit, store_url: str
) -> None:
    (secret,) = survey_in(store_url, 1, SAMPLE)
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/#{secret}")
        visit.heading("Nobody can see your answer")
        visit.look("1-welcome")
        visit.larger("1-welcome")
        visit.press("Start")
        visit.heading("See it once")
        visit.look("2-practice")
        visit.press("Spin")
        page.get_by_text("Choose an answer first").wait_for()
        page.get_by_label("Yes").check()
        visit.press("Spin")
        page.get_by_text("Whoever reads it cannot see").wait_for()
        page.get_by_text("Of 100 people like you, 50 send their own answer").wait_for()
        apart = page.evaluate(APART)
        assert apart, "the hand covers no word"
        visit.look("2-practice-spun")
        visit.larger("2-practice-spun")
        turned = page.locator(".hand").get_attribute("style")
        visit.press("Spin again")
        assert page.get_by_role("status").text_content() == "", "what comes is announced again"
        page.get_by_text("Whoever reads it cannot see").wait_for()
        assert page.locator(".hand").get_attribute("style") != turned
        visit.press("Continue")
        page.get_by_text("Question 1 of 4").wait_for()
        visit.look("3-question")
        visit.press("Continue")
        page.get_by_role("alert").wait_for()
        focused = page.evaluate("document.activeElement.textContent")
        assert focused == "Choose an answer to continue", "readers hear what is wrong first"
        visit.look("3-question-error")
        page.get_by_label("Yes").check()
        page.get_by_text("What can be sent?").click()
        page.get_by_text(
            "Of 100 people whose answer is “No”, 75 send “No”, 25 send “Yes”."
        ).wait_for()
        visit.look("3-question-odds")
        visit.larger("3-question-odds")
        visit.press("Continue")
        page.get_by_text("What can be sent?").click()
        page.get_by_text(EACH).wait_for()
        page.get_by_label("Once").check()
        visit.press("Continue")
        page.get_by_label("No").check()
        page.go_back()
        assert page.get_by_label("Once").is_checked(), "back keeps what was answered"
        visit.press("Continue")
        page.get_by_label("No").check()
        visit.press("Continue")
        page.get_by_label("At night").check()
        visit.look("3-question-clear")
        visit.press("Continue")
        visit.heading("Check your answers")
        visit.look("4-check")
        visit.larger("4-check")
        page.get_by_role("button", name="Change: In the last year, did you take").click()
        page.get_by_label("Never").check()
        visit.press("Continue")
        visit.heading("Check your answers")
        page.get_by_text("Byte for byte").click()
        visit.look("4-check-both-cases")
        visit.press("Send")
        visit.heading("Thank you. This is exactly what was sent")
        page.get_by_text("Byte for byte").click()
        visit.look("5-thanks")
        page.get_by_text(f"learned at most ε = {SAMPLE.epsilon:.2f}").wait_for()
        with Store(store_url, upgrade=False) as store:
            assert store.size("ward") == 1


def test_the_keyboard_alone_suffices(visit: Visit, store_url: str) -> None:
    (secret,) = survey_in(store_url, 1, SAMPLE)
    with running(store_url) as live:
        page, keys = visit.page, visit.page.keyboard
        page.goto(f"{live.base}/ward/#{secret}")
        visit.heading("Nobody can see your answer")

        def tab_to(name: str) -> None:
            for _ in range(20):
                keys.press("Tab")
                if page.evaluate("document.activeElement.textContent") == name:
                    return
            raise AssertionError(f"{name} cannot be reached")

        tab_to("Start")
        keys.press("Enter")
        visit.heading("See it once")
        assert page.evaluate("document.activeElement.tagName") == "H1"
        tab_to("Continue")
        keys.press("Enter")
        for question in range(4):
            page.get_by_text(f"Question {question + 1} of 4").wait_for()
            keys.press("Tab")
            keys.press("Space")
            keys.press("Enter")
        visit.heading("Check your answers")
        tab_to("Send")
        keys.press("Enter")
        visit.heading("Thank you. This is exactly what was sent")


@pytest.mark.parametrize(
    ("language", "start", "way"), [("de", "Beginnen", "ltr"), ("ar", "ابدأ", "rtl")]
)
def test_the_page_speaks_the_readers_language(
    visit: Visit, store_url: str, language: str, start: str, way: str
) -> None:
    (secret,) = survey_in(store_url, 1, SAMPLE)
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/#{secret}")
        page.get_by_role("button", name={"de": "Deutsch", "ar": "العربية"}[language]).click()
        page.get_by_role("button", name=start, exact=True).wait_for()
        assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
            language,
            way,
        ]
        quoted = page.get_by_text({"de": "ohne Schutz: „", "ar": "من دون حماية: «"}[language])
        assert "”" not in (quoted.text_content() or "")
        visit.look(f"6-{language}-welcome")
        page.get_by_role("button", name=start, exact=True).click()
        page.locator('input[value="1"]').check()
        page.locator("p > button").click()
        visit.look(f"6-{language}-practice")
        page.locator("button.go").click()
        visit.look(f"6-{language}-question")
        page.locator('input[value="yes"]').check()
        for name in ("English", {"de": "Deutsch", "ar": "العربية"}[language]):
            page.get_by_role("button", name=name).click()
            page.locator(f'button[aria-current]:text("{name}")').wait_for()
            assert page.locator('input[value="yes"]').is_checked(), "the choice is kept"
        for value in ("yes", "never", "no", "days"):
            page.locator(f'input[value="{value}"]').check()
            page.locator("button.go").click()
        page.locator("td.act").first.wait_for()
        visit.look(f"6-{language}-check")
        page.locator("button.go").click()
        page.locator("code").wait_for()
        visit.look(f"6-{language}-thanks")


def test_every_kind_of_question_can_be_answered(  # noqa: PLR0915 - as many as there are kinds
    visit: Visit, store_url: str
) -> None:
    (secret,) = survey_in(store_url, 1, EVERY_KIND)
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/#{secret}")
        visit.press("Start")
        page.get_by_text("Depending on the question, 33 to 70 of 100 people like you").wait_for()
        page.get_by_text("send their own answer, the others one in its place.").wait_for()
        visit.press("Continue")
        box = page.locator("#answer")
        box.fill("old")
        visit.press("Continue")
        page.get_by_role("alert").wait_for()
        assert (box.input_value(), box.get_attribute("aria-invalid")) == ("old", "true")
        visit.look("7-number-error")
        box.fill("34")
        visit.look("7-number")
        visit.press("Continue")
        page.get_by_role("radio", name="4").check()
        visit.look("7-scale")
        visit.press("Continue")
        page.get_by_role("radio", name="10").check()
        visit.look("7-scale-of-11")
        page.set_viewport_size({"width": 320, "height": 844})
        visit.look("7-scale-of-11-at-320")
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[visit.size], strict=True)))
        visit.press("Continue")
        box.fill("1.500")
        visit.press("Continue")
        page.get_by_role("link", name="Did you mean 1.5 or 1500? Enter it like that").click()
        assert page.evaluate("document.activeElement.value") == "1.500"
        box.fill("1,234")
        visit.press("Continue")
        page.get_by_role("link", name="Did you mean 1.2340 or 1234? Enter it like that").click()
        box.fill("1.500,50")
        visit.press("Continue")
        page.get_by_label("A cough").check()
        page.get_by_text("What can be sent?").click()
        assert page.locator("details .quiet").all_text_contents() == ["A cough", "A fever"]
        visit.look("7-ticks")
        visit.press("Continue")
        page.get_by_label("widowed").check()
        visit.press("Continue")
        visit.heading("Check your answers")
        page.get_by_text("34 (30 to under 50)").wait_for()
        page.get_by_text("1500.50 (1000 to under 2000)").wait_for()
        clear = page.locator("tr", has_text="sent as you answer")
        assert clear.locator("th").all_text_contents() == [
            f"{one}sent as you answer" for one in ("From 0 to 10?", "Your income?", "You are")
        ]
        page.get_by_text("Protected answers stay on this device.").wait_for()
        visit.look("7-check")
        visit.larger("7-check")
        page.get_by_text(f"widowed ({LONG})").wait_for()
        page.get_by_text("Byte for byte").click()
        flipped = json.loads(page.locator("pre").nth(1).text_content() or "")
        assert flipped["symptom.cough"] == "no", "a flip sends the other answer, none drawn"
        visit.press("Send")
        visit.heading("Thank you. This is exactly what was sent")
        assert clear.count() == 3
        visit.look("7-thanks")
        visit.larger("7-thanks")
        with Store(store_url, upgrade=False) as store:
            assert store.size("ward") == 1


def test_the_form_is_drawn_before_the_first_question_and_kept(browser: Any, store_url: str) -> None:
    design = Design(
        [Attribute(name, ["no", "yes"], prompt=f"Question {name}?") for name in "abcdefgh"],
        forms=[Form([Group([name], Unrelated(theta=0.5))]) for name in "abcdefgh"],
    )
    survey_in(store_url, 0, design)
    with running(store_url) as live:
        forms = set()
        for _ in range(6):
            context = browser.new_context()
            page = context.new_page()
            asked = set()
            for _ in range(4):
                page.goto(f"{live.base}/ward/")
                page.get_by_role("button", name="Start").click()
                page.get_by_role("button", name="Continue").click()
                asked.add(page.locator("h1").text_content())
            assert len(asked) == 1
            forms |= asked
            page.locator('input[value="yes"]').check()
            page.get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Send").click()
            page.get_by_role("heading", name="Thank you").wait_for()
            context.close()
        # All six the same by chance: 8 ** -5.
        assert len(forms) > 1
        with Store(store_url, upgrade=False) as store:
            assert store.size("ward") == 6


def test_a_survey_without_protection_promises_none(
    browser: Any, pictures: Path, store_url: str
) -> None:
    survey_in(store_url, 0, Design([Attribute("sex", ["f", "m"], prompt="Your sex?")]))
    with running(store_url) as live:
        visitor = Visit(browser, "phone", pictures)
        visitor.page.goto(f"{live.base}/ward/")
        visitor.heading("These questions are not protected")
        said = [visitor.page.locator("main").inner_text()]
        visitor.press("Start")
        visitor.page.get_by_label("m", exact=True).check()
        for button, heading in {"Continue": "Check your answers", "Send": "Thank you"}.items():
            visitor.press(button)
            visitor.heading(heading)
            said.append(visitor.page.locator("main").inner_text())
        promises = ("Nobody", "by chance", "stay on this device", "nobody can tell")
        assert not [one for one in promises if one in " ".join(said)]
        visitor.end()


ORDER = """(box) => {
  const at = (from) => {
    const range = document.createRange();
    range.setStart(box.firstChild, from);
    range.setEnd(box.firstChild, from + 1);
    return range.getBoundingClientRect().left;
  };
  return at(0) < at(box.firstChild.length - 1);
}"""
"""Whether the first letter of a text stands left of its last."""


def test_ranges_are_not_turned_round_in_a_page_that_reads_from_the_right(
    browser: Any, pictures: Path, store_url: str
) -> None:
    """Without care "30 to under 50" became "to under 50 30", also under "exactly what was sent"."""
    asked = {"name": "age", "prompt": "كم عمرك؟", "bins": [30, 50]}
    survey_in(store_url, 0, Design.from_document({"languages": ["ar"], "attributes": [asked]}))
    with running(store_url) as live:
        visitor = Visit(browser, "phone", pictures)
        page = visitor.page
        page.goto(f"{live.base}/ward/")
        page.locator("button.go").click()
        ranges = page.get_by_text("under 30 · 30 to under 50 · 50 and over", exact=True)
        assert ranges.evaluate(ORDER)
        page.locator("#answer").fill("34")
        page.locator("button.go").click()
        assert page.get_by_text("34 (30 to under 50)", exact=True).evaluate(ORDER)
        visitor.look("6-ar-range-check")
        page.locator("button.go").click()
        assert page.get_by_text("30 to under 50", exact=True).evaluate(ORDER)
        visitor.look("6-ar-range-thanks")
        visitor.end()


def test_nothing_moves_for_those_who_ask_for_that(
    browser: Any, pictures: Path, store_url: str
) -> None:
    (secret,) = survey_in(store_url, 1, SAMPLE)
    with running(store_url) as live:
        visitor = Visit(browser, "phone", pictures, reduced_motion="reduce", color_scheme="dark")
        visitor.page.goto(f"{live.base}/ward/#{secret}")
        visitor.heading("Nobody can see your answer")
        visitor.look("b-dark-welcome")
        visitor.press("Start")
        visitor.look("b-dark-practice")
        moved = visitor.page.evaluate(
            "getComputedStyle(document.querySelector('.hand')).transitionDuration"
        )
        assert moved == "0s"
        visitor.end()


def test_the_page_adds_up_what_surveys_of_its_site_have_learned(
    browser: Any, store_url: str
) -> None:
    ill = Attribute("ill", ["no", "yes"], prompt="Are you ill?")
    design = Design([ill], groups=[Group(["ill"], Unrelated(theta=0.5))])
    for name in ("one", "two"):
        survey_in(store_url, 0, Design([ill], groups=design.groups, title=name), name)
    with running(store_url) as live:
        page = browser.new_page()
        for times, name in enumerate(("one", "two", "two"), start=1):
            page.goto(f"{live.base}/{name}/")
            if times < 3:
                page.get_by_role("button", name="Start").click()
                page.get_by_role("button", name="Continue").click()
                page.get_by_label("No").check()
                page.get_by_role("button", name="Continue").click()
                page.get_by_role("button", name="Send").click()
            # A visit to what was sent before costs nothing more.
            spent = min(times, 2) * design.epsilon
            page.get_by_text(f"learned at most ε = {spent:.2f}").wait_for()
        page.close()


def test_a_whole_visit_is_small(store_url: str, full: bool) -> None:
    """Everything that a visit loads, as it is sent, in the language that needs most."""
    survey_in(store_url, 0, SAMPLE)
    with running(store_url) as live, httpx.Client(base_url=live.base) as client:
        page = client.get("/ward/").text
        paths = sorted({part.split('"')[0] for part in page.split('"/web/')[1:]})
        bodies = {path: len(gzip.compress(client.get(f"/web/{path}").content, 9)) for path in paths}
    words = [path for path in paths if path.startswith("words/")]
    longest = max(bodies.pop(path) for path in words)
    size = len(gzip.compress(page.encode(), 9)) + sum(bodies.values()) + longest
    figure("P1", "a visit, page and modules, bytes gzipped", size, full=full)
    assert len(words) == 3
    assert len(bodies) >= 25
    assert size < 30_000
