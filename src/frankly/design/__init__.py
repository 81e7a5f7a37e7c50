"""Attributes, groups, forms, and the survey document with its fingerprint."""

from frankly.design.attribute import Attribute, Text
from frankly.design.canonical import canonical
from frankly.design.design import Design
from frankly.design.document import DesignDocument, schema
from frankly.design.form import Form, Group

__all__ = [
    "Attribute",
    "Design",
    "DesignDocument",
    "Form",
    "Group",
    "Text",
    "canonical",
    "schema",
]
