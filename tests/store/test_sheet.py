"""Sheets: every report is kept once, places are chosen by chance, and newest lie among older."""

from collections import Counter

import numpy as np
import pytest

from frankly import Attribute, Design
from frankly.store import Rows
from frankly.store.sheet import PLACES, Sheet, dealt

DESIGN = Design([Attribute("number", [f"{i}" for i in range(4000)])])
ROWS = Rows(DESIGN)
SIZE = ROWS.layout.size


def reports(start: int, stop: int) -> list[bytes]:
    return [ROWS.pack(0, [i]) for i in range(start, stop)]


def numbers(*sheets: bytes) -> list[int]:
    found: list[int] = ROWS.unpack(sheets)[:, 1].tolist()
    return found


def test_a_sheet_keeps_every_report_in_a_place_of_its_own() -> None:
    sheet = Sheet.new(SIZE)
    for start in range(0, 1000, 8):
        sheet = sheet.with_reports(reports(start, start + 8))
    assert sorted(numbers(sheet.codes)) == list(range(1000))
    assert len(sheet.codes) == SIZE * PLACES
    again = Sheet.read(sheet.key, sheet.codes, SIZE)
    assert sorted(again.free) == sorted(sheet.free)
    assert len(again.free) == 24


def test_more_reports_than_blank_places_are_refused() -> None:
    sheet = Sheet.new(SIZE).with_reports(reports(0, PLACES))
    with pytest.raises(ValueError, match="longer"):
        sheet.with_reports(reports(0, 1))


def test_places_follow_no_order() -> None:
    # Ranks of 1,000 correlate by chance with a deviation of .032: beyond .17 once in 10 million.
    sheet = Sheet.new(SIZE)
    for i in range(1000):
        sheet = sheet.with_reports(reports(i, i + 1))
    assert abs(np.corrcoef(np.arange(1000), numbers(sheet.codes))[0, 1]) < 0.17


def test_a_full_sheet_is_dealt_out_over_two_by_chance() -> None:
    full = Sheet.new(SIZE).with_reports(reports(0, PLACES - 2)).with_reports(reports(1022, 1023))
    rest, new = full.spread(b"".join(reports(PLACES - 1, PLACES + 1)))
    assert sorted(numbers(rest.codes, new.codes)) == list(range(PLACES + 1))
    assert (len(numbers(rest.codes)), len(numbers(new.codes))) == (PLACES // 2 + 1, PLACES // 2)
    assert rest.key == full.key != new.key
    # Of the first half about half goes to each: a deviation of 8 people, so 6 of them is 48.
    assert abs(sum(i < PLACES // 2 for i in numbers(new.codes)) - PLACES // 4) < 48


def test_a_crowd_is_spread_evenly_over_as_many_sheets_as_it_needs() -> None:
    sheet = Sheet.new(SIZE).with_reports(reports(0, 900))
    made = sheet.spread(b"".join(reports(900, 4000)))
    assert [len(numbers(one.codes)) for one in made] == [1000] * 4
    assert sorted(numbers(*(one.codes for one in made))) == list(range(4000))
    assert len({one.key for one in made}) == 4
    # Of 900 old ones 225 go to each sheet, with a deviation of 12: 6 of them is 72.
    assert all(abs(sum(i < 900 for i in numbers(one.codes)) - 225) < 72 for one in made)
    assert {len(one.codes) for one in made} == {SIZE * PLACES}


def test_all_reports_are_dealt_out_over_full_sheets_without_blank_places() -> None:
    half = Sheet.new(SIZE).with_reports(reports(0, 700)).codes
    made = list(dealt(ROWS.unpack([half, *reports(700, 3000)])))
    assert [len(codes) // SIZE for _, codes in made] == [PLACES, PLACES, 3000 - 2 * PLACES]
    assert Counter(numbers(*(codes for _, codes in made))) == Counter(range(3000))
    assert [key for key, _ in made] == sorted({key for key, _ in made})
    assert abs(np.corrcoef(np.arange(3000), numbers(*(c for _, c in made)))[0, 1]) < 0.1
    assert list(dealt(ROWS.unpack([]))) == []
