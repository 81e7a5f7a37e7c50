"""Frankly: surveys on sensitive questions, and data mining on their randomized answers."""

from frankly.design import Attribute, Design, Form, Group
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
from frankly.randomize import Tape

__version__ = "0.1.0"

__all__ = [
    "Attribute",
    "Crosswise",
    "Design",
    "Flip",
    "Forced",
    "Form",
    "Group",
    "Kuk",
    "Mangat",
    "Matrix",
    "Tape",
    "Triangular",
    "Uniform",
    "Unrelated",
]
