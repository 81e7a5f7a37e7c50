"""Information: how much two answers tell about each other, within each class."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["mutual_information"]


def mutual_information(people: NDArray[np.float64]) -> float:
    """Give the mutual information of the last two axes given the first, in bits.

    Examples
    --------
    >>> mutual_information(np.array([[[50.0, 0.0], [0.0, 50.0]]]))
    1.0
    """
    share = people / people.sum()
    apart = share.sum(axis=2, keepdims=True) * share.sum(axis=1, keepdims=True)
    whole = share.sum(axis=(1, 2), keepdims=True)
    there = share > 0
    ratio = np.divide(share * whole, apart, out=np.ones_like(share), where=there & (apart > 0))
    return float((share * np.log2(ratio)).sum())
