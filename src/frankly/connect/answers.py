"""Answers: what a studio says, as frozen values."""

from typing import Any, Literal

import msgspec

__all__ = ["Audit", "Model", "Privacy", "Results", "Shares", "State", "Table"]


class State(msgspec.Struct, frozen=True):
    """A survey as it stands.

    Attributes
    ----------
    state
        ``draft``, ``open`` or ``closed``.
    epsilon
        What one person's answers can reveal; None where a report can prove something.
    why_not
        Why a draft cannot be opened yet.
    """

    name: str
    title: str
    state: Literal["draft", "open", "closed"]
    document: dict[str, Any]
    plan: dict[str, Any] = {}
    mode: Literal["invited", "anyone"] | None = None
    fingerprint: str | None = None
    epsilon: float | None = None
    why_not: str = ""


class Shares(msgspec.Struct, frozen=True):
    """Estimated shares of the truth: in ``rows`` one answer each, with its error and interval."""

    names: list[str]
    method: str
    n: int
    rows: list[dict[str, str | float | None]]
    by: list[str] = []
    level: float = 0.95


class Table(msgspec.Struct, frozen=True):
    """A cross-table: whole, or the reason why it is not told."""

    names: list[str]
    told: bool
    why_not: str = ""
    shares: Shares | None = None


class Results(msgspec.Struct, frozen=True):
    """What may be told of a survey now: nothing below 100 answers, then in steps.

    Attributes
    ----------
    n
        How many reports are shown.
    come
        How many have come, rounded down.
    untold
        Questions of which nothing can be told: the forms that ask them have too few reports.
    left_out
        How many answers to a closed survey stay untold for good, rounded up.
    """

    name: str
    state: Literal["open", "closed"]
    n: int
    shares: list[Shares]
    tables: list[Table] = []
    come: int = 0
    untold: list[str] = []
    left_out: int = 0


class Model(msgspec.Struct, frozen=True):
    """A trained model: what it found in words, and its accuracy or why that cannot be told."""

    name: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    target: str | None = None
    said: str = ""
    n: int | None = None
    summary: str = ""
    accuracy: dict[str, Any] | None = None
    why_not: str = ""


class Audit(msgspec.Struct, frozen=True):
    """An attack on the reports that are shown, and what it found."""

    state: Literal["none", "waiting", "running", "done", "failed", "stopped"]
    said: str = ""
    n: int | None = None
    after: dict[str, Any] | None = None
    audit: dict[str, Any] | None = None
    why_not: str = ""


class Privacy(msgspec.Struct, frozen=True):
    """What a survey lets its owner know: the statement before any answer, and the last audit."""

    before: dict[str, Any]
    respondent: str
    audit: Audit
    unique_in_clear: float | None = None
