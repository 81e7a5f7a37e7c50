"""People made up in the shape of the UCI files, so that tests need no file outside the clone."""

from pathlib import Path

import numpy as np

from frankly.reproduce.data import ADULT, WORDS


def write_adult(folder: Path, people: int) -> None:
    """Write ``adult.data`` (two thirds of the people) and ``adult.test``."""
    chance = np.random.default_rng(11)
    rows = []
    for _ in range(people):
        rich = bool(chance.random() < 0.3)
        cells = [cell(name, chance, rich=rich) for name in ADULT.split()[:-1]]
        rows.append(", ".join([*cells, ">50K" if rich else "<=50K"]))
    cut = people * 2 // 3
    (folder / "adult.data").write_text("\n".join(rows[:cut]) + "\n")
    (folder / "adult.test").write_text("\n".join(f"{row}." for row in rows[cut:]) + "\n")


def cell(name: str, chance: np.random.Generator, *, rich: bool) -> str:
    """Make up one answer; the rich are older and later in the list of words."""
    if name not in WORDS:
        return str(int(chance.integers(20, 60) + 15 * rich))
    words = [*WORDS[name].split(), "?"]
    at = chance.integers(len(words) // 3 if rich else 0, len(words))
    return words[int(at)]
