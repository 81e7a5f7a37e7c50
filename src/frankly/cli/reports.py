"""Files of reports: find the design they were made under, and read them with it."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from frankly.cli.output import beside, named
from frankly.cli.screen import note
from frankly.count.parquet import found
from frankly.design import Design, canonical
from frankly.design.safe_csv import read_safe_csv
from frankly.design.spreadsheet import unreadable
from frankly.errors import ReportError

__all__ = ["ELSEWHERE", "design_of", "design_option", "read_reports", "tell_unmarked"]

design_option = click.option(
    "--design",
    "-d",
    "survey",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The survey document, when the reports do not carry it.",
)


def design_of(reports: Path, survey: Path | None) -> Design:
    """Give the design that was named, or else the one the reports carry."""
    refuse_elsewhere(reports)
    if survey is not None:
        tell_unmarked(reports, survey.name)
        return Design.load(survey)
    carried = carried_by(reports)
    if carried is None:
        raise ReportError(
            f"{named(reports).name or reports} does not carry the survey it was made under. "
            "Name it: --design survey.yaml"
        )
    return carried


ELSEWHERE = {".sav": "SPSS", ".dta": "Stata", ".xml": "archives"}
"""Exports that other programs read, and that Frankly does not."""


def refuse_elsewhere(reports: Path) -> None:
    """Refuse what was exported for another program, and say which export is read here."""
    reader = ELSEWHERE.get(reports.suffix.lower())
    if reader is not None:
        raise ReportError(
            f"{reports.name} is made for {reader}; reports are read here from .parquet or .csv. "
            "Write the same reports once more: frankly export NAME -o reports.parquet"
        )


def tell_unmarked(reports: Path, survey: str) -> None:
    """Say that nothing but the command line tells these rows from true answers."""
    with suppress(ReportError):  # a design that cannot be read is what --design replaces
        if carried_by(reports) is None:
            note(
                f"{named(reports).name} does not say under which survey it was made, and is taken "
                f"for reports of {survey}. If it holds true answers, make reports of them "
                "first: frankly randomize"
            )


def carried_by(reports: Path) -> Design | None:
    """Read the design from a Parquet file's metadata, or from the file beside a CSV file."""
    if beside(reports).is_file():
        return Design.load(beside(reports))
    file = found(reports)[0]
    if file.suffix.lower() != ".parquet" or not file.is_file():
        return None
    with suppress(pa.ArrowInvalid):
        document = (pq.read_schema(file).metadata or {}).get(b"frankly.design")
        return None if document is None else written(document, file)
    raise ReportError(f"{file.name} is no Parquet file, or it is damaged")


def written(document: bytes, file: Path) -> Design:
    """Read the design that a file carries, or say that it cannot be read."""
    try:
        return Design.from_document(json.loads(document))
    except ValueError:  # no JSON, or no text
        raise ReportError(
            f"{file.name} carries a design that cannot be read: something has changed it. Name "
            "the design: --design survey.yaml"
        ) from None


def read_reports(reports: Path, design: Design) -> Any:
    """Give what an engine can count: the path of Parquet files, or the rows of a CSV file."""
    if not reports.exists():
        raise ReportError(f"there is no file {reports.name} at {reports.parent}")
    return read_csv(reports, design) if reports.suffix.lower() == ".csv" else reports


def read_csv(reports: Path, design: Design) -> pa.Table:
    """Read reports as texts; the file beside them says which design they were made under."""
    words = pa.dictionary(pa.int32(), pa.string())
    types = {**dict.fromkeys(design.names, words), "form": pa.int32()}
    with suppress(pa.ArrowInvalid):
        table = read_safe_csv(reports, types)
        made_under = carried_by(reports) or design
        carried = {
            b"frankly.design": canonical(made_under.document()),
            b"frankly.fingerprint": made_under.fingerprint.encode(),
        }
        return table.replace_schema_metadata(carried)
    raise unreadable(reports)
