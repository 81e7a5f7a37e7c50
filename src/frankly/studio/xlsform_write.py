"""XLSForm, written: the survey in a workbook that form tools open, its protection beside it."""

import importlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frankly.design import Text
from frankly.errors import DesignError, FranklyError

__all__ = ["NAMES", "SHEETS", "column", "openpyxl", "write_xlsform"]

NAMES = {"en": "English", "de": "Deutsch", "ar": "العربية", "fr": "Français", "es": "Español"}
"""Languages by the name that form tools show."""

SHEETS = ("survey", "choices", "settings", "rr", "rr_about")
"""The sheets: three of XLSForm, one for groups, one for what people read first."""

RESERVED = {"meta", "instanceid", "instancename", "data", "frankly", "form"}

Row = Mapping[str, Any]


def openpyxl() -> Any:
    """Give the library that reads and writes workbooks, or say how to install it."""
    try:
        return importlib.import_module("openpyxl")
    except ModuleNotFoundError:
        raise FranklyError(
            "XLSForm files need an extra: pip install 'frankly[formats]'. JSON and YAML work "
            "without it"
        ) from None


def column(head: str, language: str) -> str:
    """Name the column of a text in a language, as XLSForm does.

    Examples
    --------
    >>> column("label", "de"), column("label", "")
    ('label::Deutsch (de)', 'label')
    """
    return f"{head}::{NAMES.get(language, language)} ({language})" if language else head


def write_xlsform(document: Mapping[str, Any]) -> bytes:
    """Write a survey document as an XLSForm workbook; every cell is text, never a formula.

    Examples
    --------
    >>> write_xlsform({"attributes": [{"name": "ill", "values": ["no", "yes"]}]})[:2]
    b'PK'
    """
    names = safe_names([one["name"] for one in document["attributes"]])
    sheets = {
        "survey": survey_rows(document, names),
        "choices": choice_rows(document, names),
        "settings": [settings_row(document, names)],
        "rr": group_rows(document, names),
        "rr_about": about_rows(document),
    }
    book = openpyxl().Workbook()
    book.remove(book.active)
    for title in SHEETS:
        fill(book.create_sheet(title), sheets[title])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def fill(sheet: Any, rows: Sequence[Row]) -> None:
    """Write rows under the columns they have, in the order in which those first come."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    for place, head in enumerate(heads, 1):
        put(sheet.cell(1, place), head)
    for line, row in enumerate(rows, 2):
        for place, head in enumerate(heads, 1):
            if row.get(head, "") != "":
                put(sheet.cell(line, place), quoted(row[head]))


def put(cell: Any, text: str) -> None:
    """Write text as text: a formula in a label must stay a label."""
    try:
        cell.value = text
    except ValueError:
        raise DesignError(
            "a text holds control characters, which no workbook can hold. Remove them, or export "
            "as JSON"
        ) from None
    cell.data_type = "s"
    cell.quotePrefix = True


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Give each attribute a name that form tools allow, and no two the same.

    Examples
    --------
    >>> safe_names(["ill", "ever ill?", "Ill"])
    {'ill': 'ill', 'ever ill?': 'ever_ill_', 'Ill': 'Ill_2'}
    """
    found: dict[str, str] = {}
    taken = set(RESERVED)
    for name in names:
        base = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        base = base if re.match(r"[A-Za-z_]", base) else f"q_{base}"
        made, count = base, 1
        while made.lower() in taken:
            count += 1
            made = f"{base}_{count}"
        taken.add(made.lower())
        found[name] = made
    return found


def in_languages(head: str, text: Text, instead: str = "") -> dict[str, str]:
    """Write a text into its columns; where there is none, something that form tools can show."""
    if isinstance(text, str) or not text:
        return {head: str(text or instead)}
    return {column(head, one): words for one, words in text.items()}


def quoted(text: Any) -> str:
    """Keep form tools from reading ``${name}`` as another question: a word joiner stands between.

    Line ends become those that XML keeps.
    """
    return str(text).replace("\r\n", "\n").replace("\r", "\n").replace("${", "$\u2060{")


def survey_rows(document: Mapping[str, Any], names: Mapping[str, str]) -> list[Row]:
    """Write one row a question."""
    rows: list[Row] = []
    for one in document["attributes"]:
        safe = names[one["name"]]
        ranged = one.get("bins") is not None
        row = {
            "type": "decimal" if ranged else f"select_one {safe}",
            "name": safe,
            **in_languages("label", one.get("prompt", ""), one["name"]),
            "rr::name": one["name"] if one["name"] != safe else "",
            "rr::label": "" if one.get("prompt") else "no",
            "rr::bins": " ".join(f"{cut!r}" for cut in one["bins"]) if ranged else "",
            "rr::list": safe if ranged else "",
            "rr::group": " ".join(groups_of(document, one["name"])),
            "rr::clear": " ".join(clear_in(document, one["name"])),
        }
        rows.append(row)
    return rows


def forms_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the forms of a document, also of one that only names groups."""
    if document.get("forms") is not None:
        return list(document["forms"])
    groups = document.get("groups") or []
    hidden = {name for group in groups for name in group["names"]}
    clear = [one["name"] for one in document["attributes"] if one["name"] not in hidden]
    return [{"groups": groups, "clear": clear}]


def groups_of(document: Mapping[str, Any], name: str) -> list[str]:
    """Name the groups that hide a question, as form.group."""
    return [
        f"{i}.{j}"
        for i, form in enumerate(forms_of(document), 1)
        for j, group in enumerate(form.get("groups") or (), 1)
        if name in group["names"]
    ]


def clear_in(document: Mapping[str, Any], name: str) -> list[str]:
    """List the forms, by number, that ask a question in clear."""
    forms = enumerate(forms_of(document), 1)
    return [str(i) for i, form in forms if name in (form.get("clear") or ())]


def choice_rows(document: Mapping[str, Any], names: Mapping[str, str]) -> list[Row]:
    """Write one row an answer, also the finer ones that count as another."""
    rows: list[Row] = []
    for one in document["attributes"]:
        labels, safe = one.get("labels") or {}, names[one["name"]]
        merged = one.get("merged") or {}
        for i, value in enumerate([*one["values"], *merged]):
            plain = re.fullmatch(r"[A-Za-z0-9_-]+", value) is not None
            finer = i >= len(one["values"])
            label = "" if finer else labels.get(value, "")
            rows.append(
                {
                    "list_name": safe,
                    "name": value if plain and not finer else f"v.{i}",
                    **in_languages("label", label, value),
                    "rr_value": "" if plain and not finer else value,
                    "rr_label": "" if label else "no",
                    "rr_counts_as": merged[value] if finer else "",
                }
            )
    return rows


def settings_row(document: Mapping[str, Any], names: Mapping[str, str]) -> Row:
    """Write what holds for the whole survey."""
    title = document.get("title", "")
    first = title if isinstance(title, str) else next(iter(title.values()), "")
    target, panel = document.get("target"), document.get("panel") or {}
    return {
        "form_title": first or "Survey",
        "form_id": "frankly",
        "version": document.get("version", 1),
        "rr::languages": " ".join(document.get("languages") or ()),
        "rr::target": "" if target is None else names[target],
        "rr::own_device": document.get("own_device") or "",
        "rr::accept_infinite_epsilon": "yes" if document.get("accept_infinite_epsilon") else "",
        "rr::panel": panel.get("name", ""),
        "rr::budget": repr(panel["budget"]) if panel else "",
        "rr::weights": " ".join(str(form.get("weight", 1)) for form in forms_of(document)),
    }


def group_rows(document: Mapping[str, Any], names: Mapping[str, str]) -> list[Row]:
    """Write one row a group: its form, its questions in order, and its device."""
    return [
        {
            "group": f"{i}.{j}",
            "form": i,
            "names": " ".join(names[name] for name in group["names"]),
            **{
                key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for key, value in group["mechanism"].items()
            },
        }
        for i, form in enumerate(forms_of(document), 1)
        for j, group in enumerate(form.get("groups") or (), 1)
    ]


def about_rows(document: Mapping[str, Any]) -> list[Row]:
    """Write what people read first: the title, who asks, why, and so on."""
    told = {**(document.get("about") or {}), "title": document.get("title", "")}
    rows: list[Row] = [
        {"key": key, **in_languages("text", text)} for key, text in told.items() if text
    ]
    return rows or [{"key": "", "text": ""}]
