"""What journeys share: a folder for their pictures, a place for answers, a visitor."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journey.visit import SIZES, Visit


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("FRANKLY_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return str(tmp_path / "survey.sqlite")


@pytest.fixture(params=list(SIZES))
def visit(request: pytest.FixtureRequest, browser: Any, pictures: Path) -> Iterator[Visit]:
    visitor = Visit(browser, request.param, pictures)
    yield visitor
    visitor.end()
