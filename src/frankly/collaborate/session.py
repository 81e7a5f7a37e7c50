"""Session: what the parties agree on before anything leaves their doors."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

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
        A pooled table with a cell of 1 up to this minus one is not opened; 0 opens all.
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
        if self.bits < BITS:
            raise PartyError(
                f"a Paillier key of {self.bits} bits can be broken; give at least {BITS}, or leave "
                "bits out for 3072"
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
        for name in ("domains", "parties"):
            if isinstance(fields.get(name), list):
                fields[name] = dict(fields[name])
        try:
            return cls(**fields)
        except TypeError:
            raise PartyError(
                "the session file lacks something; it needs id, design, domains and parties"
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


def toml(value: Any) -> str:
    """Write one value as TOML; certificates keep their lines."""
    if isinstance(value, str) and value.startswith("-----BEGIN"):
        return f'"""\n{value}"""'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
