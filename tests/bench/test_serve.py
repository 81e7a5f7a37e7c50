"""`frankly bench serve`: every figure comes from answers that real workers took in."""

from pathlib import Path

import pytest

from frankly.bench import serve
from frankly.store import Store


def test_the_service_is_measured_beside_no_storage_and_a_commit_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "TURN", 0.2)
    url = str(tmp_path / "bench.sqlite")
    sizes: list[int] = []

    def noted(store: Store, name: str) -> None:
        sizes.append(store.size(name))
        delete(store, name)

    delete = Store.delete_survey
    monkeypatch.setattr(Store, "delete_survey", noted)
    found = serve.measured(url, workers=2, turns=1, connections=8, ways=serve.WAYS)
    assert all(load.rate > 0 and load.p99 > 0 for load in found.values())
    each, none, group = sizes  # the last one goes first
    assert none == 0, "without storage nothing is stored"
    assert min(each, group) > 0
    with Store(url, upgrade=False) as store:
        assert store.surveys() == [], "nothing is left behind"
