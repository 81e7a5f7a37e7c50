"""P16: collusion limits are stated, transcripts leak nothing.

Short: 150 games a pair, where a sound view exceeds 0.45 with a chance under 1e-7. With `--full`
10,000 games a pair, judged by the bar: the upper 95 % limit at most 0.06, which six sound views
exceed with a chance under 2e-4.
"""

from pathlib import Path

import pytest
from gmpy2 import mpz

from frankly.collaborate import Transcript
from frankly.collaborate.adv import Setting, measure
from frankly.collaborate.adv_masks import pair_settings
from frankly.collaborate.adv_zhan import logarithm
from frankly.collaborate.message import read_message
from frankly.collaborate.paillier import PublicKey
from frankly.collaborate.paillier_sum import read_key
from frankly.collaborate.sums import read_hello
from tests.collaborate.rooms import LocalPost, agreed, hospitals, meet


@pytest.mark.parametrize("setting", pair_settings(), ids=lambda one: one.sights[0].view)
def test_the_relay_and_any_two_of_four_parties_learn_nothing_more(
    setting: Setting, full: bool
) -> None:
    (found,) = measure(setting, 10_000 if full else 150, 3000 if full else 300)
    assert found.holds if full else abs(found.adv) < 0.45


def ciphers_of(path: Path) -> tuple[PublicKey, list[mpz]]:
    """Take every number that could be a ciphertext from a transcript."""
    transcript = Transcript.load(path)
    hello = read_hello(transcript.steps[0][2], transcript.session)
    key = read_key(hello.paillier, transcript.session.bits)
    bodies = [message.body for step in transcript.steps[1:3] for message in step]
    return key, [mpz(int.from_bytes(body[: key.bytes_each], "big")) % key.n2 for body in bodies]


def test_an_eavesdropper_recovers_no_factor_from_a_recorded_transcript(tmp_path: Path) -> None:
    parties = hospitals(tmp_path)
    meet(agreed(parties, scheme="paillier"), parties, LocalPost())
    key, ciphers = ciphers_of(parties[0].folder / "transcript.jsonl")
    assert len(ciphers) == 3
    pairs = [(a, b) for a in ciphers for b in ciphers if a != b]
    found = [logarithm(base, power, key.n2, 10**6) for base, power in pairs]
    assert found == [None] * len(pairs)
    factor = key.times(ciphers[0], 250_000)
    assert logarithm(ciphers[0], factor, key.n2, 10**6) == 250_000, "a bare factor would be found"


@pytest.mark.parametrize("scheme", ["masks", "paillier"])
def test_the_same_input_twice_gives_different_transcripts(tmp_path: Path, scheme: str) -> None:
    seen: list[set[bytes]] = []
    for name in ("one", "two"):
        parties = hospitals(tmp_path / name)
        post = LocalPost()
        meet(agreed(parties, scheme=scheme, id=name), parties, post)
        steps = [step for number, step in post.held.items() if number < 3]
        seen.append({read_message(data).body for step in steps for data in step.values()})
    assert not seen[0] & seen[1]
