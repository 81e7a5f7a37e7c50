"""Exports: what the page shows comes back from the file, digit for digit."""

import io
import json
import zipfile
from pathlib import Path

import httpx
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import frankly as fk
from frankly.cli import main
from frankly.store.files import FORMATS
from tests.studio.people import DESIGN, Studio

PATH = "/api/v1/surveys/ward/export"


def fetched(client: httpx.Client, ending: str) -> httpx.Response:
    response = client.get(PATH, params={"format": ending})
    assert response.status_code == 200, response.text
    return response


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_gives_the_shares_of_the_page_while_answers_come(
    studio: Studio, ann: httpx.Client, tmp_path: Path, ending: str
) -> None:
    studio.opened(240)
    told = ann.get("/api/v1/surveys/ward/results").json()
    studio.answer(9, seed=4)
    shown = ann.get("/surveys/ward/export").text
    assert "<code>frankly estimate</code>" in shown
    assert "`" not in shown
    body = fetched(ann, ending).content
    path = tmp_path / f"ward.{ending}"
    if ending == "csv":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            archive.extractall(tmp_path)
    else:
        path.write_bytes(body)
    for one in told["shares"]:
        words = ["estimate", str(path), one["names"][0], "--json"]
        said = json.loads(CliRunner().invoke(main, words).stdout)
        assert said["rows"] == one["rows"]


@pytest.mark.parametrize("ending", list(FORMATS))
def test_every_format_comes_as_a_named_file(
    studio: Studio, carl: httpx.Client, ending: str
) -> None:
    studio.opened(130)
    response = fetched(carl, ending)
    name = f"ward.{ending}" + (".zip" if ending == "csv" else "")
    assert response.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert len(response.content) > 500
    assert response.headers["cache-control"] == "no-store"


def test_two_files_hold_the_same_reports_in_another_order(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(200)
    first = pq.read_table(io.BytesIO(fetched(ann, "parquet").content)).to_pylist()
    studio.answer(5, seed=9)
    second = pq.read_table(io.BytesIO(fetched(ann, "parquet").content)).to_pylist()
    assert first != second
    assert sorted(first, key=str) == sorted(second, key=str)


def test_the_page_warns_before_it_gives(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(130)
    page = ann.get("/surveys/ward/export").text
    assert "Reports, not truths" in page
    assert page.index("Reports, not truths") < page.index("format=csv")
    assert "Take 130 reports home" in page


def test_below_a_hundred_there_is_no_file(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(90)
    assert "Files appear at 100 answers" in ann.get("/surveys/ward/export").text
    for ending in FORMATS:
        assert ann.get(PATH, params={"format": ending}).status_code == 400


def test_an_unknown_format_is_refused(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(130)
    assert ann.get(PATH, params={"format": "xlsx"}).status_code == 422


def test_forms_travel_with_the_reports(studio: Studio, ann: httpx.Client) -> None:
    forms = [fk.Form([fk.Group(["ill"], fk.Unrelated(theta=0.7))], ["sex"]),
             fk.Form([fk.Group(["drinks"], fk.Unrelated(theta=0.5))], ["sex"])]  # fmt: skip
    design = fk.Design(DESIGN.attributes, forms=forms)
    studio.opened(300, design=design)
    table = pq.read_table(io.BytesIO(fetched(ann, "parquet").content))
    told = ann.get("/api/v1/surveys/ward/results").json()
    assert table.column_names == ["ill", "drinks", "sex", "form"]
    assert fk.estimate(design, table, "drinks").to_dict()["rows"] == told["shares"][1]["rows"]
