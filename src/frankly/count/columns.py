"""Columns: say which are there, unless they could be somebody's answers."""

from collections.abc import Sequence

from frankly.design import Design

__all__ = ["there_are"]


def there_are(design: Design, columns: Sequence[str]) -> str:
    """Name the columns of a table. A file without a heading has a person's answers in their place.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> there_are(design, ["ill", "age"])
    "its columns are ['ill', 'age']"
    >>> there_are(design, ["yes", "44"])
    'none of its 2 columns is one of this survey: its first row must name the questions'
    """
    if {*design.names, "form"} & set(columns):
        return f"its columns are {list(columns)}"
    return (
        f"none of its {len(columns)} columns is one of this survey: its first row must name the "
        "questions"
    )
