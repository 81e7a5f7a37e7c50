"""Spreadsheet: why a CSV file of a spreadsheet cannot be read, without a word of what is in it."""

import codecs
from collections.abc import Sequence
from pathlib import Path

from frankly.errors import ReportError

__all__ = ["instead", "unreadable"]

PIECE = 2**20
SAVE = 'Save it again as UTF-8; spreadsheet programs call that "CSV UTF-8 (comma delimited)"'


def unreadable(path: Path) -> ReportError:
    """Say that a table could not be read, and why as far as that can be told.

    Examples
    --------
    >>> print(unreadable(Path("gone.csv")))
    gone.csv cannot be read: it is damaged, or a row has more or fewer values than the header has \
names, or line ends of another kind, or is very long. Its values are not shown here, on purpose
    """
    if path.is_file() and path.suffix.lower() in (".csv", ".tsv"):
        if path.stat().st_size == 0:
            return ReportError(
                f"{path.name} is empty: it has not even a line with names of columns"
            )
        if not is_utf8(path):
            return ReportError(f"{path.name} is not written in UTF-8. {SAVE}")
    return ReportError(
        f"{path.name} cannot be read: it is damaged, or a row has more or fewer values than the "
        "header has names, or line ends of another kind, or is very long. Its values are "
        "not shown here, on purpose"
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


def instead(asked: Sequence[str], there: Sequence[str]) -> str:
    """Say what a table has instead of the columns that are asked.

    A file without a heading has a person's answers in its place: nothing of those is shown.

    Examples
    --------
    >>> instead(["ill"], ["ill;smokes"])
    'its values are separated by ";": save it again, separated by commas'
    >>> instead(["ill"], ["Ill "])
    'there is a column "Ill ": names are compared to the letter, with capitals and blanks'
    >>> instead(["ill", "smokes"], ["ill", "age"])
    "its columns are ['ill', 'age']"
    >>> instead(["ill"], ["yes", "44"])
    'none of its 2 columns is one of this survey: its first row must name the questions'
    """
    for mark, called in ((";", '";"'), ("\t", "tabs")):
        if len(there) == 1 and mark in there[0]:
            return f"its values are separated by {called}: save it again, separated by commas"
    almost = {name.strip().casefold() for name in asked if name not in there}
    for other in there:
        if other not in asked and other.strip().casefold() in almost:
            return (
                f'there is a column "{other}": names are compared to the letter, with capitals '
                "and blanks"
            )
    if {*asked, "form"} & set(there):
        return f"its columns are {list(there)}"
    return (
        f"none of its {len(there)} columns is one of this survey: its first row must name the "
        "questions"
    )
