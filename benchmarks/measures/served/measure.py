"""Requests through `loom serve`, beside the same ones sent straight to their provider.

A provider on the loopback answers at once and alike, so that what is timed is the way there. First
one conversation: each request goes straight, then through the proxy. Then many at once, in rounds,
after each of which the proxy's memory is read; each has words of its own (a canary) in every
result, which no other conversation's request may have. Needs the extra `serve`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from statistics import median
from typing import Any

from msgspec.structs import replace
from rich.table import Table

from benchmarks.measures.served.client import Client, body, lists
from benchmarks.measures.served.ledger import ProviderLedger
from benchmarks.measures.served.running import ServingProcess
from loom.inputs import Event, Result, Session
from loom_bench.sessions.chained import chained
from loom_bench.tables import table

ADDED = 15.0  # milliseconds a request may be later, at the median
GROWTH = 1.2  # of the proxy's memory from the third round to the last
AT_ONCE = 8
SETTLED = 2  # rounds after which memory is held against the last one
ALONE, THROUGH = "alone", "through"
Told = Callable[[], None]  # called after each request of one, each round of many


def told(ledger: ProviderLedger, name: str) -> dict[str, Any]:
    """What the provider was sent by one client: bytes, requests that begin anew, cost units."""
    held = ledger.of[name]
    share = held.cached / held.sent if held.sent else 1.0
    return {
        "sent": held.sent, "largest": held.largest, "cuts": held.cuts,
        "units": round(held.units, 2), "cached": round(share, 4),
    }  # fmt: skip


def one(
    given: Sequence[Session], calls: int, url: str, proxy: ServingProcess, tell: Told
) -> dict[str, Any]:
    """Each request twice, straight and through: milliseconds, and CPU of the proxy."""
    straight, through = Client(url, ALONE), Client(proxy.url, THROUGH)
    before, added, alone = proxy.seconds, list[float](), list[float]()
    for system, listed in islice(lists(chained(given, "coding")), calls):
        data = body(system, listed)
        alone.append(1_000 * straight.send(data))
        added.append(1_000 * through.send(data) - alone[-1])
        tell()
    straight.close()
    through.close()
    ordered = sorted(added)
    return {
        "requests": calls,
        "alone_ms": round(median(alone), 2),
        "added_ms": round(median(added), 2),
        "added_p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 2),
        "cpu_ms": round(1_000 * (proxy.seconds - before) / calls, 2),
    }


def many(
    given: Sequence[Session],
    conversations: int,
    rounds: int,
    each: int,
    proxy: ServingProcess,
    tell: Told,
) -> dict[str, Any]:
    """Conversations at once, in rounds: megabytes of the proxy after each."""
    names = [f"conversation-{number}" for number in range(conversations)]
    clients = [Client(proxy.url, name) for name in names]
    lives = [lists(_marked(chained(given, "coding"), name)) for name in names]
    resident: list[float] = []

    def go_on(at: int) -> None:
        for system, listed in islice(lives[at], each):
            clients[at].send(body(system, listed))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(rounds):
            list(pool.map(go_on, range(conversations)))
            resident.append(round(proxy.resident, 1))
            tell()
    for client in clients:
        client.close()
    return {"conversations": conversations, "resident_mb": resident}


def _marked(events: Iterator[Event], name: str) -> Iterator[Event]:
    """Every result with the name of its conversation."""
    for event in events:
        if isinstance(event, Result):
            yield replace(event, text=f"<<{name}>> {event.text}")
        else:
            yield event


def missed(report: dict[str, Any]) -> list[str]:
    """A line for each figure that missed its target."""
    lines = []
    if report["added_ms"] > ADDED:
        lines.append(f"{report['added_ms']} ms are added to a request, more than {ADDED}")
    if report["strange"]:
        lines.append(f"{report['strange']} requests had words of another conversation")
    held = report["resident_mb"][SETTLED:]
    if held and held[-1] > GROWTH * held[0]:
        lines.append(f"memory grew from {held[0]} to {held[-1]} MB")
    return lines


def served_table(report: dict[str, Any]) -> Table:
    """The figures, alone beside through the proxy."""
    alone, through = report[ALONE], report[THROUGH]
    rows: list[tuple[object, ...]] = [
        ("milliseconds a request, median", report["alone_ms"], f"+ {report['added_ms']}"),
        ("… 95 of 100", "", f"+ {report['added_p95_ms']}"),
        ("CPU milliseconds of the proxy", "", report["cpu_ms"]),
        ("bytes sent", f"{alone['sent']:,}", f"{through['sent']:,}"),
        ("largest request", f"{alone['largest']:,}", f"{through['largest']:,}"),
        ("requests that begin anew", alone["cuts"], through["cuts"]),
        ("read from the prompt cache", f"{alone['cached']:.1%}", f"{through['cached']:.1%}"),
        ("cost units", alone["units"], through["units"]),
        (f"MB with {report['conversations']} at once", "", _course(report["resident_mb"])),
        ("requests with another's words", "", report["strange"]),
    ]
    return table(f"Served at {report['window']:,} tokens", ["", ALONE, THROUGH], rows)


def _course(resident: Sequence[float]) -> str:
    return " ".join(f"{one:.0f}" for one in resident)
