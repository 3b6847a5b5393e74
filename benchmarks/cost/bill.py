"""The bill of a session under one policy: what its requests read from the prompt cache, and write.

The tokens are those of `loom.replay.cost`. A cost unit is a million tokens at the plain price: 0.1
for each token read, 1.25 for each written. Summaries by a model are not priced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loom
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.providers.prices import Prices
from loom.providers.render.message import Message
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom.replay.cost import Bill, Billing, Meter
from loom.replay.feed import feed
from loom_bench.strategies.baselines import (
    Factory,
    Policy,
    RecordedHistory,
    clear_tools,
    summary_stub,
    tail,
    tail_low,
)

# Against 1 for a plain token: the price of one read from the cache, and of one written to it.
UNITS = Prices(input=1.0, read=0.1, write=1.25, output=0.0)
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


def units(bill: Bill) -> float:
    """Cost in millions of tokens at the plain price."""
    return bill.cost(UNITS)


def members(bill: Bill) -> dict[str, Any]:
    """The bill as JSON members."""
    return {
        "calls": bill.calls,
        "input_tokens": bill.sent,
        "prefix_reuse": round(bill.reused / bill.sent, ROUNDED) if bill.sent else 1.0,
        "cuts": bill.cuts,
        "units": round(units(bill), ROUNDED),
        "peak": bill.peak,
        "unrecoverable": bill.unrecoverable,
    }


def billed(
    policy: Policy, session: Session, meter: Meter, calls: int = 0, watch: Watch = unwatched
) -> Bill:
    """The bill of a policy over recorded messages, of at most `calls` calls (0: all)."""
    history, billing = RecordedHistory(meter), Billing(meter)
    for at, event in enumerate(session.events):
        if isinstance(event, Reply):
            if billing.bill.calls == calls > 0:
                break
            request = policy(history.groups)
            billing.take(request)
            watch(at, request)
        history.add(event)
    return billing.bill


def loom_billed(
    session: Session, capacity: int, meter: Meter, calls: int = 0, watch: Watch = unwatched
) -> Bill:
    """The bill of Loom, and how much of what came in does not come back byte for byte."""
    billing, audit = Billing(meter), Audit(counter_for(), Redactor())
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
                if billing.bill.calls == calls > 0:
                    break
                request = context.turn().messages
                billing.take(request)
                watch(at, request)
            one = feed(context, event)
            if one is not None:
                ingested.append(one)
        audit.restores(context, ingested)
    billing.bill.unrecoverable = audit.findings.unrestorable
    return billing.bill
