"""Attribute: one question and the values its answer can take."""

import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from frankly.errors import DesignError

__all__ = ["NUMBER", "Attribute", "Text", "copied"]

MOST = 5000
"""So many values at most: what one report tells is a table of as many rows and columns."""

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
"""A number as it is read from a text, here and in the browser."""

Text = str | Mapping[str, str]
"""Words for people: one text, or one for each language."""


@dataclass(frozen=True, init=False)
class Attribute:
    """One question and the values its answer can take.

    Parameters
    ----------
    name
        Short name used in code, columns and tables.
    values
        The answers, at least two. With ``bins`` they name the bins and may be left out.
    bins
        Rising cut points of a numeric answer: three values need two cuts, and an answer
        equal to a cut falls into the bin above it. Only the bin enters the device.
    merged
        Finer answers and the value each of them counts as, e.g.
        ``{"separated": "single", "widowed": "single"}``. The values themselves need no entry.
    prompt, labels
        What people read: the question, and the words for each value.

    Examples
    --------
    >>> Attribute("smokes", ["no", "yes"]).values
    ('no', 'yes')
    >>> Attribute("age", bins=[30, 50]).values
    ('under 30', '30 to under 50', '50 and over')
    """

    name: str
    values: tuple[str, ...]
    bins: tuple[float, ...] | None = None
    merged: Mapping[str, str] = field(default_factory=dict)
    prompt: Text = ""
    labels: Mapping[str, Text] = field(default_factory=dict)

    def __init__(
        self,
        name: str,
        values: Sequence[str] | None = None,
        *,
        bins: Sequence[float] | None = None,
        merged: Mapping[str, str] | None = None,
        prompt: Text = "",
        labels: Mapping[str, Text] | None = None,
    ) -> None:
        if isinstance(values, str):
            raise DesignError(f'{name!r} has one text for its values. Give a list: ["no", "yes"]')
        cuts = None if bins is None else tuple(plain(cut) for cut in bins)
        named = bin_names(cuts) if values is None and cuts else values or ()
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", tuple(map(str, named)))
        object.__setattr__(self, "bins", cuts)
        object.__setattr__(self, "merged", {str(k): str(v) for k, v in (merged or {}).items()})
        object.__setattr__(self, "prompt", copied(prompt))
        words = {str(k): copied(v) for k, v in (labels or {}).items()}
        object.__setattr__(self, "labels", words)
        self.check_values()
        self.check_bins()
        self.check_words()

    def check_values(self) -> None:
        """Refuse an attribute without a name, without a choice, or with a value twice."""
        if not self.name or self.name == "form" or self.name != self.name.strip():
            raise DesignError(
                f"{self.name!r} cannot be an attribute's name. Give a short name without spaces "
                'around it; "form" is kept for the form a respondent got'
            )
        if len(self.values) < 2:
            raise DesignError(
                f"{self.name!r} has {len(self.values)} value(s). A question needs at least two "
                "answers to choose from"
            )
        if len(self.values) > MOST:
            raise DesignError(
                f"{self.name!r} has {len(self.values):,} values, and {MOST:,} are the most: nobody "
                "chooses among more. Merge rare answers, or ask for a number with cut points (bins)"
            )
        twice = sorted(value for value, times in Counter(self.values).items() if times > 1)
        if twice or any(not value.strip() for value in self.values):
            what = f"the value(s) {twice} twice" if twice else "an empty value"
            raise DesignError(
                f"{self.name!r} has {what}. Every value needs a name of its own, "
                "or nobody could tell the answers apart"
            )

    def check_bins(self) -> None:
        """Refuse cut points that do not rise, or do not fit the values."""
        if self.bins is None:
            return
        rise = all(low < high for low, high in pairwise(self.bins))
        if not rise or not all(map(math.isfinite, self.bins)):
            raise DesignError(
                f"the bins of {self.name!r} must be finite and must rise: {list(self.bins)} do not"
            )
        if len(self.bins) != len(self.values) - 1:
            raise DesignError(
                f"{self.name!r} has {len(self.values)} values and {len(self.bins)} cut points. "
                "There must be one cut between each two neighbouring values"
            )
        for place, value in enumerate(self.values):
            if NUMBER.fullmatch(value) and bisect(self.bins, float(value)) != place:
                raise DesignError(
                    f"the bins of {self.name!r} have the name {value!r}, which is a number of "
                    "another bin: nobody could tell the bin from the number. Name bins in words, "
                    f"such as {bin_names(self.bins)[place]!r}"
                )

    def check_words(self) -> None:
        """Refuse merged values and labels that name no value."""
        apart = sorted(w for w, v in self.merged.items() if w != v and w in self.values)
        if apart:
            raise DesignError(
                f"merged of {self.name!r} counts {apart} as another value, but lists it among the "
                "values too. Take it out of one of them"
            )
        for what, names in (("merged", self.merged.values()), ("labels", self.labels)):
            unknown = sorted(set(names) - set(self.values))
            if unknown:
                raise DesignError(
                    f"{what} of {self.name!r} names {unknown}, which is none of its values "
                    f"{list(self.values)}"
                )
        if self.merged and self.bins is not None:
            raise DesignError(
                f"{self.name!r} has both bins and merged values. Bins are for numbers, merged "
                "values for words: keep one of the two"
            )

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    def answers(self) -> dict[str, Any]:
        """Give what decides which value an answer has: values, bins and merged ones."""
        whole = self.document()
        return {key: whole[key] for key in ("values", "bins", "merged") if key in whole}

    def document(self) -> dict[str, Any]:
        """Write the attribute as plain JSON values, leaving out what is not set."""
        everything = {
            "name": self.name,
            "values": list(self.values),
            "bins": None if self.bins is None else list(self.bins),
            "merged": dict(self.merged),
            "prompt": copied(self.prompt),
            "labels": {value: copied(text) for value, text in self.labels.items()},
        }
        return {key: value for key, value in everything.items() if value}


def copied(text: Text) -> str | dict[str, str]:
    """Copy a text in its languages: what others do with theirs changes no design."""
    if isinstance(text, str):
        return text
    if not isinstance(text, Mapping):
        raise DesignError(
            "the words of a question are one text, or one for each language: "
            f'{{"en": "Yes", "de": "Ja"}}, and no {type(text).__name__}'
        )
    return dict(text)


def plain(number: float) -> float:
    """Write whole numbers without a decimal point, so that every language writes them alike."""
    number = float(number)
    return int(number) if number.is_integer() else number


def bin_names(cuts: tuple[float, ...]) -> list[str]:
    """Name bins after their cuts."""
    inner = [f"{low} to under {high}" for low, high in pairwise(cuts)]
    return [f"under {cuts[0]}", *inner, f"{cuts[-1]} and over"]
