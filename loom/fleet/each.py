"""Work on many agents, each at its address, whose results rest once beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from threading import Event

from msgspec import Struct

from loom.capabilities.agents.result import AgentResult
from loom.fleet.ahead import AHEAD, ahead
from loom.fleet.processes import Processes, cpus, said
from loom.fleet.worked import FleetJob, Found, Work, worked

WAIT = 60.0  # seconds: a lease is 30 s, unless its address says otherwise


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
    return _mapped(partial(worked, work, wait), addresses, executor, workers, tell, cancel)


def _mapped(
    there: Callable[[FleetJob], Found],
    addresses: Iterable[str],
    executor: Executor | None,
    workers: int,
    tell: Callable[[str, int], None],
    cancel: Event | None,
) -> Iterator[FleetRun]:
    pool = executor or Processes(workers)

    def begun(job: FleetJob) -> FleetJob:
        tell(job.address, job.run)
        return job

    def again(job: FleetJob, ended: Future[Found]) -> FleetJob | None:
        dead = not ended.cancelled() and isinstance(ended.exception(), BrokenExecutor)
        stopped = cancel is not None and cancel.is_set()
        return begun(FleetJob(job.address, 2)) if dead and job.run == 1 and not stopped else None

    whole = False
    try:
        jobs = (begun(FleetJob(address)) for address in _once(addresses))
        most = AHEAD * (workers or cpus())
        for job, future in ahead(pool, there, jobs, most, again, cancel):
            yield _run(job, future)
        whole = cancel is None or not cancel.is_set()
    finally:
        if isinstance(pool, Processes) and executor is None:
            if not whole:
                pool.stop()
            pool.shutdown(cancel_futures=True)


def _once(addresses: Iterable[str]) -> Iterator[str]:
    """Each address the first time it comes, asked for one at a time."""
    seen: set[str] = set()
    for address in addresses:
        if address not in seen:
            seen.add(address)
            yield address


def _run(job: FleetJob, ended: Future[Found]) -> FleetRun:
    if ended.cancelled():
        return FleetRun(job.address, error="it was cancelled", runs=job.run - 1)
    error = ended.exception()
    if error is not None:  # `sys.exit` in a thread too: it is that agent's
        return FleetRun(job.address, error=said(error), runs=job.run)
    result, new = ended.result()
    return FleetRun(job.address, result, runs=job.run if new or job.run > 1 else 0)
