import pytest

from frankly.collaborate.paillier import FixedBase, PrivateKey, make_key


@pytest.fixture(scope="session")
def key() -> PrivateKey:
    """One key for all tests: making it takes longer than using it."""
    return make_key(2048)


@pytest.fixture(scope="session")
def powers(key: PrivateKey) -> FixedBase:
    return FixedBase.build(key.public, uses=100)
