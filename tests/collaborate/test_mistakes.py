"""A party that lies, starts twice or puts an old state back: no table is made of it."""

import secrets
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding

from frankly.cli import main
from frankly.collaborate import Session, State, make_identity
from frankly.collaborate.certificates import certificate
from frankly.collaborate.masks import Hidden, Vector
from frankly.collaborate.message import read_message, write_message
from frankly.collaborate.packing import Packing
from frankly.collaborate.paillier_sum import IMPOSSIBLE, PaillierSum
from frankly.collaborate.seat import Post
from frankly.collaborate.sums import seal, unseal
from frankly.errors import NoResultError, PartyError
from tests.collaborate.rooms import DESIGN, Hospital, LocalPost, agreed, hospitals, meet, take_part

LIES: dict[str, Callable[[Hidden], Hidden]] = {
    "rubbish": lambda told: np.frombuffer(secrets.token_bytes(told.nbytes), dtype=np.uint64),
    "below nothing": lambda told: told - np.uint64(10**5),
    "one more than agreed": lambda told: told + np.uint64(3 * 10**6 + 1),
}


class Lying(LocalPost):
    """One party says other numbers than it counted, well signed."""

    def __init__(self, liar: Hospital, kind: str, lie: Callable[[Hidden], Hidden]) -> None:
        super().__init__()
        self.liar, self.kind, self.lie = liar, kind, lie

    def put(self, step: int, sender: int, message: bytes) -> None:
        said = read_message(message)
        if (said.kind, self.liar.identity.name) == (self.kind, f"party-{sender}"):
            body = self.lie(np.frombuffer(said.body, dtype="<u8")).tobytes()
            said = msgspec.structs.replace(said, body=body).signed(self.liar.identity.key)
        super().put(step, sender, write_message(said))


def all_refuse(session: Session, parties: list[Hospital], post: Post, sentence: str) -> None:
    """Let all take part: everybody hears why there is no result, and keeps no key."""

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        with pytest.raises(NoResultError, match=sentence):
            take_part(session, party, post, patience=5.0)
        return {}

    meet(session, parties, post, work)
    for party in parties:
        kept = {path.name for path in party.folder.iterdir()}
        assert kept.isdisjoint({"exchange.key", "paillier.json", "result.json"})


@pytest.mark.parametrize("lie", sorted(LIES))
@pytest.mark.parametrize("scheme", ["masks", "paillier"])
def test_sums_that_no_counts_have_are_no_result(tmp_path: Path, scheme: str, lie: str) -> None:
    """A party with masks lies about its counts; with Paillier the key holder about the sum."""
    parties = hospitals(tmp_path)
    kind, liar = {"masks": ("share", parties[1]), "paillier": ("sum", parties[2])}[scheme]
    session = agreed(parties, scheme=scheme, minimum_cell=2)
    all_refuse(session, parties, Lying(liar, kind, LIES[lie]), "sums of session test are imposs")


@pytest.mark.parametrize("lie", ["below nothing", "above its slot", "within its slot"])
def test_encrypted_numbers_that_are_no_counts_are_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    honest = PaillierSum.share

    def share(self: PaillierSum, vector: Vector, packing: Packing) -> bytes:
        if self.steps.me != 1:
            return honest(self, vector, packing)
        numbers = {
            "below nothing": int(self.public.n) - 10**5,
            "above its slot": 1 << packing.width * packing.slots,
            "within its slot": packing.most * packing.parties + 1,
        }
        return self.write([self.public.encrypt(numbers[lie], self.table(1))])

    monkeypatch.setattr(PaillierSum, "share", share)
    parties = hospitals(tmp_path)
    session = agreed(parties, scheme="paillier", task={"kind": "tables", "tables": [["ill"]]})
    post = LocalPost()
    all_refuse(session, parties, post, "sums of session test are impossible")
    assert read_message(post.held[3][2]).body == IMPOSSIBLE, "the key holder tells no number"


def test_a_party_that_is_started_twice_is_told_so(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session, post = agreed(parties), LocalPost()
    with State(parties[0].folder).alone():
        with pytest.raises(PartyError, match="already running in this session"):
            take_part(session, parties[0], post)
        assert not list(parties[0].folder.iterdir())
    assert post.held == {}
    results = meet(session, parties, post)
    assert results[0] == results[2], "the second start is no harm"


def test_an_old_state_that_is_put_back_never_gives_two_vectors_under_one_mask(
    tmp_path: Path,
) -> None:
    """Party 0 is put back to its greeting; party 2 lies, so the tree asks something else next."""
    parties, backup = hospitals(tmp_path), tmp_path / "backup"
    session = agreed(parties, task={"kind": "id3", "target": "ill", "max_depth": 3})
    folder = parties[0].folder

    class Copied(LocalPost):
        def put(self, step: int, sender: int, message: bytes) -> None:
            if (step, sender) == (1, 0):
                shutil.copytree(folder, backup, ignore=shutil.ignore_patterns("said-0001*"))
            super().put(step, sender, message)

    post, ward = Copied(), [1500] * 4 + [750] * 8 + [3000, 0, 0, 0, 3000, 0]
    meet(session, parties, post)
    shutil.rmtree(folder)
    backup.rename(folder)
    again = Lying(parties[2], "share", lambda told: told + np.array(ward, dtype=np.uint64))
    again.held = {0: dict(post.held[0]), 1: {1: post.held[1][1]}}
    again.put(1, 2, post.held[1][2])
    with pytest.raises(PartyError, match="waiting for party-1, party-2"):
        take_part(session, parties[0], again, patience=0.5)
    assert again.held[1][0] == post.held[1][0], "what has the same history is said again"
    first, second = (read_message(one.held[2][0]) for one in (post, again))
    assert first.about != second.about
    vectors = [np.frombuffer(one.body, dtype=np.uint64) for one in (first, second)]
    shared = min(map(len, vectors))
    # A cell of two independent masks comes within 10**6 by chance once in 10**13.
    assert (np.abs((vectors[0][:shared] - vectors[1][:shared]).view(np.int64)) > 10**6).all()


def test_two_envelopes_under_one_key_have_nothing_in_common() -> None:
    key, secret = secrets.token_bytes(32), bytes(64)
    one, other = seal(key, secret), seal(key, secret)
    assert unseal(key, one, "party-1") == unseal(key, other, "party-1") == secret
    assert not any(one[at : at + 8] in other for at in range(len(one) - 8))
    for damaged in (b"", one[:5], one[:-1], one[:30] + bytes(8) + one[38:]):
        with pytest.raises(PartyError, match="envelope of party-1 cannot be opened"):
            unseal(key, damaged, "party-1")


def test_one_side_never_counts_as_two_parties(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    key = parties[1].identity.key
    twin = certificate(key, "party-3", ["localhost"]).public_bytes(Encoding.PEM).decode()
    known = {party.identity.name: party.identity.certificate for party in parties}
    with pytest.raises(PartyError, match="two parties have one key"):
        replace(agreed(parties), parties={**known, "party-3": twin})


def test_two_certificates_of_one_name_make_no_session(tmp_path: Path) -> None:
    DESIGN.save(tmp_path / "survey.json")
    names = {"a": "a", "b": "b", "other": "b", "c": "c", "relay": "relay"}
    for folder, name in names.items():
        make_identity(tmp_path / folder, name)
    words = ["party", "session", "s.toml", "-d", "survey.json", "--id", "one", "--url", "https://x"]
    words += [f"--relay={tmp_path}/relay/certificate.pem", "--task", '{"kind": "naive-bayes"}']
    words += [f"--party={tmp_path}/{name}/certificate.pem" for name in ("a", "b", "other", "c")]
    with pytest.MonkeyPatch.context() as here:
        here.chdir(tmp_path)
        refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, "made out to b" in refused.stderr) == (2, True), refused.output
    assert not (tmp_path / "s.toml").exists()
