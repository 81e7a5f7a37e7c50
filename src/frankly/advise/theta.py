"""Theta: how often the truth must be told for a wanted precision."""

from fractions import Fraction

from frankly.advise.line import lines_of
from frankly.advise.width import Plan, width_at
from frankly.design import Attribute, Design, Group
from frankly.errors import CannotBeToldError
from frankly.mechanism import Uniform

__all__ = ["theta_for"]

PARTS = 1000


def theta_for(precision: float, n: int, *, values: int = 2, plan: Plan | None = None) -> Fraction:
    """Find the smallest theta, in thousandths, at which n people are precise enough.

    Parameters
    ----------
    precision
        The half-width wanted.
    n
        How many people answer.
    values
        How many values the question has; the cover is uniform.
    plan
        Level, share, and whether the width is to be assured.

    Examples
    --------
    >>> theta_for(0.05, 2000)
    Fraction(219, 500)
    """
    plan = plan or Plan()
    if width(PARTS, n, values, plan) > precision:
        raise CannotBeToldError(
            f"even asked in clear, {n:,} people give ± {100 * width(PARTS, n, values, plan):.2f} "
            f"points, not ± {100 * precision:.2f}. Ask more people, or accept a wider interval"
        )
    low, high = 0, PARTS
    while high - low > 1:
        middle = (low + high) // 2
        enough = width(middle, n, values, plan) <= precision
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, PARTS)


def width(parts: int, n: int, values: int, plan: Plan) -> float:
    """Tell the half-width at a theta of so many thousandths."""
    question = Attribute("answer", [str(code) for code in range(values)])
    group = Group(["answer"], Uniform(Fraction(parts, PARTS)))
    design = Design([question], groups=[group], accept_infinite_epsilon=True)
    return width_at(lines_of(design, ["answer"]), n, plan)
