"""`scale`: what a fleet of agents on an object store asks of it: requests, bytes, money, hot keys.

Reckoned from what a turn took where it was measured (`--at ADDRESS` measures it anew), and from
list prices of S3-class storage, which are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Annotated, Any
from uuid import uuid4

from cyclopts import Parameter
from msgspec import to_builtins
from rich.table import Table

from benchmarks.options import FromOne
from benchmarks.show import end, on_stderr
from benchmarks.turns_at import (
    LISTS,
    StoreOpening,
    StoreTurn,
    measured,
    opened,
    saturation,
)
from loom_bench.tables import table
from loom_paging.remote.address import is_address

# SeaweedFS on the loopback, two volume servers, one machine of two cores, 2026-11-27; see
# docs/scale.md for the table of the others.
MEASURED = StoreTurn("SeaweedFS", 140, 6.6, 31.5, 6.1, 1.22, 0.06, 12_159, 13)
# Requests and bytes are the same in every store: the first three are of moto, the others, a day,
# ten and thirty days at a turn a minute, of `file://`, 2026-11-27.
OPENINGS = [
    StoreOpening(10, 2, 16, 46_829, 0),
    StoreOpening(60, 2, 19, 604_235, 291_542),
    StoreOpening(160, 2, 21, 1_964_312, 1_000_222),
    StoreOpening(1_440, 2, 13, 29_975_725, 18_155_394),
    StoreOpening(14_400, 2, 11, 554_418_013, 395_808_320),
    StoreOpening(43_200, 2, 18, 1_960_087_567, 1_415_971_050),
]
TURNS_IN = {  # windows of so many tokens
    8_000: StoreTurn("moto", 30, 6.21, 29.24, 11.48, 1.4, 0.13, 16_039, 7),
    32_000: StoreTurn("moto", 30, 7.86, 40.77, 11.2, 1.13, 0.03, 8_327, 15),
}
AFTER, WINDOW_TURNS = (10, 60, 160), 30  # turns that `at` measures these with
PREFIX_PUTS, PREFIX_GETS = 3_500, 5_500  # requests a second of one prefix of S3, as documented
DAY = 86_400
MONTH = 30 * DAY


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
    saturate: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
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
    saturate
        Measure too how many agents one process serves until more of them bring no more turns.
    json
        No tables, only the JSON line.
    """
    tables, report = [], dict[str, Any]()
    cost, openings, windows = MEASURED, OPENINGS, TURNS_IN
    rows = []
    for place in at:
        on_stderr(f"measuring at {place}")
        rows.append(cost := measured(_new(place), turns))
        if is_address(place):
            openings = opened(_new(place), AFTER)
            windows = {size: measured(_new(place), WINDOW_TURNS, window=size) for size in TURNS_IN}
        if saturate:
            found = saturation(_new(place), 20)
            report.setdefault("turns a second by agents", {})[place] = found
    if rows:
        report["measured"] = [to_builtins(one) for one in rows]
        tables.append(table("A turn", list(to_builtins(MEASURED)), _cells(rows)))
    prices = (put_price, get_price, gigabyte_price)
    fleet = reckoned(cost, agents, pages, page_bytes, seconds, lease, prices)
    report["a month"] = month(cost, pace, lease, prices)
    report["after turns"] = [grown(one, prices) for one in openings]
    report["in a window"] = [{"window": size} | _requests(one) for size, one in windows.items()]
    tables.append(_figures("A fleet", fleet))
    tables.append(_figures(f"One agent for a month, a turn every {pace} s", report["a month"]))
    tables += [table(f"One agent, {title}", list(report[title][0]), _cells(report[title]))
               for title in ("after turns", "in a window")]  # fmt: skip
    end(report | fleet, [] if json else tables)
    return 0


def _new(place: str) -> str:
    return f"{place.rstrip('/')}/{uuid4().hex}"


def _cells(rows: Iterable[Any]) -> list[list[Any]]:
    return [[*to_builtins(one).values()] for one in rows]


def _figures(title: str, figures: Mapping[str, float]) -> Table:
    return table(title, ["what", "figure"], [[name, f"{one:,}"] for name, one in figures.items()])


def _requests(cost: StoreTurn) -> dict[str, float]:
    return {"turns": cost.turns, "puts": cost.puts, "gets": cost.gets, "bytes": cost.bytes}


def month(
    cost: StoreTurn, pace: int, lease: int, prices: tuple[float, float, float]
) -> dict[str, float]:
    """What one agent asks in 30 days with a turn every `pace` seconds, and its lease held."""
    put_price, get_price, _ = prices
    turns, renewals = MONTH / pace, MONTH * 3 / lease
    return {
        "turns": round(turns),
        "puts of turns": round(turns * cost.puts),
        "renewals of the lease, a put and a get each": round(renewals),
        "dollars, turns": round(turns * (cost.puts * put_price + cost.gets * get_price) / 1e6, 2),
        "dollars, lease": round(renewals * (put_price + get_price) / 1e6, 2),
    }


def grown(one: StoreOpening, prices: tuple[float, float, float]) -> dict[str, float]:
    """What opening an agent takes after so many turns, and what it has at rest then."""
    put_price, get_price, gigabyte = prices
    asked = (one.puts + LISTS) * put_price + (one.gets - LISTS) * get_price
    return {
        "turns": one.turns,
        "opening: puts": one.puts,
        "gets": one.gets,
        "dollars of a thousand": round(asked / 1e3, 3),
        "megabytes at rest": round(one.bytes / 1e6, 2),
        "of them for gc": round(one.leftover / 1e6, 2),
        "dollars a month at rest": round(one.bytes / 1e9 * gigabyte, 4),
        "of them by gc": round(one.leftover / 1e9 * gigabyte, 4),
    }


def reckoned(
    cost: StoreTurn,
    agents: int,
    pages: int,
    page_bytes: int,
    seconds: int,
    lease: int,
    prices: tuple[float, float, float],
) -> dict[str, float]:
    """What a fleet asks of a store. A lease is read and put every third of its seconds."""
    put_price, get_price, gigabyte = prices
    rate = agents / seconds  # turns a second
    renewals = agents * 3 / lease  # a second
    puts, gets = rate * cost.puts + renewals, rate * cost.gets + renewals
    turn = (cost.puts * put_price + cost.gets * get_price) / 1e6
    return {
        "turns a second": round(rate),
        "puts a second": round(puts),
        "gets a second": round(gets),
        "megabytes put a second": round(rate * cost.bytes / 1e6, 1),
        "dollars for a thousand turns": round(1_000 * turn, 5),
        "dollars a day, turns": round(rate * DAY * turn),
        "dollars a day, leases": round(renewals * DAY * (put_price + get_price) / 1e6),
        "dollars a month, pages at rest": round(pages * page_bytes / 1e9 * gigabyte),
        "puts a second below one agent's prefix": round(cost.puts / seconds + 3 / lease, 3),
        "prefixes S3 has to have split into": ceil(max(puts / PREFIX_PUTS, gets / PREFIX_GETS)),
        "processors, by CPU of a turn": ceil(rate * cost.cpu_ms / 1_000),
    }
