"""Tray: what came last lies here together, until somebody sorts it in.

Receipts are random, so each belongs on another page of the index, and reports take places all over
their sheet. To change all those pages while people wait would be most of what a batch costs. Laid
down together a batch is one row, and sorted in some thousands at a time they share pages.

Whoever reads reports or looks at invitations looks here too. A worker keeps the receipts that lie
here in mind, and reads only what others have added since.

A batch is laid down by one statement, which looks into the index itself: a worker assumes that a
survey is as it left it and that nobody was here before, and where that is wrong nothing is stored.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from frankly.store.batch import Batch, by_chance
from frankly.store.counters import read_vector, summed, write_vector, write_vectors
from frankly.store.sheet import Sheet, in_places

__all__ = ["EACH", "LATEST", "PAIR", "SECRET", "WAITS", "Pair", "Tray", "sort_in"]

Pair = tuple[bytes, bytes]
"""What may be used once, and the receipt of its use."""

SIZE = 32
"""Bytes of a secret or a receipt."""

PAIR = Struct(f"{SIZE}s{SIZE}s")
"""How a pair is written."""

EACH = "WITH RECURSIVE each(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < :n) "
SECRET, RECEIPT = (f"substr(:{name}, {SIZE} * i + 1, {SIZE})" for name in ("secrets", "receipts"))
"""The values of a column come as one blob, one behind the other, and SQL cuts them apart."""

WAITS = "SELECT 1 FROM tray WHERE pairs != x'' LIMIT 1"
SINCE = "SELECT number, survey, codes, pairs, more FROM tray WHERE number >= :number \
    ORDER BY number"
LAY = """
    INSERT INTO tray (number, survey, codes, pairs, more)
    SELECT :number, :survey, :codes, :pairs, :more
    WHERE EXISTS (SELECT 1 FROM survey WHERE name = :survey AND mark = :mark AND state = 'open')
        AND """
KNOWN = f"FROM each CROSS JOIN invitation \
    WHERE survey = :survey AND secret = substr(:pairs, 2 * {SIZE} * i + 1, {SIZE})"
ADMIT = f"{LAY} NOT EXISTS ({EACH} SELECT 1 {KNOWN})"
"""Where anyone may answer: none of these receipts is known."""
USE = f"{LAY} :n = ({EACH} SELECT count(*) {KNOWN} AND receipt = zeroblob({SIZE}))"
"""With invitations: each of them is known, and unused."""
CLEAR = "DELETE FROM tray WHERE number < :number"
BLANK = "UPDATE tray SET survey = '', codes = x'', pairs = x'', more = x'' WHERE number = :number"
"""The last row stays, blank, so that numbers go on."""

SORT_IN = f"{EACH} INSERT INTO invitation (survey, secret, receipt) \
    SELECT :survey, {SECRET}, {RECEIPT} FROM each WHERE true \
    ON CONFLICT (survey, secret) DO UPDATE SET receipt = excluded.receipt"  # noqa: S608 - constant

COUNTS = "SELECT form, counts FROM counter WHERE survey = :survey"
COUNT = "INSERT INTO counter (survey, form, shard, counts) VALUES (:survey, :form, 0, :counts) \
    ON CONFLICT (survey, form, shard) DO UPDATE SET counts = excluded.counts"

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


class Row(NamedTuple):
    """One batch on the tray: its number, its survey, its reports, its pairs, what it counts."""

    number: int
    survey: str
    codes: bytes
    pairs: bytes
    more: bytes


NOTHING = Row(0, "", b"", b"", b"")


class Tray:
    """What one worker has in mind of the tray; right for as long as it may write.

    ``emptied`` counts how often somebody was seen to have sorted in what was there.
    """

    def __init__(self) -> None:
        self.emptied = 0
        self.last = NOTHING
        self.used: dict[str, dict[bytes, bytes]] = {}

    def read(self, raw: Any) -> None:
        """Catch up with other workers; what was sorted in meanwhile is found in the index.

        Where the last row that we know does not lie there any more, nothing that we know is
        right: somebody has sorted in, or a batch of ours was undone.
        """
        rows = since(raw, self.last.number)
        if rows[:1] == [self.last]:
            rows = rows[1:]
        else:
            self.emptied += bool(rows) and not rows[0].pairs
            self.last, self.used = NOTHING, {}
            rows = since(raw, 0)
        for row in rows:
            self.remember(row, PAIR.iter_unpack(row.pairs))

    def remember(self, row: Row, pairs: Iterable[Pair]) -> None:
        """Keep a row in mind."""
        self.last = row
        self.used.setdefault(row.survey, {}).update(pairs)

    def lay(self, raw: Any, batch: Batch) -> None:
        """Lay a batch down, if the survey is as it was and none of its answers is known."""
        pairs = b"".join([part for pair in batch.pairs for part in pair])
        more = write_vectors(batch.more)
        row = Row(self.last.number + 1, batch.survey, batch.codes, pairs, more)
        words = {**row._asdict(), "mark": batch.seen.mark, "n": len(batch.pairs)}
        just_now = self.found(batch.survey, [secret for secret, _ in batch.pairs])
        how = ADMIT if batch.seen.mode == "anyone" else USE
        if just_now or raw.execute(how, words).rowcount != 1:
            raise sqlite3.IntegrityError("something is not as this worker left it")
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
        add_up(raw, survey, [row.more for row in mine])
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


def add_up(raw: Any, survey: str, more: Iterable[bytes]) -> None:
    """Add what batches count to the counters of their survey."""
    kept = raw.execute(COUNTS, {"survey": survey}).fetchall()
    sums = {form: read_vector(counts) for form, counts in kept}
    for form, vector in summed(sums, more).items():
        raw.execute(COUNT, {"survey": survey, "form": form, "counts": write_vector(vector)})
