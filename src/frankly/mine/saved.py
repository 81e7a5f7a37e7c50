"""Saved: a model as one JSON document, which carries its design and runs no code when read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frankly.design import Design, whole_or_nothing
from frankly.errors import FingerprintError, ReportError

if TYPE_CHECKING:
    from frankly.mine.miner import Learner

__all__ = ["read", "write"]

VERSION = 1
KEYS = {"frankly_model", "kind", "parameters", "design", "fingerprint", "shares", "learned"}


def document(model: "Learner") -> dict[str, Any]:
    """Give a model as plain JSON values."""
    design = model.known_design()
    parameters = {key: value for key, value in model.get_params().items() if key != "design"}
    return {
        "frankly_model": VERSION,
        "kind": model.kind,
        "parameters": parameters,
        "design": design.document(),
        "fingerprint": design.fingerprint,
        "shares": {"n": model.n_reports_, "method": model.method_, "why": model.why_},
        "learned": json.loads(json.dumps(model.learned())),  # no tuples: as it will be read
    }


def write(model: "Learner", path: str | Path) -> None:
    """Write a model to a file."""
    text = json.dumps(document(model), indent=2, ensure_ascii=False, allow_nan=False)
    with whole_or_nothing(Path(path)) as part:
        part.write_text(text + "\n", encoding="utf-8")


def read(path: str | Path, miners: Mapping[str, "type[Learner]"]) -> "Learner":
    """Read a model from a file; the result of a session holds one, with more about it."""
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ReportError(f"{path.name} is no JSON document, so it holds no model") from error
    if isinstance(found, dict) and "model" in found:
        found = found["model"]
    if not isinstance(found, dict) or set(found) != KEYS or found["frankly_model"] != VERSION:
        raise ReportError(
            f"{path.name} is no model of this version. Models are written by model.save(path) "
            "or by frankly mine, pool and party join -o"
        )
    if found["kind"] not in miners:
        raise ReportError(f"{path.name} holds a model of an unknown kind; we know {sorted(miners)}")
    return restored(path, found, miners[found["kind"]])


def restored(path: Path, found: Mapping[str, Any], kind: "type[Learner]") -> "Learner":
    """Make a model from its document, if that is what it was when it was written."""
    design = Design.from_document(found["design"])
    if design.fingerprint != found["fingerprint"]:
        raise FingerprintError(
            f"{path.name} states the design {str(found['fingerprint'])[:12]}, but holds "
            f"{design.fingerprint[:12]}. The file was changed after it was written"
        )
    try:
        model = kind(design=design, **found["parameters"])
        model.set_names()
        shares = found["shares"]
        model.n_reports_, model.method_ = shares["n"], shares["method"]
        model.why_ = shares["why"]
        model.restore(found["learned"])
    except (KeyError, TypeError, IndexError) as error:
        raise ReportError(
            f"{path.name} is damaged, or an earlier version of Frankly has written it: parts of "
            "the model are missing. Learn it again"
        ) from error
    return model
