"""Speaks: a result in one line where it is looked at, and in its words where it is printed."""

from abc import ABC, abstractmethod
from html import escape
from textwrap import shorten

__all__ = ["Speaks", "page_of"]

LINE = 120
"""So long a line may be."""


class Speaks(ABC):
    """A value with a `summary`: print and notebooks show it, and a console its first line.

    A dataclass that speaks is made with ``repr=False``, or it would list its fields again.

    Examples
    --------
    >>> class Weather(Speaks):
    ...     def summary(self):
    ...         return "rain   from 3 clouds, <1 mm"
    >>> Weather()
    <Weather: rain, from 3 clouds, <1 mm>
    >>> print(Weather()._repr_html_())
    <pre>rain   from 3 clouds, &lt;1 mm</pre>
    """

    @abstractmethod
    def summary(self) -> str:
        """Say the result, for people."""

    def __str__(self) -> str:
        """Say the result, for people."""
        return self.summary()

    def __repr__(self) -> str:
        """Say in one line what this is."""
        first = self.summary().strip().partition("\n")[0].replace("   ", ", ")
        return f"<{type(self).__name__}: {shorten(first, LINE, placeholder=' …')}>"

    def _repr_html_(self) -> str:
        return page_of(self.summary())


def page_of(text: str) -> str:
    """Write a text for a notebook, as it is."""
    return f"<pre>{escape(text)}</pre>"
