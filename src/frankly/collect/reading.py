"""Reading: the bytes of one request become one answer, or a refusal that repeats nothing."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from frankly.collect.refusal import Refusal
from frankly.design import Design
from frankly.store import Answer, Rows, Survey, hashed

__all__ = ["Sent", "answer_from", "report_row"]

SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")
RECEIPT = re.compile(r"[0-9a-f]{32}")
PLACE = re.compile(r"`\$\.(design|receipt|invitation|report)")


class Sent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the page sends: the design's fingerprint, its secrets, and the report."""

    design: str
    receipt: str
    report: dict[str, str | int | None]
    invitation: str | None = None


MOST = 4096
"""So many forms are remembered."""

KNOWN: dict[tuple[str, int], Mapping[str, Mapping[str, int]]] = {}
DECODER = msgspec.json.Decoder(Sent)


def answer_from(body: bytes, survey: Survey) -> Answer:
    """Read a request's body as an answer to a survey."""
    sent = decoded(body)
    if sent.design != survey.design.fingerprint:
        raise Refusal("design", "design")
    if not RECEIPT.fullmatch(sent.receipt):
        raise Refusal("field", "receipt")
    row, secret = report_row(survey.design, sent.report), secret_of(sent.invitation, survey)
    return Answer(survey.name, secret, hashed(sent.receipt), row, sent.design)


def decoded(body: bytes) -> Sent:
    """Check the shape of the body; the library's own message may hold what was sent."""
    try:
        return DECODER.decode(body)
    except msgspec.ValidationError as error:
        place = PLACE.search(str(error))
        raise Refusal("field", place[1] if place else "body") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refusal("json", "body") from None


def secret_of(invitation: str | None, survey: Survey) -> bytes | None:
    """Hash the invitation, where the survey needs one."""
    if survey.mode == "anyone":
        return None
    if invitation is None or not SECRET.fullmatch(invitation):
        raise Refusal("invitation", "invitation")
    return hashed(invitation)


def report_row(design: Design, report: Mapping[str, Any]) -> bytes:
    r"""Write a report as codes: every name of the design, nothing else, and null if not asked.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> report_row(design, {"ill": "yes"})
    b'\x00\x00\x01\x00'
    """
    form = form_of(design, report)
    if len(report) != len(design.names) + (len(design.forms) > 1):
        raise Refusal("field", "report")
    codes, known = [], labels(design, form)
    for name in design.names:
        if name not in report:
            raise Refusal("field", f"report.{name}")
        codes.append(code_of(name, report[name], known.get(name)))
    return Rows(design).pack(form, codes)


def labels(design: Design, form: int) -> Mapping[str, Mapping[str, int]]:
    """Give the code of every label that reports of a form can have; worked out once."""
    known = KNOWN.get((design.fingerprint, form))
    if known is None:
        asked = design.forms[form]
        known = {
            name: {label: code for code, label in enumerate(asked.reported(name))}
            for name in asked.names
        }
        if len(KNOWN) > MOST:
            KNOWN.clear()
        KNOWN[design.fingerprint, form] = known
    return known


def form_of(design: Design, report: Mapping[str, Any]) -> int:
    """Tell which form a report is of."""
    if len(design.forms) == 1:
        return 0
    form = report.get("form")
    if type(form) is not int or not 0 <= form < len(design.forms):
        raise Refusal("value", "report.form")
    return form


def code_of(name: str, label: Any, known: Mapping[str, int] | None) -> int | None:
    """Turn one label into its code."""
    if known is None:
        if label is not None:
            raise Refusal("asked", f"report.{name}")
        return None
    code = known.get(label) if isinstance(label, str) else None
    if code is None:
        raise Refusal("value", f"report.{name}")
    return code
