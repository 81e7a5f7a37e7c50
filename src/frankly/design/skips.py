"""Skips: why no question may depend on an earlier answer."""

from collections.abc import Mapping
from typing import Any

from frankly.errors import DesignError

__all__ = ["CONDITIONS", "refuse_skips", "skipping"]

CONDITIONS = frozenset(
    {
        *("show_if", "relevant", "relevance", "skip_if", "skip", "visible_if", "depends_on", "if"),
        *("condition", "conditions", "when", "enable_when", "enableWhen", "branching", "jump_to"),
    }
)
"""What other tools call the condition of a question that is asked only of some."""


def skipping(name: str, key: str) -> DesignError:
    """Say why a question cannot be asked of some people only.

    Examples
    --------
    >>> print(skipping("worse", "show_if"))
    the question 'worse' is asked only of some people (show_if). Whoever has an answer there would
    show by that alone what they said before, whatever chance did to it. Ask everybody, and add an
    answer such as "does not apply"
    """
    return DesignError(
        f"the question {name!r} is asked only of some people ({key}). Whoever has an answer there "
        "would show by that alone what they said before, whatever chance did to it. Ask "
        'everybody, and add an answer such as "does not apply"'
    )


def refuse_skips(document: Any) -> None:
    """Refuse a document in which a question depends on an earlier answer."""
    parts = document.get("attributes") if isinstance(document, Mapping) else None
    for part in parts if isinstance(parts, list) else ():
        found = sorted(CONDITIONS & set(part)) if isinstance(part, Mapping) else []
        if found:
            raise skipping(str(part.get("name", "?")), found[0])
