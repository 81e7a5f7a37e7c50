"""Sessions over the network: a relay and parties as processes of their own, on loopback."""

import json
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from frankly.cli import main
from frankly.design import Design
from tests.collaborate.rooms import DESIGN, Rows, labels, made_up

# Each party is a real process, but the packages are read once for all of them.
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["frankly.cli", "frankly.collaborate.relay", "httpx", "gmpy2"])


def run(*words: object) -> Result:
    """Run one short command here, to its end."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result


class Running:
    """A command in a process of its own; what it says on both channels goes to a file."""

    def __init__(self, words: Sequence[object], said: Path) -> None:
        self.said = said
        texts = [str(word) for word in words]
        self.process = SERVER.Process(target=command, args=(texts, str(said)), daemon=True)
        self.process.start()

    def finish(self, timeout: float = 120.0) -> str:
        """Wait for the end; give what was said."""
        self.process.join(timeout)
        assert self.process.exitcode is not None, f"still running: {self.said.read_text()}"
        return self.said.read_text()

    @property
    def code(self) -> int | None:
        """The exit code; minus the signal for a process that was killed."""
        return self.process.exitcode

    def kill(self) -> None:
        """End it without warning, as a power cut would."""
        self.process.kill()
        self.process.join(30)


def command(words: list[str], said: str) -> None:
    """Be the process: run one command with both channels in a file."""
    handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    main(words)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Village:
    """A folder with a relay, some parties, their data and their session file."""

    def __init__(
        self,
        folder: Path,
        n: int = 3,
        *,
        design: Design = DESIGN,
        rows: Sequence[Rows] | None = None,
        **settings: object,
    ) -> None:
        self.folder, self.n, self.port = folder, n, free_port()
        self.session = folder / "session.toml"
        self.rows = rows or [made_up(300 + 40 * k, k) for k in range(n)]
        design.save(folder / "survey.json")
        run("party", "init", folder / "relay", "--name", "relay", "--host", "127.0.0.1")
        for k, part in enumerate(self.rows):
            run("party", "init", self.party(k), "--name", f"party-{k}")
            self.write(part, self.data(k))
        self.agree("first", **settings)

    def party(self, k: int) -> Path:
        return self.folder / f"party-{k}"

    def data(self, k: int) -> Path:
        return self.folder / f"data-{k}.parquet"

    def write(self, rows: Rows, path: Path) -> None:
        pq.write_table(pa.table(labels(rows)), path)

    def agree(self, name: str, **settings: object) -> None:
        """Write the session file."""
        settings = {"task": {"kind": "naive-bayes"}, "bits": 2048, **settings}
        words: list[object] = ["--task", json.dumps(settings.pop("task"))]
        for key, value in settings.items():
            words += [f"--{key.replace('_', '-')}", value]
        for k in range(self.n):
            words += ["--party", self.party(k) / "certificate.pem"]
        words += ["--relay", self.folder / "relay" / "certificate.pem", "--id", name]
        words += ["--url", f"https://127.0.0.1:{self.port}", "-d", self.folder / "survey.json"]
        run("party", "session", self.session, *words)

    @contextmanager
    def relay(self) -> Iterator[Running]:
        """Run the relay; wait until it is ready."""
        words = ["relay", self.session, "-i", self.folder / "relay"]
        running = Running(words, self.folder / "relay.said")
        try:
            self.wait_for_door(running)
            yield running
        finally:
            running.kill()

    def wait_for_door(self, running: Running) -> None:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert running.code is None, running.finish()
            time.sleep(0.05)
        raise TimeoutError("the relay did not open its door")

    def join_words(self, k: int, *more: object) -> list[object]:
        words: list[object] = ["party", "join", self.session, "--data", self.data(k)]
        out = self.folder / f"result-{k}.json"
        return [*words, "-i", self.party(k), "-o", out, "--patience", 60, *more]

    def join(self, k: int, *more: object) -> Running:
        """Let one party take part, in a process of its own."""
        return Running(self.join_words(k, *more), self.folder / f"said-{k}")

    def state(self, k: int) -> Path:
        (found,) = (self.party(k) / "sessions").iterdir()
        return found

    def result(self, k: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / f"result-{k}.json").read_text())
        return found


def finished(parties: Sequence[Running], timeout: float = 120) -> list[str]:
    """Wait for all; give what they said on both channels."""
    said = [party.finish(timeout) for party in parties]
    assert [party.code for party in parties] == [0] * len(parties), said
    return said
