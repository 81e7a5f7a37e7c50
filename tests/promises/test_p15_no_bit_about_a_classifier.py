"""P15: no bit about a classifier, or anything else, leaves the device beside the report."""

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from frankly.collect.reading import Sent
from tests.live import DESIGN, body_for, figure, running, some_report, survey_in

FIELDS = {"design", "receipt", "report", "invitation"}
BITS = ("correct", "right", "feedback", "score", "prediction", "private", "coin", "truth", "time")


def test_the_interface_has_no_field_but_the_report(full: bool) -> None:
    assert set(Sent.__struct_fields__) == FIELDS
    extra = set(Sent.__struct_fields__) - FIELDS
    figure("P15", "fields beside report, design and tokens", len(extra), full=full)


@pytest.mark.parametrize("bit", BITS)
def test_a_bit_beside_the_report_is_refused(bit: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps({**body_for(DESIGN, "A" * 22, {}), bit: 1}), type=Sent)


class Lenient(msgspec.Struct):
    """The mutant: what it does not know, it lets pass."""

    design: str
    receipt: str
    report: dict[str, Any]
    invitation: str | None = None


def test_a_lenient_interface_is_caught() -> None:
    passed = msgspec.json.decode(
        json.dumps({**body_for(DESIGN, None, {}), "correct": 1}), type=Lenient
    )
    assert passed.receipt


def test_the_running_service_refuses_it_too(tmp_path: Path) -> None:
    url = str(tmp_path / "s.sqlite")
    (secret,) = survey_in(url, 1)
    with running(url) as live:
        body = body_for(DESIGN, secret, some_report())
        for changed in (
            {**body, "correct": True},
            {**body, "report": {**body["report"], "cc": "1"}},
        ):
            assert httpx.post(f"{live.base}/ward/reports", json=changed).status_code == 422
        assert httpx.post(f"{live.base}/ward/reports", json=body).status_code == 201
