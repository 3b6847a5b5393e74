"""Work spread over processes; what they write lies below a folder that is removed after them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor
from functools import partial
from typing import TypeVar

from loom.fleet.each import AHEAD, run_jobs
from loom.fleet.processes import Processes
from loom_bench.errors import BadBench, InterruptsHere

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
    pool = Processes(max(workers, 1))
    with tempfile.TemporaryDirectory(prefix="loom-bench-", ignore_cleanup_errors=True) as folder:
        try:
            there = partial(_there, folder, work)
            for job, future in run_jobs(pool, there, jobs, max(workers, 1) * AHEAD):
                if not isinstance(future.exception(), BrokenExecutor):
                    yield future.result()
                elif lost is not None:
                    yield lost(job)
                else:
                    raise BadBench(f"a process of the work was ended: {future.exception()}")
        except BaseException:
            pool.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _there(folder: str, work: Callable[[Given], Made], job: Given) -> Made:
    """In a worker: the answer to a job.

    What is printed there goes to stderr: stdout is the command's own.
    """
    os.dup2(2, 1)
    InterruptsHere.reach = False
    tempfile.tempdir = folder
    return work(job)
