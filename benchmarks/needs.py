"""Needs: of what the calls of recorded sessions needed, how much the window still held.

Every session is replayed; before each labelled call the request is searched for the exact text the
call needs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from benchmarks.measured import (
    APART,
    OTHER,
    OURS,
    Interleaving,
    chosen,
)
from benchmarks.options import CAPACITIES, FromOne, FromZero, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench
from loom_bench.recorded.needed import CURVE, lines, report_on
from loom_bench.recorded.report import tables
from loom_bench.recorded.run import measured


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
    report = report_on(outcomes, given.strategies, given.capacities, CURVE if simulated else ())
    end({**interleaving.told(), **report}, [] if json else tables(report))
    ours = [found[OURS] for found in report.values() if OURS in found]
    return int(any(found["overflow"] or found["failed"] for found in ours))
