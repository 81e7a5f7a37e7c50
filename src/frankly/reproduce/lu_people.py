"""Lu et al. 2009: the customers of section 4, made up because the paper prints none."""

import numpy as np

from frankly.design import Attribute, Design, Group
from frankly.mechanism import Uniform
from frankly.reproduce.data import Bits

__all__ = ["HIDDEN", "asked", "customers"]

ATTRIBUTES = (
    Attribute("age", ["old", "middle", "young"]),
    Attribute("income", ["high", "middle", "low"]),
    Attribute("married", ["yes", "no"]),
    Attribute("gender", ["male", "female"]),
    Attribute("class", ["A", "B"]),
)
HIDDEN = ("age", "income")

VALUE = {
    "income": (2.6, 0.3, -2.4),
    "age": (-1.4, 1.2, 0.1),
    "married": (0.8, -0.8),
    "gender": (0.2, -0.2),
}
"""What each answer adds to the log-odds of being a high-value customer, class A."""


def customers(people: int, chance: np.random.Generator) -> Bits:
    """Make up customers: income tells most about their value, then age, then the rest."""
    codes = {
        "age": chance.choice(3, people, p=[0.3, 0.4, 0.3]),
        "income": chance.choice(3, people, p=[0.25, 0.45, 0.3]),
        "married": chance.integers(0, 2, people),
        "gender": chance.integers(0, 2, people),
    }
    odds = sum(np.array(VALUE[name])[column] for name, column in codes.items())
    valued = chance.random(people) < 1 / (1 + np.exp(-odds))
    codes["class"] = np.where(valued, 0, 1)
    return Bits({name: column.astype(np.uint8) for name, column in codes.items()}, "class")


def asked(theta: float, names: tuple[str, ...] = HIDDEN) -> Design:
    """Design the survey: some attributes are hidden together, the others are told."""
    group = Group(names, Uniform(theta=theta))
    return Design(ATTRIBUTES, groups=[group], target="class", accept_infinite_epsilon=True)
