"""A visitor with a real browser: pictures of what they see, and what went wrong on the way."""

import importlib.util
from pathlib import Path
from typing import Any

import yaml
from playwright.sync_api import Error

from frankly import Design
from frankly.cli.new import sample

SAMPLE = Design.from_document(yaml.safe_load(sample()))
"""The survey that `frankly new` writes."""

BROKEN = """() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement.closest("pre, code")) continue;
    for (const word of text.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (word[0].length <= 9 && lines.size > 1) found.push(word[0]);
    }
  }
  return found;
}"""
"""Short words that are broken over lines, letter under letter."""

SIZES = {"phone": (390, 844), "desk": (1280, 800)}


class Visit:
    """One visitor: a page, its pictures, and what went wrong on the way."""

    def __init__(self, browser: Any, size: str, pictures: Path, **more: Any) -> None:
        width, height = SIZES[size]
        view = {"width": width, "height": height}
        self.context = browser.new_context(viewport=view, **{"locale": "en-GB", **more})
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.context.add_init_script(
            "window.violations = []; addEventListener('securitypolicyviolation', "
            "(e) => violations.push(e.violatedDirective + ' ' + e.blockedURI));"
        )
        self.size, self.pictures = size, pictures
        self.problems: list[str] = []
        self.bytes = 0
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.heard)
        self.page.on("request", self.went)

    def heard(self, message: Any) -> None:
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def went(self, request: Any) -> None:
        if not request.url.startswith("http://127.0.0.1:"):
            self.problems.append(f"a request to {request.url}")

    def look(self, name: str) -> None:
        """Keep a picture, and let axe look at the page."""
        self.picture(self.pictures / f"{name}-{self.size}.png")
        self.measure(name)
        self.problems += [f"{name}: {one}" for one in axe(self.page)]
        self.problems += [f"{name}: {one}" for one in self.page.evaluate("violations.splice(0)")]

    def larger(self, name: str) -> None:
        """Look at the page as people see it who doubled the size of text."""
        size = "document.documentElement.style.fontSize = "
        self.page.evaluate(f"{size}'225%'")
        self.picture(self.pictures / f"{name}-{self.size}-200.png")
        self.measure(f"{name} at 200 %")
        broken = self.page.evaluate(BROKEN)
        self.problems += [f"{name} at 200 %: {one} is broken over lines" for one in broken]
        self.page.evaluate(f"{size}''")

    def measure(self, name: str) -> None:
        """Note what is wider than the screen, or too small for a thumb, once styles are there."""
        self.page.wait_for_load_state("load")
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.problems.append(f"{name}: wider than the screen")
        small = self.page.evaluate(
            "[...document.querySelectorAll('main button, .option, .error a')].filter((one) => {"
            " const box = one.getBoundingClientRect();"
            " return one.checkVisibility() && Math.min(box.width, box.height) < 44;"
            " }).map((one) => one.textContent)"
        )
        self.problems += [f"{name}: {one} is smaller than a thumb" for one in small]

    def picture(self, path: Path) -> None:
        """Keep a picture; a busy machine's browser may need to be asked again."""
        for more in (2, 1, 0):
            try:
                self.page.screenshot(path=path, full_page=True)
            except Error:
                if not more:
                    raise
                self.page.wait_for_timeout(1000)
            else:
                return

    def press(self, name: str) -> None:
        """Press a button, on a page that fits the screen."""
        self.page.get_by_role("button", name=name, exact=True).wait_for()
        self.measure(self.page.title())
        self.page.get_by_role("button", name=name, exact=True).click()

    def heading(self, name: str) -> None:
        self.page.get_by_role("heading", name=name, level=1).wait_for()

    def end(self) -> None:
        self.problems += self.page.evaluate("window.violations")
        self.context.close()
        assert not self.problems, self.problems


def axe(page: Any) -> list[str]:
    """Run axe-core in the page; list every violation of WCAG 2.2 AA and of best practice."""
    spec = importlib.util.find_spec("axe_playwright_python")
    assert spec is not None
    assert spec.origin is not None
    page.evaluate(Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))"
    )
    return list(found)
