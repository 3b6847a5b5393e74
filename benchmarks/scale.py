"""`scale`: what a fleet of agents on an object store asks of it: requests, bytes, money, hot keys.

Reckoned from what a turn took where it was measured (`--at ADDRESS` measures it anew), and from
list prices of S3-class storage, which are arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Annotated, Any
from uuid import uuid4

from cyclopts import Parameter
from msgspec import to_builtins

from benchmarks.options import FromOne
from benchmarks.show import end, on_stderr
from loom.bench.tables import table
from loom.bench.turns_at import StoreTurn, measured, saturation

# SeaweedFS on the loopback, two volume servers, one machine of two shared cores, 2026-11-27; see
# docs/scale.md for the table of the others.
MEASURED = StoreTurn("SeaweedFS", 140, 25.9, 130.0, 6.0, 1.22, 0.06, 11_800, 13)
PREFIX_PUTS, PREFIX_GETS = 3_500, 5_500  # requests a second of one prefix of S3, as documented
DAY = 86_400


def scale(
    *,
    agents: FromOne = 100_000,
    pages: FromOne = 1_000_000_000,
    page_bytes: FromOne = 20_000,
    seconds: FromOne = 30,
    lease: FromOne = 30,
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
    cost = MEASURED
    if at:
        rows = []
        for place in at:
            on_stderr(f"measuring at {place}")
            rows.append(measured(f"{place.rstrip('/')}/{uuid4().hex}", turns))
            if saturate:
                found = saturation(f"{place.rstrip('/')}/{uuid4().hex}", 20)
                report.setdefault("turns a second by agents", {})[place] = found
        report["measured"] = [to_builtins(one) for one in rows]
        cells = [[*to_builtins(one).values()] for one in rows]
        tables.append(table("A turn", list(to_builtins(MEASURED)), cells))
        cost = rows[-1]
    prices = (put_price, get_price, gigabyte_price)
    fleet = reckoned(cost, agents, pages, page_bytes, seconds, lease, prices)
    told = [[name, f"{value:,}"] for name, value in fleet.items()]
    tables.append(table("A fleet", ["what", "figure"], told))
    end(report | fleet, [] if json else tables)
    return 0


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
