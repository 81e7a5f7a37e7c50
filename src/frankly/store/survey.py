"""Survey: a design that was opened under a name, and the answers to it."""

import re
import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

from frankly.design import Design, canonical
from frankly.errors import FranklyError

__all__ = ["Mode", "State", "Survey", "SurveyError", "check_name", "opened"]

State = Literal["open", "closed"]
Mode = Literal["invited", "anyone"]
"""Who may answer: whoever holds an unused invitation, or anyone with the link."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
RESERVED = {"web", "healthz"}


class SurveyError(FranklyError, ValueError):
    """A survey that is not there, or not in the state that was expected."""


@dataclass(frozen=True)
class Survey:
    """A design that was opened: frozen, under a name that stands in its address.

    Attributes
    ----------
    name
        Short name, part of the address people are sent.
    design
        What is asked; it never changes once opened.
    state
        ``open`` while answers are taken, then ``closed`` for good.
    mode
        ``invited`` or ``anyone``.
    mark
        Random bytes that tell it from an earlier survey of the same name.
    """

    name: str
    design: Design
    state: State
    mode: Mode
    mark: bytes = field(default=b"", repr=False)

    def row(self) -> dict[str, Any]:
        """Give it as it is kept."""
        document = canonical(self.design.document()).decode()
        own = {name: getattr(self, name) for name in ("name", "state", "mode", "mark")}
        return {**own, "fingerprint": self.design.fingerprint, "document": document}


def opened(name: str, design: Design, mode: Mode) -> Survey:
    """Give a new survey that takes answers."""
    return Survey(check_name(name), design, "open", mode, secrets.token_bytes(16))


def check_name(name: str) -> str:
    """Refuse a name that could not stand in an address.

    Examples
    --------
    >>> check_name("ward-nights")
    'ward-nights'
    """
    if not NAME.fullmatch(name) or name in RESERVED:
        raise SurveyError(
            f"{name!r} cannot be a survey's name: it becomes part of the link. Use up to 40 small "
            f"letters, digits and hyphens, but none of {sorted(RESERVED)}"
        )
    return name
