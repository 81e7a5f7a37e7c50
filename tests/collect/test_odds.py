"""The golden odds are the ones that Python computes today."""

from conformance.odds import FILE, text


def test_the_golden_odds_are_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == text()
