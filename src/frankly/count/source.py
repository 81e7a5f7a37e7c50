"""Source: whatever somebody has, as an engine."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from frankly.count.array import ArrayEngine
from frankly.count.counts import Counts
from frankly.count.engine import Engine
from frankly.count.given import GivenCounts
from frankly.count.parquet import ParquetEngine
from frankly.design import Design
from frankly.errors import FingerprintError

__all__ = ["engine_for"]


def engine_for(design: Design, source: Any) -> Engine:
    """Choose the engine by what the reports are in.

    Parameters
    ----------
    design
        What the reports answer.
    source
        A frame, Parquet files (a path, a folder, a pattern, a list), counts, or an engine.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> type(engine_for(design, {"ill": ["yes", "no"]})).__name__
    'ArrayEngine'
    """
    if isinstance(source, Engine):
        return same_design(design, source)
    if isinstance(source, Counts):
        return GivenCounts(design, [source])
    if isinstance(source, str | Path):
        return ParquetEngine(design, source)
    if isinstance(source, Sequence) and source:
        if all(isinstance(one, Counts) for one in source):
            return GivenCounts(design, source)
        if all(isinstance(one, str | Path) for one in source):
            return ParquetEngine(design, source)
    return ArrayEngine(design, source)


def same_design(design: Design, engine: Engine) -> Engine:
    """Refuse an engine over the reports of another design."""
    mine = [form.fingerprint for form in design.forms]
    if mine != [form.fingerprint for form in engine.design.forms]:
        raise FingerprintError(
            f"the engine counts reports of design {engine.design.fingerprint[:12]}, but this "
            f"design is {design.fingerprint[:12]}. Use the design the reports were made under"
        )
    return engine
