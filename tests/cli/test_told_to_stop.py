"""Told to stop: whatever a service is doing just then, it leaves no process behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from frankly.cli import service as room
from frankly.cli.service import POLITE, Service, deaf


@dataclass
class Sleepers:
    """Processes that a test starts."""

    made: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self) -> "subprocess.Popen[bytes]":
        """Start one."""
        words = [sys.executable, "-c", "import time; time.sleep(60)"]
        self.made.append(subprocess.Popen(words))
        return self.made[-1]

    def ends(self) -> list[int | None]:
        """Tell how each has ended; None if it runs."""
        return [process.poll() for process in self.made]


@pytest.fixture
def sleepers() -> Iterator[Sleepers]:
    """Give processes of which none outlives the test; signals are heard as before it."""
    heard = {polite: signal.getsignal(polite) for polite in POLITE}
    sleepers = Sleepers()
    yield sleepers
    for polite, before in heard.items():
        signal.signal(polite, before)
    for process in sleepers.made:
        process.kill()
        process.wait()


@pytest.mark.parametrize("polite", POLITE)
@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_was_just_started_is_stopped_too(
    sleepers: Sleepers, polite: int, times: int
) -> None:
    service = Service("unused")

    def launch() -> "subprocess.Popen[bytes]":
        process = sleepers.start()
        for _ in range(times):
            os.kill(os.getpid(), polite)
        return process

    with service.until_told():
        service.add(sleepers.start)
        service.add(launch)
        service.add(launch)
    assert sleepers.ends() == [-signal.SIGTERM] * 2, "both are stopped, and no third is started"


def test_a_process_that_is_started_after_the_signal_does_not_ignore_it(sleepers: Sleepers) -> None:
    service = Service("unused")

    def launch() -> "subprocess.Popen[bytes]":
        os.kill(os.getpid(), signal.SIGTERM)
        return sleepers.start()

    with service.until_told():
        service.add(launch)
    assert sleepers.ends() == [-signal.SIGTERM]


def test_a_service_that_fails_just_when_it_is_told_stops_its_processes(
    sleepers: Sleepers, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, told = Service("unused"), list[int]()

    def late() -> None:
        if not told:
            told.append(signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
        deaf()

    monkeypatch.setattr(room, "deaf", late)
    with suppress(KeyboardInterrupt), service.until_told():
        service.add(sleepers.start)
        raise OSError("no worker answers")
    assert sleepers.ends() == [-signal.SIGTERM]
