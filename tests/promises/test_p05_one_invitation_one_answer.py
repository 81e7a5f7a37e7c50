"""P5: one invitation, one answer, one randomization; on the server, and in a real browser."""

import asyncio
import random
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from frankly.store import Store
from tests.live import DESIGN, body_for, figure, in_loop, running, some_report, survey_in

EIGHT = 8


async def race(client: httpx.AsyncClient, secret: str) -> list[int]:
    """Post eight different rows with one invitation at once."""
    bodies = [body_for(DESIGN, secret, some_report(i)) for i in range(EIGHT)]
    return list(await asyncio.gather(*(status(client, body) for body in bodies)))


async def status(client: httpx.AsyncClient, body: dict[str, object]) -> int:
    """Post one row; 0 stands for a connection that broke, which no sound server lets happen."""
    try:
        return (await client.post("/ward/reports", json=body)).status_code
    except httpx.HTTPError:
        return 0


async def races(base: str, secrets: list[str]) -> list[list[int]]:
    """Run all races, a few at a time."""
    # A new connection for each post, so that both workers get some, whoever started first.
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=base, timeout=300, limits=limits) as client:
        found: list[list[int]] = []
        for start in range(0, len(secrets), 8):
            part = secrets[start : start + 8]
            found += await asyncio.gather(*(race(client, secret) for secret in part))
        return found


def test_races_leave_exactly_one_row_each(url: str, full: bool) -> None:
    n = 1000 if full else 60
    secrets = survey_in(url, n)
    with running(url, workers=2) as live:
        found = in_loop(races(live.base, secrets))
    wrong = [codes for codes in found if sorted(codes) != [201] + [409] * 7]
    with Store(url, upgrade=False) as store:
        rows = len(store.reports("ward"))
        assert store.size("ward") == rows
    kind = "PostgreSQL" if "://" in url else "SQLite"
    figure("P5", f"{n} races of 8 over 2 workers, {kind}: rows stored", rows, full=full)
    assert (wrong, rows) == ([], n)


UNCHECKED = """
import os, socket, sys, time
from frankly.store import postgres, tray
# The mutants: believe a look from before, and compare it with nothing when it comes to storing.
asked = "AND receipt = decode(repeat(\'00\', 32), \'hex\')"
assert asked in postgres.USE
postgres.USE = postgres.USE.replace(asked, "")
postgres.LOOK = postgres.LOOK.replace("FOR UPDATE", "")
kept = postgres.Postgres.look
def look(*words):
    found = kept(*words)
    time.sleep(0.05)
    return found
postgres.Postgres.look = look
tray.Tray.found = lambda *_: {}
from frankly.collect.serve import serve
serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""


def test_a_server_that_looks_first_and_stores_unchecked_is_caught(url: str, tmp_path: Path) -> None:
    secrets = survey_in(url, 60)
    mutant = tmp_path / "mutant.py"
    mutant.write_text(UNCHECKED)
    with running(url, workers=2, launch=(sys.executable, str(mutant))) as live:
        in_loop(races(live.base, secrets))
    with Store(url, upgrade=False) as store:
        assert len(store.reports("ward")) > 60


def answered(page: Any, link: str) -> None:
    """Answer the survey, up to the button."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Continue").click()
    for value in ("yes", "often", "m"):
        page.locator(f'input[value="{value}"]').check()
        page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Check your answers").wait_for()


def test_fifty_reloads_send_one_distinct_body(browser: Any, tmp_path: Path, full: bool) -> None:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    reloads = 50 if full else 12
    with running(url) as live:
        context = browser.new_context()
        page = context.new_page()
        bodies: list[str] = []

        def dropped(route: Any) -> None:
            bodies.append(route.request.post_data)
            route.abort() if len(bodies) <= reloads else route.continue_()

        page.route("**/reports", dropped)
        answered(page, f"{live.base}/ward/#{secret}")
        page.get_by_role("button", name="Send").dblclick()
        page.get_by_role("heading", name="Not sent yet").wait_for()
        backs = 0
        while len(bodies) <= reloads:
            if backs < 4 and random.random() < 0.3:
                backs += 1
                page.go_back()
            else:
                page.reload()
            page.get_by_role("heading", name="Not sent yet").or_(
                page.get_by_role("heading", name="Thank you")
            ).wait_for()
        page.get_by_role("heading", name="Thank you").wait_for()
        assert page.locator("#body").text_content() == bodies[0]
        page.reload()
        page.get_by_role("heading", name="Thank you").wait_for()
        context.close()
    figure("P5", f"{reloads} reloads: distinct bodies", len(set(bodies)), full=full)
    assert len(set(bodies)) == 1
    with Store(url, upgrade=False) as store:
        assert store.size("ward") == 1


def test_a_page_that_forgets_the_row_is_caught(browser: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    bodies: list[str] = []
    with running(url) as live:
        for _ in range(2):  # the mutant: storage is empty after each visit
            context = browser.new_context()
            page = context.new_page()
            page.on("request", lambda r: bodies.append(r.post_data) if r.post_data else None)
            page.route("**/reports", lambda route: route.abort())
            answered(page, f"{live.base}/ward/#{secret}")
            page.get_by_role("button", name="Send").click()
            page.get_by_role("heading", name="Not sent yet").wait_for()
            context.close()
    assert len(set(bodies)) > 1


@pytest.mark.parametrize("again", [True, False])
def test_a_used_invitation_says_so_in_another_browser(
    browser: Any, tmp_path: Path, again: bool
) -> None:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    with running(url) as live:
        body = body_for(DESIGN, secret, some_report())
        assert httpx.post(f"{live.base}/ward/reports", json=body).status_code == 201
        if again:
            assert httpx.post(f"{live.base}/ward/reports", json=body).status_code == 200
        page = browser.new_page()
        answered(page, f"{live.base}/ward/#{secret}")
        page.get_by_role("button", name="Send").click()
        page.get_by_role("heading", name="used before").wait_for()
        page.close()
