"""Where the published data and the oracles lie: outside the checkout, because they are not ours."""

import os
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


class MissingSourceError(Exception):
    """A file that a claim is checked against is not there."""


def data(name: str = "") -> Path:
    """Find a published data set, for instance ``data("adult.data")``."""
    return _find("FRANKLY_DATA", "data", name)


def oracle(name: str = "") -> Path:
    """Find numbers that others computed, for instance ``oracle("seeds/matrices.json")``."""
    return _find("FRANKLY_ORACLES", "oracles", name)


def _find(variable: str, folder: str, name: str) -> Path:
    base = Path(os.environ.get(variable) or CHECKOUT.parent / "shared" / folder)
    if not (base / name).exists():
        raise MissingSourceError(
            f"{name or folder} is not in {base}. The evidence is checked against files that do "
            f"not ship with frankly. Put them there, or say where they are: "
            f"{variable}=/folder/of/{folder} make evidence"
        )
    return base / name
