"""The respondent's version: what happens to your answer, in words anybody reads once.

Its sentences are the page's own (``web/words/en.js``); golden vectors hold both to it.
"""

import math
from dataclasses import dataclass

import numpy as np

from frankly.design import Design, Form, Group
from frankly.judge.measure import Measure
from frankly.mechanism import Coin

__all__ = ["Odds", "example", "odds_of", "respondent_text"]


@dataclass(frozen=True)
class Odds:
    """Out of 100 people like you: whose own answer is sent, and whose is drawn by chance.

    ``about`` says that the numbers are rounded.
    """

    own: int
    chance: int
    about: bool

    def sentence(self) -> str:
        """Say it as the page does."""
        own, chance = (f"about {n}" if self.about else f"{n}" for n in (self.own, self.chance))
        people = f"Of 100 people like you, {own} send their own answer"
        return f"{people} and {chance} one drawn by chance."


def odds_of(group: Group) -> Odds | None:
    """Give a group's odds in natural frequencies; None for a device without a coin.

    Examples
    --------
    >>> from frankly import Group, Unrelated
    >>> odds_of(Group(["ill"], Unrelated(theta="2/3"))).sentence()
    'Of 100 people like you, about 67 send their own answer and about 33 one drawn by chance.'
    """
    device = group.device
    if not isinstance(device, Coin):
        return None
    own = 100 * device.theta
    rounded = math.floor(own + type(own)(1, 2))
    return Odds(rounded, 100 - rounded, about=own.denominator != 1)


def respondent_text(design: Design, form: int = 0) -> str:
    """Say what the page says before it asks, in its own sentences and in fewer than 120 words.

    Parameters
    ----------
    design
        The survey.
    form
        The form this person got.

    Examples
    --------
    >>> from frankly import Attribute, Design, Group, Unrelated
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Unrelated(theta=0.5))])
    >>> print(respondent_text(design).splitlines()[-3])
    Of 100 people like you, 50 send their own answer and 50 one drawn by chance.
    """
    asked = design.forms[form]
    lines = [*LABEL, *practised(design, asked)] if asked.groups else []
    if any(len(group.names) > 1 for group in asked.groups):
        lines.append(TOGETHER)
    if asked.clear:
        lines.append(f"Sent as you answer, without protection: {listed(design, asked.clear)}.")
    if asked.groups:
        lines.append(cost(asked.epsilon))
    return "\n".join([*lines, FINAL])


LABEL = (
    "Nobody can see your answer",
    "Who can see my true answer? Nobody. It stays on this device.",
    "What is sent? Sometimes your answer, sometimes one drawn by chance.",
    "If the data leak? Nobody can tell which it was, not even the people who ask.",
)
TOGETHER = (
    "Protected together with the other questions of its group: one draw decides for all of them."
)
FINAL = "Once sent, an answer cannot be taken back: nobody can find yours among the others."
"""The page's words in English; a browser test compares them."""


def listed(design: Design, names: tuple[str, ...]) -> str:
    """List questions as people read them."""
    prompts = [design[name].prompt or name for name in names]
    told = (p if isinstance(p, str) else p.get("en") or next(iter(p.values())) for p in prompts)
    return ", ".join(f"“{one}”" for one in told)


def practised(design: Design, form: Form) -> list[str]:
    """Say the odds that people see in practice: those of the first question with a coin."""
    if design.own_device:
        return []
    groups = {name: group for group in form.groups for name in group.names}
    told = (odds_of(groups[name]) for name in design.names if name in groups)
    return [odds.sentence() for odds in told if odds is not None][:1]


def cost(epsilon: float) -> str:
    """Say what a whole report can reveal at most."""
    if math.isinf(epsilon):
        return "Careful: in this survey some things that are sent can be proof (ε = ∞)."
    times = float(f"{math.exp(epsilon):.2g}")
    return (
        "What is sent can shift the odds of any guess at your protected answers at most "
        f"{times:.{0 if times.is_integer() else 1}f} times (ε = {epsilon:.2f})."
    )


def odds_lines(form: Form) -> list[str]:
    """Say the odds: one sentence, or the span when groups differ."""
    told = [odds for group in form.groups if (odds := odds_of(group)) is not None]
    if not told:
        return ["What is sent depends on chance as well as on your answer."]
    least, most = min(told, key=lambda o: o.own), max(told, key=lambda o: o.own)
    if least.own == most.own:
        return [least.sentence()]
    people = f"Of 100 people like you, {least.own} to {most.own} send their own answer"
    return [f"{people}, depending on the question, and the others one drawn by chance."]


def example(form: Form) -> str:
    """Say for a reader of reports what one means, for the question that tells most."""
    found = [
        meaning(form, group, place) for group in form.groups for place in range(len(group.names))
    ]
    sure, report, truth = max(found)
    return (
        f"If all answers were equally common, then of 100 people who send “{report}”, about "
        f"{100 - 100 * sure:.0f} would really answer something other than “{truth}”."
    )


def meaning(form: Form, group: Group, place: int) -> tuple[float, str, str]:
    """Tell how sure a question's most telling report is, that report, and what it points to."""
    values = form.domains[group.names[place]]
    device = group.device if len(group.names) == 1 else group.device.seen_through([place])
    channel = device.push(np.eye(len(values)), (0,)).T
    measure = Measure(channel, np.full(len(values), 1 / len(values)))
    report, truth = measure.most_moved()
    return (
        float(measure.posterior[report, truth]),
        device.reported(values)[report],
        values[truth],
    )
