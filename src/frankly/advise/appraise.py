"""Appraise: what one design gives and costs, without looking for a better one."""

from collections.abc import Sequence

from frankly.advise.advice import Advice, Candidate
from frankly.advise.layouts import LAYOUTS, Mine, fitting
from frankly.advise.request import Request, asked, grid
from frankly.advise.width import Plan
from frankly.design import Attribute, Design
from frankly.errors import DesignError
from frankly.judge import Limits

__all__ = ["appraise", "landscape"]


def appraise(
    questions: Design | Sequence[Attribute],
    n: int,
    *,
    layout: str | None = None,
    epsilon: float | None = None,
    target: str | None = None,
    mine: Mine = "shares",
) -> Candidate:
    """Judge one design with n people: the numbers that `advise` would give it.

    Parameters
    ----------
    questions
        A design; or the questions, which then need a layout and an epsilon.
    n
        How many people answer.
    layout, epsilon
        How the questions are put into groups and forms, and the epsilon of a whole report. Left
        out, the design is judged as it is.
    target, mine
        As in `advise`: they decide which intervals count.

    Examples
    --------
    >>> from frankly import Attribute, advise
    >>> asked = [Attribute(name, ["no", "yes"]) for name in ("ill", "smokes", "drinks")]
    >>> one = appraise(asked, 1000, layout="one each", epsilon=1.0)
    >>> f"± {100 * one.error:.1f} points at an epsilon of {one.epsilon:.2f}"
    '± 11.5 points at an epsilon of 1.00'
    >>> one in advise(asked, n=1000, max_epsilon=1).candidates
    True
    """
    request = Request(asked(questions, target), mine, n, None, Limits(), Plan(), None)
    if layout is not None:
        if layout not in LAYOUTS or epsilon is None:
            raise DesignError(
                f"a layout is one of {list(LAYOUTS)}, with an epsilon beside it; "
                f"this is {layout!r} with {epsilon!r}"
            )
        return request.candidate(LAYOUTS[layout], epsilon, n)
    if not isinstance(questions, Design):
        raise DesignError("questions alone have no protection: name a layout and an epsilon")
    return request.judged("as written", questions, n)


def landscape(
    questions: Design | Sequence[Attribute],
    n: int,
    *,
    chosen: Candidate | None = None,
    target: str | None = None,
    mine: Mine = "shares",
) -> Advice:
    """Give every layout at several epsilons, with one design chosen: a picture, no search.

    Examples
    --------
    >>> from frankly import Attribute
    >>> asked = [Attribute(name, ["no", "yes"]) for name in ("ill", "smokes")]
    >>> sorted({one.layout for one in landscape(asked, 1000).candidates})
    ['one each', 'one toss', 'own tosses', 'twos']
    """
    request = Request(asked(questions, target), mine, n, None, Limits(), Plan(), None)
    found = grid(request, fitting(request.questions, mine), n)
    return Advice(best=chosen, relaxed=(), candidates=found)
