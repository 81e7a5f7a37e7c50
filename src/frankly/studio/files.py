"""Files: a survey as JSON, YAML or XLSForm, read with care and written back without loss."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from frankly.design import Design, read_plain
from frankly.errors import DesignError
from frankly.studio.xlsform_read import read_xlsform
from frankly.studio.xlsform_write import write_xlsform

__all__ = [
    "FORMATS",
    "open_design",
    "read_survey_file",
    "whole",
    "write_json",
    "write_survey_file",
    "write_yaml",
]


def open_design(document: Mapping[str, Any]) -> Design:
    """Read a draft's document as a design, without the warnings that opening it would give."""
    return Design.from_document({**document, "accept_infinite_epsilon": True})


def read_survey_file(name: str, data: bytes) -> dict[str, Any]:
    """Read a survey file by the ending of its name; give its whole document.

    Parameters
    ----------
    name
        The file's name: ``.json``, ``.yaml``, ``.yml`` or ``.xlsx``.
    data
        What is in it.

    Examples
    --------
    >>> text = b'{"attributes": [{"name": "ill", "values": ["no", "yes"]}]}'
    >>> read_survey_file("survey.json", text)["attributes"]
    [{'name': 'ill', 'values': ['no', 'yes']}]
    """
    ending = name.lower().rpartition(".")[2]
    if ending == "xlsx":
        document: Any = read_xlsform(data)
    elif ending in {"json", "yaml", "yml"}:
        document = read_plain(data, "JSON" if ending == "json" else "YAML")
    else:
        raise DesignError(
            "a survey file ends in .json, .yaml or .xlsx (XLSForm); old .xls files can be saved as "
            ".xlsx by any spreadsheet program"
        )
    if not isinstance(document, dict):
        raise DesignError("a survey file holds attributes and how they are protected; see the docs")
    if not document.get("attributes"):
        raise DesignError(
            "this file holds no question: JSON and YAML list them under attributes, an XLSForm on "
            "its sheet survey"
        )
    return whole(document)


def whole(document: Mapping[str, Any]) -> dict[str, Any]:
    """Write a document in full; refuse one without questions."""
    if not document.get("attributes"):
        raise DesignError("there are no questions yet, so there is nothing to write into a file")
    made = open_design(document).document()
    if not document.get("accept_infinite_epsilon"):
        made.pop("accept_infinite_epsilon")
    return made


def write_json(document: Mapping[str, Any]) -> bytes:
    """Write a document as JSON."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def write_yaml(document: Mapping[str, Any]) -> bytes:
    """Write a document as YAML."""
    text: str = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True)
    return text.encode()


FORMATS = {
    "json": (write_json, "application/json"),
    "yaml": (write_yaml, "application/yaml"),
    "xlsx": (
        write_xlsform,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
}
"""How each kind of file is written, and what browsers call it."""


def write_survey_file(ending: str, document: Mapping[str, Any]) -> tuple[bytes, str]:
    """Write a document as a file of this kind; give its bytes and its type.

    Examples
    --------
    >>> write_survey_file("yaml", {"attributes": [{"name": "ill", "values": ["no", "yes"]}]})[1]
    'application/yaml'
    """
    if ending not in FORMATS:
        raise DesignError("a survey is written as .json, .yaml or .xlsx")
    write, kind = FORMATS[ending]
    return write(document), kind
