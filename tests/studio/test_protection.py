"""The protection page: its figures are those of the package, and they follow the slider."""

import json
import math
import re
import statistics
import sys
import time
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest

import frankly as fk
from frankly.advise import LAYOUTS, appraise
from frankly.advise.advice import points
from frankly.advise.request import GRID, asked
from frankly.judge.text import in_hundred, number
from frankly.store import Store
from frankly.store.drafts import Draft, add_draft, find_draft
from frankly.store.people import add_account, start_session
from frankly.studio.access import COOKIE
from frankly.studio.protection import STEPS
from tests.live import figure, running
from tests.studio.people import DOCUMENT, Studio

API = "/api/v1/surveys/draft"
PAGE = "/surveys/draft/protection"
DESIGN = fk.Design.from_document(DOCUMENT)

WIDE: dict[str, Any] = {
    "title": "Ten questions",
    "attributes": [{"name": f"q{i}", "values": ["no", "yes"]} for i in range(9)]
    + [{"name": "often", "values": ["never", "sometimes", "often"]}],
    "forms": [
        {
            "groups": [
                {"names": [name], "mechanism": {"kind": "unrelated", "theta": "1/2"}}
                for name in [*(f"q{i}" for i in range(9)), "often"]
            ]
        }
    ],
    "target": "q0",
}


def same_design(layout: str, epsilon: float, target: str | None) -> fk.Design:
    """Build what the layout builds, by the package alone."""
    return LAYOUTS[layout].design(asked(DESIGN, target), epsilon)


@pytest.mark.parametrize("mine", ["shares", "tables", "tree"])
def test_the_figures_are_those_of_privacy_and_advise_digit_for_digit(
    studio: Studio, ann: httpx.Client, mine: str
) -> None:
    studio.draft()
    looked_at, steps = 0, cycle(GRID)
    # advise tries every layout at a grid of epsilons; privacy states any design.
    advice = fk.advise(DESIGN, n=700, max_epsilon=5, mine=mine, target="ill")  # type: ignore[arg-type]
    for one in advice.candidates:
        sent = {"people": 700, "mine": mine, "target": "ill", "layout": one.layout}
        told = ann.post(f"{API}/figures", json={**sent, "epsilon": next(steps)}).json()
        assert (told["error"], told["epsilon"]) == (one.error, one.epsilon)
        assert (told["posterior"], told["pse"]) == (one.posterior, one.pse)
        assert told["exposed"] == (None if one.exposed == 1 else one.exposed)
        stated = fk.privacy(one.design)
        assert told["epsilon"] == stated.record.epsilon == one.design.epsilon
        assert (told["posterior"], told["pse"]) == (stated.highest_posterior, stated.pse)
        looked_at += 1
    assert looked_at >= 27


def test_every_place_of_the_slider_says_what_privacy_says(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    for place, epsilon in list(enumerate(STEPS))[::7]:
        sent = {"place": place, "was": "", "layout": "own tosses", "people": 900, "do": "look"}
        page = ann.post(PAGE, data=sent)
        assert page.status_code == 200
        shown = dict(re.findall(r'data-figure="(\w+)">([^<]*)<', page.text))
        design = same_design("own tosses", epsilon, "ill")
        stated = fk.privacy(design)
        assert shown["epsilon"] == number(stated.record.epsilon)
        assert shown["posterior"] == in_hundred(stated.highest_posterior)
        assert shown["pse"] == f"{stated.pse:.3f}"
        rare = fk.privacy(design, {"ill": 0.1, "drinks": [0.45, 0.45, 0.1]})
        most = max(float(one.posterior[:, -1].max()) for one in rare.attributes.values())
        assert f"to {in_hundred(most)}." in unescape(shown["guess"])
        thetas = sorted(float(group.device.theta) for group in design.groups)  # type: ignore[attr-defined]
        assert f"{math.floor(100 * thetas[0] + 0.5)}" in shown["odds"]
        told = ann.post(f"{API}/figures", json={
            "layout": "own tosses", "epsilon": epsilon, "people": 900, "target": "ill",
        }).json()  # fmt: skip
        assert told["shown"] == {key: unescape(value) for key, value in shown.items()} | {
            "own": told["shown"]["own"]
        }
        assert told["error"] == appraise(design, 900, target="ill").error
        told_nothing = told["error"] >= 0.5
        assert shown["interval"] == (
            "Nothing can be told yet" if told_nothing else f"± {points(told['error'])} points"
        )


def test_a_proposal_is_what_advise_proposes_and_keeping_it_writes_the_forms(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    form = {"people": "4000", "mine": "shares", "target": "ill", "layout": "as written",
            "wish": "precision", "value": "4", "do": "propose"}  # fmt: skip
    page = ann.post(PAGE, data=form)
    advice = fk.advise(DESIGN, n=4000, precision=0.04, target="ill")
    assert advice.best is not None
    assert advice.sentence()[1:] in unescape(page.text)
    hidden = re.search(r'name="epsilon" value="([^"]+)"', page.text)
    assert hidden is not None
    assert float(hidden[1]) == advice.best.epsilon
    draft = find_draft(studio.store, "draft")
    assert draft is not None
    assert draft.document == DOCUMENT, "nothing is kept before the owner says so"
    kept = {**form, "layout": advice.best.layout, "epsilon": hidden[1], "do": "keep"}
    assert ann.post(PAGE, data=kept).status_code == 303
    draft = find_draft(studio.store, "draft")
    assert draft is not None
    made = fk.Design.from_document(draft.document)
    assert made.epsilon == pytest.approx(advice.best.epsilon, abs=1e-4)
    assert made.epsilon <= advice.best.epsilon
    assert [form.names for form in made.forms] == [f.names for f in advice.best.design.forms]
    assert (made.title, made["drinks"].prompt) == (DESIGN.title, DESIGN["drinks"].prompt)
    assert made.forms[0].clear == ("sex",)
    again = ann.get(PAGE).text
    assert f'data-figure="epsilon">{number(made.epsilon)}' in again


def test_a_wish_that_cannot_be_met_says_what_to_relax(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    asked = {"protection": {"people": 50}, "wish": {"kind": "precision", "value": 0.01}}
    told = ann.post(f"{API}/advice", json=asked).json()
    assert told["possible"] is False
    assert "Relax one of them" in told["sentence"]
    assert told["protection"]["layout"] == "as written"


def test_a_wish_under_which_nothing_can_be_told_says_so(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    form = {"people": "500", "mine": "shares", "layout": "own tosses", "epsilon": "1.1",
            "wish": "max_epsilon", "value": "0.01", "do": "propose"}  # fmt: skip
    page = ann.post(PAGE, data=form).text
    assert "the answers of 500 people tell nothing. Wish for less." in page
    assert "it would take far too many more" in page
    numbers = [float(one.replace(",", "")) for one in re.findall(r"± ([\d.,]*\d)", page)]
    assert max(numbers) < 100
    assert "000,000 people" not in page
    picture = re.search(r'src="([^"]+front.svg[^"]*)"', page)
    assert picture is not None
    assert ann.get(unescape(picture[1])).status_code == 200


def test_an_office_of_forty_is_warned(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    small = {"people": 40, "layout": "own tosses", "epsilon": 1.1}
    warned = " ".join(ann.post(f"{API}/figures", json=small).json()["warnings"])
    assert "40 people are too few" in warned
    assert "about 8,900 people" in warned
    many = {"people": 20_000, "layout": "own tosses", "epsilon": 3}
    assert ann.post(f"{API}/figures", json=many).json()["warnings"] == []


def test_forms_that_few_people_get_are_warned_of(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    one_each = {"people": 50, "layout": "one each", "epsilon": 3}
    warned = " ".join(ann.post(f"{API}/figures", json=one_each).json()["warnings"])
    assert "50 people and 2 forms: about 25 people answer each" in warned
    assert "some questions may stay untold" in warned
    many = ann.post(f"{API}/figures", json={**one_each, "people": 60}).json()["warnings"]
    assert "forms" not in " ".join(many)


def test_many_clear_questions_are_warned_of(studio: Studio, ann: httpx.Client) -> None:
    clear = [{"name": f"c{i}", "values": list("abcdefgh")} for i in range(4)]
    studio.draft(document={**DOCUMENT, "attributes": [*DOCUMENT["attributes"], *clear]})
    (said,) = ann.post(f"{API}/figures", json={"people": 500}).json()["warnings"]
    assert "8,192 combinations for 500 people" in said
    assert "94 in 100 people would be alone" in said


def test_a_die_gives_thetas_in_sixths_and_a_coin_refuses_three_answers(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    asked = {"layout": "own tosses", "epsilon": 3, "own_device": "die"}
    told = ann.post(f"{API}/figures", json=asked).json()
    assert {round(6 * one["theta"], 9) % 1 for one in told["devices"]} == {0}
    refused = ann.post(f"{API}/figures", json={**asked, "own_device": "coin"})
    assert refused.status_code == 400
    written = ann.put(f"{API}/protection", json={"layout": "as written", "own_device": "coin"})
    assert written.status_code == 400
    assert "coin" in refused.json()["error"]["message"]


def test_a_panel_and_its_budget_are_kept_and_warned_of(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    form = {"layout": "own tosses", "epsilon": "2", "panel": "nurses", "budget": "1.5"}
    page = ann.post(PAGE, data={**form, "do": "look"})
    assert "more than the panel&#39;s budget of 1.50" in page.text
    assert ann.post(PAGE, data={**form, "do": "keep"}).status_code == 303
    draft = find_draft(studio.store, "draft")
    assert draft is not None
    assert draft.document["panel"] == {"name": "nurses", "budget": 1.5}
    lonely = ann.post(PAGE, data={**form, "panel": "", "do": "keep"})
    assert lonely.status_code == 400
    assert 'id="wrong-panel">A panel needs a name' in lonely.text


def test_what_does_not_fit_is_said_and_nothing_typed_is_lost(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    page = ann.post(
        PAGE, data={"people": "lots", "do": "keep", "wish": "max_epsilon", "value": "7"}
    )
    assert page.status_code == 400
    assert 'id="wrong-people">Give the number of people: a whole number from 2' in page.text
    assert 'value="lots"' in page.text
    assert 'value="7"' in page.text
    unfit = ann.post(f"{API}/figures", json={"layout": "modules", "target": None})
    assert unfit.status_code == 400
    assert "what you want to learn cannot be told" in unfit.json()["error"]["message"]
    studio.draft("empty", document={"title": "Nothing yet", "attributes": []})
    studio.draft("clear", document={**DOCUMENT, "groups": []})
    for name, said in (
        ("empty", "Write the first question"),
        ("clear", "Nothing is protected yet"),
    ):
        page = ann.get(f"/surveys/{name}/protection")
        assert page.status_code == 200
        assert said in page.text
        assert "There is a problem" not in page.text


def test_a_die_that_cannot_draw_says_so_at_its_field_and_the_rest_stays(
    studio: Studio, ann: httpx.Client
) -> None:
    shifts = {"name": "shift", "values": list("abcd"), "prompt": "Which shift?"}
    group = {"names": ["shift"], "mechanism": {"kind": "unrelated", "theta": "1/2"}}
    asked = {
        "attributes": [*DOCUMENT["attributes"], shifts],
        "groups": [*DOCUMENT["groups"], group],
    }
    studio.draft(document={**DOCUMENT, **asked})
    form = {"people": "1234", "layout": "one each", "epsilon": "1.7", "panel": "nurses",
            "budget": "9", "own_device": "die", "do": "look"}  # fmt: skip
    for do in ("look", "keep"):
        page = ann.post(PAGE, data={**form, "do": do})
        text = unescape(page.text)
        assert page.status_code == 400
        assert ('id="wrong-own_device">“Which shift?” has 4 answers, and a die has 6 sides: it can '
                "draw evenly among 2 or 3 or 6 answers.") in text  # fmt: skip
        assert not re.search(r"theta|\['|mined", text)
        for kept in ('value="1234"', 'value="one each" checked', 'value="1.7"', 'value="nurses"'):
            assert kept in text
        assert "data-figure" in text
    draft = find_draft(studio.store, "draft")
    assert draft is not None
    assert "own_device" not in draft.document
    thrown = ann.post(PAGE, data={**form, "own_device": "birthday"})
    assert thrown.status_code == 200
    assert 'value="own tosses" checked' in thrown.text


@pytest.mark.parametrize("place", ["²", "9" * 5000, "-1", "101"])
def test_a_place_that_the_slider_has_not_leaves_it_where_it_was(
    studio: Studio, ann: httpx.Client, place: str
) -> None:
    studio.draft(epsilon=3.0)
    shown = ann.post("/surveys/draft/protection", data={"place": place, "was": "1", "do": "look"})
    assert shown.status_code == 200
    assert "epsilon=3.0" in shown.text


def test_an_opened_survey_is_frozen(studio: Studio, ann: httpx.Client) -> None:
    studio.opened()
    page = ann.get("/surveys/ward/protection")
    assert "The protection is frozen" in page.text
    assert ann.post("/surveys/ward/protection", data={"do": "keep"}).status_code == 409
    assert ann.put("/api/v1/surveys/ward/protection", json={}).status_code == 409


def test_the_picture_marks_the_present_setting(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    where = f"{PAGE}/front.svg?layout=own+tosses&epsilon=2.5&people=800&target=ill"
    drawn = ann.get(where)
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert ">yours<" in drawn.text
    assert "script" not in drawn.headers["content-security-policy"]
    assert "Yours: own tosses" in ann.get(where.replace("front.svg", "table")).text


def test_the_figures_follow_the_slider_within_200_ms(browser: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    with Store(url) as store:
        add_account(store, "ann", "-", "owner")
        add_draft(store, Draft("draft", WIDE, {"layout": "one each", "epsilon": 2.0}), "ann")
        secret = start_session(store, "ann")
    launch = (sys.executable, "-m", "frankly.studio")
    with running(url, launch=launch) as live:
        context = browser.new_context()
        context.add_cookies([{"name": COOKIE, "value": secret, "url": live.base}])
        page = context.new_page()
        broken: list[str] = []
        page.on("console", lambda one: broken.append(one.text))
        page.on("pageerror", lambda one: broken.append(str(one)))
        page.goto(f"{live.base}{PAGE}")
        page.wait_for_load_state("networkidle")
        taken = [page.evaluate(MOVE, place) for place in (10, 25, 40, 50, 60, 75, 90, 33, 66, 20)]
        epsilon = page.text_content('dd [data-figure="epsilon"]')
        assert epsilon == f"{STEPS[20]:.2f}"
        csrf = page.get_attribute("meta[name=csrf]", "content")
        api = []
        with httpx.Client(cookies={COOKIE: secret}, headers={"X-CSRF": csrf}) as client:
            for step in STEPS[::10]:
                begin = time.perf_counter()
                sent = {"layout": "one each", "epsilon": step, "people": 500, "target": "q0"}
                answer = client.post(f"{live.base}{API}/figures", json=sent)
                api.append(1000 * (time.perf_counter() - begin))
                assert answer.status_code == 200
        assert broken == []
        context.close()
    page_time, api_time = statistics.median(taken), statistics.median(api)
    figure("LOOK", "from slider to figures, page and API", f"{page_time:.0f}, {api_time:.0f} ms",
           full=True)  # fmt: skip
    assert page_time < 200, taken
    assert api_time < 200, api


MOVE = """(place) => new Promise((done) => {
  const slider = document.querySelector("[name=place]");
  const shown = document.querySelector('dd [data-figure="epsilon"]');
  const begin = performance.now();
  new MutationObserver((_, watch) => { watch.disconnect(); done(performance.now() - begin); })
    .observe(shown, { childList: true, characterData: true, subtree: true });
  slider.value = place;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def test_without_script_the_same_form_works(browser: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    with Store(url) as store:
        add_account(store, "ann", "-", "owner")
        add_draft(store, Draft("draft", DOCUMENT), "ann")
        secret = start_session(store, "ann")
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        context = browser.new_context(java_script_enabled=False)
        context.add_cookies([{"name": COOKIE, "value": secret, "url": live.base}])
        page = context.new_page()
        page.goto(f"{live.base}{PAGE}")
        page.check("input[value='one each']")
        page.fill("[name=people]", "1234")
        page.click("text=Show")
        assert "1,234" in page.text_content("main")
        page.click("text=Keep this protection")
        assert "Kept." in page.text_content("main")
        context.close()
    with Store(url, upgrade=False) as store:
        kept = find_draft(store, "draft")
        assert kept is not None
        assert len(kept.document["forms"]) == 2
        assert json.loads(json.dumps(kept.plan))["people"] == 1234


def test_an_empty_number_is_asked_for_and_enter_only_looks(browser: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    with Store(url) as store:
        add_account(store, "ann", "-", "owner")
        add_draft(store, Draft("draft", DOCUMENT, {"layout": "own tosses"}), "ann")
        secret = start_session(store, "ann")
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        context = browser.new_context()
        context.add_cookies([{"name": COOKIE, "value": secret, "url": live.base}])
        page = context.new_page()
        sent: list[str] = []
        page.on("request", lambda one: sent.append(one.url))
        page.goto(f"{live.base}{PAGE}")
        page.wait_for_load_state("networkidle")
        del sent[:]
        page.fill("[name=people]", "")
        page.wait_for_selector("text=Give the number of people, from 2.")
        page.wait_for_timeout(400)
        assert sent == []
        page.fill("[name=people]", "777")
        page.wait_for_selector("[data-figure=people]:has-text('777')")
        odds = page.text_content(".say [data-figure=odds]")
        assert page.get_attribute("[name=place]", "aria-valuetext") == odds
        page.press("[name=place]", "ArrowRight")
        page.wait_for_function(
            "(odds) => document.querySelector('[name=place]').ariaValueText !== odds", arg=odds
        )
        with page.expect_navigation():
            page.press("[name=people]", "Enter")
        assert page.input_value("[name=people]") == "777"
        assert page.locator(".news, .warn[role=status]").count() == 0, "nothing was proposed"
        context.close()
