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

from frankly.errors import FranklyError

__all__ = ["PORT", "Service", "listen"]

PORT = click.IntRange(0, 65535)
"""A port; 0 lets the system choose."""

POLITE = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a process to stop."""


def listen(host: str, port: int) -> socket.socket:
    """Open a port, which several workers will share; 0 lets the system choose."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise FranklyError(
            f"port {port} on {host} cannot be opened ({error.strerror}). Is the service running "
            "already? Choose another port with --port and --owner-port"
        ) from error
    listening.listen(2048)
    return listening


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

    def start(self, room: str, listening: socket.socket, workers: int = 1, **more: str) -> None:
        """Start workers of one room on a port."""

        def launch() -> "subprocess.Popen[bytes]":
            return subprocess.Popen(  # noqa: S603 - this Python, our own module
                [sys.executable, "-m", f"frankly.{room}", str(listening.fileno())],
                pass_fds=[listening.fileno()],
                env={**os.environ, "FRANKLY_DB": self.url, **more},
            )

        for _ in range(workers):
            self.add(launch)

    def add(self, launch: "Callable[[], subprocess.Popen[bytes]]") -> None:
        """Start one process."""
        process = launch()
        self.running[process.pid] = launch
        self.processes[process.pid] = process

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

        def told(*_: object) -> None:
            deaf()
            raise KeyboardInterrupt

        for polite in POLITE:
            signal.signal(polite, told)
        try:
            yield
        except KeyboardInterrupt:
            pass
        finally:
            deaf()
            self.stop()


def deaf() -> None:
    """Hear no more signals to stop: whoever is told twice must still wait for its processes."""
    for polite in POLITE:
        signal.signal(polite, signal.SIG_IGN)
