"""What a worker of a fleet does for one agent: return its stored result, or do the work if there is
none."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.result import DONE, AgentResult, put_result, read_result
from loom.errors import BadInput
from loom_paging import FileStore, StoreLocked
from loom_paging.remote.address import is_address, is_valid_address, without_options
from loom_paging.remote.open_address import open_bucket
from loom_paging.remote.shared import SharedObjects

LOOK = 1.0  # seconds between two looks at an agent that another has open

Work = Callable[[str], object]
JobResult = tuple[AgentResult, bool]  # and whether it was worked for


class FleetJob(Struct, frozen=True):
    """One attempt (`run` is 1 or 2) at the work on the agent at `address`."""

    address: str
    run: int = 1


def run_fleet_job(work: Work, wait: float, job: FleetJob) -> JobResult:
    """Return a pair (result of the agent at the job's address, True if this call did the work).

    While another process has the agent open, the work is tried again every LOOK seconds. Raises
    StoreLocked after `wait` seconds."""
    store, name = _result_store(job.address)
    address = job.address
    if job.run > 1 and is_address(address) and "take=1" not in address.partition("?")[2]:
        address = f"{address}{'&' if '?' in address else '?'}take=1"  # from who has it
    until = time.monotonic() + wait
    while (found := read_result(store, name)[0]) is None:
        try:
            returned = work(address)
        except StoreLocked as locked:
            left = until - time.monotonic()
            if left <= 0 or not _is_agent_lock(job.address, locked):
                raise
            time.sleep(min(LOOK, left))
            continue
        if read_result(store, name)[0] is None:
            said = "" if returned is None else returned
            text = said if isinstance(said, str) else json.encode(said).decode()
            with suppress(BadInput):  # by who was at it before, and lived on
                put_result(store, AgentResult(name, DONE, text))
        made, _ = read_result(store, name)
        assert made is not None
        return _named_by_address(made, job.address), True
    return _named_by_address(found, job.address), False


def _is_agent_lock(address: str, locked: StoreLocked) -> bool:
    """Return True if the error `locked` is about a store of the agent at the address, not about
    another store that the work opened."""
    if not is_address(address):
        return Path(locked.path).resolve().is_relative_to(Path(address).resolve())
    # An error names a place without credentials.
    return f"{locked.path}/".startswith(f"{open_bucket(without_options(address)).place}/")


def _result_store(address: str) -> tuple[Any, str]:
    """Return a pair (store with the result of the agent at an address, agent's name in the
    result)."""
    if not is_valid_address(address):
        return FileStore(Path(address)), Path(address).name
    place = without_options(address)
    _, below, name = place.rpartition("/agents/")
    return SharedObjects(open_bucket(place)), name if below else "agent"


def _named_by_address(found: AgentResult, address: str) -> AgentResult:
    """Return a copy of a result in which the agent's name is the last part of the address."""
    # In the store, an agent at an address has the name "agent".
    name = without_options(address).rpartition("/")[2] if is_address(address) else found.agent
    return replace(found, agent=name)
