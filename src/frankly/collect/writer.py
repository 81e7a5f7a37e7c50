"""Writer: group commit. Answers that arrive together are stored together, then acknowledged."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError

from frankly.collect.refusal import Refusal
from frankly.store import Answer, Outcome, Store, ingest

__all__ = ["Writer"]

log = logging.getLogger("frankly.collect")

T = TypeVar("T")

UNTIDY = 8
"""Batches, each shuffled, after which traces are removed though others wait; else at once."""

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
    queue: "asyncio.Queue[Waiting]" = field(init=False)
    thread: ThreadPoolExecutor = field(init=False)
    task: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.queue = asyncio.Queue(self.waiting)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="writer")

    def start(self) -> None:
        """Begin to store."""
        self.task = asyncio.get_running_loop().create_task(self.run())

    async def stop(self) -> None:
        """Store what waits, then stop."""
        await self.queue.join()
        if self.task is not None:
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task
        self.thread.shutdown()

    async def store_one(self, answer: Answer) -> Outcome:
        """Give an answer to the writer; return when it is on disk."""
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait((answer, done))
        except asyncio.QueueFull:
            raise Refusal("busy", "queue") from None
        return await done

    async def run(self) -> None:
        """Take everything that waits, store it, acknowledge it, and again."""
        batches = 0
        while True:
            batch = [await self.queue.get()]
            while len(batch) < self.batch and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            await self.commit(batch)
            batches += 1
            if self.queue.empty() or batches >= UNTIDY:
                await self.in_thread(self.store.tidy)
                batches = 0
            for _ in batch:
                self.queue.task_done()

    async def commit(self, batch: list[Waiting]) -> None:
        """Store one batch; only then tell anybody."""
        answers = [answer for answer, _ in batch]
        try:
            outcomes = await self.persist(answers)
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody may be told "stored"
            # The whole error could hold what was sent, so only its name is logged.
            log.error("a batch of %d could not be stored: %s", len(batch), type(error).__name__)  # noqa: TRY400
            for _, done in batch:
                if not done.done():
                    done.set_exception(Refusal("busy", "store"))
            return
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if not done.done():
                done.set_result(outcome)

    async def in_thread(self, work: Callable[..., T], *words: Any, **more: Any) -> T:
        """Run something in the writer's own thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.thread, partial(work, *words, **more))

    async def persist(self, answers: list[Answer]) -> list[Outcome]:
        """Store answers, again and again while the database is away; receipts make that safe."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.patience
        while True:
            try:
                return await self.in_thread(ingest, self.store, answers, tidy=False)
            except DBAPIError as error:
                if not lost(error) or loop.time() > end:
                    raise
                await asyncio.sleep(0.2)


AWAY = {"OperationalError", "AdminShutdown", "CannotConnectNow", "CrashShutdown"}


def lost(error: DBAPIError) -> bool:
    """Tell a connection that broke, or a server that is starting, from other errors."""
    driver = type(error.orig)
    away = driver.__module__.startswith("psycopg") and driver.__name__ in AWAY
    return error.connection_invalidated or away
