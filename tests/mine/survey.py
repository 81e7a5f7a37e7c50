"""Small surveys with an answer worth finding, as codes and as engines."""

from collections.abc import Mapping, Sequence

import numpy as np

from frankly.count import ArrayEngine
from frankly.design import Attribute, Design, Group
from frankly.mechanism import Codes, Unrelated
from frankly.randomize import Tape, draw


def attributes(sizes: Mapping[str, int]) -> list[Attribute]:
    return [Attribute(name, [f"v{k}" for k in range(size)]) for name, size in sizes.items()]


def people(sizes: Mapping[str, int], n: int, seed: int) -> dict[str, Codes]:
    """Make up truths: the last attribute depends on the others, with some chance."""
    rng = np.random.default_rng(seed)
    names = list(sizes)
    codes: dict[str, Codes] = {
        name: rng.integers(0, sizes[name], n, dtype=np.uint8) for name in names[:-1]
    }
    pull = sum(
        np.sin(1.7 * i + (1 + i) * column.astype(float)) for i, column in enumerate(codes.values())
    )
    both = codes[names[0]].astype(float) * codes[names[1]]
    score = pull + both + rng.normal(0, 0.7, n)
    cuts = np.quantile(score, np.arange(1, sizes[names[-1]]) / sizes[names[-1]] ** 1.2)
    return {**codes, names[-1]: np.searchsorted(cuts, score).astype(np.uint8)}


def in_clear(sizes: Mapping[str, int], codes: Mapping[str, Codes]) -> ArrayEngine:
    return ArrayEngine.from_codes(Design(attributes(sizes)), codes)


def hidden(
    sizes: Mapping[str, int],
    groups: Sequence[Sequence[str]],
    theta: float,
    codes: Mapping[str, Codes],
    seed: int = 1,
) -> ArrayEngine:
    """Randomize truths, with a coin for each group, and count the reports."""
    hides = [Group(names, Unrelated(theta=theta)) for names in groups]
    design = Design(attributes(sizes), groups=hides)
    reports = draw(design, dict(codes), Tape.seeded(seed))
    return ArrayEngine.from_codes(design, reports.columns)
