"""The table of promises: promise, figure, verdict, from one run of the promise tests.

``python -m tests.promises.table FOLDER`` reads the figures that the tests wrote down and the
verdicts of the same run; it exits with 1 when a promise was broken or not tested.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree as ET

from rich import box
from rich.console import Console
from rich.table import Table

PROMISES = tuple(f"P{n}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20))


def promise_of(name: str) -> str | None:
    """Tell which promise a test module is about."""
    found = re.search(r"test_p(\d\d)_", name)
    return f"P{int(found[1])}" if found else None


def verdicts(folder: Path) -> dict[str, tuple[int, int]]:
    """Count the tests of each promise that ran, and those that failed."""
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case in ET.parse(folder / "verdicts.xml").iter("testcase"):
        promise = promise_of(case.get("classname", ""))
        if promise:
            bad = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
            counted[promise][0] += 1
            counted[promise][1] += bad
    return {promise: (ran, bad) for promise, (ran, bad) in counted.items()}


def figures(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Read what was measured."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            found[one["promise"]].append((one["claim"], one["figure"]))
    return found


def laid_out(folder: Path) -> tuple[Table, bool]:
    """Lay the table out; tell whether every promise was kept."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("promise", "claim", "figure", "verdict"):
        table.add_column(heading)
    judged, measured, kept = verdicts(folder), figures(folder), True
    for promise in PROMISES:
        ran, bad = judged.get(promise, (0, 1))
        kept = kept and ran > 0 and not bad
        verdict = (
            "not tested"
            if not ran
            else f"BROKEN ({bad} of {ran})"
            if bad
            else f"kept ({ran} tests)"
        )
        for i, (claim, value) in enumerate(
            measured.get(promise) or [("its tests", f"{ran - bad} of {ran}")]
        ):
            table.add_row(*(("", claim, value, "") if i else (promise, claim, value, verdict)))
    return table, kept


if __name__ == "__main__":
    shown, all_kept = laid_out(Path(sys.argv[1]))
    Console(width=140).print(shown)
    sys.exit(0 if all_kept else 1)
