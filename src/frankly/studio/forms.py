"""Forms: how a draft stays protected while its questions change; nothing is lowered on the way."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frankly.advise import LAYOUTS, Questions, fitting
from frankly.design import Design, Group
from frankly.errors import FranklyError
from frankly.mechanism import Uniform
from frankly.studio.files import open_design

__all__ = [
    "follows",
    "forms_for",
    "forms_in",
    "plan_of",
    "protected_in",
    "stands",
    "under",
]

Document = Mapping[str, Any]
Plan = Mapping[str, Any]
Written = dict[str, Any]

FAIR = {"kind": "unrelated", "theta": "1/2"}
"""The device of a question that has none yet: a fair coin."""

SIMPLE, START = "own tosses", 2.0
"""How a new survey is protected until its owner chooses: each answer has its toss."""


def stands(document: Document) -> bool:
    """Tell whether a document is a design."""
    try:
        open_design(document)
    except FranklyError:
        return False
    return True


def forms_in(document: Document) -> list[Written]:
    """List a document's forms, each with its groups and clear names."""
    forms = document.get("forms")
    if forms is None:
        forms = [{"groups": document.get("groups") or []}]
    return [
        {**form, "groups": form.get("groups") or [], "clear": form.get("clear") or []}
        for form in forms
    ]


def protected_in(document: Document) -> set[str]:
    """Name the attributes that some group hides."""
    return {n for form in forms_in(document) for group in form["groups"] for n in group["names"]}


def under(document: Document, renamed: Mapping[str, str]) -> Written:
    """Give a document's attributes and forms under new names, devices and all."""

    def now(names: Iterable[str]) -> list[str]:
        return [renamed.get(name, name) for name in names]

    def hidden(group: Mapping[str, Any]) -> Written:
        device = dict(group["mechanism"])
        if isinstance(device.get("cover"), Mapping):
            device["cover"] = {renamed.get(k, k): part for k, part in device["cover"].items()}
        return {**group, "names": now(group["names"]), "mechanism": device}

    forms = [
        {**form, "groups": [hidden(g) for g in form["groups"]], "clear": now(form["clear"])}
        for form in forms_in(document)
    ]
    attributes = [
        {**part, "name": renamed.get(part["name"], part["name"])}
        for part in document.get("attributes") or ()
    ]
    return {"attributes": attributes, "forms": forms}


def plan_of(document: Document, plan: Plan) -> dict[str, Any]:
    """Give the plan as far as it is what stands in the document.

    A layout that was planned before somebody wrote other groups is one no more: whoever followed
    it would write over them.
    """
    if not protected_in(document):
        return {"layout": SIMPLE, "epsilon": START, **plan}
    if document.get("own_device") or follows(document, plan):
        return dict(plan)
    return {key: part for key, part in plan.items() if key not in {"layout", "epsilon"}}


def follows(document: Document, plan: Plan) -> bool:
    """Tell whether a document's forms are those of its planned layout."""
    try:
        found = [form.document() for form in open_design(document).forms]
        return found == laid_out(document, plan, protected_in(document))
    except (FranklyError, TypeError, ValueError):  # a program may have planned anything
        return False


def laid_out(document: Document, plan: Plan, hidden: Iterable[str]) -> list[Written] | None:
    """Make the forms of the planned layout; None where none is planned."""
    layout, known = plan.get("layout"), set(hidden)
    if layout not in LAYOUTS or not known:
        return None
    bare = Design.from_document({"attributes": document["attributes"]})
    clear = tuple(name for name in bare.names if name not in known)
    asked = Questions(bare.attributes, clear, document.get("target"))
    fit = {one.name for one in fitting(asked, plan.get("mine", "shares"))}
    chosen = LAYOUTS[layout if layout in fit else SIMPLE]
    design = chosen.design(asked, float(plan.get("epsilon", START)))
    return [form.document() for form in design.forms]


def forms_for(
    document: Document, plan: Plan, hidden: Sequence[str], before: Document
) -> list[Written]:
    """Make the forms: by the planned layout, or as they were written.

    Parameters
    ----------
    document
        The new one: its attributes, its target, and who draws.
    plan
        As `plan_of` gives it.
    hidden
        The attributes that are to be protected.
    before
        The old one, `under` the new names.
    """
    planned = None if document.get("own_device") else laid_out(document, plan, hidden)
    if planned is not None:
        return planned
    bare = Design.from_document({"attributes": document["attributes"]})
    made = [patched(bare, form, hidden, before) for form in forms_in(before)]
    asking = [form for form in made if form.keys() & {"groups", "clear"}]
    return asking or [{"clear": list(bare.names)}]


def patched(
    bare: Design, form: Document, hidden: Sequence[str], before: Document
) -> dict[str, Any]:
    """Keep what a form hides and asks in clear; a fair coin for what is newly protected."""
    known = {n for one in forms_in(before) for n in names_in(one)}
    asked = [name for name in bare.names if name in names_in(form) or name not in known]
    kept = [(group, [n for n in group["names"] if n in hidden]) for group in form["groups"]]
    groups = [fitted(bare, names, group, before) for group, names in kept if names]
    grouped = {name for group in groups for name in group["names"]}
    new = set(hidden) - protected_in(before) - grouped
    groups += [{"names": [name], "mechanism": dict(FAIR)} for name in asked if name in new]
    clear = [name for name in asked if name not in grouped | new]
    made = {"groups": groups, "clear": clear, "weight": form.get("weight", 1)}
    return {key: part for key, part in made.items() if part and part != 1}


def names_in(form: Document) -> set[str]:
    """Name what a form asks, hidden or in clear."""
    return {*form["clear"], *(name for group in form["groups"] for name in group["names"])}


def fitted(bare: Design, names: list[str], group: Document, before: Document) -> dict[str, Any]:
    """Keep a device that still fits its questions; else a draw that reveals no more than it."""
    device = dict(group["mechanism"])
    if isinstance(device.get("cover"), Mapping):
        device["cover"] = {name: device["cover"].get(name) for name in names}
    attributes = [bare[name].document() for name in names]
    if revealed(attributes, device) is not None:
        return {"names": names, "mechanism": device}
    was = [part for part in before["attributes"] if part["name"] in group["names"]]
    limit = revealed(was, group["mechanism"], group["names"]) or math.inf
    for fair in ({**FAIR, "theta": device.get("theta", FAIR["theta"])}, FAIR):
        now = revealed(attributes, fair)
        if now is not None and now <= limit:
            return {"names": names, "mechanism": dict(fair)}
    least = [Group(names, Uniform(epsilon=limit if math.isfinite(limit) else START))]
    made: dict[str, Any] = Design([bare[name] for name in names], groups=least).forms[0].document()
    return dict(made["groups"][0])


def revealed(
    attributes: Sequence[Document], device: Document, names: Sequence[str] = ()
) -> float | None:
    """Tell what a device reveals of some questions, as epsilon; None if it does not fit them."""
    told = list(names) or [part["name"] for part in attributes]
    group = {"names": told, "mechanism": dict(device)}
    try:
        return open_design({"attributes": attributes, "groups": [group]}).epsilon
    except FranklyError:
        return None
