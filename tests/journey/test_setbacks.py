"""What people meet when something is in the way: it says what to do, and no answer is lost."""

import itertools
from pathlib import Path
from typing import Any

from frankly import Attribute, Design, Group, Unrelated
from frankly.store import Store
from tests.journey.visit import SAMPLE, SIZES, Visit
from tests.live import running, survey_in


def test_a_wrong_address_gets_a_page_in_the_readers_language(
    browser: Any, pictures: Path, store_url: str
) -> None:
    survey_in(store_url, 1, SAMPLE)
    said = {
        "en": ["There is nothing at this address", "This survey needs JavaScript"],
        "de": ["Unter dieser Adresse ist nichts", "Diese Umfrage braucht JavaScript"],
        "ar": ["لا يوجد شيء في هذا العنوان", "هذا الاستبيان يحتاج إلى جافاسكربت"],
    }
    with running(store_url) as live:
        for size, (language, (nothing, script)) in itertools.product(SIZES, said.items()):
            visitor = Visit(browser, size, pictures, locale=language)
            for i, path in enumerate(("", "none/", "ward/paper")):
                answer = visitor.page.goto(f"{live.base}/{path}")
                assert answer.status == 404
                visitor.heading(script if path == "ward/paper" else nothing)
                visitor.look(f"c-{i}-{language}")
            visitor.end()


def test_a_closed_survey_a_missing_invitation_and_no_connection_say_so(
    visit: Visit, store_url: str
) -> None:
    secrets = survey_in(store_url, 2, SAMPLE)
    with running(store_url) as live:
        page = visit.page
        page.goto(f"{live.base}/ward/")
        visit.heading("This survey needs an invitation")
        page.get_by_text("Questions to: safety@ward.example").wait_for()
        visit.look("a-no-invitation")
        page.goto(f"{live.base}/ward/#{secrets[0][:-2]}")
        visit.heading("This survey needs an invitation")
        page.goto(f"{live.base}/ward/#{secrets[0]}")
        visit.press("Start")
        visit.press("Continue")
        for value in ("yes", "never", "no", "days"):
            page.locator(f'input[value="{value}"]').check()
            visit.press("Continue")
        page.route("**/reports", lambda route: route.abort())
        visit.press("Send")
        visit.heading("Not sent yet")
        visit.look("a-not-sent")
        page.unroute("**/reports")
        visit.press("Try again")
        visit.heading("Thank you. This is exactly what was sent")
        page.goto(f"{live.base}/ward/#{secrets[1]}")
        visit.heading("Nobody can see your answer")
        with Store(store_url, upgrade=False) as store:
            store.close_survey("ward")
        page.reload()
        visit.heading("This survey is closed")
        visit.look("a-closed")
        for part in ("ward/design.json", "web/view.js"):
            page.route(f"**/{part}", lambda route: route.abort())
            page.reload()
            visit.heading("This page could not be loaded")
            visit.look(f"a-broken-{Path(part).stem}")
            page.unroute(f"**/{part}")
        visit.problems = [one for one in visit.problems if "ERR_FAILED" not in one]


def test_a_request_that_nobody_answers_is_given_up_and_sent_again(
    browser: Any, pictures: Path, store_url: str
) -> None:
    """Whatever holds a request for half a minute, people hear of it; here minutes are shorter."""
    ill = Attribute("ill", ["no", "yes"], prompt="Are you ill?")
    survey_in(store_url, 0, Design([ill], groups=[Group(["ill"], Unrelated(theta=0.7))]))
    with running(store_url) as live:
        visitor = Visit(browser, "phone", pictures)
        visitor.context.add_init_script(
            "const { timeout } = AbortSignal;"
            "AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 60);"
        )
        page, held = visitor.page, list[str]()
        page.route("**/reports", lambda route: held.append(route.request.post_data))
        page.goto(f"{live.base}/ward/")
        visitor.press("Start")
        visitor.press("Continue")
        page.get_by_label("Yes").check()
        visitor.press("Continue")
        visitor.press("Send")
        visitor.heading("Not sent yet")
        page.unroute("**/reports")
        visitor.press("Try again")
        visitor.heading("Thank you. This is exactly what was sent")
        assert page.locator("#body").text_content() == held[0]
        visitor.end()
