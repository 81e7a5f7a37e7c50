"""Cores: workers of one SQLite file keep to a core each, where there are as many."""

import os
import subprocess
import sys

import pytest

from frankly.cli.service import Service
from frankly.collect.cores import cores, keep_to
from frankly.collect.doors import listen
from frankly.store import Store

LINUX = sys.platform == "linux"
FILE, SERVER = "frankly.sqlite", "postgresql://frankly@localhost/frankly"


def some_cores(monkeypatch: pytest.MonkeyPatch, *ours: int) -> None:
    """Let the system say which cores are ours."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(ours), raising=False)


def test_as_many_workers_as_cores_keep_to_one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    some_cores(monkeypatch, 7, 2, 5)
    assert cores(FILE, 3) == [2, 5, 7]


@pytest.mark.parametrize(("url", "workers"), [(FILE, 2), (FILE, 4), (SERVER, 3)])
def test_otherwise_workers_go_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, url: str, workers: int
) -> None:
    some_cores(monkeypatch, 2, 5, 7)
    assert cores(url, workers) == [None] * workers


def test_one_worker_on_one_core_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    some_cores(monkeypatch, 0)
    assert cores(FILE, 1) == [None]


def test_a_system_that_does_not_tell_its_cores_does_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores(FILE, 2) == [None, None]


def test_a_process_that_is_gone_is_kept_nowhere() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    keep_to(0, gone.pid)


def test_a_worker_is_kept_to_its_core_and_so_is_the_one_that_follows_it(tmp_path: object) -> None:
    url = f"{tmp_path}/s.sqlite"
    Store(url).close()
    core = max(os.sched_getaffinity(0)) if LINUX else None
    service = Service(url)
    with listen("127.0.0.1", 0) as door:
        service.start("collect", door, core)
        try:
            (launch,) = service.running.values()
            service.add(launch)
            kept = [os.sched_getaffinity(pid) if LINUX else None for pid in service.processes]
        finally:
            service.stop()
    assert kept == [{core} if LINUX else None] * 2
