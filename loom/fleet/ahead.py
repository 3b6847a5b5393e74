"""Work given to an executor a few jobs at a time, so that many large ones never wait together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from threading import Event
from typing import TypeVar

AHEAD = 2  # jobs given out for each worker
LOOK = 0.1  # seconds between two looks at whether it is cancelled

Job = TypeVar("Job")
Made = TypeVar("Made")


def ahead(
    executor: Executor,
    work: Callable[[Job], Made],
    jobs: Iterable[Job],
    most: int,
    again: Callable[[Job, Future[Made]], Job | None] = lambda job, ended: None,
    cancel: Event | None = None,
) -> Iterator[tuple[Job, Future[Made]]]:
    """Each job with its future once that has ended, as they end; at most `most` are given out.

    No job is asked for before it can be given out. Where asking for one raises, those that run are
    awaited and given, then it is raised. An executor that refuses a job has that job's future raise
    why. `again` may return another job to be done in the place of one that ended. Once `cancel` is
    set, or the iterator is closed, nothing more is begun; what runs is left to the executor.
    """
    left = iter(jobs)
    running: dict[Future[Made], Job] = {}
    failed: Exception | None = None
    stopped = cancel or Event()
    try:
        while not stopped.is_set():
            try:
                for job in islice(left if failed is None else (), most - len(running)):
                    running[_submitted(executor, work, job)] = job
            except Exception as error:
                failed = error
            if not running and failed is not None:
                raise failed
            if not running:
                return
            ended, _ = wait(running, None if cancel is None else LOOK, FIRST_COMPLETED)
            for future in ended:
                job = running.pop(future)
                if (other := again(job, future)) is not None:
                    running[_submitted(executor, work, other)] = other
                else:
                    yield job, future
    finally:
        for future in running:
            future.cancel()


def _submitted(executor: Executor, work: Callable[[Job], Made], job: Job) -> Future[Made]:
    try:
        return executor.submit(work, job)
    except Exception as error:  # each job is told of it, as those that were given out are
        future: Future[Made] = Future()
        future.set_exception(error)
        return future
