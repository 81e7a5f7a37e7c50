"""One person's record through the Python half: labels in, labels out, as the browser does it."""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankly import Design, Tape, randomize
from frankly.mechanism import Words

__all__ = ["Case", "EdgeTape", "Truth", "case", "send"]

Truth = Mapping[str, str | float]
Case = dict[str, Any]
"""A truth, the words on the tape (all of them are read), and the report they give."""

WORDS = 2**32


def send(design: Design, truth: Truth, tape: Tape) -> dict[str, Any]:
    """Send one record through `frankly.randomize`, as a table of one row.

    A column of whole numbers stays one where all labels are whole numbers (Kuk's cards);
    a report holds the labels themselves, as text.
    """
    reports = randomize(design, {name: [answer] for name, answer in truth.items()}, tape)
    sent: dict[str, Any] = {name: column[0] for name, column in reports.items()}
    return {
        name: value if name == "form" or value is None else str(value)
        for name, value in sent.items()
    }


def case(design: Design, truth: Truth, random: Random) -> Case:
    """Draw one report from words near the edges, and write down everything that led to it."""
    tape = EdgeTape(random, hints(design.document()))
    report = send(design, truth, tape)
    return {"truth": truth, "words": tape.words, "report": report}


class EdgeTape(Tape):
    """A tape that writes its own words, mostly where a draw changes its mind, and keeps them.

    Random words hardly ever fall beside a threshold or beyond the last accepted word, so
    they cannot tell ``<`` from ``<=``. These do.
    """

    def __init__(self, random: Random, ends: list[int]) -> None:
        super().__init__(self.write)
        self.random, self.ends = random, ends
        self.edges = [0]
        self.words: list[int] = []

    def below(self, q: int, n: int) -> Words:
        """Aim at the ends of the weights, at any number below q, and at the last word taken."""
        inside = [end for end in self.ends if end <= q]
        self.edges = [WORDS // q * k for k in (*inside, self.random.randrange(q), q)]
        return super().below(q, n)

    def toss(self, p: int, q: int, n: int) -> NDArray[np.bool_]:
        """Aim at theta, and at the last word taken."""
        self.edges = [WORDS // q * k for k in (p, p, q)]
        return super().toss(p, q, n)

    def write(self, n: int) -> Words:
        """Write ``n`` words: half of them anything, the others next to an edge."""
        words = [self.one() for _ in range(n)]
        self.words += words
        return np.array(words, dtype=np.uint32)

    def one(self) -> int:
        """Write one word."""
        if self.random.getrandbits(1):
            return self.random.getrandbits(32)
        word = self.random.choice(self.edges) + self.random.choice((-1, 0, 1))
        return min(max(word, 0), WORDS - 1)


def hints(document: Any) -> list[int]:
    """Find the ends of all weights in a design's document: running sums of its whole numbers."""
    if isinstance(document, dict):
        return [end for part in document.values() for end in hints(part)]
    if not isinstance(document, list):
        return []
    try:
        return [int(end) for end in np.cumsum(np.array(document, dtype=np.int64))]
    except (TypeError, ValueError):
        return [end for part in document for end in hints(part)]
