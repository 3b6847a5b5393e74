"""What a session costs, call by call, under one policy after another: at one capacity or retention.

Every policy gets the same sessions, and every request is counted alike, see `bill`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.cache.bill import (
    LOOM,
    TRIMMED,
    UNITS,
    UNMANAGED,
    billed,
    loom_billed,
    members,
    units,
)
from benchmarks.cache.equal_retention import cheaper, compared, equal_table, work_of
from benchmarks.options import FromOne, FromZero, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.bench.recorded.derived import MadeUp
from loom.bench.recorded.labels import labelled
from loom.bench.sessions.trajectory import CALLS, trajectory
from loom.bench.strategies.history import flat
from loom.bench.tables import table
from loom.inputs import Session
from loom.providers.counts import counter_for
from loom.replay.cost import Bill, Meter
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession

CAPACITY = 100_000
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


def cache(
    *,
    sessions: Sessions | None = None,
    calls: FromZero = CALLS,
    capacity: FromOne = CAPACITY,
    seed: int = 7,
    limit: FromZero = 0,
    equal_retention: bool = False,
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
    equal_retention
        Price every policy at the capacity at which it keeps as much of what later calls need as
        Loom at the given one, beside the cheapest schedule of cuts there is. Recorded sessions
        without labels are passed over, and the largest come first.
    json
        No table, only the JSON line.
    """
    if equal_retention:
        return _equal(sessions, calls, capacity, seed, limit, json)
    totals = {name: Bill() for name in (UNMANAGED, *TRIMMED, LOOM)}
    try:
        made = not sessions
        given = [trajectory(seed, calls or CALLS)] if made else _loaded(sessions or (), limit)
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
    cut = was_cut(report[LOOM], capacity)
    late = missed(report[LOOM]) if cut and made and (calls, capacity) == (CALLS, CAPACITY) else []
    for name in late:
        on_stderr(f"{name} {report[LOOM][name]} is above {TARGETS[name]}")
    return int(bool(late or totals[LOOM].unrecoverable))


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
    report = compared(works, capacity, Meter(counter_for()))
    end(
        report, [] if json else [equal_table(report, capacity)], "" if json else f"{LEGEND}\n{OVER}"
    )
    below = cheaper(report) if was_cut(report[LOOM], capacity) else []
    for name in below:
        on_stderr(f"{name} keeps as much for {report[name]['to_loom']:.2f} of Loom's cost")
    return int(bool(below or report[LOOM]["unrecoverable"]))


def was_cut(figures: dict[str, Any], capacity: int) -> bool:
    """True where Loom made a cut; where it made none, it is said that costs are not judged."""
    if not figures["cuts"]:
        on_stderr(f"no cut was made: {capacity:,} tokens were never reached, nothing is judged")
    return bool(figures["cuts"])


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
