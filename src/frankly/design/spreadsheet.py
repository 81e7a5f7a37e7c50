"""Spreadsheet: why a CSV file of a spreadsheet cannot be read, without a word of what is in it."""

import codecs
from collections.abc import Sequence
from pathlib import Path

from frankly.errors import ReportError

__all__ = ["missing_column", "unreadable"]

PIECE = 2**20
SAVE = 'Save it again as UTF-8; spreadsheet programs call that "CSV UTF-8 (comma delimited)"'


def unreadable(path: Path) -> ReportError:
    """Say that a table could not be read, and why as far as that can be told.

    Examples
    --------
    >>> print(unreadable(Path("gone.csv")))
    gone.csv cannot be read: it is damaged, or a row has more or fewer values than the header has \
names. Its values are not shown here, on purpose
    """
    if path.is_file() and path.suffix.lower() == ".csv":
        if path.stat().st_size == 0:
            return ReportError(
                f"{path.name} is empty: it has not even a line with names of columns"
            )
        if not is_utf8(path):
            return ReportError(f"{path.name} is not written in UTF-8. {SAVE}")
    return ReportError(
        f"{path.name} cannot be read: it is damaged, or a row has more or fewer values than the "
        "header has names. Its values are not shown here, on purpose"
    )


def is_utf8(path: Path) -> bool:
    """Tell whether a file is a text in UTF-8; no such text has zeros in it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                if "\0" in decoder.decode(piece):
                    return False
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def missing_column(name: str, there: Sequence[str]) -> str:
    """Say what is there instead of a column: other marks between values, or almost its name.

    A file without a header has a person's answers in its place: nothing else of it is shown.

    Examples
    --------
    >>> missing_column("ill", ["ill;smokes"])
    ' The values of this file are separated by ";": save it again, separated by commas.'
    >>> missing_column("ill", ["Ill "])
    ' There is a column "Ill ": names are compared to the letter, with capitals and blanks.'
    >>> missing_column("ill", ["smokes"])
    ''
    """
    for mark, called in ((";", '";"'), ("\t", "tabs")):
        if len(there) == 1 and mark in there[0]:
            return (
                f" The values of this file are separated by {called}: save it again, separated by "
                "commas."
            )
    for other in there:
        if other.strip().casefold() == name.strip().casefold() and other != name:
            return (
                f' There is a column "{other}": names are compared to the letter, with capitals '
                "and blanks."
            )
    return ""
