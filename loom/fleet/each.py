"""Work on many agents, each at its address. The result of each is stored once, beside the agent.

An executor is given only a few jobs at a time, so many large jobs never wait at once."""

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
    """The outcome of the agent at `address`: its `result`, or the `error` that the work raised.

    `runs` is how often the work was begun: 0 if the result was stored before or by another process,
    2 if the first worker died. After an error no result is stored, and the next call of `each`
    continues the agent from its last state."""

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
    """Do work on the agent at each address, in an executor. Yield the outcome of each agent as it
    ends.

    `work` is called with the address, opens the agent there and continues it. The agent's result is
    what it delivered (`ctx.agents.deliver`), or else what `work` returns: a text, or a value that
    JSON can hold. The result is stored once, beside the agent. If a result is stored already, no
    work is done. If a worker dies, the address is given to another worker once, with `?take=1`: the
    new worker takes the agent over, and the first worker can write nothing more. If another process
    has the agent open (StoreLocked), the worker waits up to `wait` seconds for a result or for the
    agent to be closed; without a result, it calls `work` again.

    Without an `executor`, `workers` processes are started (0: one per processor), and `work` has to
    be importable. At most twice as many jobs as `workers` are given out at a time; addresses are
    taken from `addresses` only as needed. If taking an address raises an error, the jobs given out
    are finished and yielded first. `tell(address, run)` is called before a worker looks for a
    result; `run` is how often the address has been given out. Once `cancel` is set, no job is
    begun, and processes that `each` started are killed. Raises TypeError if `addresses` is one
    text."""
    if isinstance(addresses, str | bytes):
        raise TypeError(f"each: addresses is one {type(addresses).__name__}; give a list of them")
    return _run_all(partial(run_fleet_job, work, wait), addresses, executor, workers, tell, cancel)


def _run_all(
    run_job: Callable[[FleetJob], JobResult],
    addresses: Iterable[str],
    executor: Executor | None,
    workers: int,
    tell: Callable[[str, int], None],
    cancel: Event | None,
) -> Iterator[FleetRun]:
    """Yield the outcome of each agent. `run_job` does one job in a worker; see `each` for the
    rest."""
    stopped = cancel or Event()
    pool = executor or Processes(workers)

    seen: set[str] = set()

    def begun(address: str, run: int = 1) -> FleetJob:
        seen.add(address)
        tell(address, run)
        return FleetJob(address, run)

    def again(job: FleetJob, ended: Future[JobResult]) -> FleetJob | None:
        """Return a second job for an address whose first worker died, or None for any other job."""
        dead = not ended.cancelled() and isinstance(ended.exception(), BrokenExecutor)
        return begun(job.address, 2) if dead and job.run == 1 and not stopped.is_set() else None

    whole = False
    try:
        jobs = (begun(address) for address in addresses if address not in seen)
        most = AHEAD * (workers or usable_cpus())
        for job, future in run_jobs(pool, run_job, jobs, most, again, cancel):
            yield _fleet_run(job, future)
        whole = not stopped.is_set()
    finally:
        if isinstance(pool, Processes) and executor is None:
            if not whole:
                pool.stop()
            pool.shutdown(cancel_futures=True)


def _fleet_run(job: FleetJob, ended: Future[JobResult]) -> FleetRun:
    """Return the outcome of a job, whose future `ended` has ended."""
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
    """Yield a pair (job, its future) for each ended job, in the order in which they end. At most
    `most` jobs are given to the executor at a time.

    An error raised while taking a job from `jobs` is raised after the running jobs are yielded. If
    the executor refuses a job, the job's future raises the executor's error. `again(job, future)`
    is called for each ended job; a job that it returns is done instead, and the ended job is not
    yielded. Once `cancel` is set, or the iterator is closed, no job is begun; running jobs are left
    to the executor."""
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
    """Give a job to the executor and return its future. If the executor refuses the job, the future
    raises the executor's error."""
    try:
        return executor.submit(work, job)
    except Exception as error:  # each job is told of it, as those that were given out are
        future: Future[Made] = Future()
        future.set_exception(error)
        return future
