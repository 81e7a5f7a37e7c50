"""Games against masks: two honest parties swap their counts, so the sum stays the same."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from numpy.typing import NDArray

from frankly.collaborate.adv import Direct, Learned, Setting, Sight, bits_of
from frankly.collaborate.masks import Hidden, Vector, hide, mask_key, pair_secrets

__all__ = ["mask_settings"]

COUNTS = (np.array([5000, 0, 812, 40]), np.array([17, 4096, 9, 2600]), np.array([300, 20, 55, 1]))
DESIGN = "0" * 64


@dataclass(frozen=True)
class Round:
    """One round: everybody's public key and masked counts, and the keys that one party knows."""

    public: tuple[bytes, ...]
    hidden: tuple[Hidden, ...]
    keys: tuple[dict[int, bytes], ...]


def swapped(coin: bool, a: int, b: int) -> list[Vector]:
    """Give the counts of all parties; on tails a and b have changed places."""
    counts = list(COUNTS)
    if coin:
        counts[a], counts[b] = counts[b], counts[a]
    return counts


def play(coin: bool, a: int, b: int) -> Round:
    """Run the real code: new keys, new session, three parties."""
    session = secrets.token_bytes(32)
    private = [X25519PrivateKey.generate() for _ in COUNTS]
    public = tuple(key.public_key().public_bytes_raw() for key in private)
    keys = []
    for me, mine in enumerate(private):
        shared = pair_secrets(me, mine, public)
        keys.append({j: mask_key(s, session, 1, DESIGN, (me, j)) for j, s in shared.items()})
    counts = swapped(coin, a, b)
    hidden = tuple(hide(counts[me], me, keys[me]) for me in range(len(counts)))
    return Round(public, hidden, tuple(keys))


def relay_sees(run: Round) -> NDArray[np.uint8]:
    """Give the bits of all that passes the relay."""
    return bits_of(*run.public, *(one.tobytes() for one in run.hidden))


def party_sees(me: int, run: Round) -> NDArray[np.uint8]:
    """Give the bits that one party is left with after taking its own masks off the others."""
    nothing = np.zeros(len(COUNTS[0]), dtype=np.int64)
    own = [hide(nothing, other, {me: run.keys[me][other]}) for other in run.keys[me]]
    stripped = [run.hidden[j] - mask for j, mask in zip(run.keys[me], own, strict=True)]
    return bits_of(*run.public, *(one.tobytes() for one in stripped))


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


def mask_settings() -> list[Setting]:
    """List the games against masks: the relay, every single party, and two broken on purpose."""

    def sound(view: str, a: int, b: int, sees: Callable[[Round], NDArray[np.uint8]]) -> Setting:
        sight = Sight(view, Learned(sees), "hidden")
        return Setting("masks", partial(play, a=a, b=b), (sight,))

    reads = Direct("difference of two", lambda run: bool(int(run[1][1]) - int(run[0][1]) == 1))
    broken = Learned(lambda run: bits_of(*(one.tobytes() for one in run.hidden)))
    return [
        sound("relay", 0, 1, relay_sees),
        *(
            sound(f"party {me + 1}", (me + 1) % 3, (me + 2) % 3, partial(party_sees, me))
            for me in range(3)
        ),
        Setting("masks of 12 bits", short_masks, (Sight("relay", broken, "caught"),)),
        Setting("masks used twice", used_twice, (Sight("relay", reads, "caught"),)),
    ]
