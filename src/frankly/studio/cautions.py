"""Cautions: what an owner should know before anybody is asked."""

import math

from frankly.advise import Candidate
from frankly.advise.advice import points
from frankly.design import Design
from frankly.studio.results import FEWEST, STEP

__all__ = ["NOTHING", "cautions"]

WIDE = 0.15
"""An interval wider than ± 15 points tells little."""

NOTHING = 0.5
"""An interval of ± 50 points holds every share: nothing can be told."""

USEFUL = 0.05
"""The interval for which the number of people is named."""

FEW = 100
"""A group smaller than this is revealing by itself."""

SMALL_FORM = 30
"""With fewer people to a form, a good part of them may never be told."""


def cautions(design: Design, one: Candidate, budget: float | None = None) -> list[str]:
    """Say what is wrong with a setting, and what would help."""
    said = [too_few(one), too_wide(one), proof(one), overspent(one, budget)]
    said += [small_forms(design, one.n), told_apart(design, one.n)]
    return [sentence for sentence in said if sentence]


def too_few(one: Candidate) -> str:
    """Warn of a group that is small enough to be known by name."""
    if one.n >= FEW:
        return ""
    return (
        f"{one.n} people are too few. Results are shown from {FEWEST} answers on, because a "
        "group this small is revealing by itself: whoever knows it can guess who answered what."
    )


def too_wide(one: Candidate) -> str:
    """Warn of an interval that tells little, with the people it would take."""
    if one.error <= WIDE:
        return ""
    if not math.isfinite(one.error):
        return f"{one.n:,} people tell nothing: there are more forms than people. Ask more people."
    found = (
        "tell nothing yet"
        if one.error >= NOTHING
        else f"give intervals of ± {points(one.error)} points"
    )
    if one.error >= 1:
        return (
            f"{one.n:,} people {found}, and it would take far too many more. Tell more straight, "
            "or ask fewer questions a person."
        )
    return (
        f"{one.n:,} people {found}. For ± {100 * USEFUL:.0f} points it takes about "
        f"{people_needed(one):,} people, or fewer questions a person, or more told straight."
    )


def people_needed(one: Candidate) -> int:
    """Tell roughly how many people make the interval useful: widths go with the root of n."""
    needed = one.n * (one.error / USEFUL) ** 2
    scale: int = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    return math.ceil(needed / scale) * scale


def proof(one: Candidate) -> str:
    """Warn of a device under which something sent can be proof."""
    if math.isfinite(one.epsilon):
        return ""
    return (
        "Epsilon is infinite: some report proves something about whoever sent it. Choose another "
        "layout; opening such a survey needs a consent by name."
    )


def overspent(one: Candidate, budget: float | None) -> str:
    """Warn of a survey that alone costs more than its panel may reveal."""
    if budget is None or one.epsilon <= budget:
        return ""
    return (
        f"Epsilon {one.epsilon:.2f} is more than the panel's budget of {budget:.2f}: this survey "
        "will not open. Move the slider to the left."
    )


def small_forms(design: Design, n: int) -> str:
    """Warn when so few people get a form that much of it may never be told."""
    weights = [form.weight for form in design.forms]
    each = n * min(weights) // sum(weights)
    if len(weights) == 1 or each >= SMALL_FORM:
        return ""
    return (
        f"{n:,} people and {len(weights)} forms: about {each} people answer "
        f"{'each' if min(weights) == max(weights) else 'the rarest'}. A form is told from {STEP} "
        f"answers on and in steps of {STEP}, so that nobody stands out: some questions may stay "
        "untold, and the last few answers to each form. Ask more people, or choose a layout with "
        "fewer forms."
    )


def told_apart(design: Design, n: int) -> str:
    """Warn when the clear questions have so many combinations that people are alone with theirs."""
    clear = sorted({name for form in design.forms for name in form.clear})
    cells = math.prod(design.sizes(clear))
    alone = (1 - 1 / cells) ** (n - 1)
    if len(clear) < 2 or alone < 0.05:
        return ""
    return (
        f"The {len(clear)} questions asked in clear have {cells:,} combinations for {n:,} people: "
        f"even if all were equally common, {100 * alone:.0f} in 100 people would be alone with "
        "theirs and could be found by it. Ask fewer of them in clear, or with fewer answers."
    )
