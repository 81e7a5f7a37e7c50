"""Jobs: slow work beside the pages: a few at once, with progress, and stopped when asked."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from fastapi import FastAPI

from frankly.errors import FranklyError
from frankly.store import SurveyError

__all__ = ["Job", "Jobs", "State", "Stopped", "jobs_of"]

log = logging.getLogger("frankly.studio")

AT_ONCE = 2
WAITING = 8

State = Literal["waiting", "running", "done", "failed", "stopped"]


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Somebody asked a job to stop."""


@dataclass
class Job:
    """One piece of work, and how far it is."""

    survey: str
    name: str
    state: State = "waiting"
    done: int = 0
    total: int = 1
    said: str = ""
    stop: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def running(self) -> bool:
        """Whether it is not over."""
        return self.state in ("waiting", "running")

    def progress(self, done: int, total: int) -> None:
        """Say how far it is, or stop here if somebody asked."""
        if self.stop.is_set():
            raise Stopped
        self.done, self.total = done, total


class Jobs:
    """The work of one studio: started by name, and looked up by name."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="frankly-job")
        self.known: dict[tuple[str, str], Job] = {}
        self.lock = threading.Lock()

    def start(self, survey: str, name: str, work: Callable[[Job], None]) -> Job:
        """Start some work; the same work is not started twice at once."""
        with self.lock:
            last = self.known.get((survey, name))
            if last is not None and last.running:
                return last
            if sum(job.running for job in self.known.values()) >= WAITING:
                raise SurveyError(
                    f"{WAITING} jobs are under way or waiting. Wait for one to end, then try again"
                )
            job = self.known[survey, name] = Job(survey, name)
        self.pool.submit(run, job, work)
        return job

    def find(self, survey: str, name: str) -> Job | None:
        """Give the last work of this name."""
        return self.known.get((survey, name))

    def of_survey(self, survey: str) -> list[Job]:
        """List the work of a survey."""
        return [job for (mine, _), job in list(self.known.items()) if mine == survey]

    def forget(self, survey: str) -> None:
        """Stop the work of a survey that was deleted: the next of its name is another's."""
        with self.lock:
            for job in self.of_survey(survey):
                job.stop.set()
                del self.known[job.survey, job.name]


def run(job: Job, work: Callable[[Job], None]) -> None:
    """Do some work, and remember how it ended; an error of ours is help, another is not told."""
    job.state = "running"
    try:
        job.progress(0, job.total)
        work(job)
    except Stopped:
        job.state, job.said = "stopped", "Stopped."
    except FranklyError as error:
        job.state, job.said = "failed", str(error)
    except Exception as error:  # noqa: BLE001 - a thread has nobody above it to tell
        log.error("a job failed: %s", type(error).__name__)  # noqa: TRY400 - words hold too much
        job.state, job.said = "failed", "Something is wrong on our side."
    else:
        job.state, job.done = "done", job.total


def jobs_of(app: FastAPI) -> Jobs:
    """Give the app's jobs, made when first asked for."""
    with making:
        if not hasattr(app.state, "jobs"):
            app.state.jobs = Jobs()
        found: Jobs = app.state.jobs
    return found


making = threading.Lock()
