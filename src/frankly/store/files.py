"""Files: every format in which reports go home, each with the design and a warning inside."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from frankly.design import Design
from frankly.design.safe_csv import write_safe_csv
from frankly.errors import FranklyError
from frankly.store.ddi import write_ddi
from frankly.store.export import READ_ME, spoken
from frankly.store.labelled import write_dta, write_sav

__all__ = ["FORMATS", "Format", "bundle", "format_of", "write_file"]


@dataclass(frozen=True)
class Format:
    """One format: its name for people, its media type, and how it is written."""

    title: str
    media: str
    write: Callable[[pa.Table, Design, Path], None]


def write_csv(table: pa.Table, design: Design, path: Path) -> None:
    """Write a CSV file, and beside it the design and how to read it."""
    write_safe_csv(table, path)
    text = json.dumps(design.document(), indent=2, ensure_ascii=False) + "\n"
    path.with_name(f"{path.name}.design.json").write_text(text, encoding="utf-8")
    words = (
        f"{READ_ME}\n\nThe design is in {path.name}.design.json; its fingerprint is\n"
        f"{design.fingerprint}\n\nA cell that a spreadsheet would compute has an apostrophe in "
        "front: take one away to\nread it back.\n"
    )
    path.with_name(f"{path.name}.readme.txt").write_text(words, encoding="utf-8")


def write_parquet(table: pa.Table, design: Design, path: Path) -> None:
    """Write a Parquet file; design, fingerprint and warning are in its metadata."""
    prompts = [
        field if field.name == "form" else field.with_metadata(
            {"frankly.prompt": spoken(design, design[field.name].prompt)}
        )
        for field in table.schema
    ]  # fmt: skip
    pq.write_table(table.cast(pa.schema(prompts, table.schema.metadata)), path)


FORMATS = {
    "csv": Format("CSV", "text/csv", write_csv),
    "parquet": Format("Parquet", "application/vnd.apache.parquet", write_parquet),
    "sav": Format("SPSS", "application/x-spss-sav", write_sav),
    "dta": Format("Stata", "application/x-stata-dta", write_dta),
    "xml": Format("DDI-Codebook", "application/xml", write_ddi),
}
"""Every format by how its files end."""


def format_of(path: Path) -> Format:
    """Choose the format by how a file's name ends."""
    found = FORMATS.get(path.suffix.lower().lstrip("."))
    if found is None:
        ends = ", ".join(f".{ending}" for ending in FORMATS)
        raise FranklyError(f"{path.name} should end in one of {ends}")
    return found


def write_file(table: pa.Table, design: Design, path: Path) -> None:
    """Write reports in the format that a file's name asks for."""
    format_of(path).write(table, design, path)


def bundle(table: pa.Table, design: Design, name: str) -> tuple[str, str, bytes]:
    """Give reports as one file to send: its name, media type and bytes.

    What takes several files (CSV, with its design and how to read it) is sent as a ZIP file.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> bundle(pa.table({"ill": ["yes"]}), design, "ward.csv")[:2]
    ('ward.csv.zip', 'application/zip')
    """
    with TemporaryDirectory(prefix="frankly-export-") as folder:
        path = Path(folder) / name
        write_file(table, design, path)
        made = sorted(Path(folder).iterdir())
        if len(made) == 1:
            return name, format_of(path).media, path.read_bytes()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in made:
                archive.writestr(zipfile.ZipInfo(one.name), one.read_bytes())
    return f"{name}.zip", "application/zip", packed.getvalue()
