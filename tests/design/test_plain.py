"""Plain: files and documents that would grow, sink or stop the process are refused in words."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import frankly as fk
from frankly.design import read_plain
from frankly.design.plain import PARTS
from frankly.errors import DesignError

READING = """
import sys
from frankly.design import Design
from frankly.errors import DesignError
for file in sys.argv[1:]:
    try:
        Design.load(file)
    except DesignError as error:
        print(error)
"""


def test_lists_within_too_many_lists_are_refused(tmp_path: Path) -> None:
    """In a process of its own: a library that descends without end takes the process along."""
    files = [tmp_path / f"{n}.{kind}" for n in (51, 1000, 100_000) for kind in ("json", "yaml")]
    for file in files:
        file.write_text("[" * int(file.stem) + "]" * int(file.stem))
    words = [sys.executable, "-c", READING, *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("too many lists") == len(files)


@pytest.mark.parametrize("text", ["? " * 20_000, "- " * 20_000, "a: &a [*a]", "{a: " * 60])
def test_however_yaml_nests_it_is_refused(text: str) -> None:
    with pytest.raises(DesignError, match=r"too many lists|not valid YAML"):
        read_plain(text.encode(), "YAML")


@pytest.mark.parametrize("number", ["1" + ":1" * 50_000, "1" + ":1" * 5000 + ".5", "0x" + "f" * 99])
def test_a_number_without_end_is_refused(number: str) -> None:
    start = time.perf_counter()
    with pytest.raises(DesignError, match="line 2 has a number"):
        read_plain(f"title: x\nversion: {number}".encode(), "YAML")
    assert time.perf_counter() - start < 1


def test_a_mistake_is_named_by_its_line_and_never_repeated() -> None:
    for kind, text in (("YAML", "a: 1\nb: [canary}"), ("JSON", '{"a": 1,\n canary}')):
        with pytest.raises(DesignError, match=rf"not valid {kind} \(line 2\)") as refused:
            read_plain(text.encode(), kind)
        assert "canary" not in str(refused.value)


def survey(values: int = 2, **more: Any) -> dict[str, Any]:
    return {"attributes": [{"name": "town", "values": [f"{i}" for i in range(values)]}], **more}


GIANTS = {
    "values": (survey(5001), "5,001 values, and 5,000 are the most"),
    "attributes": (
        {"attributes": [{"name": f"q{i}", "values": ["a", "b"]} for i in range(2001)]},
        "at most 2,000 attributes",
    ),
    "forms": (survey(forms=[{"clear": ["town"]}] * 2001), "at most 2,000 forms"),
    "values in all": (survey(about={f"{i}": "x" for i in range(PARTS)}), "more values than any"),
}


@pytest.mark.parametrize("what", GIANTS)
def test_a_giant_survey_is_refused_in_words(what: str) -> None:
    document, said = GIANTS[what]
    start = time.perf_counter()
    with pytest.raises(DesignError, match=said):
        fk.Design.from_document(document)
    assert time.perf_counter() - start < 2


def test_a_large_survey_is_read_and_written(tmp_path: Path) -> None:
    device = {"kind": "unrelated", "theta": "1/2", "cover": {"town": [1 + i for i in range(2000)]}}
    groups = [{"names": ["town"], "mechanism": device}]
    start = time.perf_counter()
    design = fk.Design.from_document(survey(2000, groups=groups))
    wide = fk.Design([fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(2000)])
    assert time.perf_counter() - start < 3
    for one in (design, wide):
        one.save(tmp_path / "large.json")
        assert fk.Design.load(tmp_path / "large.json") == one


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    giant = fk.Design([fk.Attribute(f"q{i}", [f"{j}" for j in range(60)]) for i in range(2000)])
    with pytest.raises(DesignError, match="more values than any survey"):
        giant.save(tmp_path / "giant.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["YAML", "JSON"])
def test_a_field_that_is_said_twice_is_refused_and_never_lost(kind: str) -> None:
    twice = {
        "YAML": "attributes: []\ngroups:\n- {names: [a]}\ngroups:\n- {names: [b]}\n",
        "JSON": '{"attributes": [], "groups": [{"names": ["a"]}], "groups": [{"names": ["b"]}]}',
    }[kind]
    with pytest.raises(DesignError, match="the field 'groups' is there twice") as refused:
        read_plain(twice.encode(), kind)
    assert ("line 4" in str(refused.value)) == (kind == "YAML")
    with pytest.raises(DesignError, match="'names' is there twice"):
        read_plain(b'{"groups": [{"names": ["a"], "names": ["b"]}]}', kind)


def test_a_file_in_another_encoding_is_named_as_such() -> None:
    for kind in ("YAML", "JSON"):
        with pytest.raises(DesignError, match="not written in UTF-8"):
            read_plain("title: M\u00fcde".encode("latin-1"), kind)


HIDDEN = "{{attributes: [{{name: a, values: [x, y]}}], groups: [{{names: [a], mechanism: {0}}}]}}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "attributes: [{name: ill, values: [no, yes]}]",
            "values[0] (question 'ill') should be a text, and is true or false. Put it in quotes",
        ),
        ("attributes: [{name: ill, values: [1, 2]}]", "and is a whole number. Put it in quotes"),
        ("attributes: [{name: ill, values: [2020-01-01, x]}]", "is date. Put it in quotes"),
        (
            "attributes: [{name: ill, values: ['no', 'yes'], labels: {no: Nein}}]",
            "the name of a field in attributes[0].labels (question 'ill') should be a text, and is",
        ),
        ("1: 2", "the name of a field in it should be a text, and is something else. Put it in"),
        (
            "{frankly: 2, attributes: [{name: ill, values: [a, b]}]}",
            "written by a later version of Frankly (frankly: 2). Install that version",
        ),
        ("attributes: [{nam: ill}]", "no field 'nam' in attributes[0]. Did you mean 'name'"),
        ("attributes: [{values: [a]}]", "attributes[0] needs the field 'name'"),
        ("atributes: []", "no field 'atributes'. Did you mean 'attributes'"),
        ("", "it is empty. `frankly new`"),
        ("- a", "the whole should be fields with values, and is a list"),
        (
            HIDDEN.format("{kind: unrelated, tetha: 0.5}"),
            "no field 'tetha' in groups[0].mechanism. Did you mean 'theta'",
        ),
        (
            HIDDEN.format("{kind: coin}"),
            "mechanism.kind is 'coin'; known are ['flip', 'matrix', 'unrelated']",
        ),
    ],
)
def test_mistakes_in_a_document_say_what_to_do(text: str, said: str) -> None:
    with pytest.raises(DesignError) as refused:
        fk.Design.from_document(read_plain(text.encode(), "YAML"))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("ward.xlsx", b"PK\x03\x04\xff", "frankly convert ward.xlsx ward.yaml"),
        ("ward.yaml", b"PK\x03\x04\xff", "is a workbook"),
        ("ward.xls", b"\xd0\xcf\x11\xe0", "is a workbook"),
        ("r.parquet", b"PAR1\xff", "is a Parquet file"),
        ("r.json", b"PAR1\xff", "is a Parquet file"),
        ("t.csv", b"mistake\ncanary\n", "is a CSV file"),
        ("t.CSV", b"\xff\xfem\x00", "is a CSV file"),
    ],
)
def test_a_workbook_or_a_table_is_called_what_it_is(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DesignError, match=words) as refused:
        fk.Design.load(tmp_path / name)
    assert name in str(refused.value)
    assert "canary" not in str(refused.value)
