"""XLSForm, read: workbooks of ours whole, and those of others as far as chance can protect them."""

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from frankly.design import Text
from frankly.design.skips import skipping
from frankly.errors import DesignError
from frankly.studio.xlsform_write import NAMES, SHEETS, openpyxl

__all__ = ["read_xlsform"]

UNFOLDED, FILES, ROWS, COLUMNS, ELEMENTS = 8 * 2**20, 200, 5000, 300, 300_000
"""A workbook is a zip: no larger inside than this, with no more files, rows, columns or elements.

An empty cell is an element of four bytes that takes a hundred times as much memory."""

LAYOUT = {"note", "begin_group", "end_group", "begin group", "end group"}
"""Rows that ask nothing: they are left out."""

TEXTUAL = (
    "free answers can name people, and chance cannot protect them. Ask for one of several answers "
    "(select_one), several ticks (select_multiple), or a number with cut points (rr::bins)"
)

Row = Mapping[str, str]
CODES = {name: code for code, name in NAMES.items()}


def read_xlsform(data: bytes) -> dict[str, Any]:
    """Read a workbook as a survey document.

    Questions without an ``rr::`` column are protected, each by a fair coin of its own: what is
    to be sent as it is answered must say so (``rr::clear``).
    """
    sheets = open_book(data)
    if "survey" not in sheets:
        raise DesignError(
            'this workbook has no sheet "survey", so it is no XLSForm. Sheets and columns are '
            "explained in the docs on designing"
        )
    settings = (sheets.get("settings") or [{}])[0]
    lists = choices_in(sheets.get("choices", []))
    rows = [row for row in sheets["survey"] if row.get("type", "").strip() and asks(row)]
    document: dict[str, Any] = {"attributes": [], "about": {}}
    for row in rows:
        document["attributes"] += attributes_in(row, lists, document["about"])
    true = {row["name"]: names_in(row, lists) for row in rows}
    document["forms"] = forms_in(rows, sheets.get("rr", []), settings, true)
    document |= settings_in(settings, true)
    for row in sheets.get("rr_about", []):
        if row.get("key"):
            document["about"][row["key"]] = text_in(row, "text")
    if "rr_about" in sheets:
        document["title"] = document["about"].pop("title", "")
    return {key: part for key, part in document.items() if part}


def open_book(data: bytes) -> dict[str, list[Row]]:
    """Open a workbook, refusing those that unfold without end."""
    library = openpyxl()
    try:
        check_zip(data)
        book = library.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        return {one.title: rows_in(one) for one in book.worksheets if one.title in SHEETS}
    except DesignError:
        raise
    except Exception:  # noqa: BLE001 - a broken workbook breaks the library in a hundred ways
        raise DesignError(
            "this cannot be read as an .xlsx workbook. Save it again as .xlsx, not as .xls"
        ) from None


def check_zip(data: bytes) -> None:
    """Refuse what unfolds to too much, or declares entities."""
    elements = 0
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        inside = parts.infolist()
        if len(inside) > FILES or sum(one.file_size for one in inside) > UNFOLDED:
            raise unfolds(f"{UNFOLDED // 2**20} MiB in {FILES} parts")
        for one in inside:
            text = parts.read(one).replace(b"\0", b"")  # two bytes a letter are read alike
            if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                raise DesignError("this workbook declares entities, which no survey needs")
            elements += text.count(b"<") - text.count(b"</")
            if elements > ELEMENTS:
                raise unfolds(f"{ELEMENTS:,} cells and other elements")


def unfolds(most: str) -> DesignError:
    """Say that a workbook is larger inside than outside."""
    return DesignError(
        f"this workbook unfolds to far more than any survey needs: {most} are the most. Pictures "
        "and empty rows or columns that were once coloured count too: copy the sheets into a new "
        "workbook, without them"
    )


def rows_in(sheet: Any) -> list[Row]:
    """Read a sheet's rows by their heads."""
    found: list[Row] = []
    heads: list[str] = []
    for count, cells in enumerate(sheet.iter_rows(values_only=True, max_col=COLUMNS)):
        if count > ROWS:
            raise DesignError(f"a sheet has more than {ROWS:,} rows; no survey does")
        words = [written(cell) for cell in cells]
        if not heads:
            heads = [word.strip() for word in words]
        elif any(words):
            found.append({h: w for h, w in zip(heads, words, strict=False) if h and w})
    return found


def written(cell: Any) -> str:
    """Give a cell's text; numbers as people write them."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).replace("$\u2060{", "${")


def asks(row: Row) -> bool:
    """Tell whether a row asks something; refuse what depends on an earlier answer."""
    kind = row["type"].split()[0]
    for head in ("relevant", "relevance", "choice_filter", "repeat_count", "calculation"):
        if row.get(head):
            raise skipping(row.get("name", "?"), head)
    if "repeat" in row["type"]:
        raise skipping(row.get("name", "?"), "begin_repeat")
    return row["type"] not in LAYOUT and kind not in LAYOUT


def choices_in(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Collect the answers of every list."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get("list_name") or row.get("list name") or "", []).append(row)
    return found


def text_in(row: Row, head: str) -> Text:
    """Read a text: one, or one for each language; both where both are there."""
    found: dict[str, str] = {}
    for key, words in row.items():
        start, _, language = key.partition("::")
        if start == head and language:
            code = re.fullmatch(r".*\(([^()]+)\)\s*", language)
            found[code[1].strip() if code else CODES.get(language, language)] = words
    return found or row.get(head, "")


def value_of(choice: Row) -> str:
    """Give the value that a choice stands for."""
    return choice.get("rr_value") or choice.get("name", "")


def list_of(row: Row, lists: Mapping[str, list[Row]]) -> list[Row]:
    """Find the answers of a question."""
    words = row["type"].split()
    wanted = row.get("rr::list") or (words[1] if len(words) > 1 else "")
    if wanted and wanted not in lists:
        raise DesignError(f'the sheet "choices" has no list {wanted!r}, which a question names')
    return lists.get(wanted, [])


def names_in(row: Row, lists: Mapping[str, list[Row]]) -> list[str]:
    """Name the attributes that a row becomes."""
    name = row.get("rr::name") or row.get("name", "")
    if row["type"].split()[0] != "select_multiple":
        return [name]
    return [f"{name}.{value_of(choice)}" for choice in list_of(row, lists)]


def attributes_in(
    row: Row, lists: Mapping[str, list[Row]], about: dict[str, Text]
) -> list[dict[str, Any]]:
    """Turn one row into attributes, or say why it cannot be asked here."""
    kind, names = row["type"].split()[0], names_in(row, lists)
    if not row.get("name"):
        raise DesignError(f"a question of the type {row['type']!r} has no name")
    prompt = "" if row.get("rr::label") == "no" else text_in(row, "label")
    if kind == "select_multiple":
        about[row.get("rr::name") or row["name"]] = prompt or row["name"]
        asked = zip(names, list_of(row, lists), strict=True)
        return [
            {
                "name": name,
                "values": ["no", "yes"],
                "prompt": text_in(choice, "label") or value_of(choice),
            }
            for name, choice in asked
        ]
    made: dict[str, Any] = {"name": names[0], "prompt": prompt}
    if kind == "select_one":
        made |= answers_in(list_of(row, lists))
    elif kind == "acknowledge":
        made["values"] = ["no", "yes"]
    elif kind in {"integer", "decimal", "range"}:
        made |= {"bins": bins_in(row), **answers_in(list_of(row, lists))}
    else:
        raise DesignError(f"the question {row['name']!r} is of the type {kind!r}: {TEXTUAL}")
    return [{key: part for key, part in made.items() if part}]


def answers_in(choices: Sequence[Row]) -> dict[str, Any]:
    """Read the answers of a question: values, labels, and finer ones that count as another."""
    whole = [one for one in choices if not one.get("rr_counts_as")]
    return {
        "values": [value_of(one) for one in whole],
        "labels": {
            value_of(one): text
            for one in whole
            if one.get("rr_label") != "no" and (text := text_in(one, "label"))
        },
        "merged": {
            value_of(one): one["rr_counts_as"] for one in choices if one.get("rr_counts_as")
        },
    }


def bins_in(row: Row) -> list[float]:
    """Read the cut points of a number."""
    try:
        found = [float(word) for word in re.split(r"[;,\s]+", row.get("rr::bins", "")) if word]
    except ValueError:
        found = []
    if not found:
        raise DesignError(
            f"the question {row['name']!r} takes a number. Give its cut points in a column "
            "rr::bins, such as 18 30 50: only the range is sent"
        )
    return found


def forms_in(
    rows: Sequence[Row], groups: Sequence[Row], settings: Row, true: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Read the forms: weights, groups with their devices, and what is asked in clear."""
    weights = [int(word) for word in settings.get("rr::weights", "1").split() if is_number(word)]
    forms: list[dict[str, Any]] = [
        {"groups": [], "clear": [], "weight": weight} for weight in weights or [1]
    ]

    def form(number: str) -> dict[str, Any]:
        if not is_number(number) or not 1 <= int(number) <= len(forms):
            raise DesignError(f"form {number!r} has no weight: rr::weights lists one a form")
        return forms[int(number) - 1]

    for group in groups or shorthand(rows):
        names = [name for one in group.get("names", "").split() for name in known(one, true)]
        form(group.get("form", "1"))["groups"].append({"names": names, "mechanism": device(group)})
    for row in rows:
        for number in clear_forms(row):
            form(number)["clear"] += true[row["name"]]
    return forms


def is_number(word: str) -> bool:
    """Tell a whole number; other scripts' digits and powers are none."""
    return re.fullmatch("[0-9]{1,9}", word) is not None


def clear_forms(row: Row) -> list[str]:
    """List the forms that ask a question in clear."""
    told = row.get("rr::clear", "")
    if told.lower() in {"yes", "true", "clear"} or row.get("rr::group") == "clear":
        return ["1"]
    return told.split()


def known(name: str, true: Mapping[str, list[str]]) -> list[str]:
    """Find the attributes of a question that a group names."""
    if name not in true:
        raise DesignError(f'a group names the question {name!r}, which the sheet "survey" has not')
    return true[name]


def shorthand(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Read groups from the columns beside the questions, where there is no sheet of groups."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if clear_forms(row):
            continue
        group = found.setdefault(row.get("rr::group") or f"={row['name']}", {"names": ""})
        group["names"] = f"{group['names']} {row['name']}".strip()
        for head in ("kind", "theta", "cover", "asked", "rows", "reports", "scores"):
            if row.get(f"rr::{head}"):
                group.setdefault(head, row[f"rr::{head}"])
    return list(found.values())


def device(group: Mapping[str, str]) -> dict[str, Any]:
    """Read a group's device; a fair coin where nothing is said."""
    made: dict[str, Any] = {"kind": group.get("kind", "unrelated")}
    if made["kind"] != "matrix":
        made["theta"] = group.get("theta", "1/2")
    for head in ("cover", "asked", "rows", "reports", "scores"):
        if group.get(head):
            made[head] = parsed(head, group[head])
    return made


def parsed(head: str, text: str) -> Any:
    """Read the JSON in a cell."""
    if head == "asked":
        return text.lower() in {"true", "yes", "1"}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DesignError(f"the column {head} holds lists of numbers such as [0.7, 0.3]") from None


def settings_in(settings: Row, true: Mapping[str, list[str]]) -> dict[str, Any]:
    """Read what holds for the whole survey."""
    target, version = settings.get("rr::target"), settings.get("version", "1")
    return {
        "title": settings.get("form_title", ""),
        "languages": settings.get("rr::languages", "").split(),
        "target": known(target, true)[0] if target else None,
        "version": int(version) if is_number(version) else 1,
        "own_device": settings.get("rr::own_device") or None,
        "accept_infinite_epsilon": settings.get("rr::accept_infinite_epsilon") == "yes",
        "panel": panel_in(settings),
    }


def panel_in(settings: Row) -> dict[str, Any] | None:
    """Read the panel, if the survey is one of a panel's."""
    if not settings.get("rr::panel"):
        return None
    try:
        return {"name": settings["rr::panel"], "budget": float(settings.get("rr::budget", ""))}
    except ValueError:
        raise DesignError("rr::budget is a number: what the panel may reveal in all") from None
