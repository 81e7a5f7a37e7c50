"""The service: workers of the respondent's server and the owner's, started and stopped together."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import click

from frankly.collect.cores import keep_to

__all__ = ["PORT", "Service"]

PORT = click.IntRange(0, 65535)
"""A port; 0 lets the system choose."""

POLITE = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a process to stop."""


@dataclass
class Service:
    """Processes of one service: each is started again if it dies, all stop together.

    Parameters
    ----------
    url
        The database.
    """

    url: str
    running: dict[int, Callable[[], "subprocess.Popen[bytes]"]] = field(default_factory=dict)
    processes: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    starting: bool = False
    told: bool = False

    def start(self, room: str, door: socket.socket, core: int | None = None, **more: str) -> None:
        """Start a worker of one room at a door, which keeps to a core if one is named."""

        def launch() -> "subprocess.Popen[bytes]":
            process = subprocess.Popen(  # noqa: S603 - this Python, our own module
                [sys.executable, "-m", f"frankly.{room}", str(door.fileno())],
                pass_fds=[door.fileno()],
                env={**os.environ, "FRANKLY_DB": self.url, **more},
            )
            keep_to(core, process.pid)
            return process

        self.add(launch)

    def add(self, launch: "Callable[[], subprocess.Popen[bytes]]") -> None:
        """Start one process; a signal to stop meanwhile is heard when it is on our list."""
        self.starting = True
        try:
            process = launch()
            self.running[process.pid] = launch
            self.processes[process.pid] = process
        finally:
            self.starting = False
        if self.told:
            self.hear()

    def watch(self) -> None:
        """Wait until told to stop; start again what died."""
        while True:
            time.sleep(0.2)
            for pid in [pid for pid, one in self.processes.items() if one.poll() is not None]:
                self.processes.pop(pid)
                self.add(self.running.pop(pid))
                time.sleep(0.5)

    def stop(self) -> None:
        """Ask every process to finish what it has accepted, and wait for it."""
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @contextmanager
    def until_told(self) -> Iterator[None]:
        """Run until Ctrl-C or a polite signal, then stop cleanly."""
        for polite in POLITE:
            signal.signal(polite, self.hear)
        try:
            try:
                yield
            finally:
                deaf()  # a last signal may raise in here: we stop all the same
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def hear(self, *_: object) -> None:
        """Stop, unless a process is being started: one that is on no list yet would stay.

        Nor are we deaf before it runs: what is ignored when a process starts, it ignores itself.
        """
        self.told = True
        if not self.starting:
            deaf()
            raise KeyboardInterrupt


def deaf() -> None:
    """Hear no more signals to stop: whoever is told twice must still wait for its processes."""
    for polite in POLITE:
        signal.signal(polite, signal.SIG_IGN)
