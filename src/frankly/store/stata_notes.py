"""Stata notes: put notes into a Stata file (format 118), where `notes` shows them.

The library that writes the file cannot, but the format is plain: a section of characteristics,
and a map that says where each section begins.
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["add_notes"]

BEGIN = b"<characteristics>"
PLACE = 8
"""The characteristics are the ninth section of the map's fourteen; those after it move."""

LONGEST = 60_000
"""Stata holds notes of up to 67,783 bytes."""


def add_notes(path: Path, notes: Sequence[str]) -> None:
    """Write notes of the whole data set into a file that has none."""
    whole = path.read_bytes()
    inside = b"".join(characteristics(notes))
    place = map_in(whole)
    marks = struct.unpack_from("<14Q", whole, place)
    start = marks[PLACE] + len(BEGIN)
    whole = whole[:start] + inside + whole[start:]
    moved = [mark + len(inside) if i > PLACE else mark for i, mark in enumerate(marks)]
    path.write_bytes(whole[:place] + struct.pack("<14Q", *moved) + whole[place + 14 * 8 :])


def map_in(whole: bytes) -> int:
    """Find where the map's numbers begin, by lengths: a title may hold any words, even `<map>`."""
    label = whole.index(b"<label>") + len(b"<label>")
    length = int.from_bytes(whole[label : label + 2], "little")
    stamp = label + 2 + length + len(b"</label><timestamp>")
    return stamp + 1 + whole[stamp] + len(b"</timestamp></header><map>")


def characteristics(notes: Sequence[str]) -> Iterator[bytes]:
    """Write the number of notes, then each note, long ones in parts."""
    parts = [note[at : at + LONGEST] for note in notes for at in range(0, len(note), LONGEST)]
    yield characteristic("note0", str(len(parts)))
    for number, part in enumerate(parts, start=1):
        yield characteristic(f"note{number}", part)


def characteristic(name: str, text: str) -> bytes:
    """Write one characteristic of the data set."""
    named = b"".join(word.encode().ljust(129, b"\0") for word in ("_dta", name))
    held = named + text.encode() + b"\0"
    return b"<ch>" + struct.pack("<I", len(held)) + held + b"</ch>"
