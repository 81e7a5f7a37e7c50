"""Shares on the command line: NAME=SHARES, what is known or expected of a question's answers."""

from collections.abc import Sequence

from frankly.errors import DesignError

__all__ = ["Shares", "expected", "known"]

Shares = float | list[float]
"""The share of the second of two answers, or those of all answers."""


def known(given: str, what: str = "a prior") -> tuple[str, Shares]:
    """Read the shares of one question.

    Examples
    --------
    >>> known("took=0.8,0.15,0.05")
    ('took', [0.8, 0.15, 0.05])
    """
    name, _, shares = given.rpartition("=")
    try:
        numbers = [float(share) for share in shares.split(",")]
    except ValueError as error:
        raise DesignError(
            f"{what} is NAME=SHARES such as ill=0.1 or took=0.8,0.15,0.05, not {given!r}"
        ) from error
    return name, numbers[0] if len(numbers) == 1 else numbers


def expected(given: Sequence[str]) -> dict[str, Shares] | float | None:
    """Read the shares that are expected: of questions by name, or one that some answer may have.

    Examples
    --------
    >>> expected(["0.1"]), expected(["ill=0.1", "took=0.8,0.15,0.05"])
    (0.1, {'ill': 0.1, 'took': [0.8, 0.15, 0.05]})
    """
    found = dict(known(one, "a share") for one in given)
    alone = found.get("")
    if isinstance(alone, float) and len(found) == 1:
        return alone
    if "" in found:
        raise DesignError("--share is one number, or NAME=SHARES for each question, not both")
    return found or None
