"""Design: the whole survey as one value; what is asked, what hides together, in which forms."""

import hashlib
import json
import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

import yaml

from frankly.design.attribute import Attribute, Text, copied
from frankly.design.canonical import canonical
from frankly.design.document import load_document, parts, validated
from frankly.design.form import Form, Group
from frankly.design.own import check_own_device
from frankly.design.panel import Panel
from frankly.design.plain import refuse_giants
from frankly.errors import (
    AskedCoverWarning,
    DesignError,
    InfiniteEpsilonWarning,
    NotAskedError,
)
from frankly.mechanism import Mechanism, Table, Unrelated, Wish

__all__ = ["Design"]

MOST = 2000
"""So many attributes, and so many forms, at most."""


@dataclass(frozen=True, init=False, repr=False)
class Design:
    """A survey: its attributes, and the forms in which people are asked.

    Parameters
    ----------
    attributes
        The questions.
    groups
        The short way to say one form: questions hidden together. Attributes in no group
        are asked in clear.
    forms
        Instead of ``groups``: several ways to be asked, of which each person gets one.
    title, about, languages
        What people read.
    target
        The attribute that models predict, if there is one.
    version
        Raise it when the survey changes; it is part of the fingerprint.
    accept_infinite_epsilon
        Say True to open a survey in which some report proves something for certain.
    own_device
        ``die``, ``coin`` or ``birthday`` when people bring chance of their own, and the page
        only takes the result. Theta and covers must come out even on it.
    panel
        People who are asked again and again, and what all their surveys may reveal together.

    Examples
    --------
    >>> from frankly.mechanism import Unrelated
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> sex = Attribute("sex", ["f", "m"])
    >>> design = Design([ill, sex], groups=[Group(["ill"], Unrelated(theta=0.7))])
    >>> design.forms[0].clear, round(design.epsilon, 4)
    (('sex',), 1.7346)
    >>> design
    <Design: asks ill, sex; 1 of 2 protected, 1 form>
    """

    attributes: tuple[Attribute, ...]
    forms: tuple[Form, ...]
    title: Text = ""
    about: Mapping[str, Text] | None = None
    languages: tuple[str, ...] = ()
    target: str | None = None
    version: int = 1
    accept_infinite_epsilon: bool = False
    own_device: str | None = None
    panel: Panel | None = None

    def __init__(  # noqa: PLR0913 - one keyword for each part of the document
        self,
        attributes: Sequence[Attribute],
        *,
        groups: Sequence[Group] | None = None,
        forms: Sequence[Form] | None = None,
        title: Text = "",
        about: Mapping[str, Text] | None = None,
        languages: Sequence[str] = (),
        target: str | None = None,
        version: int = 1,
        accept_infinite_epsilon: bool = False,
        own_device: str | None = None,
        panel: Panel | None = None,
    ) -> None:
        if groups is not None and forms is not None:
            raise DesignError("give either groups (one form) or forms, not both")
        check_attributes(attributes, target)
        asked = forms if forms is not None else [one_form(attributes, groups or ())]
        if len(asked) > MOST:
            raise DesignError(f"a design has at most {MOST:,} forms, and this one {len(asked):,}")
        fields = {
            "attributes": tuple(attributes),
            "forms": tuple(form.settle(attributes) for form in asked),
            "title": copied(title),
            "about": {key: copied(text) for key, text in (about or {}).items()},
            "languages": (languages,) if isinstance(languages, str) else tuple(languages),
            "target": target,
            "version": version,
            "accept_infinite_epsilon": accept_infinite_epsilon,
            "own_device": own_device,
            "panel": panel,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if not self.forms:
            raise DesignError("a design needs at least one form")
        check_forms(self.forms, self.names)
        check_own_device(self.forms, own_device)
        if not accept_infinite_epsilon:
            warn_of_certainty(self.forms)

    def __repr__(self) -> str:
        """Say in one line what is asked; `document` says everything."""
        hidden = {name for form in self.forms for group in form.groups for name in group.names}
        asked = shorten(", ".join(self.names), 60, placeholder=" …")
        forms = f"{len(self.forms):,} form{'s' * (len(self.forms) > 1)}"
        return f"<Design: asks {asked}; {len(hidden)} of {len(self.names)} protected, {forms}>"

    @classmethod
    def modules(
        cls,
        attributes: Sequence[Attribute],
        *,
        target: str,
        mechanism: Mechanism | Wish,
        **words: Any,
    ) -> "Design":
        """Build one form for each other attribute, hidden together with the target.

        Each person answers two questions, so a small epsilon goes a long way.

        Examples
        --------
        >>> from frankly.mechanism import Uniform
        >>> names = ["ill", "smokes", "drinks"]
        >>> attributes = [Attribute(name, ["no", "yes"]) for name in names]
        >>> many = Design.modules(attributes, target="ill", mechanism=Uniform(epsilon=1))
        >>> [form.names for form in many.forms]
        [('smokes', 'ill'), ('drinks', 'ill')]
        """
        check_attributes(attributes, target)
        others = [attribute.name for attribute in attributes if attribute.name != target]
        forms = [Form([Group([name, target], mechanism)]) for name in others]
        return cls(attributes, forms=forms, target=target, **words)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all attributes, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def hides(self) -> bool:
        """Whether anything is hidden; if not, true answers are the reports."""
        return any(form.groups for form in self.forms)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the only form; refuse when there are several."""
        if len(self.forms) > 1:
            raise DesignError("this design has several forms: ask design.forms[i].groups")
        return self.forms[0].groups

    def __getitem__(self, name: str) -> Attribute:
        """Give the attribute of this name."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise NotAskedError(f"the design does not ask {name!r}; it asks {list(self.names)}")

    def sizes(self, names: Sequence[str]) -> tuple[int, ...]:
        """Tell how many true values each of these has."""
        return tuple(self[name].size for name in names)

    def asking(self, names: Sequence[str]) -> list[int]:
        """Tell which forms ask all of these of one person, or refuse with the form to add."""
        for name in names:
            self[name]
        forms = [i for i, form in enumerate(self.forms) if form.asks(names)]
        if not forms:
            raise NotAskedError(
                f"no form asks all of {list(names)} of one person, so nobody can say how they go "
                f"together. Add a form that asks {list(names)}, even a small one"
            )
        return forms

    def push(self, table: Table, names: Sequence[str], form: int = 0) -> Table:
        """Turn a table of truths, one axis a name, into the table of reports to expect."""
        return self.forms[form].push(self.table(table, names), list(names))

    def pull(self, table: Table, names: Sequence[str], form: int = 0) -> Table:
        """Turn a table of reports, one axis a name, into the table of truths behind it."""
        shape = tuple(len(self.forms[form].reported(name)) for name in self.known(names))
        return self.forms[form].pull(checked(table, shape), list(names))

    def pull_score(self, score: Table, names: Sequence[str], form: int = 0) -> Table:
        """Turn a score of truths into a score of reports that has the same mean."""
        return self.forms[form].pull_score(self.table(score, names), list(names))

    def known(self, names: Sequence[str]) -> Sequence[str]:
        """Refuse names the design does not have."""
        for name in names:
            self[name]
        return names

    def table(self, table: Table, names: Sequence[str]) -> Table:
        """Check that a table has one axis a name, with the right sizes."""
        return checked(table, self.sizes(names))

    @property
    def epsilon(self) -> float:
        """Everything one person's report can reveal: the epsilon of the largest form."""
        return max(form.epsilon for form in self.forms)

    def document(self) -> dict[str, Any]:
        """Write the design as plain JSON values."""
        everything = {
            "frankly": 1,
            "attributes": [attribute.document() for attribute in self.attributes],
            "forms": [form.document() for form in self.forms],
            "title": copied(self.title),
            "about": {key: copied(text) for key, text in (self.about or {}).items()},
            "languages": list(self.languages),
            "target": self.target,
            "version": self.version,
            "accept_infinite_epsilon": self.accept_infinite_epsilon,
            "own_device": self.own_device,
            "panel": None if self.panel is None else self.panel.document(),
        }
        document = {k: value for k, value in everything.items() if value or k == "version"}
        refuse_giants(document)  # what could not be read again is not written
        return document

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the document's canonical bytes; it travels with every report."""
        return hashlib.sha256(canonical(self.document())).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the document as JSON, or as YAML when the name ends in .yaml."""
        path = Path(path)
        if path.suffix.lower() in {".yaml", ".yml"}:
            text = yaml.safe_dump(self.document(), sort_keys=False, allow_unicode=True)
        else:
            text = json.dumps(self.document(), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "Design":
        """Read a design from a JSON or YAML file."""
        return cls.from_document(load_document(path))

    @classmethod
    def from_document(cls, document: Any) -> "Design":
        """Make a design from plain JSON values."""
        return cls(**parts(validated(document)))


def checked(table: Table, shape: tuple[int, ...]) -> Table:
    """Refuse a table of another shape."""
    if tuple(table.shape) != shape:
        raise DesignError(
            f"a table over these names has the shape {shape}, one axis a name; "
            f"this one has {tuple(table.shape)}"
        )
    return table


def one_form(attributes: Sequence[Attribute], groups: Sequence[Group]) -> Form:
    """Make the only form: the groups, and everything else in clear."""
    hidden = {name for group in groups for name in group.names}
    return Form(groups, [a.name for a in attributes if a.name not in hidden])


def check_attributes(attributes: Sequence[Attribute], target: str | None) -> None:
    """Refuse a design without questions, with one name twice, or with an unknown target."""
    names = [attribute.name for attribute in attributes]
    if len(names) > MOST:
        raise DesignError(f"a design has at most {MOST:,} attributes, and this one {len(names):,}")
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if not names or twice:
        raise DesignError(
            f"the attribute(s) {twice} are there twice. Every attribute needs a name of its own"
            if twice
            else "a design needs at least one attribute"
        )
    if target is not None and target not in names:
        raise DesignError(f"the target {target!r} is none of the attributes {names}")


def check_forms(forms: Sequence[Form], names: Sequence[str]) -> None:
    """Refuse attributes that no form asks, and forms too rare to draw with one word."""
    asked = {name for form in forms for name in form.names}
    idle = [name for name in names if name not in asked]
    if idle:
        raise DesignError(
            f"no form asks {idle}. Add them to a form, or leave them out of the attributes"
        )
    if sum(form.weight for form in forms) >= 2**32:
        raise DesignError("the weights of the forms must add up to less than 2**32")


def warn_of_certainty(forms: Sequence[Form]) -> None:
    """Warn when some report proves something, or when the cover is asked of people."""
    for form in forms:
        for group in form.groups:
            device = group.device
            if device.epsilon(form.sizes(group.names)) == math.inf:
                warnings.warn(
                    f"the group {list(group.names)} has an infinite epsilon: some report proves "
                    "something about its sender for certain. Opening such a survey needs "
                    "accept_infinite_epsilon=True",
                    InfiniteEpsilonWarning,
                    stacklevel=4,
                )
            if isinstance(device, Unrelated) and device.asked:
                warnings.warn(
                    f"the group {list(group.names)} asks people for its substitutes. Whoever can "
                    "look those up knows every true answer that differs from them. Let the page "
                    "draw them unless you reproduce the literature",
                    AskedCoverWarning,
                    stacklevel=4,
                )
