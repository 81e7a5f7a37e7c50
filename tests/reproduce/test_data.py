"""Published data sets are read as the papers seem to have read them."""

from pathlib import Path

import numpy as np
import pytest

from frankly.errors import ReportError
from frankly.reproduce.data import adult, split, wdbc, wisconsin

ROW = (
    "{age}, {work}, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, "
    "2174, 0, 40, United-States, {label}"
)


def write_adult(folder: Path) -> None:
    rows = [
        ROW.format(age=20, work="Private", label="<=50K"),
        ROW.format(age=40, work="Never-worked", label=">50K"),
        ROW.format(age=30, work="?", label="<=50K"),
    ]
    (folder / "adult.data").write_text("\n".join(rows) + "\n\n")
    more = ROW.format(age=50, work="Local-gov", label=">50K.")
    (folder / "adult.test").write_text(f"|1x3 Cross validator\n{more}\n")


def test_adult_is_read_from_both_files(tmp_path: Path) -> None:
    write_adult(tmp_path)
    bits = adult(tmp_path)
    assert bits.n == 4
    assert bits.names[-1] == bits.target == "class"
    assert len(bits.names) == 15
    assert bits.codes["class"].tolist() == [0, 1, 0, 1]
    assert bits.codes["age"].tolist() == [0, 1, 0, 1]  # above the median of 35
    # Private is 0, Local-gov 4, Never-worked 7 and ? the last, 8; the cut lies at 4.
    assert bits.codes["workclass"].tolist() == [0, 1, 1, 0]
    assert adult(tmp_path, test=False).n == 3


def test_an_unknown_score_counts_as_the_median(tmp_path: Path) -> None:
    rows = ["1,5,1,1,1,2,1,3,1,1,2", "2,6,1,1,1,2,?,3,1,1,4", "3,7,1,1,1,2,3,3,1,1,4"]
    (tmp_path / "breast-cancer-wisconsin.data").write_text("\n".join(rows))
    bits = wisconsin(tmp_path)
    assert bits.codes["nuclei"].tolist() == [0, 0, 1]
    assert bits.codes["class"].tolist() == [0, 1, 1]


def test_a_split_parts_everybody_once() -> None:
    bits = wdbc()
    train, test = split(bits, seed=3)
    assert (train.n, test.n) == (455, 114)
    for name in bits.names:
        both = np.concatenate([train.codes[name], test.codes[name]])
        assert both.sum() == bits.codes[name].sum()
    assert not np.array_equal(split(bits, seed=4)[0].codes["class"], train.codes["class"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"adult\.data is not in"):
        adult(tmp_path)
