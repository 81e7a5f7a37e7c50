"""Canonical bytes: one way to write a document, so that its hash means something."""

import json
from typing import Any

from frankly.errors import DesignError

__all__ = ["canonical"]


def canonical(document: Any) -> bytes:
    """Write plain JSON values with sorted keys, no spaces, in UTF-8.

    Examples
    --------
    >>> canonical({"b": 1, "a": ["é"]}).decode()
    '{"a":["é"],"b":1}'
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DesignError(
            "some text of this survey holds half a character (a surrogate without its other half), "
            "which no file in UTF-8 can hold. Type that text again"
        ) from None
