"""State: what a party keeps on its own disk, so that a crash never makes it say two things."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from frankly.collaborate.certificates import write_private
from frankly.count.parquet import found
from frankly.errors import NoResultError, PartyError

__all__ = ["State", "write_whole"]

SECRETS = ("exchange.key", "paillier.json", "data.sha256")
"""What is deleted when a session is over; a hash of the rows would confirm a guess of them."""


class State:
    """The folder of one party in one session.

    What was said is kept before it is sent. After a crash the same bytes are sent again;
    there is never a second vector under the same masks.

    Parameters
    ----------
    folder
        Made if it is not there; only its owner can read it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.folder, self.held = folder, False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other process out of the folder: two would send masks that do not cancel."""
        if self.held:
            yield
            return
        door = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            lock(door)
            self.held = True
            yield
        finally:
            self.held = False
            os.close(door)

    @property
    def transcript(self) -> Path:
        """Where the transcript is kept."""
        return self.folder / "transcript.jsonl"

    def once(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Give what is kept under a name; make and keep it if it is not there yet."""
        path = self.folder / name
        if not path.exists():
            write_whole(path, make())
        return path.read_bytes()

    def said(self, step: int, make: Callable[[], bytes]) -> bytes:
        """Give what this party says in a step: the first time it is made, then always the same."""
        return self.once(f"said-{step:04}.message", make)

    def everything_said(self) -> dict[int, bytes]:
        """Give all that this party has said so far, by step."""
        paths = sorted(self.folder.glob("said-*.message"))
        return {int(path.stem.removeprefix("said-")): path.read_bytes() for path in paths}

    def exchange_key(self) -> X25519PrivateKey:
        """Give the key that was made for this one session."""
        if not (self.folder / "exchange.key").exists() and self.everything_said():
            raise NoResultError(
                "this session is over for this party: its keys have been deleted. Run a new "
                "session, with a new id"
            )
        return X25519PrivateKey.from_private_bytes(self.once("exchange.key", fresh_key))

    def same_data(self, path: Path) -> None:
        """Refuse to go on with other data than the session began with."""
        seen = hashlib.sha256()
        for file in found(path):
            with file.open("rb") as opened:
                seen.update(hashlib.file_digest(opened, "sha256").digest())
        if self.once("data.sha256", seen.digest) != seen.digest():
            raise PartyError(
                f"{path.name} has changed since this session began. Counts of two data sets "
                "would be mixed: put the old file back, or begin a new session"
            )

    def forget(self) -> None:
        """Delete what is secret once the session is over: nothing can be unmasked later."""
        for name in SECRETS:
            (self.folder / name).unlink(missing_ok=True)


def lock(door: int) -> None:
    """Lock an open folder until it is closed, or say who has it."""
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on every system

    try:
        flock(door, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        raise PartyError(
            "this party is already running in this session, in another process. Nothing was sent "
            "from here: wait for the other, or stop it and run this command again"
        ) from None


def fresh_key() -> bytes:
    """Make a private X25519 key."""
    return X25519PrivateKey.generate().private_bytes(
        Encoding.Raw, PrivateFormat.Raw, NoEncryption()
    )


def write_whole(path: Path, data: bytes) -> None:
    """Write a private file beside its place and rename it: a crash leaves all of it or nothing."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    write_private(fresh, data)
    fresh.rename(path)
    sync(path.parent)


def sync(folder: Path) -> None:
    """Be sure that a new name in a folder is on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
