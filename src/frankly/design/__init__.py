"""Attributes, groups, forms, and the survey document with its fingerprint."""

from frankly.design.attribute import Attribute, Text
from frankly.design.canonical import canonical
from frankly.design.design import Design
from frankly.design.document import DesignDocument, schema
from frankly.design.encode import Column, encode_truths, smallest_type
from frankly.design.form import Form, Group
from frankly.design.frame import arrow_columns, arrow_metadata, column_names
from frankly.design.panel import Panel
from frankly.design.plain import read_plain
from frankly.design.speaks import Speaks, page_of
from frankly.design.whole import whole_or_nothing

__all__ = [
    "Attribute",
    "Column",
    "Design",
    "DesignDocument",
    "Form",
    "Group",
    "Panel",
    "Speaks",
    "Text",
    "arrow_columns",
    "arrow_metadata",
    "canonical",
    "column_names",
    "encode_truths",
    "page_of",
    "read_plain",
    "schema",
    "smallest_type",
    "whole_or_nothing",
]
