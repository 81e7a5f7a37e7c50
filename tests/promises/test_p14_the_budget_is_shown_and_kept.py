"""P14: the page says what this survey can reveal, and a panel's surveys keep to their budget."""

import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

import frankly as fk
from frankly.collect.site import Site, load_site
from frankly.design import Panel
from frankly.store import Answer, Rows, Store, SurveyError, budget, hashed, ingest
from frankly.store import store as the_store
from tests.live import figure, running, survey_in
from tests.studio.people import Studio

ILL = fk.Attribute("ill", ["no", "yes"], prompt={"en": "Ill?", "de": "Krank?", "ar": "مريض؟"})
OFTEN = fk.Attribute("often", ["never", "once", "more"])
SPEAK = ["en", "de", "ar"]

DESIGNS = {
    "coin": fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(theta=0.5))], languages=SPEAK),
    "two": fk.Design(
        [ILL, OFTEN],
        groups=[fk.Group(["ill"], fk.Flip(0.7)), fk.Group(["often"], fk.Unrelated("1/3"))],
        languages=SPEAK,
    ),
    "together": fk.Design(
        [ILL, OFTEN], groups=[fk.Group(["ill", "often"], fk.Unrelated(0.7))], languages=SPEAK
    ),
    "matrix": fk.Design(
        [OFTEN],
        groups=[fk.Group(["often"], fk.Matrix([[8, 1, 1], [2, 6, 2], [1, 1, 8]]))],
        languages=SPEAK,
    ),
    "forms": fk.Design(
        [ILL, OFTEN],
        forms=[fk.Form([fk.Group([name], fk.Uniform(epsilon=1.5))]) for name in ("ill", "often")],
        languages=SPEAK,
    ),
}
"""One of every kind of device, in the three languages that the page speaks."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    url = str(tmp_path_factory.mktemp("p14") / "s.sqlite")
    for name, design in DESIGNS.items():
        survey_in(url, 0, design, name)
    with running(url) as live:
        yield live.base


def shown(browser: Any, address: str, locale: str = "en", site: Site | None = None) -> float:
    """Open a survey, perhaps from an altered site, and read the epsilon that its page shows."""
    context = browser.new_context(locale=locale)
    page = context.new_page()
    if site is not None:
        swap(page, site)
    page.goto(address)
    text = page.locator("#epsilon").text_content(timeout=20_000)
    context.close()
    found = re.search(r"ε = ([0-9.]+)", text)
    assert found, text
    return float(found[1])


def swap(page: Any, site: Site) -> None:
    """Let the browser get another site, whole and under its own headers."""

    def answer(route: Any) -> None:
        path = httpx.URL(route.request.url).path
        if path.startswith("/web/"):
            asset = site.assets[path.removeprefix("/web/")]
        elif path.endswith("/"):
            asset = site.page
        else:
            route.continue_()
            return
        route.fulfill(body=asset.body, headers={**site.headers, "content-type": asset.media})

    page.route("**/*", answer)


def test_every_page_shows_the_epsilon_of_its_survey_in_every_language(
    browser: Any, base: str, full: bool
) -> None:
    for name, design in DESIGNS.items():
        stated = fk.privacy(design).record.epsilon
        for locale in ("en", "de", "ar") if full or name == "coin" else ("en",):
            told = shown(browser, f"{base}/{name}/", locale)
            assert told == round(stated, 2), (name, locale)
    figure("P14", "epsilon of a fair coin, as the page shows it", f"{1.10:.2f}", full=full)
    assert round(fk.privacy(DESIGNS["coin"]).record.epsilon, 2) == 1.10


def test_the_last_page_says_it_again(browser: Any, base: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{base}/coin/")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("No").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("learned at most ε = 1.10").wait_for()
    assert page.locator("#epsilon").text_content() == (
        "What is sent can shift the odds of any guess at your protected answers at most 3 times "
        "(ε = 1.10)."
    )
    context.close()


MUTANTS = {
    "half": ("steps/welcome.js", "spent(design, form)", "spent(design, form) / 2"),
    "one group": ("odds.js", "forms[form].groups ?? []", "forms[form].groups.slice(0, 1)"),
    "a constant": ("steps/welcome.js", "spent(design, form)", "1.1"),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_page_that_shows_another_number_is_caught(
    browser: Any, base: str, tmp_path: Path, mutant: str
) -> None:
    path, old, new = MUTANTS[mutant]
    folder = tmp_path / "web"
    shutil.copytree(Path(fk.__file__).parent / "web", folder)
    text = (folder / path).read_text(encoding="utf-8")
    assert old in text
    (folder / path).write_text(text.replace(old, new), encoding="utf-8")
    stated = round(fk.privacy(DESIGNS["two"]).record.epsilon, 2)
    assert shown(browser, f"{base}/two/", site=load_site(folder)) != stated
    assert shown(browser, f"{base}/two/", site=load_site()) == stated


def panel_survey(most: float, title: str) -> fk.Design:
    group = fk.Group(["ill"], fk.Unrelated(theta=0.5))
    return fk.Design([ILL], groups=[group], panel=Panel("nurses", most), title=title)


def opened(store: Store, most: float, count: int) -> int:
    """Open surveys of one panel one after another; tell how many did."""
    for i in range(count):
        try:
            store.open_survey(f"s{i}", panel_survey(most, f"wave {i}"), "anyone")
        except SurveyError as error:
            assert "budget" in str(error)  # noqa: PT017 - where it stops is what is asked
            return i
    return count


@pytest.mark.parametrize(("most", "waves"), [(11.0, 10), (10.98, 9), (1.1, 1), (1.09, 0)])
def test_a_panel_opens_as_many_surveys_as_its_budget_holds(
    url: str, most: float, waves: int
) -> None:
    # A binary question behind a fair coin costs 1.10 a time, 10.99 in ten surveys.
    with Store(url) as store:
        assert opened(store, most, 12) == waves
        with store.engine.connect() as connection:
            spent = budget.spent_by(connection, "nurses")
        figure("P14", f"surveys of a panel that open at {most:g}, spent", f"{waves}, {spent:.2f}",
               full=True)  # fmt: skip
        assert spent == pytest.approx(waves * fk.privacy(panel_survey(9, "")).record.epsilon)
        store.open_survey("other", DESIGNS["together"], "anyone")


def test_no_later_survey_raises_the_budget_that_a_panel_was_promised(url: str) -> None:
    with Store(url) as store:
        store.open_survey("first", panel_survey(1.5, "wave 1"), "anyone")
        with pytest.raises(SurveyError, match=r"a budget of epsilon 1\.50 .* 2\.20 together"):
            store.open_survey("second", panel_survey(100.0, "wave 2"), "anyone")
        assert store.surveys() == ["first"]


def test_what_a_panel_was_promised_to_protect_is_not_asked_in_clear(url: str) -> None:
    bare = fk.Design([ILL], panel=Panel(" NURSES", 9.0))
    other = fk.Design([OFTEN], panel=Panel("nurses", 9.0))
    with Store(url) as store:
        store.open_survey("first", panel_survey(2.0, "wave 1"), "anyone")
        with pytest.raises(SurveyError, match=r"promised protection for \['ill'\]"):
            store.open_survey("second", bare, "anyone")
        store.open_survey("other", other, "anyone")
        assert store.surveys() == ["first", "other"]


def test_deleting_gives_back_only_what_nobody_was_asked(url: str) -> None:
    with Store(url) as store:
        assert opened(store, 2.5, 3) == 2
        store.delete_survey("s0")
        store.open_survey("again", panel_survey(2.5, "again"), "anyone")
        for name in ("s1", "again"):
            row = Rows(store.survey(name).design).pack(0, [1])
            assert ingest(store, [Answer(name, None, hashed(name), row)]) == ["stored"]
            store.delete_survey(name)
            assert not opened_again(store), name
        assert store.surveys() == []
        with pytest.raises(SurveyError, match=r"a budget of epsilon 2\.50 .* 3\.30 together"):
            store.open_survey("raised", panel_survey(100.0, "raised"), "anyone")


def test_answers_that_come_while_a_survey_is_deleted_are_spent(url: str) -> None:
    with Store(url) as store, Store(url, upgrade=False) as worker:
        assert opened(store, 1.5, 1) == 1
        anew, row = store.anew, Rows(store.survey("s0").design).pack(0, [1])

        def late() -> AbstractContextManager[Connection]:
            assert ingest(worker, [Answer("s0", None, hashed("late"), row)]) == ["stored"]
            return anew()

        store.anew = late  # type: ignore[assignment, method-assign]
        store.delete_survey("s0")
        assert not opened_again(store)


@pytest.mark.parametrize("name", ["Nurses", "nurses ", "nur\u200bses", "\uff4eurses"])
def test_a_panel_in_another_spelling_is_the_same_people(url: str, name: str) -> None:
    wave = panel_survey(1.5, "wave 1")
    other = fk.Design(wave.attributes, groups=wave.groups, panel=Panel(name, 9.0))
    with Store(url) as store:
        store.open_survey("first", wave, "anyone")
        with pytest.raises(SurveyError, match=r"a budget of epsilon 1\.50 .* 2\.20 together"):
            store.open_survey("second", other, "anyone")
        row = Rows(wave).pack(0, [1])
        assert ingest(store, [Answer("first", None, hashed("x"), row)]) == ["stored"]
        store.delete_survey("first")
        with pytest.raises(SurveyError, match=r"a budget of epsilon 1\.50 .* 2\.20 together"):
            store.open_survey("second", other, "anyone")


def test_two_who_open_at_once_do_not_spend_the_same_budget(url: str) -> None:
    with Store(url) as store:
        for _ in range(20):
            start = threading.Barrier(2)

            def one(name: str, start: threading.Barrier = start) -> bool:
                start.wait(10)
                try:
                    store.open_survey(name, panel_survey(1.5, name), "anyone")
                except SurveyError:
                    return False
                return True

            with ThreadPoolExecutor(2) as pool:
                assert sorted(pool.map(one, ("left", "right"))) == [False, True]
            store.delete_survey(store.surveys()[0])


def test_the_studio_says_why_and_a_store_that_does_not_count_is_caught(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opened(studio.store, 2.5, 2) == 2
    studio.draft(document=panel_survey(2.5, "wave 3").document())
    with studio.signed_in("ann") as ann:
        refused = ann.post("/api/v1/surveys/draft/open", json={"mode": "anyone"})
    assert refused.status_code == 409
    said = refused.json()["error"]["message"]
    assert "spent 2.20, and this one costs 1.10: 3.30 together" in said
    monkeypatch.setattr(the_store, "refuse_overspending", lambda *_: None)
    assert opened_again(studio.store), "the mutant opens what the budget forbids"


def opened_again(store: Store) -> bool:
    """Try to open one survey too many."""
    try:
        store.open_survey("late", panel_survey(2.5, "late"), "anyone")
    except SurveyError:
        return False
    return True


def test_a_panel_needs_a_name_and_a_budget_and_survives_its_document() -> None:
    design = panel_survey(3.5, "w")
    assert fk.Design.from_document(design.document()).panel == Panel("nurses", 3.5)
    for name, most in (("", 1.0), ("x", 0.0), ("x", float("inf"))):
        with pytest.raises(fk.errors.DesignError):
            Panel(name, most)
