"""`cache`: the bills of every policy over a session, call by call, and how they are told.

Every policy gets the same sessions, and every request is counted alike, see `bill`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rich.table import Table

from benchmarks.cost.bill import (
    LOOM,
    TRIMMED,
    UNITS,
    UNMANAGED,
    billed,
    loom_billed,
    members,
    units,
)
from benchmarks.cost.retention import cheaper_lines, compared, equal_table, work_of
from benchmarks.options import FromOne, FromZero, Json, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.inputs import Session
from loom.providers.counts import counter_for
from loom.replay.cost import Bill, Meter
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession
from loom_bench.recorded.labels import labelled
from loom_bench.recorded.sources import MadeUp
from loom_bench.sessions.trajectory import CALLS, trajectory
from loom_bench.strategies.baselines import flat
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


CAPACITY = 100_000


def cache(
    *,
    sessions: Sessions | None = None,
    calls: FromZero = CALLS,
    capacity: FromOne = CAPACITY,
    seed: int = 7,
    limit: FromZero = 0,
    equal_retention: bool = False,
    json: Json = False,
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
    equal_retention
        Price every policy at the capacity at which it keeps as much of what later calls need as
        Loom at the given one, beside the cheapest schedule of cuts there is. Recorded sessions
        without labels are passed over, and the largest come first.
    """
    if equal_retention:
        return _equal(sessions, calls, capacity, seed, limit, json)
    totals = {name: Bill() for name in (UNMANAGED, *TRIMMED, LOOM)}
    try:
        made = not sessions
        every = (one for path in find(sessions or ()) for one in load(path))
        given = [trajectory(seed, calls or CALLS)] if made else islice(every, limit or None)
        for session in given:
            for name, bill in bills(session, capacity, calls):
                totals[name].add(bill)
                on_stderr(f"{session.name}, {name}: {units(bill):.2f} units")
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if not totals[LOOM].calls:
        return refuse("--sessions: there is no call there, so nothing was priced")
    report = {name: members(bill) for name, bill in totals.items()}
    end(report, [] if json else [cache_table(report, capacity)], "" if json else LEGEND)
    held = made and (calls, capacity) == (CALLS, CAPACITY)
    late = _told(report[LOOM], capacity, late_lines(report[LOOM]) if held else [])
    return int(late or bool(totals[LOOM].unrecoverable))


def _equal(
    sessions: Sessions | None, calls: int, capacity: int, seed: int, limit: int, json: bool
) -> int:
    """Print the comparison at equal retention; 1 where a policy keeps as much for less."""
    try:
        sources = labelled(sessions, limit) if sessions else [MadeUp(seed, calls or CALLS)]
        works = [work for source in sources if (work := work_of(source, calls)).needs]
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if not works:
        return refuse("--equal-retention: no call there has a need that is measured")
    report = compared(works, capacity, Meter(counter_for()), on_stderr)
    end(
        report, [] if json else [equal_table(report, capacity)], "" if json else f"{LEGEND}\n{OVER}"
    )
    below = _told(report[LOOM], capacity, cheaper_lines(report))
    return int(below or bool(report[LOOM]["unrecoverable"]))


def _told(ours: dict[str, Any], capacity: int, lines: list[str]) -> bool:
    """Say what Loom missed, where it made a cut at all; True when there is something."""
    if not ours["cuts"]:
        lines = [f"no cut was made: {capacity:,} tokens were never reached, nothing is judged"]
    for line in lines:
        on_stderr(line)
    return bool(lines and ours["cuts"])
