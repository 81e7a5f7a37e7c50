"""Layouts: the ways in which questions can be put into groups and forms."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from frankly.design import Attribute, Design, Form, Group
from frankly.errors import DesignError, ThetaError
from frankly.mechanism import Uniform

__all__ = ["LAYOUTS", "Layout", "Mine", "Questions", "fitting", "statistics"]

Mine = Literal["shares", "tables", "naive_bayes", "tree"]
"""What will be mined: single shares, tables with the target, or a model."""


@dataclass(frozen=True)
class Questions:
    """What is to be asked: protected questions, clear ones, and the target."""

    attributes: tuple[Attribute, ...]
    clear: tuple[str, ...] = ()
    target: str | None = None

    @property
    def protected(self) -> tuple[str, ...]:
        """The questions to be hidden, the target last."""
        names = [a.name for a in self.attributes if a.name not in self.clear]
        return tuple(sorted(names, key=lambda name: name == self.target))

    @property
    def others(self) -> tuple[str, ...]:
        """The protected questions without the target."""
        return tuple(name for name in self.protected if name != self.target)

    def design(self, forms: Sequence[Form], **words: Any) -> Design:
        """Put forms over these questions."""
        return Design(self.attributes, forms=forms, target=self.target, **words)


Forms = Callable[[Questions, float], list[Form]]
"""Make the forms of a layout that spend this epsilon on a person."""


@dataclass(frozen=True)
class Layout:
    """One way to ask, in a sentence and as forms.

    Attributes
    ----------
    name, words
        What it is called, and what it means for one person.
    forms
        Makes the forms that spend a given epsilon on a person.
    needs_target
        Whether every form asks the target too.
    """

    name: str
    words: str
    forms: Forms
    needs_target: bool = False

    def design(self, questions: Questions, epsilon: float) -> Design:
        """Make the design that spends this epsilon on a person."""
        return questions.design(self.forms(questions, epsilon))

    def reaches(self, questions: Questions, epsilon: float) -> bool:
        """Tell whether there is such a design: one toss over 2 ** 30 answers is out of reach.

        Its theta would be smaller than any that can be drawn.
        """
        try:
            self.design(questions, epsilon)
        except ThetaError:
            return False
        return True


def one_toss(questions: Questions, epsilon: float) -> list[Form]:
    """Hide everything by one toss."""
    return [Form([Group(questions.protected, Uniform(epsilon=epsilon))], questions.clear)]


def own_toss(questions: Questions, epsilon: float) -> list[Form]:
    """Hide every question by a toss of its own."""
    return [in_groups(questions, [[name] for name in questions.protected], epsilon)]


def small_groups(questions: Questions, epsilon: float) -> list[Form]:
    """Hide questions by twos."""
    names = list(questions.protected)
    return [in_groups(questions, [names[i : i + 2] for i in range(0, len(names), 2)], epsilon)]


def in_groups(questions: Questions, parts: Sequence[Sequence[str]], epsilon: float) -> Form:
    """Put questions into groups that share the epsilon alike."""
    groups = [Group(part, Uniform(epsilon=epsilon / len(parts))) for part in parts]
    return Form(groups, questions.clear)


def one_each(questions: Questions, epsilon: float) -> list[Form]:
    """Ask every person one protected question."""
    return apart(questions, [[name] for name in questions.protected], epsilon)


def modules(questions: Questions, epsilon: float) -> list[Form]:
    """Ask every person one question and the target, hidden together."""
    target = wanted_target(questions)
    return apart(questions, [[name, target] for name in questions.others], epsilon)


def apart(questions: Questions, parts: Sequence[Sequence[str]], epsilon: float) -> list[Form]:
    """Ask every person one of these parts; those of many values are asked of more people."""
    sizes = {attribute.name: attribute.size for attribute in questions.attributes}
    cells = [math.prod(sizes[name] for name in part) for part in parts]
    return [
        Form([Group(part, Uniform(epsilon=epsilon))], questions.clear, weight=weight)
        for part, weight in zip(parts, weights(cells, epsilon), strict=True)
    ]


def weights(cells: Sequence[int], epsilon: float) -> list[int]:
    """Share people out so that the widest interval is as narrow as can be.

    Of many values a report tells less, so they take more reports. No part is asked more than
    ten times as often as another.

    Examples
    --------
    >>> weights([2, 2, 2], 1.0), weights([2, 3], 1.0), weights([2, 20], 1.0)
    ([1, 1, 1], [5, 8], [1, 10])
    """
    told = [math.expm1(epsilon) / (math.expm1(epsilon) + many) for many in cells]
    lowest = [(1 - theta) / many for theta, many in zip(told, cells, strict=True)]
    seen = [min(max(0.5, low), low + theta) for low, theta in zip(lowest, told, strict=True)]
    spread = [one * (1 - one) / theta**2 for one, theta in zip(seen, told, strict=True)]
    parts = [min(round(5 * one / min(spread)), 50) for one in spread]
    return [part // math.gcd(*parts) for part in parts]


def pair_modules(questions: Questions, epsilon: float) -> list[Form]:
    """Ask every person two questions and the target, hidden together."""
    target = wanted_target(questions)
    return [
        Form([Group([*pair, target], Uniform(epsilon=epsilon))], questions.clear)
        for pair in combinations(questions.others, 2)
    ]


def wanted_target(questions: Questions) -> str:
    """Give the target, or say that one is needed."""
    if questions.target is None:
        raise DesignError("modules hide each question together with a target: name one")
    return questions.target


LAYOUTS: Mapping[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("one toss", "everybody is asked everything, one toss hides it all", one_toss),
        Layout("own tosses", "everybody is asked everything, each answer has its toss", own_toss),
        Layout("twos", "everybody is asked everything, two answers a toss", small_groups),
        Layout("one each", "everybody is asked one of the questions", one_each),
        Layout("modules", "everybody is asked one question and the target", modules, True),
        Layout(
            "pair modules", "everybody is asked two questions and the target", pair_modules, True
        ),
    )
}
"""Every layout by name."""


def fitting(questions: Questions, mine: Mine) -> list[Layout]:
    """List the layouts that let this be mined, with one of each kind of design."""
    wanted = statistics(questions, mine)
    found = []
    for layout in LAYOUTS.values():
        if layout.needs_target and (questions.target is None or not questions.others):
            continue
        if layout.name == "pair modules" and not 2 <= len(questions.others) <= 14:
            continue
        if layout.name in {"twos", "one each"} and len(questions.protected) < 2:
            continue
        forms = layout.forms(questions, 1.0)
        if all(any(form.asks(names) for form in forms) for names in wanted):
            found.append(layout)
    return found


def statistics(questions: Questions, mine: Mine) -> list[tuple[str, ...]]:
    """List the tables whose precision counts."""
    if mine == "shares" or questions.target is None or not questions.others:
        return [(name,) for name in questions.protected]
    if mine == "tree":
        together = min(len(questions.others), 2)
        return [(*some, questions.target) for some in combinations(questions.others, together)]
    return [(name, questions.target) for name in questions.others]
