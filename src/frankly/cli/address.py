"""Addresses: where people reach the service, from which links are made."""

from typing import Any
from urllib.parse import urlsplit

from frankly.errors import FranklyError

__all__ = ["whole_address"]


def whole_address(_: Any, option: Any, base: str | None) -> str | None:
    """Take an address that links can be made from, without a slash at its end, or refuse it.

    Examples
    --------
    >>> whole_address(None, None, "https://ask.example/")
    'https://ask.example'
    """
    if base is None:
        return None
    try:
        parts = urlsplit(base.strip())
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname)
        whole = whole and not (parts.query or parts.fragment) and (parts.port or 80) > 0
    except ValueError:
        whole = False
    if not whole or any(letter.isspace() for letter in base.strip()):
        raise FranklyError(
            f"links made from --{option.name} {base!r} would lead nowhere. Give the whole address, "
            "such as https://ask.example or http://127.0.0.1:8000"
        )
    return base.strip().rstrip("/")
