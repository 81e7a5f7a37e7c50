"""Adult from OpenML is the same people as Adult from the files; without a network, help."""

from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from frankly.errors import ReportError
from frankly.reproduce import openml
from frankly.reproduce.data import ADULT, adult
from frankly.reproduce.lab import Lab
from tests.reproduce.made_up import write_adult


def frame(folder: Path) -> pd.DataFrame:
    """Read the files as OpenML holds them: numbers as numbers, unknown ones missing."""
    rows = []
    for name in ("adult.data", "adult.test"):
        for line in (folder / name).read_text().splitlines():
            rows.append(line.rstrip(".").split(", "))
    table = pd.DataFrame(rows, columns=ADULT.split()).replace("?", np.nan)
    numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return table.astype(dict.fromkeys(numbers, int))


def test_openml_and_the_files_are_the_same_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_adult(tmp_path, 60)
    table = frame(tmp_path)
    monkeypatch.setattr(openml, "fetch_openml", lambda *_, **__: SimpleNamespace(frame=table))
    monkeypatch.setattr(openml, "TRAINING", 40)
    monkeypatch.delenv("FRANKLY_DATA", raising=False)
    for test in (True, False):
        ours, files = Lab().adult(test=test), adult(tmp_path, test=test)
        assert ours.n == files.n
        assert all(np.array_equal(ours.codes[name], files.codes[name]) for name in files.names)


def test_without_a_network_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> None:
        raise URLError("no route")

    monkeypatch.setattr(openml, "fetch_openml", offline)
    with pytest.raises(ReportError, match=r"--data FOLDER, or FRANKLY_DATA"):
        openml.adult_from_openml()
