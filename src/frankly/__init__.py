"""Frankly: surveys on sensitive questions, and data mining on their randomized answers."""

# ruff: noqa: TC004 - the names are bound when they are used, by Face below

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frankly.advise import advise
    from frankly.connect import connect
    from frankly.count import open_reports as open  # noqa: A004 - fk.open reads as it should
    from frankly.design import Attribute, Design, Form, Group
    from frankly.estimate import Conditional, Estimate, estimate, estimate_by
    from frankly.judge import accuracy, audit, privacy
    from frankly.mechanism import (
        Crosswise,
        Flip,
        Forced,
        Kuk,
        Mangat,
        Matrix,
        Triangular,
        Uniform,
        Unrelated,
    )
    from frankly.mine import CART, ID3, TAN, AssociationRules, LatentClasses, NaiveBayes, load
    from frankly.randomize import Tape, randomize

__version__ = "0.1.0"

__all__ = [
    "CART",
    "ID3",
    "TAN",
    "AssociationRules",
    "Attribute",
    "Conditional",
    "Crosswise",
    "Design",
    "Estimate",
    "Flip",
    "Forced",
    "Form",
    "Group",
    "Kuk",
    "LatentClasses",
    "Mangat",
    "Matrix",
    "NaiveBayes",
    "Tape",
    "Triangular",
    "Uniform",
    "Unrelated",
    "accuracy",
    "advise",
    "audit",
    "connect",
    "estimate",
    "estimate_by",
    "load",
    "open",
    "privacy",
    "randomize",
]

ROOMS = {
    "advise": ("advise",),
    "connect": ("connect",),
    "count": ("open",),
    "design": ("Attribute", "Design", "Form", "Group"),
    "errors": (),
    "estimate": ("Conditional", "Estimate", "estimate", "estimate_by"),
    "judge": ("accuracy", "audit", "privacy"),
    "mechanism": (
        "Crosswise",
        "Flip",
        "Forced",
        "Kuk",
        "Mangat",
        "Matrix",
        "Triangular",
        "Uniform",
        "Unrelated",
    ),
    "mine": ("CART", "ID3", "TAN", "AssociationRules", "LatentClasses", "NaiveBayes", "load"),
    "randomize": ("Tape", "randomize"),
}
HOMES = {name: f"frankly.{room}" for room, names in ROOMS.items() for name in names}
THERE = {"open": "open_reports"}


class Face(ModuleType):
    """The package as users see it: a room is entered when one of its names is first used.

    Whoever counts reports need not load scikit-learn, which the miners need: see
    docs/decisions/0004. What a name means never depends on what was imported before: the
    functions `advise`, `estimate` and `randomize` do not give way to the rooms they live in.
    """

    def __getattr__(self, name: str) -> Any:
        if name in HOMES:
            value = getattr(import_module(HOMES[name]), THERE.get(name, name))
            setattr(self, name, value)
            return value
        if name in ROOMS:
            return import_module(f"frankly.{name}")
        raise AttributeError(f"module 'frankly' has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in HOMES and isinstance(value, ModuleType):
            return  # Python binds a room it has imported under its name
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        own = {name for name in super().__dir__() if name.startswith("__")}
        return sorted({*own, *__all__, *ROOMS})


sys.modules[__name__].__class__ = Face
