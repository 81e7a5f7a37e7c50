"""The cover: how often each substitute answer is drawn.

Three ways to say it: nothing (every combination of answers equally likely), weights for
each question (drawn independently), or one joint array over the whole group.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from frankly.errors import CoverError
from frankly.mechanism.base import Axes, Codes, Table
from frankly.mechanism.exact import weights
from frankly.mechanism.tape import Tape

__all__ = ["Cover", "draw", "exact_cover", "margin", "smallest", "spread"]

Cover = None | Mapping[str, tuple[int, ...]] | tuple[tuple[int, ...], tuple[int, ...]]
"""Uniform, weights by attribute, or a joint array as (shape, flat weights)."""


def exact_cover(given: Mapping[str, Sequence[Fraction | float]] | ArrayLike | None) -> Cover:
    """Read a cover as integer weights.

    Examples
    --------
    >>> exact_cover({"smokes": [0.75, 0.25]})
    {'smokes': (3, 1)}
    >>> exact_cover([[0.4, 0.1], [0.1, 0.4]])
    ((2, 2), (4, 1, 1, 4))
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {name: weights(part, f"the cover of {name!r}") for name, part in given.items()}
    try:
        joint = np.asarray(given)
        flat = weights(list(joint.ravel()), "the joint cover")
    except (TypeError, ValueError) as error:
        if isinstance(error, CoverError):
            raise
        raise CoverError(
            "a cover is None (uniform), {attribute: weights}, or a joint array of weights "
            "with one axis for each question of the group"
        ) from error
    return tuple(joint.shape), flat


def margin(cover: Cover, kept: Sequence[int]) -> Cover:
    """Give the cover of some of the questions."""
    if cover is None:
        return None
    if isinstance(cover, Mapping):
        names = list(cover)
        return {names[i]: cover[names[i]] for i in kept}
    shape, flat = cover
    joint = np.array(flat, dtype=object).reshape(shape)
    dropped = tuple(i for i in range(len(shape)) if i not in kept)
    table = joint.sum(axis=dropped) if dropped else joint
    order = sorted(kept)
    table = np.transpose(table, [order.index(i) for i in kept])
    return tuple(table.shape), tuple(int(w) for w in table.ravel())


def spread(cover: Cover, shape: Sequence[int], axes: Axes) -> Table:
    """Lay the cover's probabilities along ``axes`` of a table, one elsewhere."""
    if cover is None:
        return np.float64(1 / np.prod([float(shape[axis]) for axis in axes]))  # type: ignore[return-value]
    ndim = len(shape)
    if isinstance(cover, Mapping):
        table = np.ones((1,) * ndim)
        for axis, part in zip(axes, cover.values(), strict=True):
            along = [1] * ndim
            along[axis] = len(part)
            table = table * (np.array(part, dtype=float) / sum(part)).reshape(along)
        return table
    size, flat = cover
    joint = (np.array(flat, dtype=float) / sum(flat)).reshape((*size, *[1] * (ndim - len(size))))
    return np.moveaxis(joint, range(len(size)), axes)


def smallest(cover: Cover, sizes: Sequence[int]) -> Fraction:
    """Tell the probability of the rarest substitute, exactly."""
    if cover is None:
        cells = 1
        for size in sizes:
            cells *= size
        return Fraction(1, cells)
    if isinstance(cover, Mapping):
        least = Fraction(1)
        for part in cover.values():
            least *= Fraction(min(part), sum(part))
        return least
    return Fraction(min(cover[1]), sum(cover[1]))


def draw(cover: Cover, sizes: Sequence[int], n: int, tape: Tape) -> list[Codes]:
    """Draw substitutes for ``n`` people: one draw a question, or one for a joint cover."""
    if cover is None:
        return [tape.below(size, n) for size in sizes]
    if isinstance(cover, Mapping):
        return [pick(part, n, tape) for part in cover.values()]
    return list(np.unravel_index(pick(cover[1], n, tape), cover[0]))


def pick(part: tuple[int, ...], n: int, tape: Tape) -> Codes:
    """Draw positions with probability in proportion to integer weights."""
    return np.searchsorted(np.cumsum(part), tape.below(sum(part), n), side="right")
