"""Power cuts and strangers, between real processes."""

import time
from pathlib import Path

import pytest

from frankly.count import ArrayEngine
from frankly.mine import NaiveBayes
from frankly.mine.saved import document
from tests.collaborate.processes import Running, Village, finished, run
from tests.collaborate.rooms import DESIGN, together


def wait_for(path: Path, pattern: str) -> None:
    for _ in range(600):
        if path.exists() and list(path.glob(pattern)):
            return
        time.sleep(0.05)
    raise TimeoutError(f"{pattern} never came")


@pytest.mark.parametrize("scheme", ["masks", "paillier"])
def test_parties_and_relay_are_killed_and_the_session_goes_on(tmp_path: Path, scheme: str) -> None:
    village = Village(tmp_path, scheme=scheme)
    with village.relay() as relay:
        first, second = village.join(0), village.join(1)
        wait_for(village.folder / "relay" / "messages", "*/step-0000/0001.message")
        first.kill()
        relay.kill()
        assert first.code == -9
    with village.relay():
        finished([second, village.join(0), village.join(2)])
    central = NaiveBayes(design=DESIGN).fit(ArrayEngine.from_codes(DESIGN, together(village.rows)))
    assert [village.result(k)["model"] for k in range(3)] == [document(central)] * 3


def test_a_party_waits_for_a_relay_that_comes_later(tmp_path: Path) -> None:
    village = Village(tmp_path)
    parties = [village.join(k) for k in range(3)]
    time.sleep(0.5)
    with village.relay():
        finished(parties)


def test_wrong_certificates_stop_at_once_with_a_sentence(tmp_path: Path) -> None:
    village = Village(tmp_path)
    run("party", "init", tmp_path / "stranger", "--name", "party-1")
    run("party", "init", tmp_path / "false", "--name", "relay", "--host", "127.0.0.1")
    status = ["party", "status", village.session, "-i"]
    with village.relay():
        stranger = Running([*status, tmp_path / "stranger"], tmp_path / "stranger.said")
        said = stranger.finish()
        assert stranger.code == 2
        assert "does not accept this party's certificate" in said
        assert "Traceback" not in said
    honest = village.session.read_text()
    genuine = (tmp_path / "relay" / "certificate.pem").read_text()
    pretended = (tmp_path / "false" / "certificate.pem").read_text()
    with village.relay():
        village.session.write_text(honest.replace(genuine, pretended))
        party = Running([*status, village.party(1)], tmp_path / "party.said")
        said = party.finish()
        assert party.code == 2
        assert "another certificate than the session file pins" in said
    village.session.write_text(honest)
    words = ["relay", village.session, "-i", tmp_path / "false"]
    impostor = Running(words, tmp_path / "impostor.said")
    assert "no party would talk to this one" in impostor.finish()


def test_changed_files_stop_at_once_with_a_sentence(tmp_path: Path) -> None:
    village = Village(tmp_path)
    survey = village.folder / "session.toml.design.json"
    survey.write_text(survey.read_text().replace("age 3", "age three"))
    party = village.join(0)
    assert "the values of ['age'] differ" in party.finish()
    assert party.code == 2
    assert not (village.party(0) / "sessions").exists()


def test_a_lost_state_never_makes_a_second_vector(tmp_path: Path) -> None:
    village = Village(tmp_path)
    with village.relay():
        party = village.join(0)
        wait_for(village.folder / "relay" / "messages", "*/step-0000/0000.message")
        party.kill()
        for path in village.state(0).iterdir():
            path.unlink()
        again = village.join(0)
        assert "A second vector under the same masks would give the counts away" in again.finish()
        assert again.code == 2


def test_nothing_secret_is_said_or_kept_outside(tmp_path: Path) -> None:
    """A canary in every place that must stay home: rows, keys, and the party's own counts."""
    village = Village(tmp_path, scheme="paillier")
    with village.relay():
        parties = [village.join(k) for k in range(3)]
        wait_for(village.party(2) / "sessions", "*/paillier.json")
        secrets = [village.state(2) / "paillier.json", village.state(2) / "exchange.key"]
        kept = [path.read_bytes() for path in secrets if path.exists()]
        said = finished(parties)
    prime = kept[0].split(b'"p": "')[1].split(b'"')[0]
    key = (village.party(0) / "key.pem").read_bytes().splitlines()[1]
    outside = [path.read_bytes() for path in (tmp_path / "relay").rglob("*") if path.is_file()]
    outside += [(village.state(k) / "transcript.jsonl").read_bytes() for k in range(3)]
    outside += [text.encode() for text in said] + [(tmp_path / "relay.said").read_bytes()]
    for canary in (prime, key, *kept[1:]):
        assert len(canary) >= 32
        assert not any(canary in place for place in outside)
    assert not any(b"Traceback" in place for place in outside)


def test_a_party_that_is_started_twice_by_accident_is_no_harm(tmp_path: Path) -> None:
    village = Village(tmp_path)
    with village.relay():
        first = village.join(0)
        wait_for(village.folder / "relay" / "messages", "*/step-0000/0000.message")
        second = Running(village.join_words(0), tmp_path / "twice.said")
        assert "already running in this session" in second.finish()
        assert second.code == 2
        finished([first, village.join(1), village.join(2)])
    central = NaiveBayes(design=DESIGN).fit(ArrayEngine.from_codes(DESIGN, together(village.rows)))
    assert [village.result(k)["model"] for k in range(3)] == [document(central)] * 3
