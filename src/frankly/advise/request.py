"""Request: wishes in, a design out, or the wish to relax."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from frankly.advise.advice import Advice, Candidate, Relaxed
from frankly.advise.expected import Expectation, check_expectation, ranges_of
from frankly.advise.layouts import Layout, Mine, Questions, fitting, statistics
from frankly.advise.line import Line, lines_of
from frankly.advise.notes import LEAST, MOST, notes_on
from frankly.advise.width import MOST as PEOPLE
from frankly.advise.width import Plan, people_for, width_at
from frankly.design import Attribute, Design
from frankly.errors import CannotBeToldError, DesignError
from frankly.judge import Limits, privacy
from frankly.judge.prior import Given

__all__ = ["Request", "advise"]

GRID = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Epsilons of a whole report at which every layout is tried for the Pareto picture."""

NEARLY, MANY_FORMS = 1.1, 30
"""A design of more than so many forms must be a tenth better than a simpler one."""


@dataclass(frozen=True)
class Request:
    """Everything that is wished for."""

    questions: Questions
    mine: Mine
    n: int | None
    precision: float | None
    limits: Limits
    plan: Plan
    prior: Given
    expected: Expectation = None

    def planned(self, design: Design) -> set[tuple[tuple[Line, ...], Plan]]:
        """Give the lines of every table that counts, with every share its cells may have.

        Most tables are like others; what is alike is planned once.
        """
        known = {attribute.name: attribute for attribute in self.questions.attributes}
        return {
            (lines, replace(self.plan, share=share))
            for names in statistics(self.questions, self.mine)
            for lines in [tuple(lines_of(design, names))]
            for share in ranges_of(self.expected, [known[name] for name in names])
        }

    def width(self, design: Design, n: int) -> float:
        """Tell the widest half-width that counts."""
        return max(width_at(lines, n, plan) for lines, plan in self.planned(design))

    def people(self, design: Design, width: float) -> int:
        """Tell how many people the widest interval takes."""
        return max(people_for(lines, width, plan) for lines, plan in self.planned(design))

    def allowed(self, design: Design) -> bool:
        """Tell whether a design keeps to the limits."""
        return not self.limits.broken(privacy(design, self.prior))

    def candidate(self, layout: Layout, epsilon: float, n: int) -> Candidate:
        """Judge one layout at one epsilon."""
        return self.judged(layout.name, layout.design(self.questions, epsilon), n)

    def judged(self, layout: str, design: Design, n: int) -> Candidate:
        """Judge one design: its error with n people, and its privacy."""
        stated = privacy(design, self.prior)
        exposed = stated.exposed()
        return Candidate(
            layout=layout,
            design=design,
            n=n,
            error=self.width(design, n),
            epsilon=stated.record.epsilon,
            posterior=stated.highest_posterior,
            exposed=1.0 if exposed is None else exposed,
            pse=stated.pse,
        )


def advise(  # noqa: PLR0913 - one keyword for each wish
    questions: Design | Sequence[Attribute],
    *,
    n: int | None = None,
    precision: float | None = None,
    max_epsilon: float | None = None,
    max_posterior: float | None = None,
    max_exposed: float | None = None,
    min_privacy: float | None = None,
    target: str | None = None,
    mine: Mine = "shares",
    assured: bool = False,
    share: Expectation = None,
    prior: Given = None,
    level: float = 0.95,
) -> Advice:
    """Propose groups, forms, thetas and a number of people that meet every wish.

    Parameters
    ----------
    questions
        The questions to ask; of a design, its clear ones stay clear.
    n, precision
        How many people there are, and the half-width wanted of every interval that counts.
        Leave one out and it is computed; leave both out only with no other wish open.
    max_epsilon, max_posterior, max_exposed, min_privacy
        Limits on what one report may reveal; see `Limits`.
    target, mine
        What will be predicted, and what will be mined: ``shares``, ``tables`` with the target,
        ``naive_bayes`` or ``tree``.
    assured
        True when the half-width must be kept in 95 % of surveys, not only on average.
    share
        The share expected of one answer; None plans for the worst case, which always suffices.
        Of two answers the other has what is left. Of three or more, or of the cells of a
        table, the others add up to what is left, and the worst of these is planned for: if
        10 % are expected, another answer may have 50 %. To plan for less, give the shares of
        all answers by question: ``{"ill": 0.1, "ward": [0.2, 0.2, 0.6]}``.
    prior
        What a collector knows before, as in `privacy`.
    level
        How sure the intervals are.

    Examples
    --------
    >>> from frankly import Attribute, advise
    >>> asked = [Attribute(name, ["no", "yes"]) for name in ("ill", "smokes", "drinks")]
    >>> advice = advise(asked, precision=0.05, max_epsilon=1)
    >>> advice.best.layout, advice.best.n
    ('one each', 5382)
    >>> print(advise(asked, n=2000, precision=0.05, max_epsilon=1).sentence()[:51])
    These wishes cannot all be met. Relax one of them:
    """
    limits = Limits(
        max_epsilon=max_epsilon,
        max_posterior=max_posterior,
        max_exposed=max_exposed,
        min_privacy=min_privacy,
    )
    plan = Plan(level, assured)
    request = Request(asked(questions, target), mine, n, precision, limits, plan, prior, share)
    check(request)
    layouts = fitting(request.questions, mine)
    if not layouts:
        raise DesignError("no layout lets this be mined: name a target, or mine shares")
    found = [one for layout in layouts if (one := met(request, layout)) is not None]
    best = simplest(request, found)
    people = n or (best.n if best else 1000)
    return Advice(
        best=best,
        relaxed=() if best else relaxations(request, layouts),
        candidates=grid(request, layouts, people),
        notes=notes_on(request, best),
        level=level,
        assured=assured,
    )


def grid(request: Request, layouts: Sequence[Layout], n: int) -> tuple[Candidate, ...]:
    """Try every layout at several epsilons."""
    return tuple(
        request.candidate(layout, epsilon, n)
        for layout in layouts
        for epsilon in GRID
        if layout.reaches(request.questions, epsilon)
    )


def asked(questions: Design | Sequence[Attribute], target: str | None) -> Questions:
    """Read what is to be asked."""
    if isinstance(questions, Design):
        hidden = {n for form in questions.forms for g in form.groups for n in g.names}
        clear = tuple(name for name in questions.names if name not in hidden)
        return Questions(questions.attributes, clear, target or questions.target)
    return Questions(tuple(questions), (), target)


def check(request: Request) -> None:
    """Refuse a request that leaves too much open, or asks for nothing sensible."""
    if not request.questions.protected:
        raise DesignError("there is nothing to protect: every question is clear")
    target = request.questions.target
    if target is not None and target not in request.questions.protected:
        raise DesignError(f"the target {target!r} must be one of the protected questions")
    if request.n is None and request.precision is None:
        raise DesignError("say how many people there are (n), or how precise it should be")
    if request.n is not None and not 2 <= request.n <= PEOPLE:
        raise DesignError(
            f"n is how many people answer, from 2 to {PEOPLE:,}; this is {request.n:,}"
        )
    if request.limits == Limits() and (request.n is None or request.precision is None):
        raise DesignError(
            "say two of the three: how many people (n), how precise (precision), and how private "
            "(max_epsilon, max_posterior, max_exposed or min_privacy); the third is computed"
        )
    if request.precision is not None and not 0 < request.precision < 1:
        raise DesignError("precision is a half-width such as 0.03, which is ± 3 points")
    check_expectation(request.expected, request.questions.attributes)


def rank(request: Request, one: Candidate) -> tuple[float, float, float]:
    """Put the better candidate first: what was left open decides."""
    if request.n is None:
        return one.n, one.epsilon, one.error
    if request.precision is None:
        return one.error, one.epsilon, one.n
    return round(one.epsilon, 4), one.error, one.n  # no finer than it was searched for


def simplest(request: Request, found: Sequence[Candidate]) -> Candidate | None:
    """Choose the best candidate, or one with fewer forms that is nearly as good."""
    if not found:
        return None
    best = min(rank(request, one) for one in found)
    near = [one for one in found if rank(request, one)[0] <= NEARLY * best[0]]
    return min(near, key=lambda one: (len(one.design.forms) > MANY_FORMS, rank(request, one)))


def met(request: Request, layout: Layout) -> Candidate | None:
    """Meet all wishes with one layout, as privately as they allow."""
    most = largest_epsilon(request, layout)
    if most is None:
        return None
    if request.n is None:
        design = layout.design(request.questions, most)
        try:
            n = request.people(design, request.precision or 1.0)
        except CannotBeToldError:
            return None
        return request.candidate(layout, most, n)
    n, precision = request.n, request.precision
    if precision is None:
        return request.candidate(layout, most, n)
    if request.width(layout.design(request.questions, most), n) > precision:
        return None
    least = smallest_epsilon(request, layout, n, precision) or most
    return request.candidate(layout, min(least, most), n)


def largest_epsilon(request: Request, layout: Layout) -> float | None:
    """Find the largest epsilon of a whole report that keeps to the limits."""

    def allowed(epsilon: float) -> bool:
        there = layout.reaches(request.questions, epsilon)
        return there and request.allowed(layout.design(request.questions, epsilon))

    limit = request.limits.max_epsilon
    high = MOST if limit is None else min(limit, MOST)
    if high <= 0:
        return None
    if allowed(high):
        return high
    least = min(LEAST, high)
    return halved(allowed, least, high) if allowed(least) else None


def smallest_epsilon(request: Request, layout: Layout, n: int, precision: float) -> float | None:
    """Find the smallest epsilon of a whole report that is precise enough."""

    def precise(epsilon: float) -> bool:
        there = layout.reaches(request.questions, epsilon)
        return there and request.width(layout.design(request.questions, epsilon), n) <= precision

    if not precise(MOST):
        return None
    if precise(LEAST):
        return LEAST
    return -halved(lambda epsilon: precise(-epsilon), -MOST, -LEAST)


def halved(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Find the last number at which something that holds below still holds."""
    while high - low > 1e-4 * max(1.0, abs(low)):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def relaxations(request: Request, layouts: Sequence[Layout]) -> tuple[Relaxed, ...]:
    """For each wish by itself, find how far it would have to give."""
    offers: list[Relaxed] = []
    if request.n is not None and request.precision is not None:
        more = best_of(replace(request, n=None), layouts, lambda one: one.n)
        if more is not None and request.limits != Limits():
            offers.append(Relaxed("n", request.n, more.n))
        wider = best_of(replace(request, precision=None), layouts, lambda one: one.error)
        if wider is not None:
            offers.append(Relaxed("precision", request.precision, wider.error))
    for wish in ("max_epsilon", "max_posterior", "max_exposed", "min_privacy"):
        offer = relaxed_limit(request, layouts, wish)
        if offer is not None:
            offers.append(offer)
    return tuple(offers)


def relaxed_limit(request: Request, layouts: Sequence[Layout], wish: str) -> Relaxed | None:
    """Find how far one limit would have to give, the other wishes kept."""
    asked_for = getattr(request.limits, wish)
    if asked_for is None:
        return None
    free = replace(request, limits=replace(request.limits, **{wish: None}))
    if free.n is None and free.precision is not None:
        free = replace(free, n=PEOPLE)  # as many as may be asked for
    notion = {"max_epsilon": "epsilon", "max_posterior": "posterior", "max_exposed": "exposed"}
    kind = notion.get(wish, "pse")
    if free.n is None or free.precision is None:
        # Without a precision to reach, the least that any survey gives away is the offer.
        least = [layout for layout in layouts if layout.reaches(request.questions, LEAST)]
        found = [request.candidate(layout, LEAST, free.n or 1000) for layout in least]
        one = min(found, key=lambda one: one.cost(kind))
    else:
        best = best_of(free, layouts, lambda one: one.cost(kind))
        if best is None:
            return None
        one = best
    needed = abs(one.cost(kind))
    slack = math.floor(1000 * needed) / 1000 if kind == "pse" else math.ceil(1000 * needed) / 1000
    return Relaxed(wish, asked_for, slack)


def best_of(
    request: Request, layouts: Sequence[Layout], cost: Callable[[Candidate], float]
) -> Candidate | None:
    """Give the cheapest candidate that meets what is left of the wishes."""
    found = [one for layout in layouts if (one := met(request, layout)) is not None]
    return min(found, key=cost) if found else None
