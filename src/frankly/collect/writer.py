"""Writer: group commit. Answers that arrive together are stored together, then acknowledged."""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError

from frankly.collect.refusal import Refusal, told
from frankly.store import Answer, Outcome, Store, keep, ready, straight
from frankly.store.batch import SILENCE, Batch

__all__ = ["Writer"]

log = logging.getLogger("frankly.collect")

T = TypeVar("T")

CROWD = 8
"""Answers that hide each other when they are stored together, shuffled."""

UNTIDY_CROWD, UNTIDY_FEW = 1.0, 0.05
"""Seconds that traces of the order of batches may stay while answers keep coming."""

AGAIN = 1.0
"""Seconds without an answer, until we look whether traces are left: somebody was reading them, or
another process has left them."""

LULL = 0.02
"""Seconds after a crowd without a new answer, until traces go; after a few they go at once."""

GATHER, LONGEST = 0.002, 0.02
"""Seconds without another answer, after which a batch no longer waits for as many as the last one
had; and for which it waits at all. On a slow or busy machine answers come slowly, and half a batch
costs nearly as much as a whole one."""

Waiting = tuple[Answer, "asyncio.Future[Outcome]"]


@dataclass
class Writer:
    """One task that stores batches; while one commit runs, the next batch gathers.

    Parameters
    ----------
    store
        Where answers go.
    waiting
        How many may wait; more are refused, and their pages try again.
    batch
        How many are stored at once at most.
    patience
        Seconds to wait for a database that went away, before the batch is refused.
    """

    store: Store
    waiting: int = 2000
    batch: int = 500
    patience: float = 20.0
    queue: deque[Waiting] = field(init=False, default_factory=deque)
    enough: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    wanted: int = field(init=False, default=1)
    stopping: bool = field(init=False, default=False)
    thread: ThreadPoolExecutor = field(init=False)
    task: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="writer")

    def start(self) -> None:
        """Begin to store."""
        self.task = asyncio.get_running_loop().create_task(self.run())

    async def stop(self) -> None:
        """Store what waits, then stop."""
        self.stopping = True
        self.enough.set()
        if self.task is not None:
            await self.task
        self.thread.shutdown()

    async def store_one(self, answer: Answer) -> Outcome:
        """Give an answer to the writer; return when it is on disk."""
        if len(self.queue) >= self.waiting:
            raise Refusal("busy", "queue")
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.queue.append((answer, done))
        if len(self.queue) >= self.wanted:
            self.enough.set()
        return await done

    async def until(self, n: int, seconds: float | None) -> None:
        """Wait until so many answers wait, or for some time, or until we are told to stop."""
        self.wanted = n
        self.enough.clear()
        if len(self.queue) < n and not self.stopping:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.enough.wait()

    async def gather(self, n: int) -> None:
        """Wait for so many answers, as long as they keep coming."""
        clock = asyncio.get_running_loop().time
        there, end = 0, clock() + LONGEST
        while there < len(self.queue) < n and clock() < end:
            there = len(self.queue)
            await self.until(n, GATHER)

    async def run(self) -> None:
        """Take what waits, store it, acknowledge it, and again; tidy up when it is quiet."""
        clock, untidy, last, tidied = asyncio.get_running_loop().time, 0.0, 0, 0
        while True:
            if last >= CROWD or self.store.pressed:
                await self.until(1, LULL)
            ours = untidy < math.inf and not self.queue
            if ours or clock() > untidy or (not self.queue and self.left_by_others()):
                await self.tidy()
                untidy = math.inf
            await self.until(1, AGAIN)
            if not self.queue:
                if self.stopping:
                    return
                continue
            await self.gather(min(last, self.batch))
            batch = [self.queue.popleft() for _ in range(min(len(self.queue), self.batch))]
            await self.commit(batch)
            last = len(batch)
            if tidied != self.store.dialect.tidied():  # perhaps it was another worker
                untidy, tidied = math.inf, self.store.dialect.tidied()
            untidy = min(untidy, clock() + (UNTIDY_CROWD if last >= CROWD else UNTIDY_FEW))

    async def commit(self, batch: list[Waiting]) -> None:
        """Store one batch; only then tell anybody."""
        answers = [answer for answer, _ in batch]
        try:
            outcomes = await self.persist(answers)
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody may be told "stored"
            log.error("a batch of %d could not be stored: %s", len(batch), told(error))  # noqa: TRY400
            for _, done in batch:
                if not done.done():
                    done.set_exception(Refusal("busy", "store"))
            return
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if not done.done():
                done.set_result(outcome)

    def left_by_others(self) -> bool:
        """Tell whether others may have left traces: not while they are still at work."""
        return self.store.dialect.lies_still(self.store.engine)

    async def tidy(self) -> None:
        """Remove traces of order; whatever happens, go on storing, and try again later."""
        try:
            await self.in_thread(self.store.tidy)
        except Exception as error:  # noqa: BLE001
            log.error("traces of order could not be removed: %s", told(error))  # noqa: TRY400

    async def in_thread(self, work: Callable[..., T], *words: Any) -> T:
        """Run something in the writer's own thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, work, *words)

    async def send(self, batch: Batch) -> bool:
        """Store without a thread; tell whether all was as assumed. If it was not, nothing is."""
        try:
            with self.store.at_once() as raw:
                for wait in self.store.dialect.keep(raw, batch):
                    async with asyncio.timeout(SILENCE):
                        await until_ready(*wait)
        except BaseException as error:
            self.store.dialect.forget()
            if not isinstance(error, self.store.driver.IntegrityError):
                raise
            return False
        return True

    async def persist(self, answers: list[Answer]) -> list[Outcome]:
        """Store answers, again and again while the database is away; receipts make that safe."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.patience
        while True:
            try:
                # Made ready here: a thread would have to wrest the interpreter from this loop.
                made = ready(self.store, answers)
                batch = straight(self.store, made)
                if batch is not None and await self.send(batch):
                    return ["stored"] * len(answers)
                if batch is not None:
                    made = ready(self.store, answers)  # with nothing assumed
                return await self.in_thread(keep, self.store, made)
            except Exception as error:
                if not lost(error) or loop.time() > end:
                    raise
                await asyncio.sleep(0.2)


async def until_ready(socket: int, more: bool) -> None:
    """Wait until there is something to read, or if more is to be sent until that is possible."""
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(socket, there.set)
    if more:
        loop.add_writer(socket, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(socket)
        loop.remove_writer(socket)


AWAY = {"OperationalError", "AdminShutdown", "CannotConnectNow", "CrashShutdown"}


def lost(error: BaseException) -> bool:
    """Tell a connection that broke or fell silent, or a server that starts, from other errors."""
    if isinstance(error, TimeoutError):
        return True
    driver = type(error.orig if isinstance(error, DBAPIError) else error)
    return driver.__module__.startswith("psycopg") and driver.__name__ in AWAY
