"""The studio's people: ann and bob own surveys, carl is an analyst of what ann lets him see."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from frankly.store import Store
from frankly.store.people import add_account
from frankly.studio.app import create_app
from frankly.studio.passwords import hash_password
from tests.studio.people import PASSWORD, Studio


@pytest.fixture(scope="session")
def kept_password() -> str:
    """The hash of everybody's password: argon2 is slow on purpose, so it is made once."""
    return hash_password(PASSWORD)


@pytest.fixture
def studio(tmp_path: Path, kept_password: str) -> Iterator[Studio]:
    """A store with the three accounts and no survey, and the app over it."""
    with Store(str(tmp_path / "studio.sqlite")) as store:
        add_account(store, "ann", kept_password, "owner")
        add_account(store, "bob", kept_password, "owner")
        add_account(store, "carl", kept_password, "analyst")
        yield Studio(store, create_app(store, respondents="https://ask.example"))


@pytest.fixture
def ann(studio: Studio) -> Iterator[httpx.Client]:
    """The owner, signed in."""
    with studio.signed_in("ann") as client:
        yield client


@pytest.fixture
def bob(studio: Studio) -> Iterator[httpx.Client]:
    """Another owner, signed in."""
    with studio.signed_in("bob") as client:
        yield client


@pytest.fixture
def carl(studio: Studio) -> Iterator[httpx.Client]:
    """An analyst, signed in."""
    with studio.signed_in("carl") as client:
        yield client


@pytest.fixture
def nobody(studio: Studio) -> Iterator[httpx.Client]:
    """Somebody who is not signed in."""
    with studio.caller() as client:
        yield client
