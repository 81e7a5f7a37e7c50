"""The house stays readable, pinned, and silent about the machine it was built on."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import frankly

ROOT = Path(__file__).parents[1]
OURS = ("src", "tests", "evidence", "docs", "conformance", "requirements", ".ci")
BUILT = {"__pycache__", "_build", "api", "node_modules"}
TEXT = {"", ".css", ".html", ".js", ".json", ".md", ".py", ".svg", ".toml", ".txt", ".yaml", ".yml"}
LOCKS = ("bench", "dev", "run")
WEB = ROOT / "src/frankly/web"

# An absolute address in someone's machine. Put together here so that it does not find itself.
MACHINE = re.compile("/(?:" + "|".join(("home", "Users", "root", "tmp", "work", "opt")) + r")/\w")


def ours(*suffixes: str) -> list[Path]:
    """List our own files, without what was built from them."""
    inside = [path for top in OURS for path in (ROOT / top).rglob("*")]
    files = [path for path in (*ROOT.iterdir(), *inside) if path.is_file()]
    kept = [path for path in files if BUILT.isdisjoint(path.relative_to(ROOT).parts)]
    return [path for path in kept if path.suffix in (suffixes or TEXT)]


def requirements(lock: str) -> list[str]:
    """Split a locked list into its requirements, each with its hashes on one line."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


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


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_and_hashed(lock: str) -> None:
    pinned = re.compile(r"[a-z0-9.-]+==\S+( ; [^\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    found = requirements(lock)
    assert [line for line in found if not pinned.fullmatch(line)] == []
    assert len(found) >= 20


@pytest.mark.parametrize("lock", LOCKS)
def test_a_locked_list_names_no_host(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    assert re.findall(r".*(?:://|index-url|find-links|trusted-host).*", text) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_no_locked_list_pulls_in_torch_or_a_telemetry_exporter(lock: str) -> None:
    unwanted = re.compile(r"torch|nvidia-|opentelemetry-(exporter|sdk)|sentry")
    assert [line.split()[0] for line in requirements(lock) if unwanted.match(line)] == []


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
