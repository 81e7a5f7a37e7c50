"""P2, in a real browser: the coin that the served page tosses is the one displayed.

False alarms: |z| < 5 fails by chance with probability 5.7e-7 for each theta.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.live import figure, running, survey_in

THETAS = [Fraction(k, 20) for k in range(1, 20)]

TOSS = """async ([thetas, draws]) => {
  const { secureTape } = await import("/web/tape.js");
  const { drawReport } = await import("/web/mechanism/index.js");
  const group = { attributes: [{ name: "q", values: ["no", "yes"] }], truth: [0] };
  return thetas.map((theta) => {
    const tape = secureTape();
    let told = 0;
    for (let i = 0; i < draws; i++) {
      told += 1 - drawReport({ kind: "flip", theta }, group, tape)[0];
    }
    return told;
  });
}"""

MUTANTS = {
    "a byte modulo 100": "(bytes[i % 65536] % 100) < 70",
    "rounded to one decimal": "Math.round(bytes[i % 65536] / 25.6) / 10 < 0.7",
    "compared the wrong way round": "(bytes[i % 65536] / 256) > 0.7",
}


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    with running(url) as live:
        opened = browser.new_page()
        opened.set_default_timeout(600_000)
        opened.goto(f"{live.base}/ward/#{secret}")
        opened.get_by_role("button", name="Start").wait_for()
        yield opened
        opened.close()


def z(told: int, theta: float, draws: int) -> float:
    return abs(told - draws * theta) / math.sqrt(draws * theta * (1 - theta))


def test_the_page_tosses_the_coin_it_shows(page: Any, full: bool) -> None:
    thetas, draws = (THETAS, 1_000_000) if full else ([Fraction(1, 2), Fraction(7, 10)], 200_000)
    told = page.evaluate(TOSS, [[str(theta) for theta in thetas], draws])
    worst = max(z(n, float(theta), draws) for n, theta in zip(told, thetas, strict=True))
    figure("P2", f"in Chromium, {draws:,} draws for each of {len(thetas)} thetas: worst |z|",
           f"{worst:.1f}", full=full)  # fmt: skip
    assert worst < 5


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_biased_coin_is_caught(page: Any, mutant: str) -> None:
    script = f"""() => {{
      const bytes = new Uint8Array(65536);
      let told = 0;
      for (let i = 0; i < 200000; i++) {{
        if (i % 65536 === 0) crypto.getRandomValues(bytes);
        told += Number({MUTANTS[mutant]});
      }}
      return told;
    }}"""
    assert z(page.evaluate(script), 0.7, 200_000) > 5


def test_a_weak_source_of_chance_is_never_asked(page: Any) -> None:
    page.evaluate(
        "Math.random = () => { if (Error().stack.includes('/web/')) window.weak = 1; return 0; }"
    )
    page.get_by_role("button", name="Start").click()
    page.locator('input[value="1"]').check()
    page.get_by_role("button", name="Spin").click()
    page.get_by_text("Whoever reads it").wait_for()
    assert page.evaluate("'weak' in window") is False
