"""Limit: whoever guesses passwords is slowed down, and nobody else is."""

import hashlib
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

__all__ = ["Limit"]


@dataclass
class Limit:
    """Failures of an account from one place; nothing but salted hashes in memory, never on disk.

    The tenth failure from one place makes the next try there wait a second, and each one after
    it doubles the wait, up to a quarter of an hour. The account's owner signs in from elsewhere
    as ever. Whoever tries many names is slowed down too: after a hundred failures from one place,
    whatever the names, one try a second is tested there.

    Parameters
    ----------
    free
        How many failures of one account are forgiven.
    longest
        The longest wait, after which all is forgotten.
    crowd
        How many failures of all accounts together are forgiven.
    now
        The clock.

    Examples
    --------
    >>> at = 0.0
    >>> limit = Limit(free=2, now=lambda: at)
    >>> for _ in range(4):
    ...     limit.failed("ann@ward.example", "there")
    >>> limit.wait("ann@ward.example", "there"), limit.wait("ann@ward.example", "here")
    (4, 0)
    """

    free: int = 10
    longest: float = 900.0
    crowd: int = 100
    now: Callable[[], float] = time.monotonic
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)
    failures: dict[bytes, tuple[int, float]] = field(default_factory=dict, repr=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def place(self, name: str, address: str) -> bytes:
        """Name an account and a place without saying either."""
        whole = f"{len(name)} {name} {line_of(address)}".encode()
        return hashlib.blake2b(whole, key=self.salt, digest_size=16).digest()

    def knock(self, name: str, address: str) -> int:
        """Count a try before it is tested, or tell how many seconds to wait before it may be.

        Many that come at once would otherwise all be tested before the first had failed.
        """
        with self.lock:
            wait = self.wait(name, address)
            if not wait:
                self.failed(name, address)
            return wait

    def wait(self, name: str, address: str) -> int:
        """Tell how many seconds to wait before the next try counts."""
        one = self.pause(self.place(name, address), self.free, self.longest)
        return max(one, self.pause(self.place("", address), self.crowd, 1.0))

    def pause(self, place: bytes, free: int, longest: float) -> int:
        """Tell how many seconds are left of the wait for one account, or for all."""
        times, last = self.failures.get(place, (0, 0.0))
        if times < free:
            return 0
        wait = 2.0 ** min(times - free, 60)
        return max(0, math.ceil(last + min(wait, longest) - self.now()))

    def failed(self, name: str, address: str) -> None:
        """Remember a failure, and forget those that are long past."""
        with self.lock:
            self.forget()
            self.count(self.place(name, address))
            self.count(self.place("", address))

    def count(self, place: bytes) -> None:
        """Count a failure; the latest stands last."""
        times, _ = self.failures.pop(place, (0, 0.0))
        self.failures[place] = times + 1, self.now()

    def forget(self) -> None:
        """Forget what is long past: it stands first."""
        while self.failures:
            oldest = next(iter(self.failures))
            if self.now() - self.failures[oldest][1] <= self.longest:
                return
            del self.failures[oldest]

    def succeeded(self, name: str, address: str) -> None:
        """Forget the failures of whoever got in, and that this try was counted as one."""
        with self.lock:
            self.failures.pop(self.place(name, address), None)
            times, last = self.failures.get(self.place("", address), (1, 0.0))
            if times > 1:
                self.failures[self.place("", address)] = times - 1, last
            else:
                self.failures.pop(self.place("", address), None)


def line_of(address: str) -> str:
    """Give the line behind an address: with IPv6 one line has 2**64 of them.

    Examples
    --------
    >>> line_of("2001:db8::1") == line_of("2001:db8::2"), line_of("192.0.2.7"), line_of("there")
    (True, '192.0.2.7', 'there')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped) if found.ipv4_mapped else found.packed[:8].hex()
