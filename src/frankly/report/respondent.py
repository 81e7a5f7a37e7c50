"""The respondent's version: what happens to your answer, in words anybody reads once.

Its sentences are the page's own (``web/words/en.js``); golden vectors hold both to it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from frankly.design import Design, Form, Group
from frankly.judge.measure import Measure
from frankly.mechanism import Coin, Flip, Unrelated

__all__ = ["Odds", "example", "odds_of", "respondent_text"]


@dataclass(frozen=True)
class Odds:
    """Out of 100 people like you: whose own answer is sent, and in how many cases another one.

    ``about`` says that the numbers are rounded, ``other`` what takes the answer's place.
    """

    own: int
    chance: int
    about: bool
    other: str = "one drawn by chance"

    def sentence(self) -> str:
        """Say it as the page does."""
        own, chance = (f"about {n}" if self.about else f"{n}" for n in (self.own, self.chance))
        people = f"Of 100 people like you, {own} send their own answer"
        return f"{people} and {chance} {self.other}."


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
    return Odds(rounded, 100 - rounded, own.denominator != 1, substitute(group))


def substitute(group: Group) -> str:
    """Say what takes the place of a group's answers."""
    if isinstance(group.device, Flip):
        return "the other answer"
    if isinstance(group.device, Unrelated) and group.device.asked:
        return "one about something innocent"
    return "one drawn by chance"


def substitutes(groups: Iterable[Group]) -> str:
    """Say what takes the place of an answer of several groups."""
    found = {substitute(group) for group in groups}
    return found.pop() if len(found) == 1 else "one in its place"


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
    lines = [*label(design, asked), *practised(design, asked)] if asked.groups else []
    if design.own_device is None and any(len(group.names) > 1 for group in asked.groups):
        lines.append(TOGETHER)
    if asked.clear:
        lines.append(f"Sent as you answer, without protection: {listed(design, asked.clear)}.")
    if asked.groups:
        lines.append(cost(asked.epsilon))
    return "\n".join([*lines, FINAL])


HERE = "It stays on this device."
ONLY = "Only you know whether a protected answer is true or what chance said."
TOGETHER = "One draw decides for all questions of its group."
FINAL = "Once sent, an answer cannot be taken back: nobody can find yours among the others."
"""The page's words in English; a browser test compares them."""


def label(design: Design, form: Form) -> list[str]:
    """Say what an answer can lead to; with a die of one's own it does leave the device."""
    own = design.own_device is not None
    other = "what chance says" if own else substitutes(form.groups)
    return [
        "Nobody can see your answer",
        f"Who can see my true answer? Nobody. {ONLY if own else HERE}",
        f"What is sent? Sometimes your answer, sometimes {other}.",
        "If the data leak? Nobody can tell which it was, not even the people who ask.",
    ]


def listed(design: Design, names: tuple[str, ...]) -> str:
    """List questions as people read them."""
    prompts = [design[name].prompt or name for name in names]
    told = (p if isinstance(p, str) else p.get("en") or next(iter(p.values())) for p in prompts)
    return ", ".join(f"“{one}”" for one in told)


def practised(design: Design, form: Form) -> list[str]:
    """Say the odds that people see in practice; there is none without a coin on the page."""
    coins = [group for group in form.groups if odds_of(group) is not None]
    return odds_lines(form) if coins and design.own_device is None else []


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
    coins = [group for group in form.groups if isinstance(group.device, Coin)]
    told = [odds for group in coins if (odds := odds_of(group)) is not None]
    if not told:
        return ["What is sent depends on chance as well as on your answer."]
    least, most = min(odds.own for odds in told), max(odds.own for odds in told)
    other = substitutes(coins)
    if least == most:
        return [Odds(least, 100 - least, any(odds.about for odds in told), other).sentence()]
    people = f"{least} to {most} of 100 people like you"
    return [f"Depending on the question, {people} send their own answer, the others {other}."]


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
