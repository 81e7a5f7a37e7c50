"""Real parts for tests: the service as processes, a PostgreSQL of our own, a real browser."""

import asyncio
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from frankly import Attribute, Design, Group, Unrelated
from frankly.bench.postgres import free_port, program
from frankly.collect.doors import listen
from frankly.store import Store

T = TypeVar("T")

HOW = (
    "{what} is missing, and this test needs a real one. `make system` installs it where it may "
    "(Debian: apt install {package}); elsewhere install it and put it on the PATH"
)

DESIGN = Design(
    [
        Attribute("ill", ["no", "yes"], prompt="Are you ill?"),
        Attribute("drinks", ["never", "sometimes", "often"], prompt="Do you drink?"),
        Attribute("sex", ["f", "m"], prompt="Your sex?"),
    ],
    groups=[Group(["ill"], Unrelated(theta=0.7)), Group(["drinks"], Unrelated(theta="1/2"))],
    title="A small survey",
)
"""Two protected questions and one in clear."""


def body_for(
    design: Design, invitation: str | None, report: dict[str, Any], receipt: str | None = None
) -> dict[str, Any]:
    """Write a request's body as the page does."""
    return {
        "design": design.fingerprint,
        "invitation": invitation,
        "receipt": receipt or secrets.token_hex(16),
        "report": report,
    }


def some_report(i: int = 0) -> dict[str, str]:
    """Give one of the twelve reports of `DESIGN`."""
    drinks = ("never", "sometimes", "often")
    return {"ill": ("no", "yes")[i % 2], "drinks": drinks[i // 2 % 3], "sex": "fm"[i // 6 % 2]}


def packed(store: Store, name: str = "ward") -> list[bytes]:
    """Give the reports of a survey, as they are sent."""
    return [row.tobytes() for row in store.reports(name)]


def survey_in(url: str, count: int, design: Design = DESIGN, name: str = "ward") -> list[str]:
    """Open a survey in a store, and invite people."""
    with Store(url) as store:
        store.open_survey(name, design, "invited" if count else "anyone")
        return store.invite(name, count) if count else []


@dataclass
class Live:
    """A running respondent's server: worker processes on one port."""

    url: str
    workers: int
    launch: Sequence[str] = (sys.executable, "-m", "frankly.collect")
    env: dict[str, str] = field(default_factory=dict)
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    door: socket.socket = field(init=False)
    log: Path | None = None

    def __post_init__(self) -> None:
        self.door = listen("127.0.0.1", 0)

    @property
    def base(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def start(self) -> None:
        """Start the workers, each in a process group of its own, and wait for them."""
        out: Any = (
            os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
            if self.log
            else subprocess.DEVNULL
        )
        for _ in range(self.workers):
            self.processes.append(
                subprocess.Popen(
                    [*self.launch, str(self.door.fileno())],
                    pass_fds=[self.door.fileno()],
                    env={**os.environ, "FRANKLY_DB": self.url, **self.env},
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
            )
        if self.log:
            os.close(out)
        self.wait()

    def wait(self) -> None:
        """Wait until it answers."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                if httpx.get(f"{self.base}/healthz", timeout=5).status_code == 204:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
            if all(one.poll() is not None for one in self.processes):
                break
        codes = [one.poll() for one in self.processes]
        raise RuntimeError(f"the service did not start; its workers ended with {codes}")

    def kill(self) -> None:
        """End every worker at once, as a power cut would."""
        for one in self.processes:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()
        self.processes.clear()

    def stop(self) -> None:
        """Ask every worker to finish, and wait."""
        for one in self.processes:
            one.terminate()
        for one in self.processes:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait()
        self.processes.clear()


@contextmanager
def running(url: str, workers: int = 1, **more: Any) -> Iterator[Live]:
    """Run the respondent's server over a store."""
    live = Live(url, workers, **more)
    try:
        live.start()
        yield live
    finally:
        live.stop()
        live.door.close()


@dataclass
class Postgres:
    """A PostgreSQL server of our own, in a folder of its own, not run as root."""

    folder: Path
    port: int
    bin: Path
    user: str | None

    @classmethod
    def make(cls) -> "Postgres":
        """Lay out a new cluster, where another user may enter."""
        initdb = program("initdb")
        if initdb is None:
            raise RuntimeError(HOW.format(what="PostgreSQL", package="postgresql"))
        port = free_port()
        folder = Path(tempfile.mkdtemp(prefix="frankly-pg-"))
        user = unprivileged() if os.geteuid() == 0 else None
        made = cls(folder, port, initdb.parent, user)
        if user:
            shutil.chown(folder, user)
        made.run("initdb", "-D", "data", "-A", "trust", "-U", "frankly", "--no-instructions")
        return made

    @property
    def url(self) -> str:
        """The server's address, without a database."""
        return f"postgresql://frankly@127.0.0.1:{self.port}"

    def run(self, program: str, *words: str) -> None:
        """Run one of its programs as another user than root."""
        as_user: dict[str, Any] = {}
        if self.user:
            entry = pwd.getpwnam(self.user)
            as_user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        with (self.folder.parent / f"{self.folder.name}.said").open("wb+") as said:
            done = subprocess.run(
                [str(self.bin / program), *words],
                cwd=self.folder,
                check=False,
                stdout=said,
                stderr=said,
                **as_user,
            )
            said.seek(0)
            assert done.returncode == 0, said.read().decode()

    def start(self) -> None:
        """Start the server."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        self.run("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; immediate is what a crash looks like."""
        self.run("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def remove(self) -> None:
        """Stop it, and leave nothing behind."""
        try:
            self.stop("fast")
        finally:
            shutil.rmtree(self.folder)
            (self.folder.parent / f"{self.folder.name}.said").unlink()

    def database(self) -> str:
        """Make an empty database and give its address."""
        name = f"t{secrets.token_hex(6)}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "frankly", name)
        return f"{self.url}/{name}"


def unprivileged() -> str:
    """Name a user without power, for servers that refuse to be root's."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise RuntimeError("there is no user postgres or nobody to run PostgreSQL as")


CHROMIUM = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)  # fmt: skip
"""A stray request to anywhere else is an error, not traffic."""


def chromium() -> str:
    """Find the system's browser."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError(HOW.format(what="Chromium", package="chromium"))


@contextmanager
def browsing() -> Iterator[Any]:
    """Open a real browser."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where it is needed

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM))
        yield browser
        browser.close()


def figure(promise: str, claim: str, value: object, *, full: bool) -> None:
    """Write down what was measured, for the table of `make promises`."""
    folder = os.environ.get("FRANKLY_FIGURES")
    if folder:
        line = {"promise": promise, "claim": claim, "figure": str(value), "full": full}
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run asynchronous work in a thread of its own: the browser's driver has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
