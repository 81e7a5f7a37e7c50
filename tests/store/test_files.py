"""Files that take reports home: they open elsewhere, carry the design, and compute nothing."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import frankly as fk
from frankly.cli import main
from frankly.design.safe_csv import harmless, original, read_safe_csv, write_safe_csv
from frankly.errors import FranklyError
from frankly.store import Answer, Rows, Store, SurveyError, hashed, ingest
from frankly.store.export import READ_ME, report_table, table_of
from frankly.store.files import FORMATS, bundle, write_file
from frankly.store.labelled import variable_names

FORMULA = "=cmd()"

DESIGN = fk.Design(
    [
        fk.Attribute(
            "took it", ["no", "yes", FORMULA],
            prompt={"de": "Haben Sie je etwas mitgenommen? " * 10, "en": "Did you?"},
            labels={"no": {"de": "Nein, nie", "en": "No"}, "yes": {"de": "Ja — öfter", "en": "Y"}},
        ),
        fk.Attribute("with", ["@home", "-1"], prompt="=HYPERLINK(\"x\")"),
        fk.Attribute("shift", ["days", "nights"]),
    ],
    forms=[
        fk.Form([fk.Group(["took it"], fk.Unrelated(theta=0.7))], ["shift"]),
        fk.Form([fk.Group(["with"], fk.Uniform(theta="1/2"))], ["shift"], 2),
    ],
    title={"de": "Nachtschicht", "en": "Night shift"},
    languages=["de", "en"],
)  # fmt: skip
ROWS: list[tuple[int, list[int | None]]] = [
    (0, [2, None, 0]),
    (1, [None, 1, 1]),
    (0, [0, None, 1]),
    (1, [None, 0, 0]),
] * 30


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Store(str(tmp_path_factory.mktemp("files") / "s.sqlite")) as made:
        made.open_survey("ward", DESIGN, "anyone")
        packed = [Rows(DESIGN).pack(form, codes) for form, codes in ROWS]
        ingest(made, [Answer("ward", None, hashed(f"{i}"), p) for i, p in enumerate(packed)])
        yield made


@pytest.fixture(scope="module")
def folder(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of each format, written by the command."""
    made = tmp_path_factory.mktemp("home")
    for ending in FORMATS:
        done = run("export", "ward", "-o", made / f"r.{ending}", "--db", store.url)
        assert done.exit_code == 0, done.output
        said = "holds none of them" if ending == "xml" else "120 reports, not truths"
        assert said in done.stdout
    return made


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def sql(query: str) -> list[Any]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def test_duckdb_and_pandas_read_parquet_with_its_design(folder: Path) -> None:
    file = folder / "r.parquet"
    rows = sql(f"select \"took it\", count(*) from '{file}' group by 1")
    assert sorted(rows, key=str) == [(FORMULA, 30), ("no", 30), (None, 60)]
    kept = dict(sql(f"select key, value from parquet_kv_metadata('{file}')"))
    assert json.loads(kept[b"frankly.design"]) == DESIGN.document()
    assert kept[b"frankly.fingerprint"].decode() == DESIGN.fingerprint
    assert kept[b"frankly.read_me"].decode() == READ_ME
    assert pd.read_parquet(file)["with"].value_counts().to_dict() == {"@home": 30, "-1": 30}
    prompt = pq.read_schema(file).field("with").metadata[b"frankly.prompt"]
    assert prompt == b'=HYPERLINK("x")'


def test_duckdb_and_pandas_read_csv_and_nothing_in_it_is_a_formula(folder: Path) -> None:
    file = folder / "r.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    cells = [*frame.columns, *(cell for name in frame for cell in frame[name])]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n")]
    assert set(frame["took it"]) == {"", "no", f"'{FORMULA}"}
    assert sql(f"select count(*) from '{file}' where form = 1") == [(60,)]
    beside = json.loads((folder / "r.csv.design.json").read_text(encoding="utf-8"))
    assert fk.Design.from_document(beside).fingerprint == DESIGN.fingerprint
    assert READ_ME in (folder / "r.csv.readme.txt").read_text(encoding="utf-8")


def test_spss_reads_words_and_design(folder: Path) -> None:
    frame, meta = pyreadstat.read_sav(folder / "r.sav")
    assert (meta.number_rows, meta.column_names) == (120, ["took_it", "with_", "shift", "form"])
    assert meta.variable_value_labels["took_it"] == {1: "Nein, nie", 2: "Ja — öfter", 3: FORMULA}
    assert str(meta.column_names_to_labels["took_it"]).startswith("Haben Sie je etwas mitgenommen?")
    assert meta.file_label == "Reports, not truths: see notes. Nachtschicht"
    assert frame["took_it"].value_counts(dropna=False).sort_index().tolist() == [30, 30, 60]
    told = "".join(meta.notes)
    assert design_in(told.partition("frankly.design")[2]) == DESIGN.document()
    said = " ".join(meta.notes)
    assert said.startswith(READ_ME)
    assert DESIGN.fingerprint in said
    assert "took_it is took it; with_ is with" in said


def test_stata_reads_words_and_design(folder: Path) -> None:
    frame, meta = pyreadstat.read_dta(folder / "r.dta")
    assert meta.variable_value_labels["with_"] == {1: "@home", 2: "-1"}
    assert len(str(meta.column_names_to_labels["took_it"]).encode()) <= 80
    assert meta.file_label == "Reports, not truths: see notes. Nachtschicht"
    assert meta.notes[0] == READ_ME
    (whole,) = [note for note in meta.notes if note.startswith("frankly.design")]
    assert design_in(whole.partition(" ")[2]) == DESIGN.document()
    again = pd.read_stata(folder / "r.dta", convert_categoricals=True)
    assert again["shift"].value_counts().to_dict() == {"days": 60, "nights": 60}
    assert again["form"].tolist() == frame["form"].map({0: "form 0", 1: "form 1"}).tolist()


@pytest.mark.parametrize("words", ["<map> of roads", "<characteristics>", "</header><map><label>"])
def test_words_of_the_format_in_a_survey_leave_a_stata_file_whole(
    words: str, tmp_path: Path
) -> None:
    asked = fk.Attribute("road", ["<map>", "<characteristics>"], prompt=f"Rate {words}")
    design = fk.Design([asked], title=words)
    write_file(pa.table({"road": asked.values}), design, tmp_path / "r.dta")
    _, meta = pyreadstat.read_dta(tmp_path / "r.dta")
    assert meta.file_label == f"Reports, not truths: see notes. {words}"
    assert meta.column_names_to_labels == {"road": f"Rate {words}"}
    assert meta.notes[0] == READ_ME
    assert pd.read_stata(tmp_path / "r.dta")["road"].tolist() == list(asked.values)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_signs_that_join_letters_stay_in_labels(ending: str, tmp_path: Path) -> None:
    prompt = "می\u200cخواهم \U0001f469\u200d\U0001f467\x07"
    asked = fk.Attribute("q", ["no", "yes"], prompt=prompt)
    path = tmp_path / f"r.{ending}"
    write_file(pa.table({"q": ["no"]}), fk.Design([asked]), path)
    _, meta = getattr(pyreadstat, f"read_{ending}")(path)
    assert meta.column_names_to_labels["q"].strip() == prompt.rstrip("\x07")


def design_in(text: str) -> Any:
    return json.loads(text.strip())


def test_an_archive_reads_the_codebook(folder: Path) -> None:
    space = {"d": "ddi:codebook:2_5"}
    book = ET.parse(folder / "r.xml").getroot()
    assert book.tag == "{ddi:codebook:2_5}codeBook"
    notes = {one.get("type"): one.text for one in book.findall("d:stdyDscr/d:notes", space)}
    assert notes["read_me"] == READ_ME
    assert notes["frankly.fingerprint"] == DESIGN.fingerprint
    assert json.loads(str(notes["frankly.design"])) == DESIGN.document()
    variables = book.findall("d:dataDscr/d:var", space)
    assert [one.get("name") for one in variables] == ["took it", "with", "shift", "form"]
    words = [one.text for one in variables[0].findall("d:catgry/d:labl", space)]
    assert words == ["Nein, nie", "Ja — öfter", FORMULA]
    sent = [str(one.findtext("d:notes", "", space)).partition(" ")[0] for one in variables]
    assert sent == ["Protected", "Protected", "Sent", ""]
    assert not book.findall(".//d:catStat", space)  # frequencies of reports would mislead


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("name", DESIGN.names)
def test_estimate_reads_what_was_exported(
    folder: Path, store: Store, ending: str, name: str
) -> None:
    told = json.loads(run("estimate", folder / f"r.{ending}", name, "--json").stdout)
    assert told == fk.estimate(DESIGN, report_table(store, "ward"), name).to_dict()


def test_no_export_puts_the_words_of_one_survey_on_the_answers_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is deleted and used again while the reports are read."""
    read = Store.reports

    def meanwhile(self: Store, name: str) -> Any:
        self.delete_survey(name)
        self.open_survey(name, DESIGN, "anyone")
        return read(self, name)

    monkeypatch.setattr(Store, "reports", meanwhile)
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "anyone")
        with pytest.raises(SurveyError, match="deleted meanwhile"):
            report_table(store, "ward")


def test_no_file_tells_a_key_or_an_order(store: Store, folder: Path) -> None:
    table = report_table(store, "ward")
    assert table.column_names == ["took it", "with", "shift", "form"]
    assert table["form"].to_pylist() != [form for form, _ in ROWS]
    for made in folder.iterdir():
        for i in range(len(ROWS)):
            assert hashed(f"{i}") not in made.read_bytes()


def test_a_download_of_csv_holds_its_design_and_a_warning(store: Store) -> None:
    name, media, body = bundle(report_table(store, "ward"), DESIGN, "ward.csv")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = sorted(archive.namelist())
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert (name, media) == ("ward.csv.zip", "application/zip")
    assert names == ["ward.csv", "ward.csv.design.json", "ward.csv.readme.txt"]


@pytest.mark.parametrize("ending", list(FORMATS))
@pytest.mark.parametrize("length", [31, 32, 33, 64, 65, 300])
def test_a_question_with_a_long_name_goes_home_too(ending: str, length: int) -> None:
    design = fk.Design([fk.Attribute("q" * length, ["no", "yes"])])
    table = table_of(design, Rows(design).unpack([Rows(design).pack(0, [1])]))
    assert len(bundle(table, design, f"ward.{ending}")[2]) > 100


def test_an_unknown_ending_names_those_we_know(tmp_path: Path) -> None:
    with pytest.raises(FranklyError, match=r"\.csv, \.parquet, \.sav, \.dta, \.xml"):
        write_file(pa.table({"a": ["b"]}), DESIGN, tmp_path / "r.xlsx")


TEXTS = st.text(st.sampled_from("=+-@\t\r\n'\"ay, ;ö＝"), min_size=1, max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_whatever_is_written_is_harmless_and_comes_back(cells: list[str]) -> None:
    assert [original(harmless(cell)) for cell in cells] == cells
    assert not [c for c in map(harmless, cells) if c[0] in "=+-@\t\r\n＝"]


@given(st.lists(st.text(st.sampled_from("=+-@\t'\"ay, ;ö＝"), min_size=1), min_size=1))
def test_a_csv_file_gives_back_every_cell(tmp_path_factory: Any, cells: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    write_safe_csv(pa.table({"=a": cells, "b": ["x"] * len(cells)}), path)
    back = read_safe_csv(path, {"=a": pa.string(), "b": pa.string()})
    assert back.to_pydict() == {"=a": cells, "b": ["x"] * len(cells)}


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True), st.integers(8, 64))
def test_variables_get_names_of_their_own(names: list[str], limit: int) -> None:
    found = variable_names(names, limit)
    made = list(found.values())
    assert len({one.lower() for one in made}) == len(names)
    assert all(one.isascii() and one[0].isalpha() and len(one) <= limit for one in made)
