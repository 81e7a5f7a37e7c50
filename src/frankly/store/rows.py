"""Rows: one report as a few bytes, two for the form and two for each answer."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frankly.design import Design

__all__ = ["NOT_ASKED", "Rows", "unpacked"]

NOT_ASKED = 0xFFFF
"""Stands for an answer that the person's form did not ask."""

BLANK = 0xFFFF
"""Stands for the form where there is no report."""


@dataclass(frozen=True)
class Rows:
    r"""How the reports of one design are written: codes, each in two bytes.

    All reports of a design are equally long, so that one can take another's place.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> rows = Rows(Design([Attribute("ill", ["no", "yes"])]))
    >>> rows.pack(0, [1])
    b'\x00\x00\x01\x00'
    >>> rows.unpack([rows.pack(0, [1])])
    array([[0, 1]], dtype=uint16)
    """

    design: Design

    @cached_property
    def layout(self) -> struct.Struct:
        """The form, then one code an attribute."""
        return struct.Struct(f"<{1 + len(self.design.names)}H")

    def pack(self, form: int, codes: Sequence[int | None]) -> bytes:
        """Write one report."""
        return self.layout.pack(form, *(NOT_ASKED if code is None else code for code in codes))

    def unpack(self, packed: Iterable[bytes]) -> NDArray[np.uint16]:
        """Read many reports: one row each, the form first; blank places are left out."""
        return unpacked(packed, len(self.design.names))

    def read(self, codes: bytes) -> NDArray[np.uint16]:
        """Read reports that stand one behind the other, without a blank place between them."""
        return places(codes, len(self.design.names))


def unpacked(packed: Iterable[bytes], questions: int) -> NDArray[np.uint16]:
    """Read reports on so many questions, whatever these are."""
    found = places(b"".join(packed), questions)
    there: NDArray[np.uint16] = found[found[:, 0] != BLANK]
    return there


def places(codes: bytes, questions: int) -> NDArray[np.uint16]:
    """See codes as places for reports on so many questions, one a row."""
    return np.frombuffer(codes, dtype="<u2").reshape(-1, 1 + questions)
