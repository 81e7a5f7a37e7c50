"""An owner's journey in a real browser, on a phone and on a desk: from the first link to the
published tables, with three hundred people answering in between.

Every page and state is kept as a picture, as in the respondent's journey.
"""

import asyncio
import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow.parquet as pq
import pytest

import frankly as fk
from frankly.report import odds_of
from frankly.store import Store
from frankly.store.people import make_link
from tests.journey.visit import SIZES, Visit
from tests.live import Live, body_for, in_loop, running

PEOPLE = 300
PASSWORD = "a sentence of my own"


@pytest.fixture(params=list(SIZES))
def visit(request: pytest.FixtureRequest, browser: Any, pictures: Path) -> Iterator[Visit]:
    visitor = Visit(browser, request.param, pictures, accept_downloads=True)
    yield visitor
    visitor.end()


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[tuple[str, Live, Live]]:
    """Both servers over one new database, as `frankly serve` starts them."""
    url = str(tmp_path / "survey.sqlite")
    with Store(url) as store:
        link = make_link(store)
    studio = (sys.executable, "-m", "frankly.studio")
    with (
        running(url) as collect,
        running(url, launch=studio, env={"FRANKLY_RESPONDENTS": collect.base}) as owner,
    ):
        yield f"{owner.base}/welcome/{link}", collect, owner


def people(design: fk.Design, n: int) -> list[dict[str, Any]]:
    """Make people up and let their devices decide: one report each."""
    chance = np.random.default_rng(6)
    night = chance.random(n) < 0.4
    truths = {
        "slept": np.where(chance.random(n) < np.where(night, 0.7, 0.2), "yes", "no"),
        "coffee": chance.choice(["none", "some", "much"], n, p=[0.2, 0.5, 0.3]),
        "shift": np.where(night, "nights", "days"),
    }
    made = fk.randomize(design, truths)
    return [
        {
            name: None if made[name][i] is None else made[name][i]
            for name in [*design.names, *(["form"] if len(design.forms) > 1 else [])]
        }
        for i in range(n)
    ]


def plain(report: dict[str, Any]) -> dict[str, Any]:
    """Write a report as JSON would."""
    return {
        name: int(value) if name == "form" else None if value is None else str(value)
        for name, value in report.items()
    }


async def answer(links: list[str], design: fk.Design, reports: list[dict[str, Any]]) -> list[int]:
    """Send every report with a link of its own, as the page does."""

    async def one(client: httpx.AsyncClient, link: str, report: dict[str, Any]) -> int:
        base, _, secret = link.partition("#")
        body = body_for(design, secret, plain(report))
        return (await client.post(f"{base}reports", json=body)).status_code

    limits = httpx.Limits(max_connections=16)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        sent = (one(client, link, report) for link, report in zip(links, reports, strict=True))
        return list(await asyncio.gather(*sent))


def saved(visit: Visit, name: str, *, role: Any = "button") -> bytes:
    """Press what gives a file, and read the file."""
    with visit.page.expect_download() as waiting:
        visit.page.get_by_role(role, name=name, exact=True).click()
    return Path(waiting.value.path()).read_bytes()


def go(visit: Visit, tab: str) -> None:
    """Go to one of the survey's jobs."""
    tabs = visit.page.get_by_role("navigation", name="Survey")
    tabs.get_by_role("link", name=tab).click()
    here = tabs.locator("[aria-current=page]", has_text=tab).bounding_box()
    assert here is not None
    assert here["x"] + here["width"] <= SIZES[visit.size][0], f"{tab} is off the screen"


def ask(visit: Visit, prompt: str, name: str, **choices: str) -> None:
    """Write a question."""
    visit.page.get_by_role("link", name="Add a question").click()
    visit.page.get_by_label("Question", exact=False).first.fill(prompt)
    if "answers" in choices:
        visit.page.locator("input[name=kind][value=choice]").check()
        visit.page.get_by_label("Answers, one a line").fill(choices["answers"])
    if choices.get("clear"):
        visit.page.get_by_role("radio", name="Asked in clear").check()
    visit.page.get_by_label("Short name").fill(name)
    visit.look(f"owner-question-{name}")
    visit.press("Add")


def seen(visit: Visit, what: str) -> None:
    """What just happened has the focus, and is on the screen without scrolling."""
    box = visit.page.locator(what)
    box.wait_for()
    visit.page.locator(f"{what}:focus").wait_for()
    place = box.bounding_box()
    assert place is not None
    assert 0 <= place["y"] <= SIZES[visit.size][1] - place["height"]


def larger(visit: Visit, name: str) -> None:
    """Set the text to twice its size: the page still fits, and no word is taken apart."""
    size = "document.documentElement.style.fontSize"
    visit.page.evaluate(f"{size} = '200%'")
    visit.picture(visit.pictures / f"{name}-large-{visit.size}.png")
    visit.measure(f"{name} at 200%")
    torn = visit.page.evaluate(
        "[...document.querySelectorAll('.dot-label, h1')].filter((one) => {"
        " const range = document.createRange(); range.selectNodeContents(one);"
        " const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));"
        " return lines.size > one.textContent.trim().split(/\\s+/).length;"
        " }).map((one) => one.textContent)"
    )
    visit.problems += [f"{name} at 200%: {one} is broken within words" for one in torn]
    visit.page.evaluate(f"{size} = ''")


def test_from_the_first_link_to_the_published_tables(  # noqa: PLR0915 - a journey has many steps
    visit: Visit, ports: tuple[str, Live, Live], tmp_path: Path
) -> None:
    link, collect, owner = ports
    page = visit.page

    page.goto(link)
    visit.look("owner-welcome")
    page.get_by_label("Name or e-mail").fill("ann@ward.example")
    page.get_by_label("Password").fill(PASSWORD)
    visit.press("Make the account")
    visit.heading("Ask your first question")
    visit.look("owner-no-surveys")

    page.get_by_role("main").get_by_role("link", name="New survey").click()
    visit.look("owner-new")
    page.get_by_label("Title").fill("Nights on the ward")
    visit.press("Write the questions")
    visit.heading("Write the first question")
    visit.look("owner-no-questions")
    ask(visit, "Did you ever fall asleep on duty?", "slept")
    ask(visit, "How much coffee do you drink?", "coffee", answers="none\nsome\nmuch")
    ask(visit, "When do you mostly work?", "shift", answers="days\nnights", clear="yes")
    visit.heading("What do you want to know?")
    visit.look("owner-questions")

    page.get_by_role("link", name="Protect them").click()
    visit.heading("How well is every answer protected?")
    page.get_by_label("How many people will answer?").fill(str(PEOPLE))
    page.locator("select[name=wish]").select_option("max_epsilon")
    page.locator("input[name=value]").fill("3")
    visit.press("Propose")
    page.locator(".news").wait_for()
    page.locator("#front").evaluate("(picture) => picture.decode()")
    visit.look("owner-protection")
    larger(visit, "owner-protection")
    odds = page.locator(".say [data-figure=odds]").inner_text()
    visit.press("Keep this protection")
    page.wait_for_url("**/protection**")

    go(visit, "Invite")
    visit.heading("Ready to open")
    visit.look("owner-ready")
    visit.press("Open the survey")
    visit.heading("No answers yet")
    visit.look("owner-invite")
    page.get_by_label("How many people").fill(str(PEOPLE + 20))
    made = saved(visit, "Save links.csv").decode()
    links = [row["link"] for row in csv.DictReader(io.StringIO(made))]
    assert len(set(links)) == PEOPLE + 20
    assert all(one.startswith(f"{collect.base}/") for one in links)

    go(visit, "Results")
    visit.heading("No answers yet")
    visit.look("owner-results-none")
    go(visit, "Model")
    visit.look("owner-model-none")

    name = links[0].split("/")[3]
    design = fk.Design.from_document(
        httpx.get(f"{collect.base}/{name}/design.json").json()["design"]
    )
    (group,) = design.forms[0].groups
    told = odds_of(group)
    assert told is not None
    assert odds == told.sentence()
    got = in_loop(answer(links[:PEOPLE], design, people(design, PEOPLE)))
    assert set(got) == {201}

    go(visit, "Results")
    visit.heading(f"What {PEOPLE} answers tell")
    visit.look("owner-results")
    larger(visit, "owner-results")
    shown = page.locator("main").inner_text()
    page.locator("select[name=first]").select_option("slept")
    page.locator("select[name=second]").select_option("shift")
    visit.press("Add the table")
    visit.look("owner-table-chosen")

    go(visit, "Invite")
    page.get_by_label("or paste links").fill("no link at all")
    visit.press("Save unused.csv")
    seen(visit, ".trouble")
    page.get_by_label("or paste links").fill("\n".join(links))
    unused = saved(visit, "Save unused.csv").decode()
    assert [row["link"] for row in csv.DictReader(io.StringIO(unused))] == links[PEOPLE:]

    for title in ("ID3", "Naive Bayes"):
        go(visit, "Model")
        page.get_by_role("radio", name=title, exact=False).first.check()
        page.locator("select[name=target]").select_option("slept")
        visit.press("Train")
        page.get_by_role("link", name="Download the model").wait_for(timeout=60_000)
        visit.look(f"owner-model-{title.split()[0].lower()}")
    go(visit, "Model")
    visit.look("owner-models")

    go(visit, "Privacy")
    visit.look("owner-privacy")
    page.get_by_role("link", name="report", exact=False).first.click()
    visit.look("owner-report")
    page.go_back()

    go(visit, "Export")
    visit.look("owner-export")
    file = tmp_path / "reports.parquet"
    file.write_bytes(saved(visit, "Parquet", role="link"))
    assert pq.read_table(file).num_rows == PEOPLE
    share = fk.estimate(design, file, ["slept"]).share[1]
    assert f"{100 * float(share):.1f}%" in shown

    go(visit, "Invite")
    visit.look("owner-invite-running")
    page.get_by_role("checkbox", name="I am sure", exact=False).check()
    visit.press("Close the survey")
    visit.heading("This survey is closed")
    visit.look("owner-closed")
    go(visit, "Results")
    visit.look("owner-results-closed")
    visit.press("Publish these tables for good")
    page.goto(f"{owner.base}/surveys/{name}/published")
    visit.look("owner-published")

    page.goto(f"{owner.base}/account")
    page.get_by_label("Name of the new key").fill("A notebook")
    visit.press("Make a key")
    seen(visit, ".news")
    visit.look("owner-account")
    visit.press("Make a link")
    seen(visit, ".news")
    visit.press("Remove A notebook")
    visit.look("owner-sure")
    visit.press("Remove it")
    seen(visit, ".news")
    page.get_by_role("button", name="Sign out").click()
    visit.heading("Sign in")
    visit.look("owner-sign-in")
