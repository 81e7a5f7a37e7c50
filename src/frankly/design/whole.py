"""Whole or nothing: a file gets its name only when all of it is written."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole_or_nothing"]


@contextmanager
def whole_or_nothing(target: Path) -> Iterator[Path]:
    """Give a name beside the target to write to, and move it there at the end, or remove it."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
