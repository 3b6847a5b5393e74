"""Closed loop: what it costs to have what a call needs, when the window no longer holds it."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from benchmarks.measured import APART, OURS, Interleaving, chosen
from benchmarks.options import CAPACITIES, FromOne, FromZero, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench
from loom_bench.recorded.closed import cost_tables, costs
from loom_bench.recorded.report import grouped, report_of
from loom_bench.recorded.run import measured


def closed_loop(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: FromOne = 2,
    limit: FromZero = 0,
    interleaving: Interleaving = APART,
    json: bool = False,
) -> int:
    """Replay labelled sessions, and fetch what a labelled call needs when it is not in the request.

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
    json
        No table, only the JSON line.
    """
    try:
        given = chosen(sessions, capacity, strategy, limit, interleaving)
    except (ValueError, BadBench, BadSession) as error:
        return refuse(error)
    outcomes = list(measured(given.sources, given.pairs, workers, closed=True, tell=on_stderr))
    report = report_of(grouped(outcomes), given.strategies, given.capacities, costs)
    end({**interleaving.told(), **report}, [] if json else cost_tables(report))
    ours = [found[OURS] for found in report.values() if OURS in found]
    return int(any(found["overflow"] or found["failed"] for found in ours))
