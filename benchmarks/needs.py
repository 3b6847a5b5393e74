"""Needs: of what the calls of recorded sessions needed, how much the window still held.

Every session is replayed; before each labelled call the request is searched for the exact text the
call needs.
"""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from benchmarks.measured import (
    APART,
    OTHER,
    OURS,
    Interleaving,
    Selection,
    chosen,
)
from benchmarks.options import CAPACITIES, FromOne, FromZero, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.bench.errors import BadBench
from loom.bench.recorded.report import Report, equal_share, grouped, report_of, tables
from loom.bench.recorded.run import ReplayOutcome, measured
from loom.bench.recorded.verdicts import RESIDENT
from loom.replay.importers.unreadable import BadSession

# Capacities at which the tail is simulated, to find where it shows as much as Loom does.
CURVE = (
    *(8_000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 40_000, 44_000, 48_000),
    *(56_000, 64_000, 72_000, 80_000, 96_000, 128_000, 192_000, 256_000, 10_000_000),
)


def needs(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: FromOne = 2,
    limit: FromZero = 0,
    interleaving: Interleaving = APART,
    curve: bool = True,
    json: bool = False,
    details: Path | None = None,
) -> int:
    """Replay labelled sessions and look for what each labelled call needs.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    workers
        Processes.
    limit
        At most this many sessions, the largest first; 0 is all.
    interleaving
        How sessions are interleaved into long histories.
    curve
        Simulate the tail at more capacities, to compare tokens at an equal share.
    json
        No table, only the JSON line.
    details
        A file that gets one JSON line for each need, strategy and capacity.
    """
    try:
        given = chosen(sessions, capacity, strategy, limit, interleaving)
    except (ValueError, BadBench, BadSession) as error:
        return refuse(error)
    simulated = [(OTHER, size) for size in CURVE] if curve and OURS in given.strategies else []
    pairs = list(dict.fromkeys((*given.pairs, *simulated)))
    outcomes = list(measured(given.sources, pairs, workers, tell=on_stderr))
    if details is not None:
        wanted = (one for one in outcomes if (one.job.strategy, one.job.capacity) in given.pairs)
        details.write_text("\n".join([*lines(wanted), ""]), "utf-8")
    report = report_on(outcomes, given, CURVE if simulated else ())
    end({**interleaving.told(), **report}, [] if json else tables(report))
    ours = [found[OURS] for found in report.values() if OURS in found]
    return int(any(found["overflow"] or found["failed"] for found in ours))


def report_on(outcomes: Sequence[ReplayOutcome], given: Selection, curve: Sequence[int]) -> Report:
    """{capacity: {strategy: figures}}, Loom's with its tokens against a tail that shows as much."""
    groups = grouped(outcomes)
    report = report_of(groups, given.strategies, given.capacities)
    if curve:
        points = report_of(groups, [OTHER], curve).values()
        line = [(one[OTHER][RESIDENT], one[OTHER]["tokens_sent"]) for one in points]
        for found in report.values():
            ours = found[OURS]
            ours["equal_share"] = equal_share(ours[RESIDENT], ours["tokens_sent"], line)
    return report


def lines(outcomes: Iterable[ReplayOutcome]) -> Iterator[str]:
    """A JSON line for each need in each replay."""
    for outcome in outcomes:
        head = {
            "session": outcome.session,
            "strategy": outcome.job.strategy,
            "capacity": outcome.job.capacity,
        }
        for met in outcome.met:
            yield jsons.dumps({**head, **msgspec.to_builtins(met)}, ensure_ascii=False)
