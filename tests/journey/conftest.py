"""What both journeys share: a folder for their pictures."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("FRANKLY_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
