"""The tape is one stream however it is read, and no number is favoured."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from frankly.errors import FranklyError
from frankly.randomize import Tape
from frankly.randomize.tape import Stream

TOP = 2**32


@given(st.lists(st.integers(0, 200_000), max_size=6))
def test_a_tape_is_the_same_however_it_is_read(pieces: list[int]) -> None:
    tape = Tape.seeded("pieces")
    read = [tape.read(n) for n in pieces]
    whole = Tape.seeded("pieces").read(sum(pieces))
    assert np.array_equal(np.concatenate([np.empty(0, np.uint32), *read]), whole)


def test_the_stream_is_aes_in_counter_mode() -> None:
    # NIST SP 800-38A, 6.5: the stream is the cipher of a counter that goes up by one.
    key = bytes(range(32))
    block = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()
    first = block.update(bytes(16)) + block.update(bytes(15) + b"\x01")
    assert Stream(key).read(8).tobytes() == first


def test_two_secure_tapes_differ() -> None:
    # Equal by chance once in 2**128.
    assert not np.array_equal(Tape.secure().read(4), Tape.secure().read(4))


def test_words_above_the_last_whole_multiple_are_thrown_away() -> None:
    tape = Tape.recorded([TOP - 1, 0, TOP // 3, 2 * (TOP // 3)])
    assert tape.below(3, 3).tolist() == [0, 1, 2]


def test_a_toss_is_below_q_compared_with_p() -> None:
    words = Tape.seeded(1).read(5000).tolist()
    numbers = Tape.recorded(words).below(10, 4990)
    assert np.array_equal(Tape.recorded(words).toss(7, 10, 4990), numbers < 7)


def test_a_toss_changes_sides_at_exactly_p_of_q() -> None:
    edge = 7 * (TOP // 10)
    assert Tape.recorded([edge - 1, edge]).toss(7, 10, 2).tolist() == [True, False]
    assert Tape.recorded([0, TOP - 1]).toss(1, 1, 2).tolist() == [True, True]
    assert Tape.recorded([0, TOP - 1]).toss(0, 1, 2).tolist() == [False, False]


@pytest.mark.parametrize("q", [1, 2, 3, 256, 2**31, 2**32 - 1])
def test_numbers_stay_below_q(q: int) -> None:
    numbers = Tape.seeded(q).below(q, 1000)
    assert 0 <= numbers.min() <= numbers.max() < q


def test_a_recorded_tape_refuses_to_run_on() -> None:
    with pytest.raises(FranklyError, match="the recorded tape ends: 3 words wanted, 2 left"):
        Tape.recorded([1, 2]).below(2, 3)
