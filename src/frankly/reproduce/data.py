"""The published data sets, read as yes-or-no answers the way that comes nearest to the papers.

Numbers become ``above the median`` (over all rows); words are numbered in the order of the data
set's own description, ``?`` last, and cut in the middle of the numbers. Zhan and Matwin do not
say how they did it; of 36 readings this one comes closest to their figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from frankly.design import Attribute
from frankly.errors import ReportError

__all__ = ["ADULT", "Bits", "adult", "adult_bits", "split", "wdbc", "wisconsin"]

Column = NDArray[np.uint8]

VALUES = ("0", "1")


@dataclass(frozen=True)
class Bits:
    """A data set of yes-or-no answers.

    Attributes
    ----------
    codes
        0 or 1 for each person, one column an attribute, the class last.
    target
        The name of the class.
    """

    codes: Mapping[str, Column]
    target: str

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes, ready for a Design."""
        return [Attribute(name, VALUES) for name in self.codes]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all attributes, the class last."""
        return tuple(self.codes)

    @property
    def n(self) -> int:
        """How many people there are."""
        return len(self.codes[self.target])

    def rows(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "Bits":
        """Give some of the people."""
        return Bits({name: column[index] for name, column in self.codes.items()}, self.target)


def split(bits: Bits, seed: int, share: float = 0.8) -> tuple[Bits, Bits]:
    """Part people at random into those to learn from and those to test on."""
    order = np.random.default_rng(seed).permutation(bits.n)
    cut = round(share * bits.n)
    return bits.rows(order[:cut]), bits.rows(order[cut:])


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country class"
)

WORDS: Mapping[str, str] = {
    "workclass": (
        "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay "
        "Never-worked"
    ),
    "education": (
        "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th "
        "Masters 1st-4th 10th Doctorate 5th-6th Preschool"
    ),
    "marital-status": (
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent "
        "Married-AF-spouse"
    ),
    "occupation": (
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
        "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving "
        "Priv-house-serv Protective-serv Armed-Forces"
    ),
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Female Male",
    "native-country": (
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) "
        "India Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica "
        "Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti "
        "Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador "
        "Trinadad&Tobago Peru Hong Holand-Netherlands"
    ),
}


def adult(folder: str | Path, *, test: bool = True) -> Bits:
    """Read Adult as 14 yes-or-no answers and the class, over 50K.

    Parameters
    ----------
    folder
        Where ``adult.data`` and ``adult.test`` of the UCI repository lie.
    test
        False to leave ``adult.test`` out: 32,561 people instead of 48,842.
    """
    names = ADULT.split()
    files = ["adult.data", "adult.test"] if test else ["adult.data"]
    rows = [row for name in files for row in lines(Path(folder, name), ", ", len(names))]
    return adult_bits(dict(zip(names, zip(*rows, strict=True), strict=True)))


def adult_bits(columns: Mapping[str, Sequence[str]]) -> Bits:
    """Turn the texts of Adult's columns into yes-or-no answers."""
    codes = {
        name: above_middle(columns[name], WORDS[name].split())
        if name in WORDS
        else above_median(columns[name])
        for name in ADULT.split()[:-1]
    }
    rich = np.array([label.startswith(">50K") for label in columns["class"]], dtype=np.uint8)
    return Bits({**codes, "class": rich}, "class")


SCORES = "thickness size shape adhesion epithelial nuclei chromatin nucleoli mitoses"


def wisconsin(folder: str | Path) -> Bits:
    """Read Breast Cancer Wisconsin (Original): nine scores above their median, and the class.

    The 16 people with an unknown number of bare nuclei count as having the median.
    """
    rows = lines(Path(folder, "breast-cancer-wisconsin.data"), ",", 11)
    columns = list(zip(*rows, strict=True))
    codes = {name: above_median(columns[1 + i]) for i, name in enumerate(SCORES.split())}
    malignant = np.array([label == "4" for label in columns[-1]], dtype=np.uint8)
    return Bits({**codes, "class": malignant}, "class")


def wdbc() -> Bits:
    """Read Breast Cancer Wisconsin (Diagnostic), which ships with scikit-learn.

    Examples
    --------
    >>> bits = wdbc()
    >>> bits.n, len(bits.names), int(bits.codes["class"].sum())
    (569, 31, 212)
    """
    found = load_breast_cancer()
    numbers = zip(found.feature_names, found.data.T, strict=True)
    codes = {
        str(name).replace(" ", "-"): (column > np.median(column)).astype(np.uint8)
        for name, column in numbers
    }
    return Bits({**codes, "class": (found.target == 0).astype(np.uint8)}, "class")


def lines(path: Path, comma: str, width: int) -> list[list[str]]:
    """Read the rows of a data file, without comments and empty lines."""
    if not path.is_file():
        raise ReportError(
            f"{path.name} is not in {path.parent}. It is a data set of the UCI repository and does "
            "not ship with frankly: say where it lies"
        )
    rows = [line.strip().split(comma) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if len(row) == width]


def above_median(texts: Sequence[str]) -> Column:
    """Tell which numbers are above the median; an unknown one is not."""
    numbers = np.array([np.nan if text == "?" else float(text) for text in texts])
    return np.asarray(numbers > np.nanmedian(numbers), dtype=np.uint8)


def above_middle(texts: Sequence[str], words: Sequence[str]) -> Column:
    """Tell which words are in the upper half of their numbers, with ``?`` as the last."""
    places = {word: place for place, word in enumerate(words)}
    codes = np.array([places.get(text, len(words)) for text in texts])
    return np.asarray(codes > codes.max() / 2, dtype=np.uint8)
