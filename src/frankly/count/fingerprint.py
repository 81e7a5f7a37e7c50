"""Fingerprint: refuse reports that were made under another design."""

import json
import warnings
from collections.abc import Mapping

from frankly.design import Design
from frankly.errors import DesignError, FingerprintError, FranklyWarning

__all__ = ["check_fingerprint"]


def check_fingerprint(design: Design, metadata: Mapping[bytes, bytes], place: str) -> None:
    """Refuse reports of another design; nothing is said about tables that carry none.

    A second wave may draw its forms with other weights: the devices are the same, so the
    reports are welcome.

    Parameters
    ----------
    design
        The design the reports are read with.
    metadata
        What the table carries: ``frankly.fingerprint`` and ``frankly.design``.
    place
        What the table is called in the message.
    """
    stated = metadata.get(b"frankly.fingerprint")
    if stated is None or stated == design.fingerprint.encode():
        return
    theirs = forms_of(metadata.get(b"frankly.design", b""))
    if theirs != [form.fingerprint for form in design.forms]:
        raise FingerprintError(
            f"{place} holds reports of design {stated.decode(errors='replace')[:12]}, but this "
            f"design is {design.fingerprint[:12]}. Reports can only be read with the design they "
            "were made under: load that one, or estimate from each and combine the estimates"
        )


def forms_of(document: bytes) -> list[str]:
    """Tell the fingerprints of the forms in a design document; none if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FranklyWarning)
            return [form.fingerprint for form in Design.from_document(json.loads(document)).forms]
    except (ValueError, DesignError):
        return []
