"""Turns of agents at an address or in a folder, timed, their requests and bytes counted."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from msgspec import Struct

import loom
from loom_paging.remote import RemoteTree
from loom_paging.remote.address import is_address

RESULT = 40  # lines of the usual tool result, some 1,000 bytes
LARGE = 700  # of every seventh, which is too large for the log
WINDOW = 32_000  # tokens
LISTS = 2  # of an opening: of the checkpoints, and of the log behind the newest
GROWS = 1.1  # times as many turns a second: so long more agents in a worker are worth it


class StoreTurn(Struct, frozen=True):
    """What a turn took: milliseconds (median, and one of twenty is slower), CPU of the process in
    ms, requests and bytes put; and the requests that opening again took, after so many turns."""

    place: str
    turns: int
    ms: float
    slow_ms: float
    cpu_ms: float
    puts: float
    gets: float
    bytes: float
    opening_gets: int


class StoreOpening(Struct, frozen=True):
    """Requests that opening took after so many turns, where nothing of the agent is kept on the
    machine, its lease with them; LISTS of the gets are lists. Then bytes at rest, and what of them
    `loom gc` lets go once it is an hour old."""

    turns: int
    puts: int
    gets: int
    bytes: int
    leftover: int


def step(ctx: loom.Context, number: int) -> None:
    """One turn: a call, its result, the next request."""
    function = {"name": "read", "arguments": json.dumps({"path": f"f{number}"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
    lines = LARGE if number % 7 == 0 else RESULT
    ctx.result(f"c{number}", "".join(f"line {at} of step {number}\n" for at in range(lines)))
    ctx.turn()


def measured(place: str, turns: int, *, window: int = WINDOW, durable: Any = True) -> StoreTurn:
    """Take so many turns at an empty place, in a window of so many tokens, and open it again."""
    extra = {} if is_address(place) else {"durable": durable}
    times: list[float] = []
    with loom.open(place, goal="Measure.", window=window, **extra) as ctx:
        ctx.turn()
        before, cpu = _counted(ctx), time.process_time()
        for number in range(1, turns + 1):
            began = time.perf_counter()
            step(ctx, number)
            times.append(time.perf_counter() - began)
        cpu = time.process_time() - cpu
        puts, gets, size = (after - one for after, one in zip(_counted(ctx), before, strict=True))
    with loom.open(place, **extra) as ctx:
        opening = _counted(ctx)[1]
    times.sort()
    return StoreTurn(
        place,
        turns,
        ms=round(1_000 * median(times), 2),
        slow_ms=round(1_000 * times[int(0.95 * turns)], 2),
        cpu_ms=round(1_000 * cpu / turns, 2),
        puts=round(puts / turns, 2),
        gets=round(gets / turns, 2),
        bytes=round(size / turns),
        opening_gets=opening,
    )


def opened(address: str, after: Sequence[int]) -> list[StoreOpening]:
    """What opening an agent takes after so many turns, each more than before, at an empty address.

    It is opened as a machine does that never saw it.
    """
    found, taken = [], 0
    for turns in after:
        with loom.open(address, goal="Measure.", window=WINDOW) as ctx:
            ctx.turn()
            for number in range(taken + 1, turns + 1):
                step(ctx, number)
        taken = turns
        with loom.open(f"{address}?cache=0") as ctx:
            puts, gets, size = _counted(ctx)
            store = ctx._engine.workspace.store
            assert isinstance(store, RemoteTree)
            left = store.leftovers(grace=0).bytes
            # The lease is put by a client of its own.
            found.append(StoreOpening(turns, puts + 1, gets, size, left))
    return found


def throughput(place: str, agents: int, turns: int) -> float:
    """Turns a second of so many agents in threads of one process."""

    def live(number: int) -> None:
        with loom.open(f"{place}/agent{number}", goal="Measure.", window=WINDOW) as ctx:
            ctx.turn()
            for at in range(1, turns + 1):
                step(ctx, at)

    began = time.perf_counter()
    with ThreadPoolExecutor(agents) as pool:
        list(pool.map(live, range(agents)))
    return agents * turns / (time.perf_counter() - began)


def saturation(place: str, turns: int, most: int = 32) -> dict[int, float]:
    """Turns a second by agents in one process, doubled until more of them bring no more."""
    found: dict[int, float] = {}
    agents = 1
    while agents <= most:
        found[agents] = round(throughput(f"{place}/{agents}", agents, turns), 1)
        before = found.get(agents // 2)
        if before and found[agents] < GROWS * before:
            break
        agents *= 2
    return found


def _counted(ctx: loom.Context) -> tuple[int, int, int]:
    """Requests that put, requests that get, and bytes put, by the store of an agent so far."""
    store = ctx._engine.workspace.store
    if not isinstance(store, RemoteTree):
        return 0, 0, 0
    size = sum(one.size for one in store.bucket.listed(""))
    store.bucket.gets -= 1
    return store.bucket.puts, store.bucket.gets, size
