"""Adv: every scheme attacked on the real code's views, and randomized response beside them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from frankly.collaborate.adv import Advantage, Setting, measure
from frankly.design import Attribute, Design, Group
from frankly.judge import Measure
from frankly.mechanism import Unrelated
from frankly.randomize import Tape, randomize
from frankly.report.curves_svg import plotted

__all__ = ["CLAIM", "Told", "picture", "rows", "settings", "table", "told"]

GAMES, KNOWN = 10_000, 3_000
BITS, SHORT = 2048, 512
THETAS = (0.1, 0.3, 0.5, 0.7, 0.9)

CLAIM = (
    "Zhan closes with the claim that the first measure (PSE) is a special case of the second "
    "(ADV). It holds in one reading only: if Pr(T | view) is the truth's average posterior, then "
    "it is 1 - PSE, Pr(T) is the sum of the squared prior, and his epsilon is their difference. "
    "As an advantage in a game it does not hold: PSE moves with the prior and ADV does not, so "
    "one PSE goes with many advantages."
)


def settings(bits: int = BITS) -> list[Setting]:
    """List all games; the keys are made here, once.

    The decoys of Protocol 3 and the gaps of the search are attacked in clear, whatever the key:
    they are played with a short one, for the number of games.
    """
    from frankly.collaborate.adv_masks import mask_settings  # noqa: PLC0415
    from frankly.collaborate.adv_paillier import paillier_settings  # noqa: PLC0415
    from frankly.collaborate.adv_zhan import zhan_settings  # noqa: PLC0415
    from frankly.collaborate.paillier import FixedBase, make_key  # noqa: PLC0415
    from frankly.collaborate.zhan import Ring  # noqa: PLC0415

    key, short = make_key(bits), make_key(SHORT, least=SHORT)
    powers, few = (FixedBase.build(one.public, uses=10**5) for one in (key, short))
    rings = Ring(4, key, powers), Ring(4, short, few)
    return [*mask_settings(), *paillier_settings(key, powers), *zhan_settings(*rings)]


def rows(games: int = GAMES, known: int = KNOWN, bits: int = BITS) -> Iterator[Advantage | str]:
    """Play all games; a text says what else is worth knowing."""
    yield (
        f"keys of {bits} bits, the least a session accepts; protocol 3 and the search for the "
        f"largest with {SHORT}, because what they show is in clear whatever the key"
    )
    for setting in settings(bits):
        yield from measure(setting, games, min(known, games))
    for theta in THETAS:
        yield told(theta, games).played
    yield CLAIM


@dataclass(frozen=True)
class Told:
    """What one report of randomized response tells, as both measures put it.

    Attributes
    ----------
    theta
        The probability of the truth.
    played
        The game: T is one true answer, the view is its report.
    exact
        The best possible advantage: the distance of the two answers' reports.
    pse
        PSE when both answers are equally common, and when one in ten says yes.
    """

    theta: float
    played: Advantage
    exact: float
    pse: tuple[float, float]


def told(theta: float, games: int) -> Told:
    """Play randomized response as one more scheme, and give its PSE beside."""
    group = [Group(["ill"], Unrelated(theta=theta))]
    design = Design([Attribute("ill", ["no", "yes"])], groups=group)
    truths = np.random.default_rng().integers(0, 2, games)
    labels = np.array(["no", "yes"])
    reports = randomize(design, {"ill": labels[truths].tolist()}, Tape.secure())
    seen = np.array([str(one) for one in reports["ill"]]) == "yes"
    channel = np.stack([design.push(np.eye(2)[k], ["ill"]) for k in range(2)])
    pse = [Measure(channel, np.array(prior)).pse for prior in ([0.5, 0.5], [0.9, 0.1])]
    played = Advantage(
        f"randomized response, theta {theta:g}", "collector", "believes the report",
        games, int((seen == truths).sum()), "told",
    )  # fmt: skip
    exact = float(np.abs(channel[0] - channel[1]).sum() / 2)
    return Told(theta, played, exact, (pse[0], pse[1]))


def picture() -> str:
    """Draw PSE and ADV of one yes-or-no question over theta, on one picture.

    Examples
    --------
    >>> picture().count('class="curve"')
    3
    """
    thetas = np.linspace(0.02, 1, 50)
    channels = {float(t): np.array([[1 + t, 1 - t], [1 - t, 1 + t]]) / 2 for t in thetas}
    curves = {
        "ADV": [(t, float(np.abs(c[0] - c[1]).sum() / 2)) for t, c in channels.items()],
        **{
            f"PSE {prior:.0%}": [
                (t, Measure(c, np.array([1 - prior, prior])).pse) for t, c in channels.items()
            ]
            for prior in (0.5, 0.1)
        },
    }
    about = "Unrelated question, fair cover; PSE by prior"
    return plotted("PSE moves with the prior, ADV does not", about, curves, ("theta", ""))


def table(rows: Iterable[Advantage]) -> Table:
    """Lay the advantages out for people."""
    caption = "ADV = 2 Pr(win) - 1 with its 95 % Clopper-Pearson interval; no attack proves safety."
    laid = Table(caption=caption)
    for heading in ("scheme", "view", "attack"):
        laid.add_column(heading)
    for heading in ("games", "Pr(T), given output, given view", "ADV", "95 %", ""):
        laid.add_column(heading, justify="right")
    for row in rows:
        low, high = row.interval()
        verdict = row.bar if row.holds else f"NOT {row.bar.upper()}"
        chances = ", ".join(f"{chance:.3f}" for chance in row.chances)
        ends = f"[{low:+.3f}, {high:+.3f}]"
        name = (row.scheme, row.view, row.attack, f"{row.games:,}")
        laid.add_row(*name, chances, f"{row.adv:+.3f}", ends, verdict)
    return laid
