"""Addresses: where people reach the service, from which links are made."""

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from frankly.errors import FranklyError

__all__ = ["address_of", "refuse_everywhere", "whole_address"]


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


def address_of(host: str, port: int) -> str:
    """Give the address at which a port of a host is reached.

    Examples
    --------
    >>> address_of("ask.example", 8000), address_of("::1", 8000)
    ('http://ask.example:8000', 'http://[::1]:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def refuse_everywhere(host: str) -> None:
    """Refuse to make links from a host that means every address of this machine."""
    try:
        everywhere = not host or ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if everywhere:
        raise FranklyError(
            f"--host {host or repr(host)} listens at every address of this machine, but links made "
            "from it would lead nowhere, and a link is told only once. Say with --base where "
            "respondents reach the service, such as https://ask.example or http://192.168.1.5:8000"
        )
