"""OpenML: Adult for those who do not have its files; fetched once, then kept by scikit-learn."""

from typing import Any

from sklearn.datasets import fetch_openml

from frankly.errors import ReportError
from frankly.reproduce.data import ADULT, Bits, adult_bits

__all__ = ["adult_from_openml"]

TRAINING = 32_561
"""The first rows of OpenML's Adult are those of ``adult.data``; then come ``adult.test``'s."""


def adult_from_openml(*, test: bool = True) -> Bits:
    """Fetch Adult from OpenML, or read the copy that scikit-learn kept.

    Parameters
    ----------
    test
        False for the people of ``adult.data`` alone.
    """
    frame = fetched()
    frame = frame if test else frame[:TRAINING]
    texts = {name: [text(value) for value in frame[name]] for name in ADULT.split()}
    return adult_bits(texts)


def fetched() -> Any:
    """Fetch the table, or say what to do without a network."""
    try:
        return fetch_openml("adult", version=2, as_frame=True, parser="auto").frame
    except (OSError, ImportError) as error:
        raise ReportError(
            "Adult is not at hand, and fetching it from OpenML failed "
            f"({type(error).__name__}). Say where adult.data and adult.test of the UCI repository "
            "lie: --data FOLDER, or FRANKLY_DATA=FOLDER. To fetch it, a network and pandas are "
            "needed (pip install 'frankly[frames]')"
        ) from error


def text(value: object) -> str:
    """Write a value as the UCI files do: numbers plain, unknown ones as ``?``."""
    return "?" if value is None or value != value else str(value)  # noqa: PLR0124 - NaN only
