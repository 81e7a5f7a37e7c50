"""Tray: what came last lies here together, until somebody sorts it in.

Receipts are random, so each belongs on another page of the index, and reports take places all over
their sheet. To change all those pages while people wait would be most of what a batch costs. Laid
down together a batch is one row, and sorted in some thousands at a time they share pages.

Whoever reads reports or looks at invitations looks here too. A worker keeps the receipts that lie
here in mind, and reads only what others have added since.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankly.store.batch import Batch, by_chance
from frankly.store.sheet import Sheet, in_places

__all__ = ["EACH", "LATEST", "SECRET", "WAITS", "Pair", "Tray", "cut", "sort_in"]

Pair = tuple[bytes, bytes]
"""What may be used once, and the receipt of its use."""

SIZE = 32
"""Bytes of a secret or a receipt."""

EACH = "WITH RECURSIVE each(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < :n) "
SECRET, RECEIPT = (f"substr(:{name}, {SIZE} * i + 1, {SIZE})" for name in ("secrets", "receipts"))
"""The values of a column come as one blob, one behind the other, and SQL cuts them apart."""

WAITS = "SELECT 1 FROM tray WHERE pairs != x'' LIMIT 1"
SINCE = "SELECT number, survey, codes, pairs FROM tray WHERE number >= :number ORDER BY number"
LAY = "INSERT INTO tray (number, survey, codes, pairs) VALUES (:number, :survey, :codes, :pairs)"
CLEAR = "DELETE FROM tray WHERE number < :number"
BLANK = "UPDATE tray SET survey = '', codes = x'', pairs = x'' WHERE number = :number"
"""The last row stays, blank, so that numbers go on."""

SORT_IN = f"{EACH} INSERT INTO invitation (survey, secret, receipt) \
    SELECT :survey, {SECRET}, {RECEIPT} FROM each WHERE true \
    ON CONFLICT (survey, secret) DO UPDATE SET receipt = excluded.receipt"  # noqa: S608 - constant

LATEST = """
    SELECT key, codes FROM report WHERE rowid IN (
        SELECT rowid FROM report WHERE survey = :survey ORDER BY rowid DESC LIMIT 4
    )
"""
"""Where we look for blank places: chosen without reading all sheets."""
STORE = """
    INSERT INTO report (survey, key, codes) VALUES (:survey, :key, :codes)
    ON CONFLICT (survey, key) DO UPDATE SET codes = excluded.codes
"""


@dataclass(frozen=True)
class Row:
    """One batch on the tray: its number, its survey, its reports, and its pairs."""

    number: int
    survey: str
    codes: bytes
    pairs: bytes


NOTHING = Row(0, "", b"", b"")


def cut(pairs: bytes) -> Iterator[Pair]:
    """Cut the pairs of one batch apart.

    Examples
    --------
    >>> list(cut(b"s" * 32 + b"r" * 32)) == [(b"s" * 32, b"r" * 32)]
    True
    """
    for at in range(0, len(pairs), 2 * SIZE):
        yield pairs[at : at + SIZE], pairs[at + SIZE : at + 2 * SIZE]


class Tray:
    """What one worker has in mind of the tray; right for as long as it may write.

    ``emptied`` counts how often somebody was seen to have sorted in what was there.
    """

    def __init__(self) -> None:
        self.emptied = 0
        self.last = NOTHING
        self.used: dict[str, dict[bytes, bytes]] = {}
        self.forgotten = False

    def forget(self) -> None:
        """Read everything again next time; whoever has read just now may go on."""
        self.forgotten = True

    def read(self, raw: Any) -> None:
        """Catch up with other workers; what was sorted in meanwhile is found in the index."""
        rows = since(raw, self.last.number)
        if rows and rows[0] == self.last and self.last.pairs and not self.forgotten:
            rows = rows[1:]
        else:
            self.emptied += bool(self.last.pairs)
            self.last, self.used, self.forgotten = NOTHING, {}, False
            rows = since(raw, 0)
        for row in rows:
            self.remember(row, cut(row.pairs))

    def remember(self, row: Row, pairs: Iterable[Pair]) -> None:
        """Keep a row in mind."""
        self.last = row
        self.used.setdefault(row.survey, {}).update(pairs)

    def lay(self, raw: Any, batch: Batch) -> None:
        """Lay a batch down."""
        pairs = b"".join([part for pair in batch.pairs for part in pair])
        row = Row(self.last.number + 1, batch.survey, batch.codes, pairs)
        raw.execute(LAY, vars(row))
        self.remember(row, batch.pairs)

    def found(self, survey: str, secrets: Sequence[bytes]) -> dict[bytes, bytes]:
        """Give the receipts of those that were used just now."""
        used = self.used.get(survey, {})
        return {secret: used[secret] for secret in used.keys() & secrets}


def since(raw: Any, number: int) -> list[Row]:
    """Read what lies there from a number on."""
    return [Row(*row) for row in raw.execute(SINCE, {"number": number}).fetchall()]


def sort_in(raw: Any) -> None:
    """Put everything where it belongs, in one transaction that the caller began."""
    rows = [row for row in since(raw, 0) if row.pairs]
    for survey in sorted({row.survey for row in rows}):
        mine = [row for row in rows if row.survey == survey]
        n = sort_in_pairs(raw, survey, b"".join([row.pairs for row in mine]))
        sort_in_reports(raw, survey, b"".join([row.codes for row in mine]), n)
    if rows:
        raw.execute(CLEAR, {"number": rows[-1].number})
        raw.execute(BLANK, {"number": rows[-1].number})


def sort_in_pairs(raw: Any, survey: str, joined: bytes) -> int:
    """Put receipts beside their invitations, in the order of the index; tell how many."""
    pairs = np.sort(np.frombuffer(joined, dtype=f"S{2 * SIZE}"))
    parts = pairs.view(np.uint8).reshape(-1, 2, SIZE)
    secrets, receipts = (parts[:, part].tobytes() for part in (0, 1))
    words = {"n": len(pairs), "survey": survey, "secrets": secrets, "receipts": receipts}
    raw.execute(SORT_IN, words)
    return len(pairs)


def sort_in_reports(raw: Any, survey: str, codes: bytes, n: int) -> None:
    """Put so many reports, mixed, into blank places of the sheet that has most, or of new ones."""
    reports = in_places(codes, len(codes) // n)[by_chance(n)]
    size, found = reports.shape[1], raw.execute(LATEST, {"survey": survey}).fetchall()
    latest = [Sheet.read(key, there, size) for key, there in found]
    sheet = max(latest, key=lambda sheet: len(sheet.free), default=Sheet.new(size))
    for one in sheet.spread(reports.tobytes()):
        raw.execute(STORE, {"survey": survey, "key": one.key, "codes": one.codes})
