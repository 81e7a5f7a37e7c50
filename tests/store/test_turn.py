"""Taking turns: who comes second waits, is woken, and knows it."""

import threading
from pathlib import Path

from frankly.store.turn import turn


def test_who_comes_second_waits_and_knows_it(tmp_path: Path) -> None:
    path, seen = str(tmp_path / "turn"), list[object]()
    inside, done = threading.Event(), threading.Event()

    def first() -> None:
        with turn(path) as waited:
            seen.append(waited)
            inside.set()
            done.wait(10)
            seen.append("first is done")

    one = threading.Thread(target=first)
    one.start()
    inside.wait(10)
    threading.Timer(0.1, done.set).start()
    with turn(path) as waited:
        seen.append(waited)
    one.join()
    assert seen == [False, "first is done", True]


def test_without_a_place_for_the_lock_nobody_waits(tmp_path: Path) -> None:
    with turn(str(tmp_path / "no such folder" / "turn")) as waited:
        assert waited is False
