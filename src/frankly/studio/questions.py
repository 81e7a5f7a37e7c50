"""Questions: a survey document as the questions an owner writes, and back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from frankly.design import Attribute, Text
from frankly.errors import DesignError
from frankly.studio.forms import forms_for, plan_of, protected_in, stands, under

__all__ = [
    "Kind",
    "Question",
    "attributes_of",
    "move",
    "put",
    "questions_in",
    "remove",
    "renames",
    "rewrite",
]

Kind = Literal["yes_no", "choice", "scale", "number", "several"]
"""What a question takes: yes or no, one of some answers, a place on a scale, a number, or ticks."""

Document = Mapping[str, Any]
Named = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """One question as its owner sees it; ticks are one question over several attributes.

    Attributes
    ----------
    name, prompt
        Its short name, and what people read.
    values, labels
        The answers and the words for them; of ticks the things to tick, and theirs.
    bins, merged
        Cut points of a number; finer answers and what they count as.
    protected
        False when it is sent as it is answered.
    """

    kind: Kind
    name: str
    prompt: Text = ""
    values: tuple[str, ...] = ()
    labels: Mapping[str, Text] = field(default_factory=dict)
    bins: tuple[float, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    protected: bool = True

    @property
    def items(self) -> tuple[str, ...]:
        """The things to tick; of any other question one that needs no name."""
        return self.values if self.kind == "several" else ("",)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that it becomes."""
        if self.kind != "several":
            return (self.name,)
        return tuple(f"{self.name}.{value}" for value in self.values)


def questions_in(document: Document) -> list[Question]:
    """Read a document's attributes as questions, in order.

    Examples
    --------
    >>> ticks = [{"name": f"took.{one}", "values": ["no", "yes"]} for one in ("a", "b")]
    >>> found = questions_in({"attributes": ticks, "about": {"took": "What did you take?"}})
    >>> [(one.kind, one.name, one.values, one.protected) for one in found]
    [('several', 'took', ('a', 'b'), False)]
    """
    hidden, about = protected_in(document), document.get("about") or {}
    every = [question_of(part, part["name"] in hidden) for part in document.get("attributes") or ()]
    runs = [(name, list(run)) for name, run in groupby(every, lambda one: set_of(one, about))]
    times = Counter(name for name, _ in runs)
    found: list[Question] = []
    for name, run in runs:
        alike = times[name] == 1 and len({one.protected for one in run}) == 1
        found += [joined(name, about[name], run)] if name and alike else run
    return found


def set_of(one: Question, about: Mapping[str, Any]) -> str:
    """Name the ticks that a question belongs to; nothing if it is none of any."""
    name, dot, _ = one.name.partition(".")
    return name if dot and about.get(name) and one.kind == "yes_no" else ""


def joined(name: str, prompt: Text, ticks: Sequence[Question]) -> Question:
    """Make one question of ticks; side by side and protected alike, or it would tell a lie."""
    items = [one.name.partition(".")[2] for one in ticks]
    labels = {
        item: one.prompt
        for item, one in zip(items, ticks, strict=True)
        if one.prompt not in ("", item)
    }
    protected = ticks[0].protected
    return Question("several", name, prompt, tuple(items), labels, protected=protected)


def question_of(part: Mapping[str, Any], hidden: bool) -> Question:
    """Read one attribute."""
    one = Attribute(
        part["name"],
        part.get("values"),
        bins=part.get("bins"),
        merged=part.get("merged"),
        prompt=part.get("prompt", ""),
        labels=part.get("labels"),
    )
    given = one.values if part.get("values") else ()
    return Question(
        kind_of(one), one.name, one.prompt, one.values if one.bins is None else given,
        one.labels, one.bins or (), one.merged, hidden,
    )  # fmt: skip


def kind_of(one: Attribute) -> Kind:
    """Tell what a question takes, as the respondent's page does."""
    if one.bins:
        return "number"
    if one.values == ("no", "yes") and not (one.labels or one.merged):
        return "yes_no"
    digits = all(value.isascii() and value.isdigit() and len(value) <= 2 for value in one.values)
    return "scale" if digits and 2 < one.size <= 11 else "choice"


def attributes_of(question: Question) -> list[dict[str, Any]]:
    """Write a question as attributes of a document."""
    if question.kind == "several":
        return [
            Attribute(name, ["no", "yes"], prompt=question.labels.get(item, item)).document()
            for name, item in zip(question.names, question.values, strict=True)
        ]
    values = ("no", "yes") if question.kind == "yes_no" else question.values
    made = Attribute(
        question.name,
        values or None,
        bins=question.bins or None,
        merged=question.merged,
        prompt=question.prompt,
        labels=question.labels,
    )
    return [made.document()]


def put(questions: Sequence[Question], new: Question, old: str = "") -> list[Question]:
    """Put a question in the place of an old one, or at the end; refuse a name that is taken."""
    others = [one for one in questions if one.name != old]
    taken = {name for one in others for name in (one.name, *one.names)}
    if taken & {new.name, *new.names}:
        raise DesignError(f"there is a question {new.name!r} already. Give this one another name")
    if not old:
        return [*questions, new]
    return [new if one.name == old else one for one in questions]


def remove(questions: Sequence[Question], name: str) -> list[Question]:
    """Leave one question out."""
    return [one for one in questions if one.name != name]


def move(questions: Sequence[Question], name: str, by: int) -> list[Question]:
    """Move one question up (-1) or down (1); at the end it stays where it is."""
    found = list(questions)
    here = next((i for i, one in enumerate(found) if one.name == name), None)
    if here is not None:
        there = min(max(here + by, 0), len(found) - 1)
        found.insert(there, found.pop(here))
    return found


def renames(before: Question, new: Question) -> dict[str, str]:
    """Tell what a question's attributes are called now; a tick keeps its own, wherever it stands.

    Examples
    --------
    >>> took = Question("several", "took", values=("a", "b"))
    >>> renames(took, Question("several", "had", values=("b", "a", "c")))
    {'took.a': 'had.a', 'took.b': 'had.b'}
    >>> renames(took, Question("several", "had", values=("a", "pens")))
    {'took.a': 'had.a', 'took.b': 'had.pens'}
    """
    was, now = (dict(zip(one.items, one.names, strict=True)) for one in (before, new))
    gone = [item for item in was if item not in now]
    come = [item for item in now if item not in was]
    there = {item: item for item in was if item in now}
    if len(gone) == len(come):
        there |= dict(zip(gone, come, strict=True))
    return {was[item]: now[there[item]] for item in was if item in there}


def rewrite(
    document: Document,
    plan: Mapping[str, Any],
    questions: Sequence[Question],
    renamed: Mapping[str, str] | None = None,
) -> Named:
    """Write questions into a document and protect them as planned.

    Parameters
    ----------
    document, plan
        The draft as it was.
    questions
        All questions it is to have.
    renamed
        New names of attributes, by the old ones.

    Returns
    -------
    document, plan
        The draft as it is now; words that are no question's stay.
    """
    attributes = [part for one in questions for part in attributes_of(one)]
    hidden = [name for one in questions if one.protected for name in one.names]
    was = {one.name for one in questions_in(document) if one.kind == "several"}
    about = {k: v for k, v in (document.get("about") or {}).items() if k not in was}
    about |= {one.name: one.prompt for one in questions if one.kind == "several"}
    target = (renamed or {}).get(document.get("target", ""), document.get("target"))
    kept = {k: v for k, v in document.items() if k not in {"groups", "forms", "target", "about"}}
    made = {**kept, "attributes": attributes, "about": about}
    if target in hidden:
        made["target"] = target
    planned = plan_of(document, plan)
    if attributes:
        made["forms"] = forms_for(made, planned, hidden, under(document, renamed or {}))
    if made.get("own_device") and not stands(made):
        made.pop("own_device")
        planned = plan_of(made, planned)
    return {key: part for key, part in made.items() if part}, planned
