"""P1: the truth and the coin never leave the browser.

Chance is held still, so that every truth leads to the same report. Then whatever leaves the
browser, and whatever it keeps, must be the same for every truth, byte for byte.
"""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.live import figure, running, survey_in

STILL = """
crypto.getRandomValues = (into) => into.fill(into instanceof Uint32Array ? 0xF0000000 : 7);
window.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
"""
TRUTHS = list(itertools.product(["no", "yes"], ["never", "sometimes", "often"]))

TELLING = """
const kept = JSON.stringify;
JSON.stringify = (value, ...more) => {
  const told = document.querySelector("td")?.textContent;
  if (value && value.receipt) value = { ...value, seconds: told };
  return kept(value, ...more);
};
"""
"""The mutant: a page that lets one word of the truth slip into what it sends."""


def visit(browser: Any, base: str, secret: str, truth: tuple[str, str], more: str = "") -> str:
    """Answer with one truth; write down all traffic and storage, without the token."""
    context = browser.new_context()
    context.add_init_script(STILL + more)
    page = context.new_page()
    sent: list[Any] = []
    page.on("request", lambda request: sent.append(request))  # noqa: PLW0108 - no builtins
    page.goto(f"{base}/ward/#{secret}")
    page.get_by_role("button", name="Start").click()
    page.locator('input[value="1"]').check()
    page.get_by_role("button", name="Spin").click()
    page.get_by_role("button", name="Continue").click()
    for value in (*truth, "m"):
        page.locator(f'input[value="{value}"]').check()
        page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Send").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    kept = "[Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]"
    stored = page.evaluate(kept)
    violations = page.evaluate("violations")
    seen = {written(request) for request in sent if not request.url.endswith("icon.svg")}
    assert violations == []
    assert {request.url.split("/")[2] for request in sent} == {base.split("/")[2]}
    context.close()
    left = [sorted(part) if isinstance(part, list) else part for part in stored]
    return json.dumps([sorted(seen), left]).replace(secret, "TOKEN")


def written(request: Any) -> str:
    """Write one request down whole; the tab's own icon comes when the browser likes."""
    parts = [request.method, request.url, sorted(request.all_headers().items()), request.post_data]
    return json.dumps(parts)


def test_traffic_and_storage_do_not_depend_on_the_truth(
    browser: Any, tmp_path: Path, full: bool
) -> None:
    url = str(tmp_path / "s.sqlite")
    secrets = survey_in(url, len(TRUTHS))
    with running(url) as live:
        seen = [
            visit(browser, live.base, secret, truth)
            for secret, truth in zip(secrets, TRUTHS, strict=True)
        ]
    figure("P1", f"different traffic over all {len(TRUTHS)} truths", len(set(seen)) - 1, full=full)
    assert len(set(seen)) == 1
    assert "TOKEN" in seen[0]
    assert "ill" in seen[0]


def test_a_page_that_lets_one_word_slip_is_caught(browser: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    secrets = survey_in(url, 2)
    bodies: list[str] = []
    with running(url) as live:
        for secret, truth in zip(secrets, [TRUTHS[0], TRUTHS[3]], strict=True):
            context = browser.new_context()
            context.add_init_script(STILL + TELLING)
            page = context.new_page()
            page.on("request", lambda r: bodies.append(r.post_data) if r.post_data else None)
            page.goto(f"{live.base}/ward/#{secret}")
            page.get_by_role("button", name="Start").click()
            page.get_by_role("button", name="Continue").click()
            for value in (*truth, "m"):
                page.locator(f'input[value="{value}"]').check()
                page.get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Send").click()
            page.get_by_role("heading", name="could not be sent").wait_for()
            context.close()
    sent = {body.replace(secret, "") for body, secret in zip(bodies, secrets, strict=False)}
    assert len(sent) == 2


@pytest.mark.parametrize("other", ["https://example.org/x", "http://127.0.0.1:1/x"])
def test_the_page_may_not_speak_to_anyone_else(browser: Any, tmp_path: Path, other: str) -> None:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    with running(url) as live:
        page = browser.new_page()
        page.add_init_script(STILL)
        page.goto(f"{live.base}/ward/#{secret}")
        said = page.evaluate(f"fetch('{other}').then(() => 'sent', () => 'blocked')")
        page.evaluate(f"new Image().src = '{other}'")
        page.evaluate(f"navigator.sendBeacon('{other}', 'x')")
        page.wait_for_timeout(200)
        blocked = set(page.evaluate("violations"))
        page.close()
    assert said == "blocked"
    assert {"connect-src", "img-src"} <= blocked
