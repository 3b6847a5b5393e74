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
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from loom.bench.errors import BadBench

AHEAD = 2  # jobs waiting for each worker

Given = TypeVar("Given")
Made = TypeVar("Made")
Tell = Callable[[str], None]  # takes a line about work that goes on


def quiet(line: str) -> None:
    """Tell nobody."""


def spread(
    work: Callable[[Given], Made], jobs: Iterable[Given], workers: int
) -> Generator[Made, None, None]:
    """The answers to jobs as they come; with one worker in this process, in order.

    Only a few jobs wait at a time, so that many large ones are never in memory together.
    """
    if workers <= 1:
        yield from map(work, jobs)
        return
    waiting = iter(jobs)
    context = get_context("spawn")  # not forked: the progress display runs threads
    watched, held = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="loom-bench-", ignore_cleanup_errors=True) as folder:
        pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_begin, initargs=(watched, folder)
        )
        try:
            running: set[Future[Made]] = set()
            while True:
                room = workers * AHEAD - len(running)
                running |= {pool.submit(work, job) for job in islice(waiting, room)}
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        except BrokenProcessPool as error:
            held.close()
            raise BadBench(
                "a process of the work was ended: by what it ran, or for want of memory"
            ) from error
        except BaseException:
            held.close()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            held.close()
            watched.close()


def _begin(watched: Connection, folder: str) -> None:
    """In a worker: leave Ctrl-C to the main process, and end when the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    threading.Thread(target=_follow, args=(watched,), name="loom-bench-end", daemon=True).start()


def _follow(watched: Connection) -> None:
    with suppress(EOFError, OSError):
        watched.recv_bytes()  # nothing is ever sent: this waits for the end
    os._exit(1)
