"""Adv: the game that measures what a protocol gives away.

Two inputs with the same permitted output; a coin chooses one; the real code runs; the attacker
gets everything a coalition sees and says which input it was. Its advantage is
``ADV = 2 Pr(win) - 1``: 0 is a blind guess, 1 is certainty. A game bounds only the attacks
that were played: it finds leaks, it never proves that there are none.
"""

import secrets
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

__all__ = ["Advantage", "Attack", "Direct", "Learned", "Setting", "Sight", "bits_of", "measure"]

Bools = NDArray[np.bool_]
Runs = Sequence[Any]
Bar = Literal["hidden", "caught", "told"]
"""``hidden``: the upper limit must stay at HIDDEN. ``caught``: the lower must reach CAUGHT.
``told``: a leak we know and name, measured and not judged."""

HIDDEN, CAUGHT = 0.06, 0.95


class Attack(Protocol):
    """A way to guess the coin."""

    @property
    def name(self) -> str:
        """What the attack is called."""

    @property
    def learns(self) -> bool:
        """Whether it wants runs whose coins are known."""

    def guess(self, known: Runs, coins: Bools, runs: Runs) -> Bools:
        """Guess the coins of runs, after having learned from runs whose coins are known."""


@dataclass(frozen=True)
class Direct:
    """Read the coin off a run, by arithmetic.

    Parameters
    ----------
    name
        What the attack is called.
    reads
        Gives the guess for one run.
    """

    name: str
    reads: Callable[[Any], bool]
    learns: ClassVar[bool] = False

    def guess(self, known: Runs, coins: Bools, runs: Runs) -> Bools:
        """Read every run by itself."""
        del known, coins
        return np.array([self.reads(run) for run in runs], dtype=np.bool_)


@dataclass(frozen=True)
class Learned:
    """Learn to tell the two inputs apart from the bits that were seen.

    Parameters
    ----------
    sees
        Gives the bits a coalition sees in one run.
    """

    sees: Callable[[Any], NDArray[np.uint8]]
    name: str = "learned from bits"
    learns: ClassVar[bool] = True

    def guess(self, known: Runs, coins: Bools, runs: Runs) -> Bools:
        """Fit a logistic regression to runs whose coins are known, and apply it."""
        seen, new = (
            np.stack([self.sees(run) for run in some]).astype(np.float64) for some in (known, runs)
        )
        # One thread is faster for so small a fit, and no attacker stops because of a warning.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(C=0.1, max_iter=100).fit(seen, coins)
            return np.asarray(model.predict(new), dtype=np.bool_)


@dataclass(frozen=True)
class Sight:
    """Who looks, how it attacks, and what we expect."""

    view: str
    attack: Attack
    bar: Bar


@dataclass(frozen=True)
class Setting:
    """One scheme: how a run is made for a coin, and who looks at it.

    Parameters
    ----------
    scheme
        What it is called.
    play
        Runs the real code once, with the first or the second input.
    sights
        Who looks.
    games
        How many games this setting is worth, where one costs much; None for as many as asked.
    """

    scheme: str
    play: Callable[[bool], Any]
    sights: tuple[Sight, ...]
    games: int | None = None


@dataclass(frozen=True)
class Advantage:
    """What one attack has won.

    Attributes
    ----------
    scheme, view, attack
        What was attacked, by whom, how.
    games, wins
        How many games were played and won.
    bar
        What we expect.

    Examples
    --------
    >>> found = Advantage("masks", "relay", "learned", 10_000, 5_031, "hidden")
    >>> round(found.adv, 4), [round(end, 3) for end in found.interval()], found.holds
    (0.0062, [-0.013, 0.026], True)
    """

    scheme: str
    view: str
    attack: str
    games: int
    wins: int
    bar: Bar

    @property
    def adv(self) -> float:
        """The advantage over a blind guess."""
        return 2 * self.wins / self.games - 1

    @property
    def chances(self) -> tuple[float, float, float]:
        """Pr(T), Pr(T given the output) and Pr(T given the view): T is which input it was.

        Both inputs have the same output, so the first two are one half by construction.
        """
        return 0.5, 0.5, self.wins / self.games

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Give the Clopper-Pearson interval of the advantage."""
        tail, lost = (1 - level) / 2, self.games - self.wins
        low = beta.ppf(tail, self.wins, lost + 1) if self.wins else 0.0
        high = beta.ppf(1 - tail, self.wins + 1, lost) if lost else 1.0
        return float(2 * low - 1), float(2 * high - 1)

    @property
    def holds(self) -> bool:
        """Whether it is as we expect."""
        low, high = self.interval()
        return {"hidden": high <= HIDDEN, "caught": low >= CAUGHT, "told": True}[self.bar]

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain values."""
        names = ("scheme", "view", "attack", "games", "wins", "bar", "adv", "holds")
        low, high = self.interval()
        prior, output, view = self.chances
        return {
            **{name: getattr(self, name) for name in names},
            "low": low,
            "high": high,
            "pr_t": prior,
            "pr_t_given_output": output,
            "pr_t_given_view": view,
        }


def measure(setting: Setting, games: int, known: int) -> Iterator[Advantage]:
    """Play a setting and give what every attack has won.

    Parameters
    ----------
    setting
        The scheme and who looks at it.
    games
        How many games are counted.
    known
        How many more an attack may learn from, with their coins.
    """
    games = min(games, setting.games or games)
    known = known if any(sight.attack.learns for sight in setting.sights) else 0
    coins = np.array([secrets.randbelow(2) for _ in range(games + known)], dtype=np.bool_)
    runs = [setting.play(bool(coin)) for coin in coins]
    for sight in setting.sights:
        guesses = sight.attack.guess(runs[games:], coins[games:], runs[:games])
        wins = int((guesses == coins[:games]).sum())
        yield Advantage(setting.scheme, sight.view, sight.attack.name, games, wins, sight.bar)


def bits_of(*parts: bytes) -> NDArray[np.uint8]:
    """Give byte strings as bits."""
    return np.unpackbits(np.frombuffer(b"".join(parts), dtype=np.uint8))
