"""Packing: many counts in one large number, with room so that sums never spill over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frankly.collaborate.masks import Vector
from frankly.errors import HeadroomError

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing:
    """Lay counts side by side, each in a slot wide enough for the sum over all parties.

    Parameters
    ----------
    bits
        The length of the modulus; packed numbers stay below it.
    most
        The largest count one party may bring.
    parties
        How many parties are added.

    Examples
    --------
    >>> packing = Packing(bits=64, most=100, parties=3)
    >>> packing.width, packing.slots
    (9, 7)
    >>> packing.unpack(packing.pack(np.array([1, 0, 100])), 3)
    array([  1,   0, 100])
    """

    bits: int
    most: int
    parties: int

    def __post_init__(self) -> None:
        if self.most < 1 or self.slots < 1 or self.most * self.parties >= 2**63:
            raise HeadroomError(
                f"the sum of {self.parties} numbers of up to {self.most:,} has no room in a slot. "
                "Lower `rows` in the session, or take a longer key"
            )

    @property
    def width(self) -> int:
        """How many bits a slot has: enough for the largest sum."""
        return int(self.most * self.parties).bit_length()

    @property
    def slots(self) -> int:
        """How many counts fit into one number below the modulus."""
        return (self.bits - 1) // self.width

    def pack(self, counts: Vector) -> list[int]:
        """Pack counts; one that is negative or too large would spill over, and is refused."""
        if counts.size and (counts.min() < 0 or counts.max() > self.most):
            raise HeadroomError(
                f"a party may bring counts from 0 to {self.most:,}, and one here is outside. It "
                "would spill into its neighbour's sum, so nothing was sent. Agree on a new session "
                "with more `rows`"
            )
        rows = [counts[at : at + self.slots] for at in range(0, counts.size, self.slots)]
        return [self.join(row.tolist()) for row in rows]

    def join(self, row: Sequence[int]) -> int:
        """Lay numbers side by side, the first lowest."""
        text = "".join(format(value, f"0{self.width}b") for value in reversed(row))
        return int(text, 2)

    def unpack(self, packed: Sequence[int], length: int) -> Vector:
        """Take sums apart; what does not fit is refused."""
        if len(packed) != self.needed(length) or any(one >> self.bits for one in packed):
            raise HeadroomError("the packed sums are longer or shorter than what was asked")
        mask = (1 << self.width) - 1
        values = [
            (number >> (self.width * slot)) & mask
            for number in packed
            for slot in range(self.slots)
        ]
        spilt = any(number >> (self.width * self.slots) for number in packed)
        above = any(value > self.most * self.parties for value in values)
        if spilt or above or any(values[length:]):
            raise HeadroomError(
                "the packed sums spill over their slots: some party has sent numbers that are "
                "no counts. Nothing of it was used"
            )
        return np.array(values[:length], dtype=np.int64)

    def needed(self, length: int) -> int:
        """Tell how many numbers hold this many counts."""
        return -(-length // self.slots)
