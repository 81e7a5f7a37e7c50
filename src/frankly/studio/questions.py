"""Questions: a survey document as the questions an owner writes, and back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from frankly.advise import LAYOUTS, Questions, fitting
from frankly.design import Attribute, Design, Text
from frankly.errors import DesignError, FranklyError
from frankly.studio.protection import open_design

__all__ = ["Kind", "Question", "attributes_of", "move", "put", "questions_in", "remove", "rewrite"]

Kind = Literal["yes_no", "choice", "scale", "number", "several"]
"""What a question takes: yes or no, one of some answers, a place on a scale, a number, or ticks."""

FAIR = {"kind": "unrelated", "theta": "1/2"}
"""The device of a question that has none yet: a fair coin."""

SIMPLE, START = "own tosses", 2.0
"""How a new survey is protected until its owner chooses: each answer has its toss."""

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
    found: list[Question] = []
    for part in document.get("attributes") or ():
        one = question_of(part, part["name"] in hidden)
        set_name, dot, item = one.name.partition(".")
        if not (dot and about.get(set_name) and one.kind == "yes_no"):
            found.append(one)
            continue
        last = found[-1] if found else None
        if last is None or last.kind != "several" or last.name != set_name:
            last = Question("several", set_name, about[set_name], protected=one.protected)
            found.append(last)
        told = {} if one.prompt in ("", item) else {item: one.prompt}
        labels = {**last.labels, **told}
        found[-1] = replace(last, values=(*last.values, item), labels=labels)
    return found


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


def groups_in(document: Document) -> list[dict[str, Any]]:
    """List a document's forms, each with its groups and clear names."""
    forms = document.get("forms")
    if forms is None:
        return [{"groups": document.get("groups") or []}]
    return [dict(form) for form in forms]


def protected_in(document: Document) -> set[str]:
    """Name the attributes that some group hides."""
    forms = groups_in(document)
    return {n for form in forms for group in form.get("groups") or () for n in group["names"]}


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
    planned = {"layout": SIMPLE, "epsilon": START, **plan} if is_new(document, plan) else dict(plan)
    if attributes:
        made["forms"] = forms_for(made, planned, hidden, written(document, renamed or {}))
    if made.get("own_device") and not stands(made):
        made.pop("own_device")
    return {key: part for key, part in made.items() if part}, planned


def is_new(document: Document, plan: Mapping[str, Any]) -> bool:
    """Tell whether nothing was protected yet, and nothing planned."""
    return "layout" not in plan and not protected_in(document)


def stands(document: Document) -> bool:
    """Tell whether a document is a design."""
    try:
        open_design(document)
    except FranklyError:
        return False
    return True


def written(document: Document, renamed: Mapping[str, str]) -> list[dict[str, Any]]:
    """Give the forms that stand in a document, under the new names."""

    def now(names: Iterable[str]) -> list[str]:
        return [renamed.get(name, name) for name in names]

    return [
        {
            **form,
            "groups": [{**g, "names": now(g["names"])} for g in form.get("groups") or ()],
            "clear": now(form.get("clear") or ()),
        }
        for form in groups_in(document)
    ]


def forms_for(
    document: Document,
    plan: Mapping[str, Any],
    hidden: Sequence[str],
    before: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Make the forms: by the planned layout, or as they were written."""
    bare = Design.from_document({"attributes": document["attributes"]})
    clear = tuple(name for name in bare.names if name not in hidden)
    layout, epsilon = plan.get("layout"), plan.get("epsilon", START)
    if not hidden:
        return [{"clear": list(clear)}]
    if layout not in LAYOUTS or document.get("own_device"):
        known = {n for form in before for g in form["groups"] for n in g["names"]}
        known |= {n for form in before for n in form["clear"]}
        return [patched(bare, form, hidden, known) for form in before]
    asked = Questions(bare.attributes, clear, document.get("target"))
    fit = {one.name for one in fitting(asked, plan.get("mine", "shares"))}
    design = LAYOUTS[layout if layout in fit else SIMPLE].design(asked, float(epsilon))
    return [form.document() for form in design.forms]


def patched(
    bare: Design, form: Mapping[str, Any], hidden: Sequence[str], known: set[str]
) -> dict[str, Any]:
    """Keep a form's groups as far as their questions are there; a fair coin for what is new."""
    groups, mine = [], {*form["clear"], *(n for g in form["groups"] for n in g["names"])}
    for group in form["groups"]:
        names = [name for name in group["names"] if name in hidden]
        if names:
            groups.append(fitted(bare, names, group["mechanism"], names == group["names"]))
    grouped = {name for group in groups for name in group["names"]}
    asked = [name for name in bare.names if name in mine or name not in known]
    tossed = [name for name in asked if name in hidden and name not in grouped]
    groups += [{"names": [name], "mechanism": dict(FAIR)} for name in tossed]
    clear = [name for name in asked if name not in hidden]
    made = {"groups": groups, "clear": clear, "weight": form.get("weight", 1)}
    return {key: part for key, part in made.items() if part and part != 1}


def fitted(bare: Design, names: list[str], device: Any, whole: bool) -> dict[str, Any]:
    """Keep a device that still fits its questions; else a fair coin, at the theta it had."""
    fair = {**FAIR, "theta": device.get("theta", FAIR["theta"])}
    for mechanism in (*([device] if whole else []), fair, FAIR):
        group = {"names": names, "mechanism": dict(mechanism)}
        attributes = [bare[name].document() for name in names]
        if stands({"attributes": attributes, "groups": [group]}):
            return group
    return {"names": names, "mechanism": dict(FAIR)}
