"""What ships may be shipped: the licence of every dependency lets us be MIT."""

from importlib.metadata import Distribution, PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# SPDX names, then the names that older packages use for the same licences.
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
    "Apache Software License", "BSD License", "MIT License", "Python Software Foundation License",
    "Mozilla Public License 2.0 (MPL 2.0)",
}  # fmt: skip

# LGPL: may be used unchanged, as a library of its own. Each is here because someone decided it.
LGPL = {"gmpy2", "psycopg", "psycopg-binary"}

# Licence files we read because the package's metadata is silent, or because it is not installed
# with the tests (Spark is 400 MB and needs a Java machine).
READ_BY_HAND = {"py4j": "BSD-3-Clause", "pyspark": "Apache-2.0", "pyxform": "BSD-2-Clause"}


def licence(found: Distribution) -> str:
    """Say what a distribution says of its own licence; empty when it says nothing clear."""
    fields = found.metadata
    classifiers = fields.get_all("Classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    stated = fields.get_all("License-Expression") or named or fields.get_all("License") or []
    return " AND ".join(stated)


def may_ship(package: str, stated: str) -> bool:
    """Judge one licence expression: every part of some alternative must be allowed."""
    extra = {"LGPL-3.0-only", "LGPL-3.0-or-later"} if package in LGPL else set()
    alternatives = [part.split(" AND ") for part in stated.split(" OR ")]
    return any(set(parts) <= ALLOWED | extra for parts in alternatives)


def applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": e}) for e in extras | {""})


def needed(name: str, extras: frozenset[str], found: dict[str, str]) -> dict[str, str]:
    """Follow what ``name`` requires on this machine, and note each package's licence."""
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return found | {name: READ_BY_HAND.get(name, "")}
    found = found | {name: READ_BY_HAND.get(name) or licence(package)}
    for requirement in map(Requirement, package.requires or ()):
        child = canonicalize_name(requirement.name)
        if applies(requirement, extras) and child not in found:
            found = needed(child, frozenset(requirement.extras), found)
    return found


def shipped() -> dict[str, str]:
    """Everything that frankly or any of its extras pulls in, with its licence."""
    extras = distribution("frankly").metadata.get_all("Provides-Extra") or []
    return needed("frankly", frozenset(extras), {})


def test_every_licence_that_ships_is_allowed() -> None:
    found = shipped()
    refused = {name: stated for name, stated in found.items() if not may_ship(name, stated)}
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
