"""Settings: a miner's numbers are checked before anything is counted with them."""

from collections.abc import Callable
from math import inf
from numbers import Integral, Real
from typing import Any

from frankly.errors import DesignError

__all__ = ["check_number", "check_whole"]


def check_number(name: str, value: Any, fits: Callable[[float], bool], expected: str) -> None:
    """Refuse what is no finite number, or does not fit.

    Examples
    --------
    >>> check_number("noise", 2, lambda noise: noise >= 0, "a number, at least 0")
    >>> check_number("noise", "much", lambda noise: noise >= 0, "a number, at least 0")
    Traceback (most recent call last):
    ...
    frankly.errors.DesignError: noise is a number, at least 0, not 'much'
    """
    known = isinstance(value, Real) and not isinstance(value, bool) and abs(value) < inf  # type: ignore[operator]
    if not known or not fits(value):
        raise DesignError(f"{name} is {expected}, not {value!r}")


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number, or one that is too small.

    Examples
    --------
    >>> check_whole("max_depth", 3, 1)
    >>> check_whole("max_depth", 2.5, 1)
    Traceback (most recent call last):
    ...
    frankly.errors.DesignError: max_depth is a whole number, at least 1, not 2.5
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise DesignError(f"{name} is a whole number, at least {least}, not {value!r}")
