"""Session: what the parties agree on before anything leaves their doors."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from frankly.collaborate.certificates import name_in, public_key
from frankly.collaborate.message import digest
from frankly.design import Design, canonical
from frankly.errors import PartyError

__all__ = ["SCHEMES", "Session"]

Scheme = Literal["masks", "paillier"]
SCHEMES: tuple[Scheme, ...] = ("masks", "paillier")
LEAST = 3
BITS = 2048
LONGEST = 16384
HOST = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*|[0-9a-f.]*:[0-9a-f:.]*")
"""A name, an address, or an address of version 6."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """One joint computation: who takes part, over which questions, and how sums are hidden.

    Everybody signs the hash of this before any data leaves, so one changed value, label or
    certificate stops the run.

    Parameters
    ----------
    id
        A name that was never used before.
    design
        Fingerprint of the survey.
    domains
        The values of every question, in the order of the tables' cells.
    parties
        The roster: names and certificates, in order.
    relay
        Where the relay is, and its certificate.
    task
        What is computed; see `frankly.collaborate.tasks`.
    scheme
        ``masks`` or ``paillier``.
    minimum_parties
        Fewer are refused; never below three.
    minimum_cell
        With a pooled cell of 1 up to this minus one there is no result; 0 allows all.
    rows
        The most rows one party may bring; packed sums leave room for that many.
    bits, aggregator, key_holder
        For ``paillier``: the size of the key, and two different parties' names.
    """

    id: str
    design: str
    domains: Mapping[str, Sequence[str]]
    parties: Mapping[str, str]
    relay: Mapping[str, str] = field(default_factory=dict)
    task: Mapping[str, Any] = field(default_factory=lambda: {"kind": "tables"})
    scheme: Scheme = "masks"
    minimum_parties: int = LEAST
    minimum_cell: int = 0
    rows: int = 2**24
    bits: int = 3072
    aggregator: str = ""
    key_holder: str = ""

    def __post_init__(self) -> None:
        self.check_words()
        self.check_numbers()
        least = max(LEAST, self.minimum_parties)
        if len(self.parties) < least:
            raise PartyError(
                f"session {self.id} needs at least {least} parties and names {len(self.parties)}: "
                "with fewer, the sum gives somebody's counts away. Find another party, or do "
                "not pool"
            )
        if self.scheme not in SCHEMES:
            raise PartyError(f"the scheme is one of {', '.join(SCHEMES)}, not {self.scheme!r}")
        if len({key.public_bytes_raw() for key in self.keys}) < len(self.parties):
            raise PartyError(
                "two parties have one key, perhaps under two names: each needs its own key and "
                "certificate, or one side would count as two"
            )
        for name, pem in self.parties.items():
            if name_in(pem) != name:
                raise PartyError(
                    f"the certificate of {name} is made out to {name_in(pem)}. Put the right one "
                    "into the session file"
                )
        self.check_roles()

    def check_words(self) -> None:
        """Refuse a name that cannot be shown, and an address that is none."""
        if not self.id or not self.id.isprintable():
            raise PartyError("a session's id is a short name of letters, digits and the like")
        url = self.relay.get("url")
        if url is not None and not is_address(url):
            raise PartyError(
                f"the relay's address (--url, relay.url) is https://host or https://host:port, and "
                f"{url!r} is not"
            )

    def check_numbers(self) -> None:
        """Refuse numbers that no session can work with."""
        if not BITS <= self.bits <= LONGEST:
            raise PartyError(
                f"a Paillier key of less than {BITS} bits can be broken, and one of more than "
                f"{LONGEST} is not made in a day; bits is {self.bits}. Leave it out for 3072"
            )
        most = (2**63 - 1) // max(len(self.parties), 1)
        spans = {"rows": (1, most), "minimum_cell": (0, most)}
        for name, (low, high) in spans.items():
            if not low <= getattr(self, name) <= high:
                raise PartyError(
                    f"{name} is a whole number from {low:,} to {high:,} in a session of "
                    f"{len(self.parties)} parties, and here it is {getattr(self, name):,}"
                )

    def check_roles(self) -> None:
        """Refuse a key holder who would also see single shares."""
        if self.scheme != "paillier":
            return
        roles = (self.aggregator, self.key_holder)
        if roles[0] == roles[1] or any(name not in self.parties for name in roles):
            raise PartyError(
                f"paillier needs two different parties as aggregator and key_holder, and they are "
                f"{roles[0]!r} and {roles[1]!r}. Whoever held both could open every party's counts"
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parties' names, in the order of the roster."""
        return tuple(self.parties)

    @cached_property
    def keys(self) -> tuple[Ed25519PublicKey, ...]:
        """The keys the parties' messages are checked with."""
        return tuple(public_key(pem) for pem in self.parties.values())

    def document(self) -> dict[str, Any]:
        """Write the session as plain values."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain: dict[str, Any] = msgspec.to_builtins(fields)
        # The order of parties and of questions is part of what is agreed; JSON objects have none.
        plain["domains"] = [[name, list(values)] for name, values in self.domains.items()]
        plain["parties"] = [[name, pem] for name, pem in self.parties.items()]
        return plain

    @cached_property
    def hash(self) -> bytes:
        """The hash that everybody signs."""
        return digest(b"frankly session 1", canonical(self.document()))

    def position(self, name: str, certificate: str) -> int:
        """Find a party in the roster, or refuse it."""
        if self.parties.get(name) != certificate:
            raise PartyError(
                f"session {self.id} does not know this certificate of {name!r}; it was made for "
                f"{', '.join(self.names)}. Use the folder of the party you are, or ask whoever "
                "made the session to put your certificate.pem in; everybody then needs the new file"
            )
        return self.names.index(name)

    def check_design(self, design: Design) -> None:
        """Refuse another survey, or the same questions with other values."""
        here = {a.name: list(a.values) for a in design.attributes}
        agreed = {name: list(values) for name, values in self.domains.items()}
        changed = sorted(n for n in here.keys() | agreed.keys() if here.get(n) != agreed.get(n))
        if changed or design.fingerprint != self.design:
            raise PartyError(
                f"the survey here is not the one agreed on in session {self.id}"
                + (f": the values of {changed} differ, or their order does" if changed else "")
                + ". Cells would be added to the wrong cells, so nothing was sent. Get the survey "
                f"with fingerprint {self.design[:12]}, or agree on a new session"
            )

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Session":
        """Make a session from plain values."""
        unknown = sorted(document.keys() - cls.__dataclass_fields__.keys())
        if unknown:
            raise PartyError(f"a session has no {unknown}; it has {list(cls.__dataclass_fields__)}")
        fields = dict(document)
        try:
            for name in ("domains", "parties"):
                if isinstance(fields.get(name), list):
                    fields[name] = dict(msgspec.convert(fields[name], list[tuple[str, Any]]))
            return msgspec.convert(fields, cls)
        except msgspec.ValidationError as error:
            raise PartyError(
                "the session file lacks something, or a value is of the wrong kind: "
                f"{error}".replace("$.", "").replace("`", "'")
                + ". It needs id, design, domains and parties; frankly party session writes it"
            ) from None

    @classmethod
    def load(cls, path: Path) -> "Session":
        """Read a session file."""
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PartyError(f"{path.name} is no TOML file: {error}") from None
        return cls.from_document(document)

    def save(self, path: Path) -> None:
        """Write the session file, in TOML."""
        fields = self.document()
        fields["domains"], fields["parties"] = dict(self.domains), dict(self.parties)
        plain = [f"{key} = {toml(v)}" for key, v in fields.items() if not isinstance(v, dict)]
        tables = [
            "\n".join([f"\n[{key}]", *(f"{toml(name)} = {toml(v)}" for name, v in table.items())])
            for key, table in fields.items()
            if isinstance(table, dict)
        ]
        path.write_text("\n".join([*plain, *tables]) + "\n", encoding="utf-8")


def is_address(url: str) -> bool:
    """Tell whether this is where a relay can be.

    Examples
    --------
    >>> [is_address(url) for url in ("https://localhost:8443", "http://x", "https://x:abc")]
    [True, False, False]
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and not {*url} & {*" ?#@%"}
    return (
        plain
        and port != 0
        and parts.scheme == "https"
        and bool(HOST.fullmatch(parts.hostname or ""))
    )


def toml(value: Any) -> str:
    """Write one value as TOML; certificates keep their lines."""
    if isinstance(value, str) and value.startswith("-----BEGIN"):
        return f'"""\n{value}"""'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
