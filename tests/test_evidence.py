"""The evidence runner tells holding claims from failing ones, and never passes on nothing."""

import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

import evidence.__main__ as runner
from evidence import sources
from evidence.claim import Claim

GOOD = Claim("two and two make four", "4", holds=True)
BAD = Claim("two and two make five", "4", holds=False)


def pretend(monkeypatch: pytest.MonkeyPatch, claims: Callable[[], Iterator[Claim]]) -> None:
    """Put one module, named sums, in the place of all evidence."""
    module = ModuleType("evidence.e_sums")
    vars(module)["claims"] = claims
    monkeypatch.setitem(sys.modules, "evidence.e_sums", module)
    monkeypatch.setattr(runner, "names", lambda: ["sums"])


def run(monkeypatch: pytest.MonkeyPatch, made: list[Claim], *arguments: str) -> Result:
    pretend(monkeypatch, lambda: iter(made))
    return CliRunner().invoke(runner.main, arguments)


def test_claims_that_hold_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, [GOOD])
    assert result.exit_code == 0
    assert "1 claims checked, 0 failed" in result.stdout


def test_one_failing_claim_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, [GOOD, BAD])
    assert result.exit_code == 1
    assert "FAILS" in result.stdout


def test_no_claim_at_all_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, []).exit_code == 1


def test_an_unknown_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no evidence named sum;" in run(monkeypatch, [GOOD], "--only", "sum").output


def test_a_missing_source_is_a_failing_claim_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Iterator[Claim]:
        sources.oracle("no/such.json")
        yield GOOD

    pretend(monkeypatch, absent)
    (claim,) = runner.claims("sums")
    assert not claim.holds
    assert "FRANKLY_ORACLES=" in claim.figure
