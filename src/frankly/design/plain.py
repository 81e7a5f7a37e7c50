"""Plain: a file read as plain values, no deeper and no more of them than a survey has."""

import json
from collections.abc import Collection
from typing import Any

import yaml

from frankly.errors import DesignError

__all__ = ["read_plain", "refuse_giants"]

LARGEST, PARTS, DEPTH, DIGITS = 4 * 2**20, 100_000, 50, 40
"""Bytes of a file; values in it; lists within lists; characters of a number in YAML."""

UNREADABLE = (
    *(ValueError, ArithmeticError, LookupError, AttributeError),
    yaml.YAMLError,
)
"""What the libraries raise when a text is not what it should be."""


def read_plain(data: bytes, kind: str, name: str = "this file") -> Any:
    """Read the bytes of a file as plain values, or say why not without repeating what is in it.

    Parameters
    ----------
    data
        What is in the file.
    kind
        ``JSON`` or ``YAML``.
    name
        What to call the file in an error.

    Examples
    --------
    >>> read_plain(b"attributes: []", "YAML")
    {'attributes': []}
    """
    refuse_tables(data, name)
    if len(data) > LARGEST:
        raise DesignError(f"{name} is larger than {LARGEST // 2**20} MiB; no survey is")
    try:
        document = read(data.decode("utf-8-sig"), kind)
    except DesignError:
        raise
    except UnicodeDecodeError:
        raise DesignError(f"{name} is not written in UTF-8. Save it again as UTF-8") from None
    except UNREADABLE as error:
        raise DesignError(
            f"{name} is not valid {kind}{place_of(error)}. `frankly new` writes one to start from"
        ) from None
    refuse_giants(document, name)
    return document


def refuse_tables(data: bytes, name: str) -> None:
    """Refuse a workbook or a table by its name: a survey is a text that says what is asked."""
    ending = name.lower().rpartition(".")[2]
    if data.startswith(b"PK\x03\x04") or ending in {"xlsx", "xls", "ods"}:
        stem = name.rpartition(".")[0] or "survey"
        raise DesignError(
            f"{name} is a workbook, and a survey is read from .yaml or .json. If the survey is in "
            f"it: frankly convert {stem}.xlsx {stem}.yaml"
        )
    table = "a Parquet file" if data.startswith(b"PAR1") or ending == "parquet" else None
    table = "a CSV file" if table is None and ending in {"csv", "tsv"} else table
    if table is not None:
        raise DesignError(
            f"{name} is {table}, a table of answers, and no survey. Give the survey document "
            "(.yaml or .json) that says what is asked; `frankly new` writes one to start from"
        )


def read(text: str, kind: str) -> Any:
    """Read a text as plain values."""
    try:
        if kind == "JSON":
            return json.loads(text, object_pairs_hook=once)
        refuse_depth(text)
        return yaml.load(text, Plain)  # noqa: S506
    except RecursionError:
        raise too_deep() from None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a field that is said twice: the last would win, and the first be lost unseen.

    Examples
    --------
    >>> once([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise said_twice(next(name for name in names if names.count(name) > 1), "")
    return made


def said_twice(name: str, where: str) -> DesignError:
    """Say that a field is there twice."""
    return DesignError(
        f"the field {name!r} is there twice{where}, and only one of them would count. Put what "
        "belongs together under one of them"
    )


def too_deep() -> DesignError:
    """Say that lists are within too many lists."""
    return DesignError(
        f"there are lists within too many lists: {DEPTH} levels are the most, and a survey needs "
        "few. Take brackets or indents away"
    )


def place_of(error: Exception) -> str:
    """Tell where a text stops being what it should be, where the library knows."""
    mark = getattr(error, "problem_mark", None)
    line = getattr(error, "lineno", None) if mark is None else mark.line + 1
    return "" if line is None else f" (line {line})"


class Plain(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads YAML as plain values; nothing is merged, for a few lines could merge without end."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse ``<<``, which PyYAML unfolds before anybody can count, and a field said twice."""
        known: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in known:
                    raise said_twice(key.value, f" (line {key.start_mark.line + 1})")
                known.add(key.value)
        if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
            raise DesignError(
                "this is not valid YAML for a survey: it merges values (<<), and a few lines could "
                "do so without end. Write the values out"
            )

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Refuse long whole numbers: 1:1:1 is one to the base 60, and takes for ever."""
        return int(super().construct_yaml_int(short(node)))

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Refuse long numbers."""
        return float(super().construct_yaml_float(short(node)))


for tag in ("int", "float"):
    Plain.add_constructor(f"tag:yaml.org,2002:{tag}", getattr(Plain, f"construct_yaml_{tag}"))


def short(node: yaml.ScalarNode) -> yaml.ScalarNode:
    """Refuse a number that nobody would write."""
    if len(node.value) > DIGITS:
        raise DesignError(
            f"this is not valid YAML for a survey: line {node.start_mark.line + 1} has a number of "
            f"{len(node.value):,} characters. If it is a text, put it in quotes"
        )
    return node


def refuse_depth(text: str) -> None:
    """Refuse YAML that holds lists within too many lists, before anything descends into them."""
    depth = 0
    for event in yaml.parse(text, Plain):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            raise too_deep()


def refuse_giants(document: Any, name: str = "this document") -> None:
    """Refuse a document with more values, or deeper ones, than any survey has.

    Examples
    --------
    >>> refuse_giants({"attributes": [{"name": "ill", "values": ["no", "yes"]}]})
    """
    count, row = 0, [document]
    for _ in range(DEPTH):
        count += sum(len(inside(part)) for part in row)
        if count > PARTS:
            raise DesignError(
                f"{name} unfolds to more values than any survey has: {PARTS:,} are the most. Ask "
                "fewer questions, or questions with fewer answers"
            )
        row = [one for part in row for one in inside(part)]
        if not row:
            return
    raise too_deep()


def inside(part: Any) -> Collection[Any]:
    """Give the values in a value."""
    return part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
