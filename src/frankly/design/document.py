"""The survey document: how a design is written, read, checked and published as a schema."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from frankly.design.attribute import Attribute
from frankly.design.form import Form, Group
from frankly.design.mistake import explained
from frankly.design.panel import Panel
from frankly.design.plain import read_plain, refuse_giants
from frankly.design.skips import refuse_skips
from frankly.errors import DesignError
from frankly.mechanism import MECHANISMS, AnyDocument, read

__all__ = ["DesignDocument", "load_document", "parts", "schema", "validated"]

FORMAT = 1
"""How documents are written in this version."""

TextDocument = str | dict[str, str]


class AttributeDocument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question: its name, the values of its answer, and what people read."""

    name: str
    values: list[str] | None = None
    bins: list[float] | None = None
    merged: dict[str, str] = {}
    prompt: TextDocument = ""
    labels: dict[str, TextDocument] = {}


class GroupDocument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Questions hidden together by one device."""

    names: list[str]
    mechanism: AnyDocument


class FormDocument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What one respondent is asked."""

    groups: list[GroupDocument] = []
    clear: list[str] = []
    weight: int = 1


class PanelDocument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A panel, and what all its surveys together may reveal about one person."""

    name: str
    budget: float


class DesignDocument(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A survey: its questions, and the forms in which they are asked."""

    attributes: list[AttributeDocument]
    forms: list[FormDocument] | None = None
    groups: list[GroupDocument] | None = None
    title: TextDocument = ""
    about: dict[str, TextDocument] = {}
    languages: list[str] = []
    target: str | None = None
    version: int = 1
    accept_infinite_epsilon: bool = False
    own_device: Literal["die", "coin", "birthday"] | None = None
    panel: PanelDocument | None = None
    frankly: int = 1


# The library looks at these classes when it first needs them, and crashes the whole process when
# two threads need them first; so it looks now.
msgspec.json.Decoder(DesignDocument)


FIELDS = sorted(
    field.encode_name
    for part in (DesignDocument, AttributeDocument, GroupDocument, FormDocument, PanelDocument,
                 *get_args(AnyDocument))
    for field in msgspec.structs.fields(part)
)  # fmt: skip
"""Every field that a document may have somewhere."""


def validated(document: Any) -> DesignDocument:
    """Check plain JSON values against the schema, naming the place of a mistake."""
    refuse_giants(document)
    refuse_skips(document)
    try:
        made = msgspec.convert(document, DesignDocument)
    except msgspec.ValidationError as error:
        why = explained(str(error), document, FIELDS, MECHANISMS)
        raise DesignError(f"this is not a survey document: {why}") from None
    if made.frankly != FORMAT:
        raise DesignError(
            f"this survey was written by a later version of Frankly (frankly: {made.frankly}). "
            f"Install that version; this one reads frankly: {FORMAT}"
        )
    return made


def load_document(path: str | Path) -> Any:
    """Read a JSON or YAML file as plain values."""
    path = Path(path)
    kind = "YAML" if path.suffix.lower() in {".yaml", ".yml"} else "JSON"
    return read_plain(path.read_bytes(), kind, path.name)


def parts(document: DesignDocument) -> dict[str, Any]:
    """Turn a checked document into the arguments of a `Design`."""
    forms, panel = document.forms, document.panel
    return {
        "attributes": [attribute(part) for part in document.attributes],
        "groups": None if document.groups is None else [group(part) for part in document.groups],
        "forms": None if forms is None else [form(part) for part in forms],
        "title": document.title,
        "about": document.about,
        "languages": document.languages,
        "target": document.target,
        "version": document.version,
        "accept_infinite_epsilon": document.accept_infinite_epsilon,
        "own_device": document.own_device,
        "panel": None if panel is None else Panel(panel.name, panel.budget),
    }


def attribute(part: AttributeDocument) -> Attribute:
    """Make an attribute from its part of the document."""
    return Attribute(
        part.name,
        part.values,
        bins=part.bins,
        merged=part.merged,
        prompt=part.prompt,
        labels=part.labels,
    )


def group(part: GroupDocument) -> Group:
    """Make a group from its part of the document."""
    return Group(part.names, read(part.mechanism))


def form(part: FormDocument) -> Form:
    """Make a form from its part of the document."""
    return Form([group(g) for g in part.groups], part.clear, part.weight)


def schema() -> Mapping[str, Any]:
    """Give the JSON Schema of a survey document."""
    published = msgspec.json.schema(DesignDocument)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **published}
