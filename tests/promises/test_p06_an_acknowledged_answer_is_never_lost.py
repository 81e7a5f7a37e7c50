"""P6: an acknowledged answer is never lost, altered or doubled."""

import asyncio
import random
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from frankly.collect.reading import report_row
from frankly.store import Store
from tests.live import (
    DESIGN,
    HOW,
    Live,
    Postgres,
    body_for,
    figure,
    in_loop,
    packed,
    running,
    some_report,
    survey_in,
)

CLIENTS = 24
Told = dict[str, dict[str, Any]]
"""Every body that was acknowledged, by its invitation."""


async def one_client(base: str, secrets: list[str], told: Told, end: asyncio.Event) -> None:
    """Answer again and again; retry the same bytes until somebody acknowledges them."""
    async with httpx.AsyncClient(base_url=base, timeout=10) as client:
        while secrets and not end.is_set():
            secret = secrets.pop()
            body = body_for(DESIGN, secret, some_report(random.randrange(12)))
            while True:
                try:
                    answer = await client.post("/ward/reports", json=body)
                except httpx.HTTPError:
                    await asyncio.sleep(0.02)
                    continue
                if answer.status_code in {200, 201}:
                    told[secret] = body
                    break
                assert answer.status_code == 503, answer.status_code


async def kill_in_a_loop(
    live: Live, kills: int, secrets: list[str], wanted: int
) -> tuple[Told, int]:
    """Kill the service at moments it cannot know, while clients answer."""
    told: Told = {}
    end = asyncio.Event()
    clients = [
        asyncio.create_task(one_client(live.base, secrets, told, end)) for _ in range(CLIENTS)
    ]
    killed = 0
    while killed < kills or len(told) < wanted:
        await asyncio.sleep(random.uniform(0.2, 0.9 if wanted < 1000 else 7.0))
        await asyncio.to_thread(live.kill)
        await asyncio.to_thread(live.start)
        killed += 1
        assert secrets, "too few invitations for this machine"
    end.set()
    await asyncio.gather(*clients)
    return told, killed


def compare(url: str, told: Told) -> dict[str, int]:
    """Recount: what was acknowledged must be there, once, as it was sent."""
    with Store(url, upgrade=False) as store:
        rows = sorted(packed(store))
        size = store.size("ward")
        unused = store.unused("ward", list(told))
    expected = sorted(report_row(DESIGN, body["report"]) for body in told.values())
    kinds = {row: rows.count(row) for row in set(expected) | set(rows)}
    missing = sum(max(0, expected.count(row) - n) for row, n in kinds.items())
    return {"lost": len(unused) + missing, "beyond": len(rows) - len(expected),
            "counted": size - len(rows)}  # fmt: skip


def test_killing_the_service_loses_nothing(url: str, full: bool) -> None:
    sqlite = "://" not in url
    kills, wanted = ((100, 50_000) if sqlite else (20, 5_000)) if full else (4, 300)
    secrets = survey_in(url, 800_000 if full else 20_000)
    live = Live(url, 1)
    try:
        live.start()
        told, killed = in_loop(kill_in_a_loop(live, kills, list(secrets), wanted))
    finally:
        live.stop()
        live.door.close()
    found = compare(url, told)
    kind = "SQLite" if sqlite else "PostgreSQL"
    claim = f"{kind}: {killed} kills, {len(told):,} acknowledged: lost, beyond, miscounted"
    figure("P6", claim, list(found.values()), full=full)
    assert found["lost"] == found["counted"] == 0
    # Every client's last answer was acknowledged in the end, so nothing more may be stored.
    assert found["beyond"] == 0


EARLY = """
import asyncio, os, socket, sys, time
from frankly.collect import writer
from frankly.collect.writer import Writer
quick = writer.keep
def slow(*words):
    time.sleep(0.05)  # a slow disk, which an honest server waits for
    return quick(*words)
writer.keep = slow
async def store_one(self, answer):
    task = asyncio.get_running_loop().create_task(kept(self, answer))
    self.__dict__.setdefault("tasks", set()).add(task)
    return "stored"
kept = Writer.store_one
Writer.store_one = store_one
from frankly.collect.serve import serve
serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""


def test_a_server_that_acknowledges_early_is_caught(tmp_path: Path) -> None:
    url, mutant = str(tmp_path / "s.sqlite"), tmp_path / "early.py"
    mutant.write_text(EARLY)
    secrets = list(survey_in(url, 20_000))
    live = Live(url, 1, launch=(sys.executable, str(mutant)))
    try:
        live.start()
        told, _ = in_loop(kill_in_a_loop(live, 4, secrets, 200))
    finally:
        live.kill()
        live.door.close()
    assert compare(url, told)["lost"] > 0


TRACED = "trace=fsync,fdatasync,sendto,write,writev,sendmsg"


def synced(url: str, folder: Path, answers: int, launch: tuple[str, ...]) -> int:
    """Answer one by one under a system call trace; count acknowledgements with a sync before."""
    if shutil.which("strace") is None:
        raise RuntimeError(HOW.format(what="strace", package="strace"))
    trace = folder / "trace"
    strace = ("strace", "-f", "-qq", "-e", TRACED, "-s", "40", "-o", str(trace))
    secrets = survey_in(url, answers)
    with (
        running(url, launch=(*strace, *launch)) as live,
        httpx.Client(base_url=live.base) as client,
    ):
        for i, secret in enumerate(secrets):
            body = body_for(DESIGN, secret, some_report(i))
            assert client.post("/ward/reports", json=body, timeout=60).status_code == 201
    good, since = 0, 0
    for line in trace.read_text(errors="replace").splitlines():
        if re.search(r"\bf(data)?sync\(", line) or "sync resumed" in line:
            since += 1
        elif "HTTP/1.1 201" in line:
            good += since > 0
            since = 0
    return good


NORMAL = """
import os, socket, sys
from frankly.store import sqlite
sqlite.PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000")
sqlite.Sqlite.tidy = lambda self, engine: None
from frankly.collect.serve import serve
serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""


def test_there_is_a_sync_before_every_acknowledgement(tmp_path: Path, full: bool) -> None:
    n = 100
    good = synced(
        str(tmp_path / "s.sqlite"), tmp_path, n, (sys.executable, "-m", "frankly.collect")
    )
    figure("P6", f"acknowledgements with a sync before, of {n}", good, full=full)
    assert good == n


def test_a_store_without_full_synchronisation_is_caught(tmp_path: Path) -> None:
    mutant = tmp_path / "normal.py"
    mutant.write_text(NORMAL)
    good = synced(str(tmp_path / "s.sqlite"), tmp_path, 50, (sys.executable, str(mutant)))
    assert good < 5


LIMITED = """
import os, resource, socket, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(os.environ["LIMIT"])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from frankly.collect.serve import serve
serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path, full: bool) -> None:
    """The disk ends where no file may grow any more; what was acknowledged stays."""
    path, script = tmp_path / "s.sqlite", tmp_path / "limited.py"
    secrets = survey_in(str(path), 6000)
    script.write_text(LIMITED)
    limit = path.stat().st_size + 40_000  # five sheets, of a dozen
    stored: list[str] = []
    refused: list[str] = []
    with (
        running(str(path), launch=(sys.executable, str(script)), env={"LIMIT": str(limit)}) as live,
        httpx.Client(base_url=live.base, timeout=60) as client,
    ):

        def answer(secret: str) -> None:
            if len(refused) < 20:
                said = client.post("/ward/reports", json=body_for(DESIGN, secret, some_report()))
                assert said.status_code in {201, 503}, said.status_code
                (stored if said.status_code == 201 else refused).append(secret)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(answer, secrets[:-1]))
    assert stored
    assert len(refused) >= 20
    with running(str(path)) as live:  # space again: everything is there, and there is room
        body = body_for(DESIGN, secrets[-1], some_report())
        assert httpx.post(f"{live.base}/ward/reports", json=body).status_code == 201
    with Store(str(path), upgrade=False) as store:
        lost = store.unused("ward", stored)
        assert store.size("ward") == len(store.reports("ward")) == len(stored) + 1
    figure("P6", f"full disk after {len(stored):,}: then 503; lost", len(lost), full=full)
    assert lost == []


def test_a_restarted_postgresql_fails_no_request(full: bool) -> None:
    server = Postgres.make()
    server.start()
    try:
        url = server.database()
        secrets = survey_in(url, 400)
        failed = 0
        with running(url) as live, httpx.Client(base_url=live.base, timeout=60) as client:
            for i, secret in enumerate(secrets):
                if i in {100, 200}:
                    server.stop("immediate")
                    server.start()
                body = body_for(DESIGN, secret, some_report(i))
                failed += client.post("/ward/reports", json=body).status_code != 201
        with Store(url, upgrade=False) as store:
            assert len(store.reports("ward")) == len(secrets) - failed
    finally:
        server.remove()
    figure("P6", "requests failed after two PostgreSQL crashes, of 400", failed, full=full)
    assert failed == 0


def test_answers_wait_while_postgresql_is_away() -> None:
    server = Postgres.make()
    server.start()
    try:
        url = server.database()
        secrets = survey_in(url, 8)

        async def while_away(base: str) -> list[int]:
            async with httpx.AsyncClient(base_url=base, timeout=60) as client:
                await asyncio.to_thread(server.stop, "immediate")
                posts = [
                    asyncio.create_task(
                        client.post("/ward/reports", json=body_for(DESIGN, s, some_report()))
                    )
                    for s in secrets
                ]
                await asyncio.sleep(1.5)
                await asyncio.to_thread(server.start)
                return [answer.status_code for answer in await asyncio.gather(*posts)]

        with running(url) as live:
            warm = httpx.get(f"{live.base}/ward/design.json", timeout=30)
            assert warm.status_code == 200
            found = in_loop(while_away(live.base))
    finally:
        server.remove()
    assert found == [201] * 8
