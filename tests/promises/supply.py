"""Supply: what is installed with us, package by package: pinned, hashed, and under which licence.

``python -m tests.promises.supply FOLDER`` writes the bill of materials (CycloneDX) of what a user
installs to FOLDER/sbom.json, judges what an audit wrote to FOLDER/advisories.json, and prints the
figures; it exits with 1 when one is not what we promise.
"""

import json
import re
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

__all__ = ["PINNED", "advisories", "bill", "licence", "main", "may_ship", "requirements"]

ROOT = Path(__file__).parents[2]

PINNED = re.compile(
    r"(?P<name>[a-z0-9.-]+)==(?P<version>\S+)( ; [^\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*"
)

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
READ_BY_HAND = {
    "py4j": "BSD-3-Clause",
    "pyreadstat": "Apache-2.0",
    "pyspark": "Apache-2.0",
    "pyxform": "BSD-2-Clause",
}


def requirements(text: str) -> list[str]:
    """Split a locked list into its requirements, each with its hashes on one line.

    Examples
    --------
    >>> requirements("click==8.1 \\\\\\n    --hash=sha256:ab\\n    # via frankly\\n")
    ['click==8.1      --hash=sha256:ab']
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def licence(name: str) -> str:
    """Say what a package says of its own licence; empty when it says nothing clear."""
    if name in READ_BY_HAND:
        return READ_BY_HAND[name]
    try:
        return stated(distribution(name))
    except PackageNotFoundError:
        return ""


def stated(found: Distribution) -> str:
    """Read what a distribution says, in the newer way or in the older one."""
    fields = found.metadata
    classifiers = fields.get_all("Classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    said = fields.get_all("License-Expression") or named or fields.get_all("License") or []
    return " AND ".join(said)


def may_ship(package: str, said: str) -> bool:
    """Judge one licence expression: every part of some alternative must be allowed.

    Examples
    --------
    >>> may_ship("any", "GPL-3.0-only OR MIT"), may_ship("any", "MIT AND GPL-2.0-only")
    (True, False)
    """
    extra = {"LGPL-3.0-only", "LGPL-3.0-or-later"} if package in LGPL else set()
    alternatives = [part.split(" AND ") for part in said.split(" OR ")]
    return any(set(parts) <= ALLOWED | extra for parts in alternatives)


def bill(text: str) -> dict[str, Any]:
    """Write the bill of materials of a locked list, as other tools read it (CycloneDX 1.6)."""
    components = [
        {
            "type": "library",
            "name": found["name"],
            "version": found["version"],
            "purl": f"pkg:pypi/{found['name']}@{found['version']}",
            "licenses": [{"license": {"name": licence(found["name"])}}],
            "hashes": [
                {"alg": "SHA-256", "content": value}
                for value in re.findall(r"sha256:([0-9a-f]{64})", found[0])
            ],
        }
        for found in map(PINNED.fullmatch, requirements(text))
        if found
    ]
    ours = {"type": "application", "name": "frankly", "version": version("frankly")}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": ours},
        "components": components,
    }


def advisories(report: Mapping[str, Any]) -> tuple[int, int, int]:
    """Count what an audit looked up, what it passed over, and the advisories that it found.

    An audit that could look nothing up also finds nothing, so the first two figures matter.

    Examples
    --------
    >>> advisories({"dependencies": [{"name": "click", "skip_reason": "not found"}]})
    (0, 1, 0)
    """
    found = report["dependencies"]
    passed = sum("skip_reason" in one for one in found)
    return len(found) - passed, passed, sum(len(one.get("vulns", [])) for one in found)


def main(folder: Path) -> bool:
    """Write the bill, print the figures, and tell whether they are what we promise."""
    text = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    written = bill(text)
    (folder / "sbom.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    names = [one["name"] for one in written["components"]]
    looked_up, passed, known = advisories(json.loads((folder / "advisories.json").read_bytes()))
    figures = {
        f"packages not pinned and hashed, of {len(names)}": len(requirements(text)) - len(names),
        "licences unknown or not allowed": sum(not may_ship(one, licence(one)) for one in names),
        f"known advisories, {looked_up} packages looked up": known,
        "packages that the audit could not look up": passed,
    }
    for claim, figure in figures.items():
        print(f"{claim}: {figure}")  # noqa: T201
    if passed or not looked_up:
        print("So nothing is known about those. Is the index's own advisory service in reach?")  # noqa: T201
    return not any(figures.values()) and looked_up > 0


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1])) else 1)
