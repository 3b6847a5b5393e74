"""Work spread over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

AHEAD = 2  # jobs waiting for each worker

Given = TypeVar("Given")
Made = TypeVar("Made")
Tell = Callable[[str], None]  # takes a line about work that goes on


def quiet(line: str) -> None:
    """Tell nobody."""


def spread(work: Callable[[Given], Made], jobs: Iterable[Given], workers: int) -> Iterator[Made]:
    """The answers to jobs as they come; with one worker in this process, in order.

    Only a few jobs wait at a time, so that many large ones are never in memory together.
    """
    if workers <= 1:
        yield from map(work, jobs)
        return
    waiting = iter(jobs)
    # Spawned, not forked: the progress display runs threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: set[Future[Made]] = set()
        while True:
            room = workers * AHEAD - len(running)
            running |= {pool.submit(work, job) for job in islice(waiting, room)}
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ended)
