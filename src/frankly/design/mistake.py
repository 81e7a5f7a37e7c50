"""Mistake: what is wrong with a survey document, in words of those who write one."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

__all__ = ["explained"]

TYPE = re.compile(r"Expected `([^`]+)`(?:, got `([^`]+)`)?")
UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`")
MISSING = re.compile(r"Object missing required field `([^`]+)`")
INVALID = re.compile(r"Invalid (?:enum )?value '([^']*)'")
PLACE = re.compile(r" - at (`key` in )?`\$\.?([^`]*)`")
QUESTION = re.compile(r"attributes\[(\d+)\]")

PLAIN = {"bool", "int", "float", "date", "datetime", "time"}
"""What YAML makes of words that stand without quotes."""

SPOKEN = {
    "str": "a text", "object": "fields with values", "array": "a list", "float": "a number",
    "int": "a whole number", "bool": "true or false", "null": "nothing",
}  # fmt: skip


def explained(said: str, document: Any, fields: Collection[str], kinds: Collection[str]) -> str:
    """Say what the library says, and what to do.

    Parameters
    ----------
    said
        The library's own words.
    document
        What was read.
    fields, kinds
        All fields that a document may have, and all kinds of devices.

    Examples
    --------
    >>> said = "Expected `str`, got `bool` - at `$.attributes[0].values[1]`"
    >>> asked = {"attributes": [{"name": "ill", "values": ["no", True]}]}
    >>> print(explained(said, asked, [], []))
    attributes[0].values[1] (question 'ill') should be a text, and is true or false. Put it in
    quotes: YAML reads a plain yes, no, number or date as something else
    >>> explained("Object contains unknown field `tetha`", {}, ["theta"], [])
    "there is no field 'tetha'. Did you mean 'theta'?"
    """
    place = where(said, document)
    if document is None:
        return "it is empty. `frankly new` writes one to start from"
    if found := TYPE.search(said):
        wanted, got = (" or ".join(SPOKEN.get(one, one) for one in text.split(" | "))
                       for text in found.groups("something else"))  # fmt: skip
        quote = (". Put it in quotes: YAML reads a plain yes, no, number or date as something else"
                 if found[2] in {*PLAIN, None} and "str" in found[1] else "")  # fmt: skip
        return f"{place or 'the whole'} should be {wanted}, and is {got}{quote}"
    if found := UNKNOWN.search(said):
        near = get_close_matches(found[1], fields, 1)
        return (f"there is no field {found[1]!r}{f' in {place}' if place else ''}"
                + (f". Did you mean {near[0]!r}?" if near else ""))  # fmt: skip
    if found := MISSING.search(said):
        return f"{place or 'it'} needs the field {found[1]!r}"
    if (found := INVALID.search(said)) and place.split(" ")[0].endswith(".kind"):
        return f"{place} is {found[1]!r}; known are {sorted(kinds)}"
    return said


def where(said: str, document: Any) -> str:
    """Name the place of a mistake, with the name of its question if it is in one."""
    found = PLACE.search(said)
    if found is None:
        return ""
    key, at = found.groups("")
    asked = QUESTION.match(at)
    part = document["attributes"][int(asked[1])] if asked else {}
    name = part.get("name") if isinstance(part, Mapping) else None
    named = at + (f" (question {name!r})" if isinstance(name, str) else "")
    return f"the name of a field in {named or 'it'}" if key else named
