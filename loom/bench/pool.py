"""Work spread over processes.

Theory of operation. Every process holds the reading end of one pipe, whose writing end is here. It
closes when the work is broken off, or when this process is gone, and each of them ends at once.
Ctrl-C reaches every process of a terminal and is the main one's to answer, so the others ignore it.
What they write lies below one folder for temporary files, which is removed after them.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from loom.bench.errors import BadBench
from loom.bench.raised import InterruptsHere

AHEAD = 2  # jobs waiting for each worker

Given = TypeVar("Given")
Made = TypeVar("Made")
Tell = Callable[[str], None]  # takes a line about work that goes on


def quiet(line: str) -> None:
    """Tell nobody."""


def spread(
    work: Callable[[Given], Made],
    jobs: Iterable[Given],
    workers: int,
    lost: Callable[[Given], Made] | None = None,
) -> Generator[Made, None, None]:
    """The answers to jobs as they come; with one worker in this process, in order.

    With `lost`, one worker is a process of its own too, and a job that ends its process has the
    answer `lost` gives; without it, such a job raises BadBench.
    """
    if workers <= 1 and lost is None:
        yield from map(work, jobs)
        return
    waiting = iter(jobs)
    while suspects := (yield from _pooled(work, waiting, max(workers, 1))):
        if lost is None:
            raise BadBench("a process of the work was ended: by what it ran, or for want of memory")
        for job in suspects:  # one of them ended it: each has a process of its own now
            if (yield from _pooled(work, iter([job]), 1)):
                yield lost(job)


def _pooled(
    work: Callable[[Given], Made], waiting: Iterator[Given], workers: int
) -> Generator[Made, None, list[Given]]:
    """The answers to jobs. Returns those that were under way when a process was ended.

    Only a few jobs wait at a time, so that many large ones are never in memory together.
    """
    context = get_context("spawn")  # not forked: the progress display runs threads
    watched, held = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="loom-bench-", ignore_cleanup_errors=True) as folder:
        pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_begin, initargs=(watched, folder)
        )
        running: dict[Future[Made], Given] = {}
        broken: list[Given] = []
        try:
            while not broken:
                broken += _fill(pool, work, waiting, running, workers * AHEAD)
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        broken.append(job)
                    else:
                        yield future.result()
            return [*broken, *running.values()]
        except BaseException:
            held.close()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            held.close()
            watched.close()


def _fill(
    pool: ProcessPoolExecutor,
    work: Callable[[Given], Made],
    waiting: Iterator[Given],
    running: dict[Future[Made], Given],
    most: int,
) -> list[Given]:
    """Hand on jobs until so many are under way; returns one that a broken pool does not take."""
    for job in islice(waiting, most - len(running)):
        try:
            running[pool.submit(work, job)] = job
        except BrokenProcessPool:
            return [job]
    return []


def _begin(watched: Connection, folder: str) -> None:
    """In a worker: leave Ctrl-C to the main process, and end when the pipe closes.

    What is printed there goes to stderr: stdout is the command's own.
    """
    os.dup2(2, 1)
    InterruptsHere.reach = False
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    threading.Thread(target=_follow, args=(watched,), name="loom-bench-end", daemon=True).start()


def _follow(watched: Connection) -> None:
    with suppress(EOFError, OSError):
        watched.recv_bytes()  # nothing is ever sent: this waits for the end
    os._exit(1)
