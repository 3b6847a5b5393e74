"""The prompt cache measured: what a session costs, call by call, under one policy after another.

Every policy gets the same session and the same capacity, and every request is counted alike. What a
request shares with the front of the one before, byte for byte, is read from the provider's cache;
the rest is written to it. A cost unit is a million tokens at the plain price: 0.1 for each token
read, 1.25 for each written. Nothing ever expires, and summaries by a model are not priced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, json
from rich.table import Table

import loom
from benchmarks.options import FromOne, FromZero, Sessions, refuse
from benchmarks.retention.baselines import (
    Factory,
    Policy,
    clear_tools,
    summary_stub,
    tail,
    tail_low,
)
from benchmarks.retention.recorded import Meter, RecordedHistory, flat
from benchmarks.show import end, on_stderr, table
from benchmarks.trajectory import CALLS, trajectory
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom.replay.feed import feed
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession

CAPACITY = 100_000
READ, WRITE = 0.1, 1.25  # price of a cached and of a newly written token, against 1 for a plain one
UNIT = 1_000_000
REPLY = 8_192
ROUNDED = 4
UNMANAGED, LOOM = "unmanaged", "loom"
TRIMMED: dict[str, Factory] = {
    "clear_tools": clear_tools,
    "tail": tail,
    "tail_low": tail_low,
    "summary_stub": summary_stub,
}
# Figure → what Loom's has to stay at or below, on the session that is made up.
TARGETS = {"units": 1.7, "cuts": 10, "unrecoverable": 0}


class Bill(Struct):
    """The cost of some requests. `cuts` counts those that do not begin with the one before.

    `unrecoverable` counts texts that came in and do not come back, None where nothing is kept.
    """

    calls: FromZero = 0
    sent: int = 0
    reused: int = 0
    cuts: int = 0
    peak: int = 0
    unrecoverable: int | None = None

    @property
    def units(self) -> float:
        """Cost in millions of tokens at the plain price."""
        return (READ * self.reused + WRITE * (self.sent - self.reused)) / UNIT

    def add(self, other: Bill) -> None:
        """Take in the bill of another session."""
        for name in ("calls", "sent", "reused", "cuts"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak = max(self.peak, other.peak)
        if other.unrecoverable is not None:
            self.unrecoverable = (self.unrecoverable or 0) + other.unrecoverable

    def members(self) -> dict[str, Any]:
        """The bill as JSON members."""
        return {
            "calls": self.calls,
            "input_tokens": self.sent,
            "prefix_reuse": round(self.reused / self.sent, ROUNDED) if self.sent else 1.0,
            "cuts": self.cuts,
            "units": round(self.units, ROUNDED),
            "peak": self.peak,
            "unrecoverable": self.unrecoverable,
        }


class Till:
    """Takes requests as they are sent, and writes the bill."""

    def __init__(self, meter: Meter) -> None:
        self.bill = Bill()
        self._meter = meter
        self._before: list[Message] = []
        self._sizes: list[int] = []

    def take(self, request: Sequence[Message]) -> None:
        """One more request."""
        same = 0
        for old, new in zip(self._before, request, strict=False):
            if old is not new and old != new:
                break
            same += 1
        self._sizes = self._sizes[:same] + [self._meter.message(one) for one in request[same:]]
        reused = sum(self._sizes[:same])
        if same < min(len(self._before), len(request)):
            share = shared(self._before[same], request[same])
            reused += int(share * self._sizes[same])
        total = sum(self._sizes)
        self.bill.calls += 1
        self.bill.sent += total
        self.bill.reused += reused
        self.bill.cuts += same < len(self._before)
        self.bill.peak = max(self.bill.peak, total)
        self._before = list(request)


def shared(old: Message, new: Message) -> float:
    """Share of the new message's bytes that stand at the front of the old one, 0 to 1."""
    one, two = json.encode(old), json.encode(new)
    common = 0
    for common, (left, right) in enumerate(zip(one, two, strict=False)):  # noqa: B007
        if left != right:
            break
    return common / len(two)


def billed(policy: Policy, session: Session, meter: Meter, calls: int = 0) -> Bill:
    """The bill of a policy over recorded messages, of at most `calls` calls (0: all)."""
    history, till = RecordedHistory(meter), Till(meter)
    for event in session.events:
        if isinstance(event, Reply):
            if till.bill.calls == calls > 0:
                break
            till.take(policy(history.groups))
        history.add(event)
    return till.bill


def loom_billed(session: Session, capacity: int, meter: Meter, calls: int = 0) -> Bill:
    """The bill of Loom, and how much of what came in does not come back byte for byte."""
    till, audit = Till(meter), Audit(counter_for(), Redactor())
    ingested = []
    with (
        TemporaryDirectory(prefix="loom-cache-") as folder,
        loom.open(
            Path(folder),
            window=capacity + REPLY,
            reply=REPLY,
            policy=loom.Policy(own_tools=False),
            durable=False,
        ) as context,
    ):
        for event in session.events:
            if isinstance(event, Reply):
                if till.bill.calls == calls > 0:
                    break
                till.take(context.turn().messages)
            one = feed(context, event)
            if one is not None:
                ingested.append(one)
        audit.restores(context, ingested)
    till.bill.unrecoverable = audit.findings.unrestorable
    return till.bill


def bills(session: Session, capacity: int, calls: int = 0) -> Iterator[tuple[str, Bill]]:
    """The bill of every policy."""
    meter = Meter(counter_for())
    yield UNMANAGED, billed(flat, session, meter, calls)
    for name, policy in TRIMMED.items():
        yield name, billed(policy(capacity, meter), session, meter, calls)
    yield LOOM, loom_billed(session, capacity, meter, calls)


def cache(
    *,
    sessions: Sessions | None = None,
    calls: FromZero = CALLS,
    capacity: FromOne = CAPACITY,
    seed: int = 7,
    limit: FromZero = 0,
    json: bool = False,
) -> int:
    """Price a session call by call: what is read from the prompt cache, and what is written to it.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; without any, one is made up.
    calls
        At most this many calls of each session; 0 is all of a recorded one.
    capacity
        Tokens a request may hold, under every policy but the unmanaged one.
    seed
        Of the session that is made up.
    limit
        At most this many sessions; 0 is all.
    json
        No table, only the JSON line.
    """
    totals = {name: Bill() for name in (UNMANAGED, *TRIMMED, LOOM)}
    try:
        made = not sessions
        given = [trajectory(seed, calls or CALLS)] if made else _loaded(sessions or (), limit)
        for session in given:
            for name, bill in bills(session, capacity, calls):
                totals[name].add(bill)
                on_stderr(f"{session.name}, {name}: {bill.units:.2f} units")
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if not totals[LOOM].calls:
        return refuse("--sessions: there is no call there, so nothing was priced")
    report = {name: bill.members() for name, bill in totals.items()}
    end(report, [] if json else [cache_table(report, capacity)])
    late = missed(report[LOOM]) if made and (calls, capacity) == (CALLS, CAPACITY) else []
    for name in late:
        on_stderr(f"{name} {report[LOOM][name]} is above {TARGETS[name]}")
    return int(bool(late or totals[LOOM].unrecoverable))


def missed(figures: dict[str, Any]) -> list[str]:
    """The names of Loom's figures that missed their targets."""
    return [name for name, most in TARGETS.items() if figures[name] > most]


def _loaded(folders: Iterable[Path], limit: int) -> Iterator[Session]:
    every = (session for path in find(folders) for session in load(path))
    return islice(every, limit or None)


def cache_table(report: dict[str, Any], capacity: int) -> Table:
    """A row for each policy."""
    columns = ("input_tokens", "prefix_reuse", "cuts", "units", "peak")
    rows = [
        [name, *(f"{one[of]:,}" if isinstance(one[of], int) else one[of] for of in columns)]
        for name, one in report.items()
    ]
    return table(f"Prompt cache at {capacity:,} tokens", ["policy", *columns], rows)
