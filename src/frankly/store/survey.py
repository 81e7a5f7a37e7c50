"""Survey: a design that was opened under a name, and the answers to it."""

import re
from dataclasses import dataclass
from typing import Literal

from frankly.design import Design
from frankly.errors import FranklyError

__all__ = ["Mode", "State", "Survey", "SurveyError", "check_name"]

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
    """

    name: str
    design: Design
    state: State
    mode: Mode


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
