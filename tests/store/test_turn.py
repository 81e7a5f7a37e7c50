"""Taking turns: who comes second waits, is woken, and knows it."""

import gc
import os
import threading
from pathlib import Path

import pytest

from frankly.store import Store
from frankly.store.turn import Turn


@pytest.mark.parametrize("same", [True, False], ids=["threads", "processes"])
def test_who_comes_second_waits_and_knows_it(tmp_path: Path, *, same: bool) -> None:
    """Two that opened the file themselves are to each other as two processes."""
    path, seen = str(tmp_path / "turn"), list[object]()
    theirs = Turn(path)
    ours = theirs if same else Turn(path)
    inside, done = threading.Event(), threading.Event()

    def first() -> None:
        with theirs as waited:
            seen.append(waited)
            inside.set()
            done.wait(10)
            seen.append("first is done")

    one = threading.Thread(target=first)
    one.start()
    inside.wait(10)
    threading.Timer(0.1, done.set).start()
    with ours as waited:
        seen.append(waited)
    one.join()
    assert seen == [False, "first is done", True]


def test_without_a_place_for_the_lock_nobody_waits(tmp_path: Path) -> None:
    turn = Turn(str(tmp_path / "no such folder" / "turn"))
    for _ in range(2):
        with turn as waited:
            assert waited is False


def test_where_locks_are_refused_turns_are_taken_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is a courtesy: a file system without locks loses no answer and stops nobody."""

    def refused(*_: object) -> None:
        raise OSError(38, "no locks here")

    monkeypatch.setattr("fcntl.flock", refused)
    turn = Turn(str(tmp_path / "turn"))
    for _ in range(2):
        with turn as waited:
            assert waited is False


def test_a_turn_that_ended_badly_is_over(tmp_path: Path) -> None:
    turn = Turn(str(tmp_path / "turn"))
    with pytest.raises(KeyError), turn:
        raise KeyError
    for one in (turn, Turn(turn.path)):
        with one as waited:
            assert waited is False


@pytest.mark.parametrize("write", ["writing", "anew"])
def test_whoever_writes_takes_a_turn_as_batches_do(tmp_path: Path, write: str) -> None:
    """A log that one connection begins anew while another empties it is where SQLite had a bug."""
    path, seen = str(tmp_path / "s.sqlite"), list[str]()
    with Store(path) as store:

        def later() -> None:
            with getattr(store, write)():
                seen.append("written")

        with Turn(f"{path}-turn"):
            one = threading.Thread(target=later)
            one.start()
            one.join(0.3)
            seen.append("their turn is over")
        one.join(10)
    assert seen == ["their turn is over", "written"]


def test_whoever_was_halted_in_their_turn_halts_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with Ctrl-Z: the file itself is not locked, and answers have to go on."""
    monkeypatch.setattr("frankly.store.turn.PATIENCE", 0.2)
    path = str(tmp_path / "s.sqlite")
    with Store(path) as store, Turn(f"{path}-turn"):
        for _ in range(2):
            with store.at_once() as raw:
                assert raw.in_transaction
            assert store.pressed


def test_nothing_stays_open_when_a_store_is_gone(tmp_path: Path) -> None:
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    def used() -> None:
        with Store(str(tmp_path / "s.sqlite")) as store, store.at_once():
            pass

    used()
    gc.collect()  # what earlier tests left is not ours
    before = opened()
    for _ in range(5):
        used()
    gc.collect()
    assert opened() == before
