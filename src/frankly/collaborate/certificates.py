"""Certificates: who a party is. One Ed25519 key signs its messages and opens its connections."""

import datetime as dt
import ipaddress
import os
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from frankly.errors import PartyError

__all__ = ["Identity", "fingerprint", "make_identity", "public_key", "write_private"]

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
CERTIFICATE, KEY = "certificate.pem", "key.pem"


@dataclass(frozen=True)
class Identity:
    """A folder with a certificate, which may be shown, and its key, which may not."""

    folder: Path

    @property
    def certificate(self) -> str:
        """The certificate, for the session file."""
        return (self.folder / CERTIFICATE).read_text()

    @property
    def name(self) -> str:
        """The name in the certificate."""
        return name_in(self.certificate)

    @property
    def key(self) -> Ed25519PrivateKey:
        """The key that signs."""
        loaded = load_pem_private_key((self.folder / KEY).read_bytes(), password=None)
        if not isinstance(loaded, Ed25519PrivateKey):
            raise PartyError(f"{KEY} holds no Ed25519 key. Make one with: frankly party init")
        return loaded

    def client_context(self, relay: str) -> ssl.SSLContext:
        """Open connections to one relay, known by its certificate, and show our own."""
        context = ssl.create_default_context(cadata=relay)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(self.folder / CERTIFICATE, self.folder / KEY)
        return context

    def server_context(self, parties: Sequence[str]) -> ssl.SSLContext:
        """Take connections from these parties, known by their certificates, and no others."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(self.folder / CERTIFICATE, self.folder / KEY)
        context.load_verify_locations(cadata="\n".join(parties))
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def make_identity(folder: Path, name: str, hosts: Sequence[str] = ("localhost",)) -> Identity:
    """Make a key and its certificate in a new folder that only its owner can read.

    Parameters
    ----------
    folder
        Where to put them. What is there already is never replaced.
    name
        What the party is called in the session: small letters, digits and hyphens.
    hosts
        For a relay: the names or addresses it is reached by.
    """
    if not NAME.fullmatch(name):
        raise PartyError(
            f"a party's name has small letters, digits and hyphens, for instance north-ward; "
            f"{name!r} has something else, or is too long"
        )
    if (folder / KEY).exists():
        raise PartyError(
            f"{folder} holds a key already. Replacing it would lock this party out of every "
            "session that knows it: choose another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(folder / KEY, pem)
    (folder / CERTIFICATE).write_bytes(certificate(key, name, hosts).public_bytes(Encoding.PEM))
    return Identity(folder)


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read, and be sure it is on the disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def certificate(key: Ed25519PrivateKey, name: str, hosts: Sequence[str]) -> x509.Certificate:
    """Make a certificate that vouches for itself: it is pinned, nobody else has to sign it."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    public = key.public_key()
    uses = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (x509.SubjectKeyIdentifier.from_public_key(public), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(public), False),
        (x509.ExtendedKeyUsage(uses), False),
        (x509.SubjectAlternativeName([place(host) for host in hosts]), False),
    ]
    builder = (
        x509.CertificateBuilder(subject, subject, public, x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=825))
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(key, None)


def place(host: str) -> x509.GeneralName:
    """Name a host by its address, if it is one, or by its name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def read(pem: str) -> x509.Certificate:
    """Read a certificate, or refuse it."""
    try:
        return x509.load_pem_x509_certificate(pem.encode())
    except ValueError:
        raise PartyError(
            "a certificate cannot be read. Copy certificate.pem whole, from its BEGIN to its END"
        ) from None


def public_key(pem: str) -> Ed25519PublicKey:
    """Give the key in a certificate: what the party's messages are checked with."""
    try:
        key = read(pem).public_key()
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise PartyError("a party's certificate holds an Ed25519 key. Make one: frankly party init")
    return key


def fingerprint(pem: str) -> str:
    """Give a certificate's SHA-256 as other tools print it, to be compared by telephone."""
    return read(pem).fingerprint(SHA256()).hex(":").upper()


def name_in(pem: str) -> str:
    """Give the name in a certificate."""
    names = read(pem).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    if not names:
        raise PartyError("a certificate names nobody. Make one: frankly party init")
    return str(names[0].value)
