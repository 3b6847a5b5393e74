"""`cache`: what each way to keep a window costs, its prompt cache included, call by call.

Every way gets the same sessions, and every request is counted as `loom.replay.cost` counts. A unit
is a million tokens at the plain price: 0.1 for each token read from the cache, 1.25 for each
written to it. Summaries by a model are not priced.

At equal retention a way gets the smallest capacity on a ladder at which as many needed texts stand
in the request of the call that needs them as with Loom at the given one; where none below the
largest whole session is enough, its cost is that of removing nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from benchmarks.driven import opened, requests
from benchmarks.options import CommandResult, FromOne, FromZero, Limit, Sessions, measuring
from benchmarks.show import by_row, on_stderr
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.providers.prices import Prices
from loom.replay.cost import Bill, Billing, Meter
from loom.replay.importers import find, load
from loom_bench.errors import BadBench
from loom_bench.recorded.labels import SCORED, Need, labelled, needs_of
from loom_bench.recorded.sources import MadeUp
from loom_bench.sessions.needle import held_by_any, message_texts
from loom_bench.sessions.trajectory import CALLS

# Against 1 for a plain token: the price of one read from the cache, and of one written to it.
UNITS = Prices(input=1.0, read=0.1, write=1.25, output=0.0)
UNMANAGED, LOOM = "unmanaged", "loom"
TRIMMED = ("clear_tools", "tail", "tail_low", "summary_stub")
LEAST, STEP = 0.125, 1.1  # of the ladder: its first rung in given capacities, and each in the last
CAPACITY = 100_000
ROUNDED = 4
FIGURES = ("input_tokens", "prefix_reuse", "capacity", "retention", "cuts", "units", "peak")
HEADS = {name: name for name in FIGURES} | {"to_loom": "÷ loom"}


class Work(Struct, frozen=True):
    """A session to be priced, and its needs."""

    session: Session
    needs: Sequence[Need] = ()


class Kept(Struct):
    """What a way costs over some sessions, and how many needs its requests met."""

    bill: Bill
    held: int = 0

    @property
    def units(self) -> float:
        """Cost in millions of tokens at the plain price."""
        return self.bill.cost(UNITS)


def kept(works: Iterable[Work], name: str, capacity: int, meter: Meter) -> Kept:
    """Price sessions under one way."""
    found = Kept(Bill())
    for work in works:
        billing = Billing(meter)
        with opened(name, capacity, meter) as way:
            for at, request in requests(work.session.events, way):
                billing.take(request)
                texts = [one.needle for one in work.needs if one.at == at]
                found.held += sum(held_by_any(one, message_texts(request)) for one in texts)
        found.bill.add(billing.bill)
    return found


def priced(works: Sequence[Work], capacity: int, meter: Meter) -> dict[str, dict[str, Any]]:
    """The bill of every way at one capacity."""
    report = {}
    for name in (UNMANAGED, *TRIMMED, LOOM):
        bill = kept(works, name, capacity, meter).bill
        report[name] = {
            "calls": bill.calls,
            "input_tokens": bill.sent,
            "prefix_reuse": round(bill.reused / bill.sent, ROUNDED) if bill.sent else 1.0,
            "cuts": bill.cuts,
            "units": round(bill.cost(UNITS), ROUNDED),
            "peak": bill.peak,
        }
        on_stderr(f"{name}: {report[name]['units']:.2f} units")
    return report


def compared(works: Sequence[Work], capacity: int, meter: Meter) -> dict[str, dict[str, Any]]:
    """The figures of every way at Loom's retention."""
    ours, whole = (kept(works, name, capacity, meter) for name in (LOOM, UNMANAGED))
    most, needs = whole.bill.peak, sum(len(work.needs) for work in works)
    found = {UNMANAGED: (most, whole), LOOM: (capacity, ours)}
    for name in TRIMMED:
        # Rung by rung, not by halving: a way may keep less with more room, where it cuts later.
        each = ((rung, kept(works, name, rung, meter)) for rung in ladder(capacity, most))
        found[name] = next((one for one in each if one[1].held >= ours.held), (0, whole))
        on_stderr(f"{name}: {found[name][1].units:.2f} units at {found[name][0]:,}")
    return {
        name: {
            "capacity": rung or "only whole",
            "needs": needs,
            "retention": round(one.held / needs, ROUNDED),
            "cuts": one.bill.cuts,
            "units": round(one.units, ROUNDED),
            "to_loom": round(one.units / ours.units, ROUNDED),
        }
        for name, (rung, one) in found.items()
    }


def ladder(capacity: int, whole: int) -> list[int]:
    """Rising capacities, the given one among them, all below the whole."""
    rungs, up, down = {capacity}, capacity * STEP, capacity / STEP
    while up < whole:
        rungs.add(int(up))
        up *= STEP
    while down >= LEAST * capacity:
        rungs.add(int(down))
        down /= STEP
    return sorted(rung for rung in rungs if 0 < rung < whole)


@measuring
def cache(
    *,
    sessions: Sessions | None = None,
    calls: FromZero = CALLS,
    capacity: FromOne = CAPACITY,
    seed: int = 7,
    limit: Limit = 0,
    equal_retention: bool = False,
) -> CommandResult:
    """Price a session call by call: what is read from the prompt cache, and what is written to it.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; without any, one is made up.
    calls
        Calls of the session that is made up.
    capacity
        Tokens a request may hold, under every way but the unmanaged one.
    seed
        Of the session that is made up.
    equal_retention
        Price every way at the capacity at which it keeps as much of what later calls need as
        Loom at the given one; exit code 1 where one does for less. Recorded sessions without
        labels are passed over, and the largest come first.
    """
    meter = Meter(counter_for())
    if sessions and not equal_retention:
        works = [Work(one) for path in find(sessions) for one in load(path)][: limit or None]
    else:
        sources = labelled(sessions, limit) if sessions else [MadeUp(seed, calls or CALLS)]
        works = [
            Work(session, [one for one in needs if one.label.kind in SCORED])
            for session, needs in map(needs_of, sources)
        ]
    if not any(isinstance(event, Reply) for work in works for event in work.session.events):
        raise BadBench("--sessions: there is no call there, so nothing was priced")
    if equal_retention and not any(work.needs for work in works):
        raise BadBench("--equal-retention: no call there has a need that is measured")
    report = (compared if equal_retention else priced)(works, capacity, meter)
    how = f"at Loom's retention at {capacity:,}" if equal_retention else f"at {capacity:,} tokens"
    cheaper = [
        f"{name} keeps as much for {one['to_loom']:.2f} of Loom's cost"
        for name, one in report.items()
        if one.get("to_loom", 1) < 1 and report[LOOM]["cuts"]
    ]
    return CommandResult(report, [by_row(f"Prompt cache {how}", report, HEADS)], missed=cheaper)
