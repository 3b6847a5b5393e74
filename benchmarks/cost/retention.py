"""What each policy costs when it keeps as much of what later calls need as Loom does.

Retention is the share of needs whose exact text stands in the request of the call that needs it, as
`needs` measures it. A policy gets the smallest capacity on a ladder at which it retains at least as
much as Loom at the given one; where none below the largest whole session is enough, its cost is
that of leaving the session unmanaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.table import Table

from benchmarks.cost.bill import (
    LOOM,
    ROUNDED,
    TRIMMED,
    UNMANAGED,
    Watch,
    billed,
    loom_billed,
    units,
)
from benchmarks.cost.hindsight import course_of, hindsight
from loom.inputs import Reply, Session
from loom.providers.render.message import Message
from loom.replay.cost import Bill, Meter
from loom_bench.pool import Tell, quiet
from loom_bench.recorded.labels import FAR, SCORED, Need, Source, needs_of
from loom_bench.sessions.needle import held_by_any, message_texts
from loom_bench.strategies.baselines import Factory, flat
from loom_bench.tables import table

LEAST, STEP = 0.125, 1.1  # of the ladder: its first rung in given capacities, and each in the last
# The cheapest schedule of cuts, and the cheapest that keeps the newest tokens too, of which no
# label says whether they are needed.
HINDSIGHT = {"hindsight": 0, "hindsight_near": FAR}


class Work(Struct, frozen=True):
    """A session to be priced, and its needs."""

    session: Session
    needs: tuple[Need, ...]


class Kept(Struct, frozen=True):
    """What a policy costs over some sessions, and the needs it kept the texts of, by session."""

    bill: Bill
    held: tuple[tuple[Need, ...], ...]

    @property
    def count(self) -> int:
        """How many needs were met by the request."""
        return sum(map(len, self.held))


def work_of(source: Source, calls: int = 0) -> Work:
    """The first `calls` calls of a session (0: all), and their needs. Raises BadSession."""
    session, needs = needs_of(source)
    replies = [at for at, event in enumerate(session.events) if isinstance(event, Reply)]
    end = replies[calls] if 0 < calls < len(replies) else len(session.events)
    scored = (need for need in needs if need.label.kind in SCORED and need.at < end)
    return Work(replace(session, events=session.events[:end]), tuple(scored))


def kept(works: Iterable[Work], run: Callable[[Session, Watch], Bill]) -> Kept:
    """The bills of sessions added up; `run` prices one, and shows its requests to the watch."""
    bill, held = Bill(), []
    for work in works:
        standing: list[Need] = []

        def watch(
            at: int,
            request: Sequence[Message],
            needs: Sequence[Need] = work.needs,
            found: list[Need] = standing,
        ) -> None:
            found += [
                need
                for need in needs
                if need.at == at and held_by_any(need.needle, message_texts(request))
            ]

        bill.add(run(work.session, watch))
        held.append(tuple(standing))
    return Kept(bill, tuple(held))


def ladder(capacity: int, whole: int) -> list[int]:
    """Rising capacities, the given one among them, all below the whole."""
    rungs, up = {capacity}, capacity * STEP
    while up < whole:
        rungs.add(int(up))
        up *= STEP
    down = capacity / STEP
    while down >= LEAST * capacity:
        rungs.add(int(down))
        down /= STEP
    return sorted(rung for rung in rungs if 0 < rung < whole)


def reaching(
    rungs: Iterable[int], enough: int, at: Callable[[int], Kept]
) -> tuple[int, Kept] | None:
    """The first rung at which a policy meets enough needs, and what it keeps there; None without.

    Rung by rung, not by halving: a policy may keep less with more room, where it cuts later.
    """
    each = ((rung, at(rung)) for rung in rungs)
    return next((found for found in each if found[1].count >= enough), None)


def compared(
    works: Sequence[Work], capacity: int, meter: Meter, tell: Tell = quiet
) -> dict[str, dict[str, Any]]:
    """The figures of each policy at Loom's retention, of Loom, and of the best schedule.

    `tell` takes a line for each policy.
    """
    needs = sum(len(work.needs) for work in works)
    ours = kept(works, lambda one, watch: loom_billed(one, capacity, meter, watch=watch))
    whole = kept(works, lambda one, watch: billed(flat, one, meter, watch=watch))
    found = {UNMANAGED: _row(whole, whole.bill.peak, needs)}
    for name, policy in TRIMMED.items():
        found[name] = _equal(works, policy, ours, whole, capacity, meter)
        tell(f"{name}: {found[name]['units']:.2f} units at {found[name]['capacity']:,}")
    found[LOOM] = _row(ours, capacity, needs)
    found[LOOM]["unrecoverable"] = ours.bill.unrecoverable
    for name, near in HINDSIGHT.items():
        best = Bill()
        for work, held in zip(works, ours.held, strict=True):
            best.add(hindsight(course_of(work.session, held, meter, near), capacity))
        found[name] = _row(replace(ours, bill=best), capacity, needs)
    for row in found.values():
        for other in (LOOM, "hindsight"):
            row[f"to_{other}"] = round(row["units"] / found[other]["units"], ROUNDED)
    return found


def _equal(
    works: Sequence[Work], policy: Factory, ours: Kept, whole: Kept, capacity: int, meter: Meter
) -> dict[str, Any]:
    """The figures of a policy at the capacity that keeps as much, or of the whole sessions."""

    def at(rung: int) -> Kept:
        return kept(works, lambda one, watch: billed(policy(rung, meter), one, meter, watch=watch))

    needs = sum(len(work.needs) for work in works)
    found = reaching(ladder(capacity, whole.bill.peak), ours.count, at)
    if found is None:
        return _row(whole, whole.bill.peak, needs, reached=False)
    return _row(found[1], found[0], needs)


def _row(one: Kept, capacity: int, needs: int, *, reached: bool = True) -> dict[str, Any]:
    return {
        "capacity": capacity,
        "reached": reached,
        "needs": needs,
        "retention": round(one.count / needs, ROUNDED),
        "cuts": one.bill.cuts,
        "units": round(units(one.bill), ROUNDED),
    }


def cheaper(report: dict[str, dict[str, Any]]) -> list[str]:
    """The policies that keep as much as Loom for less."""
    return [name for name in (UNMANAGED, *TRIMMED) if report[name]["units"] < report[LOOM]["units"]]


def cheaper_lines(report: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each policy that keeps as much as Loom for less."""
    return [
        f"{name} keeps as much for {report[name]['to_loom']:.2f} of Loom's cost"
        for name in cheaper(report)
    ]


def equal_table(report: dict[str, dict[str, Any]], capacity: int) -> Table:
    """A row for each policy; the capacity of one that needs the whole session says so."""
    rows = [
        [
            name,
            f"{one['capacity']:,}" if one["reached"] else "only whole",
            f"{one['retention']:.3f}",
            one["cuts"],
            f"{one['units']:.3f}",
            f"{one['to_loom']:.2f}",
            f"{one['to_hindsight']:.2f}",
        ]
        for name, one in report.items()
    ]
    heads = ["policy", "capacity", "retention", "cuts", "units", "÷ loom", "÷ hindsight"]
    needs = report[LOOM]["needs"]
    return table(f"At Loom's retention at {capacity:,} tokens ({needs} needs)", heads, rows)
