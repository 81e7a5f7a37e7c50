"""Games against masks: two honest parties swap their counts, so the sum stays the same."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from numpy.typing import NDArray

from frankly.collaborate.adv import Direct, Learned, Setting, Sight, bits_of
from frankly.collaborate.masks import Hidden, Vector, hide, mask_key, pair_secrets

__all__ = ["mask_settings", "pair_settings"]

COUNTS = (
    np.array([5000, 0, 812, 40]),
    np.array([17, 4096, 9, 2600]),
    np.array([300, 20, 55, 1]),
    np.array([8, 0, 7000, 6]),
)
ASKED = bytes(32)


@dataclass(frozen=True)
class Round:
    """One round: everybody's public key and masked counts, and the keys that one party knows."""

    public: tuple[bytes, ...]
    hidden: tuple[Hidden, ...]
    keys: tuple[dict[int, bytes], ...]


def swapped(coin: bool, a: int, b: int, n: int = 3) -> list[Vector]:
    """Give the counts of n parties; on tails a and b have changed places."""
    counts = list(COUNTS[:n])
    if coin:
        counts[a], counts[b] = counts[b], counts[a]
    return counts


def play(coin: bool, a: int, b: int, n: int = 3) -> Round:
    """Run the real code: new keys, new session, n parties."""
    session = secrets.token_bytes(32)
    private = [X25519PrivateKey.generate() for _ in range(n)]
    public = tuple(key.public_key().public_bytes_raw() for key in private)
    keys = []
    for me, mine in enumerate(private):
        shared = pair_secrets(me, mine, public)
        keys.append({j: mask_key(s, session, 1, ASKED, b"", (me, j)) for j, s in shared.items()})
    counts = swapped(coin, a, b, n)
    hidden = tuple(hide(counts[me], me, keys[me]) for me in range(n))
    return Round(public, hidden, tuple(keys))


def coalition_sees(members: Sequence[int], run: Round) -> NDArray[np.uint8]:
    """Give the bits left to a coalition, relay included, after taking its masks off the others."""
    nothing = np.zeros(len(COUNTS[0]), dtype=np.int64)
    left = []
    for other, hidden in enumerate(run.hidden):
        if other not in members:
            known = {me: run.keys[me][other] for me in members}
            left.append(hidden - hide(nothing, other, known))
    return bits_of(*run.public, *(one.tobytes() for one in left))


def short_masks(coin: bool) -> Round:
    """Break the masks on purpose: twelve bits, and always added."""
    hidden = [
        counts.astype(np.uint64) + np.array([secrets.randbits(12) for _ in counts], dtype=np.uint64)
        for counts in swapped(coin, 0, 1)
    ]
    return Round((), tuple(hidden), ())


def used_twice(coin: bool) -> tuple[Hidden, Hidden]:
    """Break the rule that masks serve once: the first party sends a second vector under them."""
    keys = {1: secrets.token_bytes(32), 2: secrets.token_bytes(32)}
    later = COUNTS[0] + np.array([0, 1, 0, 0] if coin else [1, 0, 0, 0])
    return hide(COUNTS[0], 0, keys), hide(later, 0, keys)


def against(members: Sequence[int], n: int) -> Setting:
    """Play against a coalition of the relay and some parties; two others swap their counts."""
    a, b = [party for party in range(n) if party not in members][:2]
    view = " and ".join(f"party {me + 1}" for me in members) or "relay"
    sight = Sight(view, Learned(partial(coalition_sees, members)), "hidden")
    return Setting("masks", partial(play, a=a, b=b, n=n), (sight,))


def pair_settings() -> list[Setting]:
    """List the games of every pair among four parties, the largest coalition there may be."""
    return [against(pair, 4) for pair in combinations(range(4), 2)]


def mask_settings() -> list[Setting]:
    """List the games against masks: the relay, every single party, and two broken on purpose."""
    reads = Direct("difference of two", lambda run: bool(int(run[1][1]) - int(run[0][1]) == 1))
    broken = Learned(lambda run: bits_of(*(one.tobytes() for one in run.hidden)))
    return [
        *(against(members, 3) for members in ((), (0,), (1,), (2,))),
        Setting("masks of 12 bits", short_masks, (Sight("relay", broken, "caught"),)),
        Setting("masks used twice", used_twice, (Sight("relay", reads, "caught"),)),
    ]
