"""P20: what is installed with us is pinned, hashed and free to use, and tells nobody anything."""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.live import figure
from tests.promises.supply import PINNED, ROOT, advisories, bill, licence, main, may_ship
from tests.promises.supply import requirements as split

LOCKS = ("bench", "dev", "run")

UNWANTED = re.compile(
    r"torch|nvidia-|opentelemetry-(exporter|sdk)|sentry|datadog|ddtrace|newrelic|posthog|statsd"
)
"""What nobody needs here, and what could tell others what happens on a server."""


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def loose(text: str) -> list[str]:
    """Name what is not pinned to one version and to the hashes of its files."""
    return [one for one in split(text) if not PINNED.fullmatch(one)]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_and_hashed(name: str, full: bool) -> None:
    found = loose(lock(name))
    figure("P20", f"packages of {name}.txt without version or hash", len(found), full=full)
    assert found == []
    assert len(split(lock(name))) >= 20


@pytest.mark.parametrize(
    "mistake", ["requests>=2", "requests==2.34.2", "git+ssh://example/frankly"]
)
def test_a_package_without_its_hash_is_found(mistake: str) -> None:
    assert loose(f"{lock('run')}{mistake}\n") == [mistake]


def test_environments_are_built_with_hashes_required() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    builds = [line for line in lines if "pip install" in line and " -r " in line]
    assert builds
    assert all("--require-hashes" in line for line in builds)


def applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": e}) for e in extras | {""})


def needed(name: str, extras: frozenset[str], found: dict[str, str]) -> dict[str, str]:
    """Follow what ``name`` requires on this machine, and note each package's licence."""
    found = found | {name: licence(name)}
    try:
        requires = distribution(name).requires or ()
    except PackageNotFoundError:
        return found
    for requirement in map(Requirement, requires):
        child = canonicalize_name(requirement.name)
        if applies(requirement, extras) and child not in found:
            found = needed(child, frozenset(requirement.extras), found)
    return found


def shipped() -> dict[str, str]:
    """Everything that frankly or any of its extras pulls in, with its licence."""
    extras = distribution("frankly").metadata.get_all("Provides-Extra") or []
    return needed("frankly", frozenset(extras), {})


def test_every_licence_that_ships_is_allowed(full: bool) -> None:
    found = shipped()
    refused = {name: stated for name, stated in found.items() if not may_ship(name, stated)}
    figure("P20", f"licences unknown or not allowed, of {len(found)}", len(refused), full=full)
    assert refused == {}
    assert len(found) >= 40, "too few packages were examined: is this the developer's environment?"


def test_every_extra_is_examined() -> None:
    found = shipped()
    one_of_each = {"uvicorn", "matplotlib", "duckdb", "pyspark", "gmpy2", "pyreadstat", "polars"}
    assert one_of_each <= found.keys()
    assert {"psycopg-binary", "pydantic-core"} <= found.keys(), "extras of extras are followed"


def test_tools_and_peers_do_not_ship() -> None:
    assert shipped().keys().isdisjoint({"pytest", "mypy", "phe", "pure-ldp", "numba", "torch"})


@pytest.mark.parametrize(
    ("package", "stated", "verdict"),
    [
        ("any", "MIT", True),
        ("any", "BSD-3-Clause AND Zlib", True),
        ("any", "GPL-3.0-only OR MIT", True),
        ("psycopg", "LGPL-3.0-only", True),
        ("any", "LGPL-3.0-only", False),
        ("any", "MIT AND GPL-2.0-only", False),
        ("psycopg", "GPL-3.0-only", False),
        ("phe", "GNU General Public License v3 (GPLv3)", False),
        ("any", "", False),
    ],
)
def test_the_verdict_on_a_licence(package: str, stated: str, verdict: bool) -> None:
    assert may_ship(package, stated) is verdict


@pytest.mark.parametrize("name", LOCKS)
def test_no_locked_list_pulls_in_torch_or_a_telemetry_exporter(name: str, full: bool) -> None:
    found = [line.split()[0] for line in split(lock(name)) if UNWANTED.match(line)]
    figure("P20", f"packages of {name}.txt that send telemetry", len(found), full=full)
    assert found == []
    assert UNWANTED.match("opentelemetry-exporter-otlp==1.0")


@pytest.mark.parametrize("name", LOCKS)
def test_a_locked_list_names_no_host(name: str) -> None:
    assert re.findall(r".*(?:://|index-url|find-links|trusted-host).*", lock(name)) == []


def test_the_bill_names_every_package_with_its_hashes() -> None:
    written = bill(lock("run"))["components"]
    assert [f"{one['name']}=={one['version']}" for one in written] == [
        one.split()[0] for one in split(lock("run"))
    ]
    assert all(one["hashes"] and one["licenses"][0]["license"]["name"] for one in written)


CLEAN = {"name": "click", "version": "8", "vulns": []}
BLIND = {"name": "click", "skip_reason": "not found"}
KNOWN = {"name": "click", "version": "8", "vulns": [{"id": "X-1"}]}


@pytest.mark.parametrize(
    ("found", "figures", "verdict"),
    [
        ([CLEAN], (1, 0, 0), True),
        ([CLEAN, KNOWN], (2, 0, 1), False),
        ([CLEAN, BLIND], (1, 1, 0), False),
        ([], (0, 0, 0), False),
    ],
)
def test_an_audit_that_looked_nothing_up_is_not_believed(
    found: list[dict[str, Any]], figures: tuple[int, int, int], verdict: bool, tmp_path: Path
) -> None:
    report = {"dependencies": found}
    assert advisories(report) == figures
    (tmp_path / "advisories.json").write_text(json.dumps(report), encoding="utf-8")
    assert main(tmp_path) is verdict
    assert json.loads((tmp_path / "sbom.json").read_bytes())["bomFormat"] == "CycloneDX"
