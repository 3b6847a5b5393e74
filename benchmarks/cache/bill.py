"""The bill of a session under one policy: what its requests read from the prompt cache, and write.

What a request shares with the front of the one before, byte for byte, is read from the provider's
cache; the rest is written to it. A cost unit is a million tokens at the plain price: 0.1 for each
token read, 1.25 for each written. Nothing ever expires, and summaries by a model are not priced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, json

import loom
from benchmarks.options import FromZero
from benchmarks.retention.baselines import (
    Factory,
    Policy,
    clear_tools,
    summary_stub,
    tail,
    tail_low,
)
from benchmarks.retention.recorded import Meter, RecordedHistory
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom.replay.feed import feed

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

# Sees each request before it is answered, with the place of the reply among the events.
Watch = Callable[[int, Sequence[Message]], None]


def unwatched(at: int, request: Sequence[Message]) -> None:
    """Look at nothing."""


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


def billed(
    policy: Policy, session: Session, meter: Meter, calls: int = 0, watch: Watch = unwatched
) -> Bill:
    """The bill of a policy over recorded messages, of at most `calls` calls (0: all)."""
    history, till = RecordedHistory(meter), Till(meter)
    for at, event in enumerate(session.events):
        if isinstance(event, Reply):
            if till.bill.calls == calls > 0:
                break
            request = policy(history.groups)
            till.take(request)
            watch(at, request)
        history.add(event)
    return till.bill


def loom_billed(
    session: Session, capacity: int, meter: Meter, calls: int = 0, watch: Watch = unwatched
) -> Bill:
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
        for at, event in enumerate(session.events):
            if isinstance(event, Reply):
                if till.bill.calls == calls > 0:
                    break
                request = context.turn().messages
                till.take(request)
                watch(at, request)
            one = feed(context, event)
            if one is not None:
                ingested.append(one)
        audit.restores(context, ingested)
    till.bill.unrecoverable = audit.findings.unrestorable
    return till.bill
