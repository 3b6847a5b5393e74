"""Work on many agents, each at its address, whose results rest once beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from msgspec import Struct, json

from loom.capabilities.agents.result import DONE, AgentResult, AlreadyDelivered, put, read
from loom.fleet.ahead import AHEAD, ahead
from loom.fleet.processes import Processes, cpus
from loom_paging import FileStore
from loom_paging.remote.address import bucket_of, is_address
from loom_paging.remote.shared import SharedObjects

Work = Callable[[str], object]
Found = tuple[AgentResult, bool]  # and whether it was made now


class FleetJob(Struct, frozen=True):
    """An agent given out, for the first or the second time."""

    address: str
    run: int = 1


class FleetRun(Struct, frozen=True):
    """What came of the agent at `address`: its result, or the `error` it ended with.

    `runs` is how often the work was begun: 0 where there was a result before, 2 where a worker
    died. An error leaves no result: the next `each` goes on with the agent where it stands.
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
) -> Iterator[FleetRun]:
    """Do work on the agent at each address, in an executor; what came of each, as they end.

    `work` is given the address, opens the agent there and goes on with it. The result is what the
    agent delivered (`ctx.agents.deliver`), else what `work` returns: a text, or what JSON can hold.
    It is put once, beside the agent; where there is one, nothing is done again. Where a worker
    died, another is given the address with `?take=1`, once: that takes the agent over, so that the
    first, should it live on, can write nothing.

    Without an `executor` there are `workers` processes, 0 for one a processor: `work` has to be
    importable. Twice as many as `workers` are given out at a time. `tell` is called with an address
    and how often it has been given out. `cancel`, once set, ends it: nothing more is begun, and
    processes of its own are killed.
    """
    pool = executor or Processes(workers)

    def begun(job: FleetJob) -> FleetJob:
        tell(job.address, job.run)
        return job

    def again(job: FleetJob, ended: Future[Found]) -> FleetJob | None:
        dead = not ended.cancelled() and isinstance(ended.exception(), BrokenExecutor)
        stopped = cancel is not None and cancel.is_set()
        return begun(FleetJob(job.address, 2)) if dead and job.run == 1 and not stopped else None

    jobs = (begun(FleetJob(address)) for address in dict.fromkeys(addresses))
    whole = False
    try:
        most = AHEAD * (workers or cpus())
        for job, future in ahead(pool, partial(worked, work), jobs, most, again, cancel):
            yield _run(job, future)
        whole = cancel is None or not cancel.is_set()
    finally:
        if isinstance(pool, Processes) and executor is None:
            if not whole:
                pool.stop()
            pool.shutdown(cancel_futures=True)


def _run(job: FleetJob, ended: Future[Found]) -> FleetRun:
    try:
        result, new = ended.result()
    except CancelledError:
        return FleetRun(job.address, error="it was cancelled", runs=job.run - 1)
    except Exception as error:
        return FleetRun(job.address, error=f"{type(error).__name__}: {error}", runs=job.run)
    return FleetRun(job.address, result, runs=job.run if new or job.run > 1 else 0)


# --- in a worker ---


def worked(work: Work, job: FleetJob) -> Found:
    """The result of an agent, and whether it is new: worked for where there is none yet."""
    store, name = _results(job.address)
    found, _ = read(store, name)
    if found is not None:
        return found, False
    returned = work(taking(job.address) if job.run > 1 else job.address)
    found, _ = read(store, name)
    if found is None:
        with suppress(AlreadyDelivered):  # by who was at it before, and lived on
            put(store, AgentResult(name, DONE, _text(returned)))
        found, _ = read(store, name)
    assert found is not None
    return found, True


def taking(address: str) -> str:
    """The address that takes an agent over from who has it; a folder's is the same."""
    if not is_address(address) or "take=1" in address.partition("?")[2]:
        return address
    return f"{address}{'&' if '?' in address else '?'}take=1"


def _results(address: str) -> tuple[Any, str]:
    """Where the result of an agent is put, and what the agent is called in it."""
    if not is_address(address):
        return FileStore(Path(address)), Path(address).name
    place = address.partition("?")[0].rstrip("/")
    _, below, name = place.rpartition("/agents/")
    return SharedObjects(bucket_of(place)), name if below else "agent"


def _text(returned: object) -> str:
    if returned is None or isinstance(returned, str):
        return returned or ""
    return json.encode(returned).decode()
