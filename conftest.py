"""How every test and every docstring example runs."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the privacy promises at full length")


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether a promise is tested at full length (`make promises`) or short."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(autouse=True)
def short_arrays(doctest_namespace: dict[str, object]) -> Iterator[None]:
    """Print arrays with three digits, as the docstrings show them."""
    doctest_namespace["np"] = np
    with np.printoptions(precision=3, suppress=True):
        yield
