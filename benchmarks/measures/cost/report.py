"""The bills of every policy over one session, and how they are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from benchmarks.measures.cost.bill import LOOM, TRIMMED, UNITS, UNMANAGED, billed, loom_billed
from loom.inputs import Session
from loom.providers.counts import counter_for
from loom.replay.cost import Bill, Meter
from loom_bench.strategies.history import flat
from loom_bench.tables import table

LEGEND = (
    "units: millions of tokens at the plain price of input,"
    f" {UNITS.read} of it for each read from the cache, {UNITS.write} for each written to it"
)
OVER = (
    "÷ loom, ÷ hindsight: units over Loom's, and over those of the cheapest schedule of cuts that"
    " keeps the same needs, found with the whole session known beforehand"
)
# Figure → what Loom's has to stay at or below, on the session that is made up.
TARGETS = {"units": 1.7, "cuts": 10, "unrecoverable": 0}


def bills(session: Session, capacity: int, calls: int = 0) -> Iterator[tuple[str, Bill]]:
    """The bill of every policy."""
    meter = Meter(counter_for())
    yield UNMANAGED, billed(flat, session, meter, calls)
    for name, policy in TRIMMED.items():
        yield name, billed(policy(capacity, meter), session, meter, calls)
    yield LOOM, loom_billed(session, capacity, meter, calls)


def missed(figures: dict[str, Any]) -> list[str]:
    """The names of Loom's figures that missed their targets."""
    return [name for name, most in TARGETS.items() if figures[name] > most]


def late_lines(figures: dict[str, Any]) -> list[str]:
    """A line for each of Loom's figures that missed its target."""
    return [f"{name} {figures[name]} is above {TARGETS[name]}" for name in missed(figures)]


def cache_table(report: dict[str, Any], capacity: int) -> Table:
    """A row for each policy."""
    columns = ("input_tokens", "prefix_reuse", "cuts", "units", "peak")
    rows = [
        [name, *(f"{one[of]:,}" if isinstance(one[of], int) else one[of] for of in columns)]
        for name, one in report.items()
    ]
    return table(f"Prompt cache at {capacity:,} tokens", ["policy", *columns], rows)
