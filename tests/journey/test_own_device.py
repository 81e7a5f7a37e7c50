"""People bring chance of their own: a die, a coin or birthdays, with the page or without script."""

from pathlib import Path
from typing import Any

import pytest

from frankly import Attribute, Design, Group, Unrelated
from frankly.store import Store
from tests.journey.visit import SIZES, Visit
from tests.live import running, survey_in

OWN_DIE = Design(
    [
        Attribute("ill", ["no", "yes"], prompt="Are you ill?"),
        Attribute("drinks", ["never", "sometimes", "often"], prompt="Do you drink?"),
        Attribute("sex", ["f", "m"], prompt="Your sex?"),
    ],
    groups=[Group(["ill", "drinks"], Unrelated(theta="2/3"))],
    title="Bring your own die",
    own_device="die",
)


def test_people_may_bring_their_own_die(visit: Visit, store_url: str) -> None:
    (secret,) = survey_in(store_url, 1, OWN_DIE)
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/#{secret}")
        page.get_by_text("Nobody. Only you know whether a protected answer is true").wait_for()
        page.get_by_text("Sometimes your answer, sometimes what chance says.").wait_for()
        assert page.get_by_text("on this device").count() == 0, "what is given here is sent"
        visit.look("8-own-die-welcome")
        visit.press("Start")
        visit.heading("Take a die.")
        page.get_by_text("Throw 1 to 4: give your true answers on this page.").wait_for()
        page.get_by_text("Throw 3 to 4: “sometimes”").wait_for()
        page.get_by_text("Throw 5 to 6: throw again for each question, and").wait_for()
        visit.look("8-own-die")
        page.get_by_label("Yes").check()
        visit.press("Continue")
        page.get_by_role("link", name="Choose an answer to continue: Do you drink?").click()
        assert page.evaluate("document.activeElement.value") == "never"
        open_one = page.get_by_role("group", name="Do you drink?")
        open_one.get_by_text("Choose an answer to continue").wait_for()
        visit.look("8-own-die-error")
        page.get_by_label("often").check()
        visit.press("Continue")
        visit.heading("These questions are not protected")
        page.get_by_label("m", exact=True).check()
        visit.look("8-own-die-clear")
        visit.press("Continue")
        visit.heading("Check your answers")
        page.get_by_text("Exactly these answers. Only you know whether").wait_for()
        assert page.get_by_text("on this device").count() == 0, "exactly these answers are sent"
        visit.look("8-own-die-check")
        visit.press("Send")
        visit.heading("Thank you. This is exactly what was sent")
        sent = page.locator("#body").text_content()
        assert '"report":{"ill":"yes","drinks":"often","sex":"m"}' in sent


AGAIN = {
    "coin": {
        "en": "Tails: toss again for each question, and",
        "de": "Zahl: Werfen Sie die Münze für jede Frage neu und",
        "ar": "كتابة: ارمِ القطعة من جديد لكل سؤال،",
    },
    "birthday": {
        "en": "Born in months 7 to 12: think of another person for each question, and",
        "de": "Geboren in den Monaten 7 bis 12: Denken Sie für jede Frage an",
        "ar": "مولود في الأشهر من 7 إلى 12: فكّر لكل سؤال في شخص آخر،",
    },
}


@pytest.mark.parametrize("device", list(AGAIN))
def test_a_coin_and_a_birthday_have_words_of_their_own(
    browser: Any, pictures: Path, store_url: str, device: str
) -> None:
    """One person has one birthday: only another person makes another draw."""
    asked = [Attribute(name, ["no", "yes"], prompt=f"Question {name}?") for name in "ab"]
    groups = [Group(["a", "b"], Unrelated(theta="1/2"))]
    languages = ("en", "de", "ar")
    design = Design(asked, groups=groups, own_device=device, languages=languages)
    survey_in(store_url, 0, design)
    with running(store_url) as live:
        for language, again in AGAIN[device].items():
            visitor = Visit(browser, "phone", pictures, locale=language)
            page = visitor.page
            page.goto(f"{live.base}/ward/paper")
            below = {"en": "each question", "de": "jede Frage", "ar": "لكل سؤال"}[language]
            shown = page.locator(".card li").nth(1).text_content() or ""
            assert shown.startswith(again.split(below)[0]), shown
            page.screenshot(path=pictures / f"9-paper-{device}-{language}.png", full_page=True)
            page.goto(f"{live.base}/ward/")
            page.locator("button.go").click()
            page.get_by_text(again).wait_for()
            visitor.look(f"8-own-{device}-{language}")
            for name in "ab":
                page.locator(f'input[name="{name}"][value="yes"]').check()
            page.locator("button.go").click()
            for step in ("check", "thanks"):
                page.locator("td, code").first.wait_for()
                if step == "thanks":
                    page.locator("code").wait_for()
                visitor.look(f"8-own-{device}-{step}-{language}")
                said = page.locator("main").inner_text()
                assert {"en": " die", "de": "ürfel", "ar": "نرد"}[language] not in said, said
                if step == "check":
                    page.locator("button.go").click()
            visitor.end()


def test_without_script_a_die_and_a_typed_code_suffice(
    browser: Any, pictures: Path, store_url: str
) -> None:
    (secret,) = survey_in(store_url, 1, OWN_DIE)
    typed = "-".join(secret[i : i + 4].lower() for i in range(0, 16, 4))
    for size in SIZES:
        with running(store_url) as live:
            visitor = Visit(browser, size, pictures, java_script_enabled=False)
            page = visitor.page
            page.goto(f"{live.base}/ward/")
            page.get_by_role("link", name="answered with a die").click()
            page.get_by_label("yes").check()
            page.get_by_label("never").check()
            page.get_by_label("f", exact=True).check()
            code = page.get_by_label("Your code")
            code.fill("k7qf-2m9x-41tb-xxxx")
            page.screenshot(path=pictures / f"9-paper-{size}.png", full_page=True)
            page.get_by_role("button", name="Send").click()
            alert = page.get_by_role("alert")
            alert.get_by_role("link", name="This code is not known").wait_for()
            assert code.get_attribute("aria-invalid") == "true"
            page.screenshot(path=pictures / f"9-paper-wrong-code-{size}.png", full_page=True)
            for kept in ("Yes", "never", "f"):
                assert page.get_by_label(kept, exact=True).is_checked()
            code.fill(typed)
            page.get_by_role("button", name="Send").click()
            if size == "phone":
                page.get_by_role("heading", name="exactly what was sent").wait_for()
                page.screenshot(path=pictures / f"9-paper-sent-{size}.png", full_page=True)
            else:
                alert.get_by_role("link", name="This code was used before").wait_for()
            visitor.context.close()
    with Store(store_url, upgrade=False) as store:
        assert store.size("ward") == 1
