"""Frankly: surveys on sensitive questions, and data mining on their randomized answers."""

from frankly.advise import advise
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
    "estimate",
    "estimate_by",
    "load",
    "open",
    "privacy",
    "randomize",
]
