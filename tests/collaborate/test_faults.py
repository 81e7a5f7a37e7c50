"""Whatever goes wrong, the run resumes exactly or stops with a sentence; no partial model."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from frankly.collaborate import Session, State, Transcript, join, make_identity, replay
from frankly.collaborate.message import read_message, write_message
from frankly.collaborate.seat import Post, Watch
from frankly.design import Attribute, Design
from frankly.errors import HeadroomError, NoResultError, PartyError
from tests.collaborate.rooms import (
    DESIGN,
    SIZES,
    Hospital,
    LocalPost,
    agreed,
    hospitals,
    meet,
    take_part,
)

STEPS = {"masks": ("hello", "share"), "paillier": ("hello", "share", "product", "sum")}
SPEAKS = {"product": 0, "sum": 2}


class PowerCut(BaseException):
    """The party's machine is gone, at once."""


class Cut:
    """A post that takes the power away at one call, once."""

    def __init__(self, post: Post, step: int, when: str) -> None:
        self.post, self.step, self.when, self.done = post, step, when, False

    def cut(self, step: int, when: str) -> None:
        if (step, when) == (self.step, self.when) and not self.done:
            self.done = True
            raise PowerCut

    def put(self, step: int, sender: int, message: bytes) -> None:
        self.cut(step, "before it is sent")
        self.post.put(step, sender, message)
        self.cut(step, "after it is sent")

    def get(self, step: int, have: int) -> Mapping[int, bytes]:
        found = self.post.get(step, have)
        self.cut(step, "while it listens")
        return found


@pytest.mark.parametrize("when", ["before it is sent", "after it is sent", "while it listens"])
@pytest.mark.parametrize(("scheme", "kind"), [(s, k) for s, kinds in STEPS.items() for k in kinds])
def test_a_party_killed_in_any_step_resumes_exactly(
    tmp_path: Path, scheme: str, kind: str, when: str
) -> None:
    parties = hospitals(tmp_path)
    session = agreed(parties, scheme=scheme)
    victim = parties[SPEAKS.get(kind, 1)]
    cuts: list[Cut] = []

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        if party is not victim:
            return take_part(session, party, post)
        cuts.append(Cut(post, STEPS[scheme].index(kind), when))
        try:
            take_part(session, party, cuts[0])
        except PowerCut:
            # LocalPost fails if the second life says anything else than the first.
            return take_part(session, party, post)
        raise AssertionError("the power was never cut")

    results = meet(session, parties, LocalPost(), work)
    plain = hospitals(tmp_path / "again")
    expected = meet(agreed(plain, scheme="masks"), plain, LocalPost())
    assert results == expected
    assert cuts[0].done


def test_a_relay_that_has_lost_everything_is_told_again(tmp_path: Path) -> None:
    class Forgetful(LocalPost):
        lost = False

        def get(self, step: int, have: int) -> Mapping[int, bytes]:
            with self.news:
                if step == 1 and not self.lost:
                    self.lost = True
                    self.held.clear()
            return super().get(step, have)

    parties = hospitals(tmp_path)
    post = Forgetful()
    results = meet(agreed(parties), parties, post)
    assert post.lost
    assert results[0] == results[2]


def altered(data: bytes) -> bytes:
    body = read_message(data).body
    return data.replace(body, bytes([body[0] ^ 1]) + body[1:])


TAMPERING: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "altered": (altered, "signature .* is wrong"),
    "truncated": (lambda data: data[:-3], "damaged"),
    "lengthened": (lambda data: data + b"\0", "damaged"),
    "empty": (lambda _: b"", "damaged"),
}


class Tampering(LocalPost):
    """A relay that puts its hands on one party's message of one step."""

    def __init__(self, step: int, change: Callable[["Tampering", bytes], bytes]) -> None:
        super().__init__()
        self.step, self.change = step, change

    def get(self, step: int, have: int) -> Mapping[int, bytes]:
        found = dict(super().get(step, have))
        if step == self.step and 0 in found:
            found[0] = self.change(self, found[0])
        return found


def stops(session: Session, parties: list[Hospital], post: Post, sentence: str) -> None:
    """Let all take part with little patience; everybody stops, nobody has a result."""
    said: list[str] = []

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        with pytest.raises(PartyError) as refused:
            take_part(session, party, post, patience=1.0)
        said.append(str(refused.value))
        return {}

    meet(session, parties, post, work)
    assert any(re.search(sentence, one) for one in said), said
    assert not any((party.folder / "result.json").exists() for party in parties)


@pytest.mark.parametrize("how", sorted(TAMPERING))
@pytest.mark.parametrize("step", [0, 1])
def test_a_message_that_was_tampered_with_is_refused(tmp_path: Path, how: str, step: int) -> None:
    change, sentence = TAMPERING[how]
    parties = hospitals(tmp_path)
    stops(agreed(parties), parties, Tampering(step, lambda _, data: change(data)), sentence)


def test_a_replayed_message_is_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    post = Tampering(1, lambda post, _: post.held[0][0])
    stops(agreed(parties), parties, post, "replayed or came out of order")


def test_a_message_from_the_future_is_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    key = parties[0].identity.key

    def later(_: Tampering, data: bytes) -> bytes:
        said = replace_message(data, step=5)
        return write_message(said.signed(key))

    stops(agreed(parties), parties, Tampering(0, later), "belongs to step 5")


def test_a_message_handed_over_as_somebody_elses_is_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    post = Tampering(0, lambda post, data: post.held[0].get(1, data))
    stops(agreed(parties), parties, post, "somebody else's")


def replace_message(data: bytes, **changes: object) -> Any:
    return msgspec.structs.replace(read_message(data), **changes)


def test_a_party_that_tells_two_stories_is_found_out(tmp_path: Path) -> None:
    """Party 0 sends party 1 another greeting than party 2, both well signed."""
    parties = hospitals(tmp_path)
    key = parties[0].identity.key
    post = LocalPost()

    class TwoFaced(LocalPost):
        def get(self, step: int, have: int) -> Mapping[int, bytes]:
            found = dict(post.get(step, have))
            if step == 0 and 0 in found:
                other = replace_message(found[0], body=read_message(found[1]).body)
                found[0] = write_message(other.signed(key)) if 1 in found else found[0]
            return found

        def put(self, step: int, sender: int, message: bytes) -> None:
            post.put(step, sender, message)

    def work(session: Session, party: Hospital, _: Post) -> dict[str, Any]:
        mine = TwoFaced() if party is parties[1] else post
        with pytest.raises(PartyError, match="has seen other messages"):
            take_part(session, party, mine, patience=2.0)
        return {}

    meet(agreed(parties), parties, post, work)
    assert not any((party.folder / "result.json").exists() for party in parties)


def test_another_session_file_is_noticed_before_any_data_leaves(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session, other = agreed(parties), agreed(parties, minimum_cell=5)
    post = LocalPost()

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        mine = other if party is parties[1] else session
        with pytest.raises(PartyError, match="another session file"):
            take_part(mine, party, post, patience=2.0)
        return {}

    meet(session, parties, post, work)
    assert list(post.held) == [0], "only greetings were sent"


@pytest.mark.parametrize("change", ["order", "value", "version"])
def test_a_changed_domain_is_refused_before_anything_is_sent(tmp_path: Path, change: str) -> None:
    values = {name: [f"{name} {k}" for k in range(size)] for name, size in SIZES.items()}
    if change == "order":
        values["age"].reverse()
    if change == "value":
        values["age"][0] = "age zero"
    attributes = [Attribute(name, labels) for name, labels in values.items()]
    version = 2 if change == "version" else 1
    design = Design(attributes, target="ill", version=version)
    parties = hospitals(tmp_path)
    post, party = LocalPost(), parties[0]
    words = (party.identity, party.home(), post, State(party.folder), Watch(1.0))
    with pytest.raises(PartyError, match="not the one agreed on") as refused:
        join(agreed(parties), design, *words)
    assert ("age" in str(refused.value)) == (change != "version")
    assert post.held == {}


def test_fewer_parties_than_the_minimum_are_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path, 4)
    with pytest.raises(PartyError, match="at least 3 parties"):
        agreed(parties[:2])
    with pytest.raises(PartyError, match="at least 5 parties"):
        agreed(parties, minimum_parties=5)


def test_a_party_that_never_comes_is_named(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session, post = agreed(parties), LocalPost()

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        with pytest.raises(
            PartyError, match=r"waiting for party-2 .* run the same .* never send it again"
        ):
            take_part(session, party, post, patience=0.5)
        return {}

    meet(session, parties[:2], post, work)
    results = meet(session, parties, post)
    assert results[0] == results[2], "it comes later, and the session goes on"


@pytest.mark.parametrize("change", ["one role", "unknown role", "short key", "twice", "scheme"])
def test_a_session_that_protects_nobody_is_refused(tmp_path: Path, change: str) -> None:
    parties = hospitals(tmp_path)
    first = parties[0].identity
    changes: dict[str, tuple[dict[str, Any], str]] = {
        "one role": ({"aggregator": "party-2"}, "aggregator and key_holder"),
        "unknown role": ({"aggregator": "nobody"}, "aggregator and key_holder"),
        "short key": ({"bits": 1024}, "can be broken"),
        "twice": ({"parties": {f"party-{k}": first.certificate for k in range(3)}}, "its own"),
        "scheme": ({"scheme": "hope"}, "the scheme is one of"),
    }
    changed, sentence = changes[change]
    with pytest.raises(PartyError, match=sentence):
        replace(agreed(parties), **{"scheme": "paillier", **changed})


def test_a_stranger_with_a_known_name_is_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    stranger = replace(parties[0], identity=make_identity(tmp_path / "stranger", "party-0"))
    post = LocalPost()
    with pytest.raises(PartyError, match="does not know this certificate"):
        take_part(agreed(parties), stranger, post)
    assert post.held == {}


@pytest.mark.parametrize("scheme", sorted(STEPS))
def test_a_pooled_cell_below_the_minimum_is_not_opened(tmp_path: Path, scheme: str) -> None:
    parties = hospitals(tmp_path)
    session = agreed(parties, scheme=scheme, minimum_cell=10**5)
    stops(session, parties, LocalPost(), "fewer than 100000 people")
    kept = {path.name for party in parties for path in party.folder.iterdir()}
    assert kept.isdisjoint({"exchange.key", "paillier.json"})
    if scheme == "paillier":
        sums = Transcript.load(parties[0].folder / "transcript.jsonl").steps[3]
        assert sums[0].body == b"", "the key holder tells nothing"


@pytest.mark.parametrize("scheme", sorted(STEPS))
def test_more_rows_than_agreed_are_refused_before_they_are_sent(
    tmp_path: Path, scheme: str
) -> None:
    parties = hospitals(tmp_path)
    post = LocalPost()

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        with pytest.raises((HeadroomError, PartyError), match=r"new session with more|waiting for"):
            take_part(session, party, post, patience=0.5)
        return {}

    meet(agreed(parties, scheme=scheme, rows=20), parties, post, work)
    assert not post.held.get(1)


def test_a_finished_session_gives_its_result_again_and_keeps_no_keys(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session, post = agreed(parties, scheme="paillier"), LocalPost()
    results = meet(session, parties, post)
    for party, result in zip(parties, results, strict=True):
        assert take_part(session, party, post) == result
        kept = {path.name for path in party.folder.iterdir()}
        assert kept.isdisjoint({"exchange.key", "paillier.json"})
    (parties[0].folder / "exchange.key").write_bytes(b"left by a crash before it was deleted")
    assert take_part(session, parties[0], post) == results[0]
    assert not (parties[0].folder / "exchange.key").exists()
    (parties[0].folder / "result.json").unlink()
    with pytest.raises(NoResultError, match="its keys have been deleted"):
        take_part(session, parties[0], post)


def test_other_data_than_the_session_began_with_is_refused(tmp_path: Path) -> None:
    state, data = State(tmp_path / "state"), tmp_path / "rows.csv"
    data.write_text("ill\nyes\n")
    state.same_data(data)
    state.same_data(data)
    data.write_text("ill\nno\n")
    with pytest.raises(PartyError, match="has changed since this session began"):
        state.same_data(data)
    state.forget()
    assert not list(state.folder.iterdir()), "a hash of the rows would confirm a guess of them"


@pytest.mark.parametrize("scheme", sorted(STEPS))
def test_nothing_secret_is_in_what_is_sent_or_in_the_transcript(
    tmp_path: Path, scheme: str
) -> None:
    parties = hospitals(tmp_path)
    session, post = agreed(parties, scheme=scheme), LocalPost()
    secret: list[bytes] = []

    def work(session: Session, party: Hospital, post: Post) -> dict[str, Any]:
        state = State(party.folder)
        exchange = state.exchange_key().private_bytes_raw()
        identity = party.identity.key.private_bytes_raw()
        secret.extend([exchange, identity])
        return take_part(session, party, post)

    canaries = canary_counts(parties)
    meet(session, parties, post, work)
    sent = b"".join(message for step in post.held.values() for message in step.values())
    written = (parties[1].folder / "transcript.jsonl").read_bytes()
    decoded = b"".join(
        write_message(m)
        for step in Transcript.load(parties[1].folder / "transcript.jsonl").steps
        for m in step
    )
    assert len(sent) > 1000
    for canary in [*secret, *canaries]:
        for place in (sent, written, decoded):
            assert canary not in place
            assert canary.hex().encode() not in place
    total = np.sum([np.frombuffer(one, dtype="<i8") for one in canaries], axis=0)
    if scheme == "paillier":
        assert total.tobytes() in sent, "the search would have found counts"


def canary_counts(parties: list[Hospital]) -> list[bytes]:
    """Give the bytes of every party's own table of age with ill."""
    found = []
    for party in parties:
        table = np.zeros((2, SIZES["age"]), dtype=np.int64)
        np.add.at(table, (party.rows["ill"], party.rows["age"]), 1)
        found.append(table.ravel().astype("<i8").tobytes())
    return found


def test_one_flipped_byte_anywhere_in_a_transcript_is_found(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    meet(agreed(parties), parties, LocalPost())
    path = parties[0].folder / "transcript.jsonl"
    whole = path.read_bytes()
    replay(path)
    rng = np.random.default_rng(8)
    for place in rng.choice(len(whole), 300, replace=False):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(0, 7))
        path.write_bytes(bytes(damaged))
        with pytest.raises(PartyError, match="not the transcript that was signed"):
            replay(path)


def test_a_transcript_that_was_cut_or_lengthened_is_refused(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    meet(agreed(parties), parties, LocalPost())
    path = parties[0].folder / "transcript.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    for kept in (lines[:-1], [*lines, lines[-1]], [lines[0], *lines[2:]], lines[:1]):
        path.write_text("".join(kept))
        with pytest.raises(PartyError):
            replay(path)


def test_a_half_written_last_line_is_dropped_when_a_party_resumes(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session = agreed(parties)
    meet(session, parties, LocalPost())
    path = parties[0].folder / "transcript.jsonl"
    whole = path.read_text()
    path.write_text(whole + '{"step": 2, "mess')
    assert len(Transcript.open(path, session, DESIGN).steps) == 2
    assert path.read_text() == whole
    for nothing in ("", whole[:40]):
        path.write_text(nothing)
        assert Transcript.open(path, session, DESIGN).steps == []
        assert path.read_text() == whole.splitlines(keepends=True)[0]


def test_the_session_file_keeps_everything(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    session = agreed(
        parties, scheme="paillier", relay={"url": "https://x", "certificate": "-----BEGIN"}
    )
    session.save(tmp_path / "session.toml")
    assert Session.load(tmp_path / "session.toml").hash == session.hash
    swapped = dict(reversed(list(session.parties.items())))
    assert replace(session, parties=swapped).hash != session.hash
    with pytest.raises(PartyError, match=r"no \['colour'\]"):
        Session.from_document({**json.loads(json.dumps(session.document())), "colour": "red"})


def test_the_same_counts_twice_are_hidden_differently(tmp_path: Path) -> None:
    posts = []
    for name in ("one", "two"):
        parties = hospitals(tmp_path / name)
        posts.append(LocalPost())
        meet(agreed(parties, id=secrets.token_hex(4)), parties, posts[-1])
    bodies = [read_message(post.held[1][0]).body for post in posts]
    assert bodies[0] != bodies[1]
