"""Work on many agents, each at its address, whose results rest once beside them.

An executor is given a few at a time, so that many large jobs never wait together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial
from itertools import islice
from threading import Event
from typing import TypeVar

from msgspec import Struct

from loom.capabilities.agents.result import AgentResult
from loom.fleet.fleet_job import FleetJob, JobResult, Work, run_fleet_job
from loom.fleet.processes import Processes, error_line, usable_cpus

WAIT = 60.0  # seconds: a lease is 30 s, unless its address says otherwise
AHEAD = 2  # jobs given out for each worker
LOOK = 0.1  # seconds between two looks at whether it is cancelled

Job = TypeVar("Job")
Made = TypeVar("Made")


class FleetRun(Struct, frozen=True):
    """What came of the agent at `address`: its result, or the `error` it ended with.

    `runs` is how often the work was begun: 0 where there was a result before, or another put one
    while its agent was waited for; 2 where a worker died. An error leaves no result: the next
    `each` goes on with the agent where it stands.
    """

    address: str
    result: AgentResult | None = None
    error: str = ""
    runs: int = 1


def each(
    work: Work,
    addresses: Iterable[str],
    *,
    executor: Executor | None = None,
    workers: int = 0,
    tell: Callable[[str, int], None] = lambda address, run: None,
    cancel: Event | None = None,
    wait: float = WAIT,
) -> Iterator[FleetRun]:
    """Do work on the agent at each address, in an executor; what came of each, as they end.

    `work` is given the address, opens the agent there and goes on with it. The result is what the
    agent delivered (`ctx.agents.deliver`), else what `work` returns: a text, or what JSON can hold.
    It is put once, beside the agent; where there is one, nothing is done again. Where a worker
    died, another is given the address with `?take=1`, once: that takes the agent over, so that the
    first, should it live on, can write nothing. Where another has the agent open (StoreLocked), its
    worker waits up to `wait` seconds for that one to let it go, and calls `work` again, or to put
    the result.

    Without an `executor` there are `workers` processes, 0 for one a processor: `work` has to be
    importable. Twice as many as `workers` are given out at a time, and no more addresses are asked
    for; where asking for one raises, those that were given out are told first. `tell` is called
    with an address and how often it has been given out, before a worker looks whether it has a
    result. `cancel`, once set, ends it: nothing more is begun, and processes of its own are killed.
    Raises TypeError where `addresses` is one text.
    """
    if isinstance(addresses, str | bytes):
        raise TypeError(f"each: addresses is one {type(addresses).__name__}; give a list of them")
    return _run_all(partial(run_fleet_job, work, wait), addresses, executor, workers, tell, cancel)


def _run_all(
    there: Callable[[FleetJob], JobResult],
    addresses: Iterable[str],
    executor: Executor | None,
    workers: int,
    tell: Callable[[str, int], None],
    cancel: Event | None,
) -> Iterator[FleetRun]:
    stopped = cancel or Event()
    pool = executor or Processes(workers)

    seen: set[str] = set()

    def begun(address: str, run: int = 1) -> FleetJob:
        seen.add(address)
        tell(address, run)
        return FleetJob(address, run)

    def again(job: FleetJob, ended: Future[JobResult]) -> FleetJob | None:
        dead = not ended.cancelled() and isinstance(ended.exception(), BrokenExecutor)
        return begun(job.address, 2) if dead and job.run == 1 and not stopped.is_set() else None

    whole = False
    try:
        jobs = (begun(address) for address in addresses if address not in seen)
        most = AHEAD * (workers or usable_cpus())
        for job, future in run_jobs(pool, there, jobs, most, again, cancel):
            yield _fleet_run(job, future)
        whole = not stopped.is_set()
    finally:
        if isinstance(pool, Processes) and executor is None:
            if not whole:
                pool.stop()
            pool.shutdown(cancel_futures=True)


def _fleet_run(job: FleetJob, ended: Future[JobResult]) -> FleetRun:
    if ended.cancelled():
        return FleetRun(job.address, error="it was cancelled", runs=job.run - 1)
    error = ended.exception()
    if error is not None:  # `sys.exit` in a thread too: it is that agent's
        return FleetRun(job.address, error=error_line(error), runs=job.run)
    result, new = ended.result()
    return FleetRun(job.address, result, runs=job.run if new or job.run > 1 else 0)


def run_jobs(
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
                    running[_submit(executor, work, job)] = job
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
                    running[_submit(executor, work, other)] = other
                else:
                    yield job, future
    finally:
        for future in running:
            future.cancel()


def _submit(executor: Executor, work: Callable[[Job], Made], job: Job) -> Future[Made]:
    try:
        return executor.submit(work, job)
    except Exception as error:  # each job is told of it, as those that were given out are
        future: Future[Made] = Future()
        future.set_exception(error)
        return future
