"""PostgreSQL for a while: a server of our own in a folder of its own, for one measurement."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["a_database", "free_port", "program"]

NAMED = "FRANKLY_BENCH_POSTGRES"


@contextmanager
def a_database() -> Iterator[str | None]:
    """Give the address of an empty database: the one that is named, or of a server made for it.

    None where no database is named and PostgreSQL's ``initdb`` is not found.
    """
    initdb = program("initdb")
    if NAMED in os.environ or initdb is None:
        yield os.environ.get(NAMED)
        return
    folder = Path(tempfile.mkdtemp(prefix="frankly-bench-"))
    port = free_port()
    try:
        run(folder, initdb, "-D", "data", "-A", "trust", "-U", "frankly", "--no-instructions")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
        control = initdb.with_name("pg_ctl")
        run(folder, control, "-D", "data", "-l", "log", "-w", "-o", options, "start")
        try:
            yield f"postgresql://frankly@127.0.0.1:{port}/postgres"
        finally:
            run(folder, control, "-D", "data", "-m", "fast", "-w", "stop")
    finally:
        shutil.rmtree(folder)


def program(name: str) -> Path | None:
    """Find a program of PostgreSQL, which Debian keeps off the PATH."""
    beside = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or next(map(str, beside), None)
    return None if found is None else Path(found).resolve()


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(folder: Path, tool: Path, *words: str) -> None:
    """Run a program in the folder; PostgreSQL refuses to be root's, so as another user then."""
    more: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        more = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    subprocess.run(  # noqa: S603 - a program of PostgreSQL, with words of our own
        [str(tool), *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, **more
    )
