"""Labelled: reports for SPSS and Stata, with words for every code and the design as notes."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from frankly.design import Design
from frankly.errors import FranklyError
from frankly.store.export import READ_ME, report_labels, spoken
from frankly.store.stata_notes import add_notes

__all__ = ["variable_names", "write_dta", "write_sav"]

RESERVED = frozenset(
    [
        "all",
        "and",
        "by",
        "eq",
        "ge",
        "gt",
        "le",
        "lt",
        "ne",
        "not",
        "or",
        "to",
        "with",
        "byte",
        "double",
        "float",
        "if",
        "in",
        "int",
        "long",
        "using",
    ]
)
"""Words that SPSS or Stata keeps for itself."""

LINE = 80
"""The longest line of an SPSS file's documents."""


JOINERS = "\u200c\u200d"
"""Signs without width that belong to words (Persian, Hindi) and to emoji."""


@dataclass(frozen=True)
class Limits:
    """How long things may be: in bytes, which is never too generous."""

    name: int
    label: int
    value_label: int


SPSS, STATA = Limits(64, 255, 120), Limits(31, 80, 32000)
"""Stata takes names of 32 letters, but the library names a set of words by 31."""


def write_sav(table: pa.Table, design: Design, path: Path) -> None:
    """Write an SPSS file: codes with their words, the design in its documents."""
    made = Labelled.of(table, design, SPSS)
    library().write_sav(
        made.frame,
        path,
        file_label=titled(design, 64),
        column_labels=made.labels,
        variable_value_labels=made.values,
        variable_measure=dict.fromkeys(made.labels, "nominal"),
        note=[line for note in made.notes for line in lines(note)],
    )


def write_dta(table: pa.Table, design: Design, path: Path) -> None:
    """Write a Stata file: codes with their words, the design in its notes."""
    made = Labelled.of(table, design, STATA)
    library().write_dta(
        made.frame,
        path,
        file_label=titled(design, 80),
        column_labels=made.labels,
        variable_value_labels=made.values,
        version=14,
    )
    add_notes(path, made.notes)


def titled(design: Design, most: int) -> str:
    """Title a file, so that nobody overlooks what it holds."""
    return cut("Reports, not truths: see notes. " + spoken(design, design.title), most)


def library() -> Any:
    """Give the library that writes these files, or say how to get it."""
    try:
        import pandas  # noqa: F401, ICN001, PLC0415 - it needs one to write
        import pyreadstat  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise FranklyError(
            "SPSS and Stata files need pyreadstat. Install it: pip install 'frankly[formats]'"
        ) from error
    return pyreadstat


@dataclass(frozen=True)
class Labelled:
    """Reports as codes from 1 on, with the words that a format lets us write."""

    frame: Any
    labels: dict[str, str]
    values: dict[str, dict[int, str]]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: pa.Table, design: Design, limits: Limits) -> "Labelled":
        """Turn labels into codes, and names into those that the format allows."""
        names = variable_names(table.column_names, limits.name)
        columns, labels, values = [], {}, {}
        for name in table.column_names:
            column, words = coded(table, design, name)
            columns.append(column)
            labels[names[name]] = cut(asked(design, name), limits.label)
            values[names[name]] = {
                code: cut(label, limits.value_label) for code, label in words.items()
            }
        frame = pa.table(columns, names=list(names.values())).to_pandas()
        return cls(frame, labels, values, notes(design, names))


def coded(table: pa.Table, design: Design, name: str) -> tuple[pa.Array, dict[int, str]]:
    """Give a column as codes from 1 on, and the words for each code."""
    column = table[name].combine_chunks()
    if name == "form":
        return column, {i: f"form {i}" for i in range(len(design.forms))}
    known = list(report_labels(design, name))
    found = pa.compute.index_in(column, pa.array(known, pa.string()))
    words = {value: spoken(design, text) for value, text in design[name].labels.items()}
    codes = pa.compute.add(found, pa.scalar(1, pa.int32()))
    return codes, {i + 1: words.get(value, value) for i, value in enumerate(known)}


def asked(design: Design, name: str) -> str:
    """Say what a column answers."""
    if name == "form":
        return "Which form the person got"
    return spoken(design, design[name].prompt) or name


def notes(design: Design, names: dict[str, str]) -> tuple[str, ...]:
    """Say how to read the file, which variables have other names, and the whole design."""
    renamed = [f"{new} is {old}" for old, new in names.items() if old != new]
    whole = json.dumps(design.document(), separators=(",", ":")).replace(" ", "\\u0020")
    parts = (
        READ_ME,
        "Code k of a question is the k-th of its values in the design.",
        "Variables with other names than their questions: " + "; ".join(renamed) if renamed else "",
        f"frankly.fingerprint {design.fingerprint}",
        f"frankly.design {whole}",
    )
    return tuple(ascii_only(part) for part in parts if part)


def ascii_only(text: str) -> str:
    """Write other letters as JSON does, so that a letter is a byte and no line breaks one."""
    return json.dumps(text)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def lines(note: str) -> list[str]:
    """Break a note into lines that an SPSS file can hold: at spaces, or anywhere."""
    found = []
    while len(note) > LINE:
        end = note.rfind(" ", 0, LINE + 1)
        end = end if end > 0 else LINE
        found.append(note[:end])
        note = note[end:].lstrip(" ")
    return [*found, note]


def variable_names(names: Iterable[str], limit: int) -> dict[str, str]:
    """Give every column a name that statistics programs accept, and tell which.

    Examples
    --------
    >>> variable_names(["age", "with", "2nd job", "2nd-job"], 32)
    {'age': 'age', 'with': 'with_', '2nd job': 'q2nd_job', '2nd-job': 'q2nd_job_2'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if plain[0].isalpha() else f"q{plain}"
        plain = f"{plain}_" if plain.lower() in RESERVED or is_string_type(plain) else plain
        made, number = plain[:limit], 2
        while made.lower() in taken:
            ending = f"_{number}"
            made, number = plain[: limit - len(ending)] + ending, number + 1
        found[name] = made
        taken.add(made.lower())
    return found


def is_string_type(name: str) -> bool:
    """Tell whether Stata takes a name for a type, such as str20."""
    return re.fullmatch(r"str(\d+|L)", name) is not None


def cut(text: str, limit: int) -> str:
    """Keep a text within a number of bytes, without control signs and without half letters."""
    plain = "".join(one if one.isprintable() or one in JOINERS else " " for one in text)
    whole = plain.encode()
    return plain if len(whole) <= limit else whole[:limit].decode(errors="ignore")
