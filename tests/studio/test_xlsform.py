"""Survey files: XLSForm, YAML and JSON keep everything, and what leaks or explodes is refused."""

import io
import json
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from pyxform.xls2xform import convert

import frankly as fk
from frankly.cli import main
from frankly.cli.new import sample
from frankly.design import Panel
from frankly.errors import DesignError, FranklyError
from frankly.store.drafts import find_draft
from frankly.studio.files import read_survey_file, write_survey_file
from frankly.studio.protection import open_design
from tests.strategies import forms
from tests.studio.people import DOCUMENT, Studio

letters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"])
wild = st.sampled_from(["=cmd()", "=1+1", "@SUM(A1)", "+1", "-1", "${ill}", "'x", "<b>&", "  two  ",
                        "a\nb", "نعم", "是", "1", "01", "1.0", "TRUE", "yes", "data", "meta",
                        "label", "none"])  # fmt: skip
words = st.one_of(wild, st.text(letters, min_size=1, max_size=12)).filter(lambda one: one.strip())
names = words.filter(lambda one: one == one.strip() and one != "form")
texts = st.one_of(
    words, st.dictionaries(st.sampled_from(["en", "de", "ar", "fr", "pt-BR"]), words, min_size=1)
)


@st.composite
def attributes(draw: st.DrawFn, name: str) -> fk.Attribute:
    values = draw(st.lists(words, min_size=2, max_size=4, unique=True))
    kind = draw(st.sampled_from(["plain", "bins", "merged"]))
    more: dict[str, Any] = {}
    if kind == "bins":
        cuts = draw(st.lists(st.integers(-500, 500), min_size=len(values) - 1,
                             max_size=len(values) - 1, unique=True))  # fmt: skip
        values = [f"{value} or so" for value in values]  # a number would be another bin's
        more["bins"] = sorted(cut / 4 for cut in cuts)
    if kind == "merged":
        finer = draw(st.lists(words.filter(lambda one: one not in values), max_size=2, unique=True))
        more["merged"] = {one: draw(st.sampled_from(values)) for one in finer}
    labels = {value: draw(texts) for value in values if draw(st.booleans())}
    prompt = draw(texts) if draw(st.booleans()) else ""
    return fk.Attribute(name, values, prompt=prompt, labels=labels, **more)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    asked = [
        draw(attributes(n)) for n in draw(st.lists(names, min_size=1, max_size=4, unique=True))
    ]
    drawn = [draw(forms(asked)) for _ in range(draw(st.integers(1, 3)))]
    seen = {name for form in drawn for name in form.names}
    kept = [one for one in asked if one.name in seen]
    design = fk.Design(
        kept,
        forms=drawn,
        title=draw(texts) if draw(st.booleans()) else "",
        about={key: draw(texts) for key in draw(st.sets(st.sampled_from(["who", "why", "a b"])))},
        languages=draw(st.lists(st.sampled_from(["en", "de", "ar"]), unique=True)),
        target=draw(st.sampled_from([None, *(one.name for one in kept)])),
        version=draw(st.integers(1, 99)),
        accept_infinite_epsilon=True,
        panel=draw(st.one_of(st.none(), st.builds(Panel, words, st.floats(0.1, 99)))),
    )
    return design.document()


@given(documents())
@settings(max_examples=60, deadline=None)
def test_a_round_trip_keeps_every_question_and_its_protection(document: dict[str, Any]) -> None:
    for ending in ("xlsx", "yaml", "json"):
        data, _ = write_survey_file(ending, document)
        again = read_survey_file(f"survey.{ending}", data)
        assert again == document, ending
    assert open_design(again).fingerprint == open_design(document).fingerprint


@given(documents())
@settings(max_examples=30, deadline=None)
def test_every_workbook_passes_pyxform_and_no_cell_is_a_formula(document: dict[str, Any]) -> None:
    data, _ = write_survey_file("xlsx", document)
    assert "<h:html" in convert(xlsform=io.BytesIO(data), file_type=".xlsx").xform
    book = openpyxl.load_workbook(io.BytesIO(data))
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type in {"s", "n"}
                assert cell.value is None or isinstance(cell.value, str)


def test_a_round_trip_that_loses_a_label_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: a writer that forgets finer answers."""
    ill = {"name": "ill", "values": ["no", "yes"], "merged": {"often": "yes"}}
    document = open_design({"attributes": [ill]}).document()
    from frankly.studio import xlsform_write  # noqa: PLC0415 - it is changed here

    whole = xlsform_write.choice_rows
    monkeypatch.setattr(
        xlsform_write, "choice_rows",
        lambda *given: [row for row in whole(*given) if not row["rr_counts_as"]],
    )  # fmt: skip
    again = read_survey_file("x.xlsx", write_survey_file("xlsx", document)[0])
    assert again["attributes"] != document["attributes"]


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


CHOICES = [
    ["list_name", "name", "label::English (en)", "label::Deutsch (de)"],
    ["yn", "no", "No", "Nein"],
    ["yn", "yes", "Yes", "Ja"],
]


def test_a_form_from_elsewhere_is_protected_unless_it_says_clear() -> None:
    data = workbook({
        "survey": [
            ["type", "name", "label::English (en)", "label::Deutsch (de)", "rr::group", "rr::theta",
             "rr::bins", "rr::clear"],
            ["select_one yn", "ill", "Ill?", "Krank?", "health", "0.7", None, None],
            ["select_one yn", "tired", "Tired?", "Müde?", "health", None, None, None],
            ["begin_group", "g", None, None, None, None, None, None],
            ["select_multiple aid", "took", "Took?", "Nahm?", None, "1/3", None, None],
            ["end_group", None, None, None, None, None, None, None],
            ["integer", "age", "Age?", "Alter?", None, None, "18 30", "yes"],
        ],
        "choices": [*CHOICES, ["aid", "tea", "A tea", "Tee"], ["aid", "rest", None, None]],
        "settings": [["form_title"], ["A form"]],
    })  # fmt: skip
    design = open_design(read_survey_file("form.xlsx", data))
    assert design.names == ("ill", "tired", "took.tea", "took.rest", "age")
    assert design["ill"].labels["yes"] == {"en": "Yes", "de": "Ja"}
    assert design["took.tea"].prompt == {"en": "A tea", "de": "Tee"}
    assert design["took.rest"].prompt == "rest"
    assert design.about is not None
    assert design.about["took"] == {"en": "Took?", "de": "Nahm?"}
    assert design.title == "A form"
    groups = {group.names: float(group.device.theta) for group in design.groups}  # type: ignore[attr-defined]
    assert groups == {("ill", "tired"): 0.7, ("took.tea", "took.rest"): pytest.approx(1 / 3)}
    assert design.forms[0].clear == ("age",)
    assert design["age"].values == ("under 18", "18 to under 30", "30 and over")


@pytest.mark.parametrize("head", ["relevant", "choice_filter", "calculation"])
def test_skip_logic_is_refused_with_the_reason(head: str) -> None:
    rows: list[list[Any]] = [
        ["type", "name", "label", head],
        ["select_one yn", "ill", "Ill?", None],
        ["select_one yn", "worse", "Worse?", "${ill} = 'yes'"],
    ]
    with pytest.raises(DesignError, match=r"does not apply"):
        read_survey_file("f.xlsx", workbook({"survey": rows, "choices": CHOICES}))
    with pytest.raises(DesignError, match=r"'worse' is asked only of some.*does not apply"):
        read_survey_file("f.yaml", b"""
            attributes:
              - {name: ill, values: ["no", "yes"]}
              - {name: worse, values: ["no", "yes"], show_if: {ill: "yes"}}
        """.replace(b"            ", b""))  # fmt: skip
    part = {"name": "worse", "values": ["a", "b"], "relevant": "x"}
    with pytest.raises(DesignError, match="whatever chance did to it"):
        read_survey_file("f.json", json.dumps({"attributes": [part]}).encode())
    with pytest.raises(DesignError, match="whatever chance did to it"):
        fk.Design.from_document({"attributes": [part]})


@pytest.mark.parametrize(
    ("kind", "said"),
    [("text", "cannot protect"), ("geopoint", "cannot protect"), ("integer", "rr::bins"),
     ("select_one nowhere", "no list"), ("username", "cannot protect"),
     ("begin_repeat", "does not apply")],
)  # fmt: skip
def test_what_chance_cannot_protect_is_refused(kind: str, said: str) -> None:
    rows = [["type", "name", "label"], [kind, "x", "X?"]]
    with pytest.raises(DesignError, match=said):
        read_survey_file("f.xlsx", workbook({"survey": rows, "choices": CHOICES}))


def test_a_file_without_questions_is_called_that() -> None:
    empty = workbook({"survey": [["type", "name", "label"]], "choices": CHOICES})
    for name, data in [
        ("f.json", b'{"title": "Roads"}'),
        ("f.yaml", b"title: x"),
        ("f.xlsx", empty),
    ]:
        with pytest.raises(DesignError, match="this file holds no question"):
            read_survey_file(name, data)


def test_bombs_and_entities_are_refused_quickly() -> None:
    deep = b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
        f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n".encode()
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(DesignError, match="more values than any survey"):
        read_survey_file("f.yaml", deep)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b"<x/>" + b" " * 60_000_000)
    with pytest.raises(DesignError, match="unfolds"):
        read_survey_file("f.xlsx", out.getvalue())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as parts:
        parts.writestr(
            "xl/workbook.xml", b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x/>'
        )
    with pytest.raises(DesignError, match="entities"):
        read_survey_file("f.xlsx", out.getvalue())
    nested = b"[" * 100_000
    for name, data in (("f.xlsx", b"PK\x03\x04 no"), ("f.xlsx", b""), ("f.json", b"{"),
                       ("f.yaml", b"\xff\xfe"), ("f.xls", b"x"), ("f.json", nested),
                       ("f.json", b"[]"), ("f.yaml", b"x" * 3_000_000)):  # fmt: skip
        with pytest.raises(DesignError):
            read_survey_file(name, data)


def unfolding(more: bytes, encoding: str = "utf-8") -> bytes:
    """Give a good workbook with more in its first sheet."""
    good, out = write_survey_file("xlsx", DOCUMENT)[0], io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(out, "w", 8) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                text = text.replace(b"</sheetData>", more + b"</sheetData>")
                text = text.decode().encode(encoding)
            new.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_cells_are_counted_before_they_are_read(encoding: str) -> None:
    """Two million empty cells fit into 22 KB, and took more than a gigabyte of memory."""
    bomb = unfolding(b"<row>" + b"<c/>" * 500_000 + b"</row>", encoding)
    assert len(bomb) < 40_000
    tracemalloc.start()
    with pytest.raises(DesignError, match=r"unfolds to far more.*300,000 cells"):
        read_survey_file("f.xlsx", bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40 * 2**20
    with pytest.raises(DesignError, match=r"unfolds to far more.*8 MiB"):
        read_survey_file("f.xlsx", unfolding(b"<row>" + b" " * 9 * 2**20 + b"</row>"))


def test_entities_are_refused_wherever_they_are_declared() -> None:
    late = b"<!--" + b"x" * 5000 + b"--><!DOCTYPE x [<!ENTITY a 'b'>]>"
    with pytest.raises(DesignError, match="entities"):
        read_survey_file("f.xlsx", unfolding(late))


def test_a_question_of_many_answers_travels_as_a_workbook() -> None:
    town = {"name": "town", "values": [f"t{i}" for i in range(5000)]}
    document = {"attributes": [town], "groups": [
        {"names": ["town"], "mechanism": {"kind": "unrelated", "theta": "1/2"}}]}  # fmt: skip
    read = read_survey_file("f.xlsx", write_survey_file("xlsx", document)[0])
    assert read["attributes"] == [town]


def test_a_workbook_whose_bytes_were_damaged_is_refused_in_words() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("a.xml", bytes(range(256)) * 40)
    data = bytearray(out.getvalue())
    data[40:60] = b"\xff" * 20  # inside what is compressed: the library fails, not the archive
    with pytest.raises(DesignError, match=r"cannot be read as an \.xlsx workbook"):
        read_survey_file("f.xlsx", bytes(data))


MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n" for i in range(1, 12)
)


@pytest.mark.parametrize("text", [MERGES, "a: !!timestamp 99", "a: !!float ''", "a: !!bool x"])
def test_yaml_that_grows_or_breaks_is_refused_in_words(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(DesignError, match="not valid YAML"):
        read_survey_file("survey.yaml", text.encode())
    assert time.perf_counter() - start < 5  # merged, it would be 31 thousand million values


@pytest.mark.parametrize("odd", [" ", "²"])
def test_odd_cells_are_refused_in_words(odd: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write_survey_file("xlsx", DOCUMENT)[0]))
    book["settings"].append([])
    heads = [cell.value for cell in book["settings"][1]]
    for head in ("version", "rr::weights"):
        book["settings"].cell(2, heads.index(head) + 1).value = odd
    book["survey"].append([odd])
    out = io.BytesIO()
    book.save(out)
    if odd.strip():
        with pytest.raises(DesignError, match="has no name"):
            read_survey_file("survey.xlsx", out.getvalue())
    else:
        assert len(read_survey_file("survey.xlsx", out.getvalue())["attributes"]) == 3


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(FranklyError, match=r"frankly\[formats\]"):
        write_survey_file("xlsx", open_design(DOCUMENT).document())


def test_a_draft_is_taken_home_changed_and_brought_back(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    where = "/surveys/draft/questions"
    home = ann.get(f"{where}/file.xlsx")
    assert home.headers["content-disposition"].endswith('"draft.xlsx"')
    book = openpyxl.load_workbook(io.BytesIO(home.content))
    for row in book["survey"].iter_rows(min_row=2):
        for cell in row:
            if cell.value == "Are you ill?":
                cell.value = "=cmd() Are you ill today?"
                cell.data_type = "s"
    out = io.BytesIO()
    book.save(out)
    brought = ann.post(f"{where}/import", files={"file": ("changed.xlsx", out.getvalue())})
    assert brought.status_code == 303
    found = find_draft(studio.store, "draft")
    assert found is not None
    assert found.document["attributes"][0]["prompt"] == "=cmd() Are you ill today?"
    assert "=cmd() Are you ill today?" in ann.get(where).text
    for ending in ("yaml", "json"):
        data = ann.get(f"{where}/file.{ending}").content
        assert read_survey_file(f"x.{ending}", data) == found.document
    refused = ann.post(f"{where}/import", files={"file": ("bad.txt", b"x")})
    assert refused.status_code == 400
    assert "There is a problem" in refused.text
    studio.opened()
    assert ann.get("/surveys/ward/questions/file.json").status_code == 200
    assert ann.get("/surveys/ward/questions/file.docx").status_code == 400


def test_frankly_convert_goes_there_and_back(tmp_path: Path) -> None:
    first, book, last = (tmp_path / name for name in ("a.yaml", "b.xlsx", "c.json"))
    first.write_text(sample(), encoding="utf-8")
    run = CliRunner().invoke
    assert "4 questions" in run(main, ["convert", str(first), str(book)]).output
    assert run(main, ["convert", str(book), str(last)]).exit_code == 0
    assert fk.Design.load(last).fingerprint == fk.Design.load(first).fingerprint
    again = run(main, ["convert", str(book), str(last)])
    assert again.exit_code != 0
    assert "would be lost" in again.output
    assert run(main, ["convert", str(book), str(last), "--force"]).exit_code == 0
