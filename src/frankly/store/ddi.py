"""DDI: what was asked and how, as an archive's codebook (DDI-Codebook 2.5)."""

import json
import re
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import pyarrow as pa

from frankly.design import Design
from frankly.store.export import READ_ME, report_labels, spoken

__all__ = ["write_ddi"]

SPACE = "ddi:codebook:2_5"
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_ddi(table: pa.Table, design: Design, path: Path) -> None:
    """Write the codebook of some reports; it holds no frequencies, which would mislead."""
    book = Element("codeBook", {"xmlns": SPACE, "version": "2.5"})
    study(book, design)
    file = SubElement(SubElement(book, "fileDscr"), "fileTxt")
    size = SubElement(file, "dimensns")
    put(size, "caseQnty", str(table.num_rows))
    put(size, "varQnty", str(table.num_columns))
    data = SubElement(book, "dataDscr")
    for number, name in enumerate(table.column_names):
        variable(data, design, name, f"V{number + 1}")
    indent(book)
    ElementTree(book).write(path, encoding="utf-8", xml_declaration=True)


def put(parent: Element, tag: str, text: str, **attributes: str) -> Element:
    """Add an element with a text; signs that XML cannot hold are replaced."""
    made = SubElement(parent, tag, attributes)
    made.text = FORBIDDEN.sub("\ufffd", text)
    return made


def study(book: Element, design: Design) -> None:
    """Say what the survey is, that its data are reports, and how they were made."""
    title = spoken(design, design.title) or "A survey"
    described = SubElement(book, "stdyDscr")
    citation = SubElement(described, "citation")
    titles = SubElement(citation, "titlStmt")
    put(titles, "titl", title)
    put(titles, "IDNo", design.fingerprint, agency="frankly")
    put(SubElement(described, "stdyInfo"), "abstract", READ_ME)
    put(described, "notes", READ_ME, type="read_me", subject="reports, not truths")
    whole = json.dumps(design.document(), ensure_ascii=False, indent=1)
    put(described, "notes", whole, type="frankly.design", subject="the whole survey as JSON")
    put(described, "notes", design.fingerprint, type="frankly.fingerprint")


def variable(data: Element, design: Design, name: str, mark: str) -> None:
    """Describe one column."""
    made = SubElement(data, "var", ID=mark, name=FORBIDDEN.sub("\ufffd", name), intrvl="discrete")
    if name == "form":
        put(made, "labl", "Which form the person got")
        categories(made, [(str(i), f"form {i}") for i in range(len(design.forms))])
        return
    asked = design[name]
    put(made, "labl", spoken(design, asked.prompt) or name)
    if asked.prompt:
        put(SubElement(made, "qstn"), "qstnLit", spoken(design, asked.prompt))
    words = {value: spoken(design, label) for value, label in asked.labels.items()}
    categories(made, [(one, words.get(one, one)) for one in report_labels(design, name)])
    put(made, "notes", how_sent(design, name), type="protection")


def categories(made: Element, pairs: list[tuple[str, str]]) -> None:
    """List what can stand in a column, and in words."""
    for value, label in pairs:
        category = SubElement(made, "catgry")
        put(category, "catValu", value)
        put(category, "labl", label)
    SubElement(made, "varFormat", type="character", schema="other")


def how_sent(design: Design, name: str) -> str:
    """Say how one question is sent."""
    hidden = [group for form in design.forms for group in form.groups if name in group.names]
    if not hidden:
        return "Sent in clear: what stands here is what people answered."
    kinds = sorted({group.device.kind for group in hidden})
    return f"Protected ({', '.join(kinds)}): sometimes the answer, sometimes one drawn by chance."
