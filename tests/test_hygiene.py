"""The house stays readable, pinned, and silent about the machine it was built on."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import frankly

ROOT = Path(__file__).parents[1]
OURS = ("src", "tests", "evidence", "docs", "conformance", "requirements", ".ci")
BUILT = {"__pycache__", "_build", "api", "node_modules"}
TEXT = {"", ".css", ".html", ".js", ".json", ".md", ".py", ".svg", ".toml", ".txt", ".yaml", ".yml"}
WEB = ROOT / "src/frankly/web"

# An absolute address in someone's machine. Put together here so that it does not find itself.
MACHINE = re.compile("/(?:" + "|".join(("home", "Users", "root", "tmp", "work", "opt")) + r")/\w")


def ours(*suffixes: str) -> list[Path]:
    """List our own files, without what was built from them."""
    inside = [path for top in OURS for path in (ROOT / top).rglob("*")]
    files = [path for path in (*ROOT.iterdir(), *inside) if path.is_file()]
    kept = [path for path in files if BUILT.isdisjoint(path.relative_to(ROOT).parts)]
    return [path for path in kept if path.suffix in (suffixes or TEXT)]


def test_no_module_grows_past_500_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in ours(".py", ".js")}
    assert {path: n for path, n in lengths.items() if n > 500} == {}
    assert len(lengths) >= 10


def test_the_browser_never_tosses_a_weak_coin() -> None:
    pages = [path for path in WEB.rglob("*") if path.suffix in {".js", ".html"}]
    assert [path for path in pages if "Math.random" in path.read_text()] == []
    assert pages, "nothing was read"


def test_no_file_names_a_place_on_a_machine() -> None:
    assert [path for path in ours() if MACHINE.search(path.read_text())] == []
    assert MACHINE.search("/" + "home/someone/frankly")


def test_the_wheel_carries_the_browsers_half(tmp_path: Path) -> None:
    build = [sys.executable, "-W", "ignore", "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run([*build, "-d", tmp_path], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    pages = {str(p.relative_to(ROOT / "src")) for p in WEB.rglob("*") if p.is_file()}
    assert pages
    assert pages <= names
    about = f"frankly-{frankly.__version__}.dist-info"
    assert {"frankly/py.typed", f"{about}/licenses/LICENSE"} <= names
    assert {name.split("/")[0] for name in names} == {"frankly", about}
