"""One agent of a fleet, in a worker: its result, worked for where there is none yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.result import DONE, AgentResult, put, read
from loom.errors import BadInput
from loom_paging import FileStore, StoreLocked
from loom_paging.remote.address import is_address, is_elsewhere, without_options
from loom_paging.remote.opening import bucket_of
from loom_paging.remote.shared import SharedObjects

LOOK = 1.0  # seconds between two looks at an agent that another has open

Work = Callable[[str], object]
Found = tuple[AgentResult, bool]  # and whether it was worked for


class FleetJob(Struct, frozen=True):
    """An agent given out, for the first or the second time."""

    address: str
    run: int = 1


def worked(work: Work, wait: float, job: FleetJob) -> Found:
    """The result of an agent, and whether it was worked for.

    Where another has the agent open, work is begun anew each LOOK seconds, until that one let it go
    or put the result; raises StoreLocked where it has done neither after `wait` seconds.
    """
    store, name = _results(job.address)
    address = job.address
    if job.run > 1 and is_address(address) and "take=1" not in address.partition("?")[2]:
        address = f"{address}{'&' if '?' in address else '?'}take=1"  # from who has it
    until = time.monotonic() + wait
    while (found := read(store, name)[0]) is None:
        try:
            returned = work(address)
        except StoreLocked as locked:
            left = until - time.monotonic()
            if left <= 0 or not _is_of(job.address, locked):
                raise
            time.sleep(min(LOOK, left))
            continue
        if read(store, name)[0] is None:
            said = "" if returned is None else returned
            text = said if isinstance(said, str) else json.encode(said).decode()
            with suppress(BadInput):  # by who was at it before, and lived on
                put(store, AgentResult(name, DONE, text))
        made, _ = read(store, name)
        assert made is not None
        return _called(made, job.address), True
    return _called(found, job.address), False


def _is_of(address: str, locked: StoreLocked) -> bool:
    """True when what was locked is a part of the agent, not something work opens beside it."""
    if not is_address(address):
        return Path(locked.path).resolve().is_relative_to(Path(address).resolve())
    # An error names a place without credentials.
    return f"{locked.path}/".startswith(f"{bucket_of(without_options(address)).place}/")


def _results(address: str) -> tuple[Any, str]:
    """Where the result of an agent is put, and what the agent is called in it there."""
    if not is_elsewhere(address):
        return FileStore(Path(address)), Path(address).name
    place = without_options(address)
    _, below, name = place.rpartition("/agents/")
    return SharedObjects(bucket_of(place)), name if below else "agent"


def _called(found: AgentResult, address: str) -> AgentResult:
    """A result in the name its address ends with: at rest, one at an address is called "agent"."""
    name = without_options(address).rpartition("/")[2] if is_address(address) else found.agent
    return replace(found, agent=name)
