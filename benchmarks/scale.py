"""`scale`: what a fleet of agents on an object store asks of it: requests, bytes, money, hot keys.

Reckoned from what a turn took where it was measured (`--at ADDRESS` measures it anew), and from
list prices of S3-class storage, which are arguments.
"""

from __future__ import annotations

import json as jsons
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import Annotated, Any
from uuid import uuid4

import numpy as np
from cyclopts import Parameter
from msgspec import Struct, to_builtins

import loom
from benchmarks.options import CommandResult, FromOne, measuring
from benchmarks.show import by_column, on_stderr
from loom_paging.remote.address import is_address
from loom_paging.remote.tree import RemoteTree

RESULT = 40  # lines of the usual tool result, some 1,000 bytes
LARGE = 700  # of every seventh, which is too large for the log
WINDOW = 32_000  # tokens
LISTS = 2  # of an opening: of the checkpoints, and of the log behind the newest


class StoreTurn(Struct, frozen=True):
    """What a turn took: milliseconds (median, and one of twenty is slower), CPU of the process in
    ms, requests and bytes put."""

    place: str
    turns: int
    ms: float
    slow_ms: float
    cpu_ms: float
    puts: float
    gets: float
    bytes: float


# Requests that opening took after so many turns, where nothing of the agent is kept on the machine,
# its lease with them (LISTS of the gets are lists); bytes at rest, and what of them `loom gc` lets
# go once it is an hour old.
StoreOpening = tuple[int, int, int, int, int]  # turns, puts, gets, bytes, leftover

# SeaweedFS on the loopback, two volume servers, one machine of two cores, 2026-11-27; see
# docs/figures.md for the table of the others.
MEASURED = StoreTurn("SeaweedFS", 140, 6.6, 31.5, 6.1, 1.22, 0.06, 12_159)
# Requests and bytes are the same in every store: the first three are of moto, the others, a day,
# ten and thirty days at a turn a minute, of `file://`, 2026-11-27.
OPENINGS: list[StoreOpening] = [
    (10, 2, 16, 46_829, 0),
    (60, 2, 19, 604_235, 291_542),
    (160, 2, 21, 1_964_312, 1_000_222),
    (1_440, 2, 13, 29_975_725, 18_155_394),
    (14_400, 2, 11, 554_418_013, 395_808_320),
    (43_200, 2, 18, 1_960_087_567, 1_415_971_050),
]
TURNS_IN = {  # windows of so many tokens
    8_000: StoreTurn("moto", 30, 6.21, 29.24, 11.48, 1.4, 0.13, 16_039),
    32_000: StoreTurn("moto", 30, 7.86, 40.77, 11.2, 1.13, 0.03, 8_327),
}
AFTER, WINDOW_TURNS = (10, 60, 160), 30  # turns that `at` measures these with
CROWDS, CROWD_TURNS = (1, 2, 4), 20  # agents in one process, and their turns
PREFIX_PUTS, PREFIX_GETS = 3_500, 5_500  # requests a second of one prefix of S3, as documented
DAY = 86_400
MONTH = 30 * DAY


def steps(ctx: loom.Context, numbers: range) -> Iterator[float]:
    """Take turns, a call, its result and the next request each; the time after each."""
    for number in numbers:
        function = {"name": "read", "arguments": jsons.dumps({"path": f"f{number}"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
        lines = LARGE if number % 7 == 0 else RESULT
        ctx.result(f"c{number}", "".join(f"line {at} of step {number}\n" for at in range(lines)))
        ctx.turn()
        yield time.perf_counter()


def opened(place: str, window: int = WINDOW) -> loom.Context:
    """An agent's context at a place, its first request made."""
    ctx = loom.open(place, goal="Measure.", window=window)
    ctx.turn()
    return ctx


def measured(place: str, turns: int, *, window: int = WINDOW) -> StoreTurn:
    """Take so many turns at an empty place, in a window of so many tokens, and open it again."""
    with opened(place, window) as ctx:
        before, cpu = _counted(ctx), time.process_time()
        marks = [time.perf_counter(), *steps(ctx, range(1, turns + 1))]
        cpu = time.process_time() - cpu
        puts, gets, size = (np.subtract(_counted(ctx), before) / turns).tolist()
    usual, slow = (1_000 * np.quantile(np.diff(marks), [0.5, 0.95])).round(2).tolist()
    cpu, puts, gets = round(1_000 * cpu / turns, 2), round(puts, 2), round(gets, 2)
    return StoreTurn(place, turns, usual, slow, cpu, puts, gets, round(size))


def openings(address: str) -> Iterator[StoreOpening]:
    """What opening an agent takes after so many turns, at an empty address.

    It is opened as a machine does that never saw it.
    """
    for before, turns in zip((0, *AFTER), AFTER, strict=False):
        with opened(address) as ctx:
            list(steps(ctx, range(before + 1, turns + 1)))
        with loom.open(f"{address}?cache=0") as ctx:
            puts, gets, size = _counted(ctx)
            store = ctx._engine.workspace.store
            assert isinstance(store, RemoteTree)
            # The lease is put by a client of its own.
            yield turns, puts + 1, gets, size, store.leftovers(grace=0).bytes


def throughput(place: str, agents: int) -> float:
    """Turns a second of so many agents in threads of one process."""

    def live(number: int) -> None:
        with opened(f"{place}/agent{number}") as ctx:
            list(steps(ctx, range(1, CROWD_TURNS + 1)))

    began = time.perf_counter()
    with ThreadPoolExecutor(agents) as pool:
        list(pool.map(live, range(agents)))
    return round(agents * CROWD_TURNS / (time.perf_counter() - began), 1)


def _counted(ctx: loom.Context) -> tuple[int, int, int]:
    """Requests that put, requests that get, and bytes put, by the store of an agent so far."""
    store = ctx._engine.workspace.store
    if not isinstance(store, RemoteTree):
        return 0, 0, 0
    size = sum(one.size for one in store.bucket.listed(""))
    store.bucket.gets -= 1
    return store.bucket.puts, store.bucket.gets, size


def at_places(
    at: Sequence[str], turns: int
) -> tuple[list[dict[str, Any]], StoreTurn, Sequence[StoreOpening], dict[int, StoreTurn]]:
    """What was measured at places; then the turn, the openings and the turns by window that are
    reckoned with: those kept, where nothing was measured."""
    cost, opens, windows = MEASURED, OPENINGS, TURNS_IN
    taken: list[dict[str, Any]] = []
    for place in at:
        on_stderr(f"measuring at {place}")
        base = f"{place.rstrip('/')}/{uuid4().hex}-"
        cost = measured(f"{base}turns", turns)
        crowds = {f"turns a second, {n} agents": throughput(f"{base}{n}", n) for n in CROWDS}
        taken.append(to_builtins(cost) | crowds)
        if is_address(place):
            opens = list(openings(f"{base}openings"))
            windows = {
                size: measured(f"{base}{size}", WINDOW_TURNS, window=size) for size in TURNS_IN
            }
    return taken, cost, opens, windows


@measuring
def scale(
    *,
    agents: FromOne = 100_000,
    pages: FromOne = 1_000_000_000,
    page_bytes: FromOne = 20_000,
    seconds: FromOne = 30,
    lease: FromOne = 30,
    pace: FromOne = 60,
    put_price: float = 5.0,
    get_price: float = 0.4,
    gigabyte_price: float = 0.023,
    at: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = (),
    turns: FromOne = 70,
) -> CommandResult:
    """Reckon requests, cost and hot keys of a fleet; or measure turns at addresses.

    Parameters
    ----------
    agents
        Agents that are at work at the same time.
    pages
        Pages that rest in the store, of all agents that ever were.
    page_bytes
        Bytes of a page on average.
    seconds
        Seconds between two turns of one agent: a model's answer and a tool.
    lease
        Seconds that a lease runs (`?lease=`).
    pace
        Seconds between two turns of the one agent whose month is reckoned.
    put_price
        Dollars for a million requests that put or list (S3 Standard, us-east-1, 2026-01: 5.00).
    get_price
        Dollars for a million requests that get (2026-01: 0.40).
    gigabyte_price
        Dollars for a gigabyte and month (2026-01: 0.023).
    at
        Measure at these addresses or folders, which are to be empty, in place of the figures kept.
    turns
        Turns of a measurement.
    """
    taken, cost, opens, windows = at_places(at, turns)
    report: dict[str, Any] = {"measured": taken} if taken else {}

    def dollars(puts: float, gets: float) -> float:
        return (puts * put_price + gets * get_price) / 1e6

    def rests(size: float) -> float:
        return size / 1e9 * gigabyte_price

    month, renewed = MONTH / pace, MONTH * 3 / lease  # a lease is renewed every third of it
    report["a month"] = {
        "turns": round(month),
        "puts of turns": round(month * cost.puts),
        "renewals of the lease, a put and a get each": round(renewed),
        "dollars, turns": round(dollars(month * cost.puts, month * cost.gets), 2),
        "dollars, lease": round(dollars(renewed, renewed), 2),
    }
    report["after turns"] = [
        {
            "turns": after,
            "opening: puts": puts,
            "gets": gets,
            "dollars of a thousand": round(1e3 * dollars(puts + LISTS, gets - LISTS), 3),
            "megabytes at rest": round(size / 1e6, 2),
            "of them for gc": round(leftover / 1e6, 2),
            "dollars a month at rest": round(rests(size), 4),
            "of them by gc": round(rests(leftover), 4),
        }
        for after, puts, gets, size, leftover in opens
    ]
    report["in a window"] = [{"window": n, **to_builtins(one)} for n, one in windows.items()]
    rate, renewals = agents / seconds, agents * 3 / lease  # of the fleet, a second
    puts, gets = rate * cost.puts + renewals, rate * cost.gets + renewals
    turn = dollars(cost.puts, cost.gets)
    fleet = {
        "turns a second": round(rate),
        "puts a second": round(puts),
        "gets a second": round(gets),
        "megabytes put a second": round(rate * cost.bytes / 1e6, 1),
        "dollars for a thousand turns": round(1_000 * turn, 5),
        "dollars a day, turns": round(rate * DAY * turn),
        "dollars a day, leases": round(DAY * dollars(renewals, renewals)),
        "dollars a month, pages at rest": round(rests(pages * page_bytes)),
        "puts a second below one agent's prefix": round(cost.puts / seconds + 3 / lease, 3),
        "prefixes S3 has to have split into": ceil(max(puts / PREFIX_PUTS, gets / PREFIX_GETS)),
        "processors, by CPU of a turn": ceil(rate * cost.cpu_ms / 1_000),
    }
    shown = {name: [one] if isinstance(one, dict) else one for name, one in report.items()}
    shown["a fleet"] = [fleet]
    tables = [by_column(title, dict(enumerate(rows))) for title, rows in shown.items()]
    return CommandResult(report | fleet, tables)
