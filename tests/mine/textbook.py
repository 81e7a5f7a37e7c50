"""Trees the way a textbook writes them: records in, one recursive function, no shares."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, int]


def entropy(rows: Sequence[Record], target: str) -> float:
    counts = Counter(row[target] for row in rows)
    return -sum(c / len(rows) * math.log2(c / len(rows)) for c in counts.values())


def gain(rows: Sequence[Record], name: str, target: str) -> float:
    lost = 0.0
    for value in {row[name] for row in rows}:
        part = [row for row in rows if row[name] == value]
        lost += len(part) / len(rows) * entropy(part, target)
    return entropy(rows, target) - lost


def id3(rows: Sequence[Record], names: Sequence[str], sizes: Mapping[str, int], target: str) -> Any:
    """Give (attribute, {value: tree}), or the class counts of a leaf."""
    counts = Counter(row[target] for row in rows)
    leaf = tuple(counts[k] for k in range(sizes[target]))
    if len(counts) < 2 or not names:
        return leaf
    best = max(names, key=lambda name: round(gain(rows, name, target), 10))
    if gain(rows, best, target) < 1e-10:
        return leaf
    rest = [name for name in names if name != best]
    branches = {}
    for value in range(sizes[best]):
        part = [row for row in rows if row[best] == value]
        branches[value] = id3(part, rest, sizes, target)
    return best, branches
