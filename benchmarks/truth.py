"""Truth: what requests say after a cut, held against what happened in recorded sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from benchmarks.measures.truth.replay import TruthJob, all_judged
from benchmarks.measures.truth.report import (
    OTHER,
    OURS,
    fault_lines,
    missed_lines,
    truth_report,
    truth_tables,
)
from benchmarks.options import FromZero, Json, Sessions, Workers, refuse, sizes
from benchmarks.show import end, on_stderr
from loom.replay.importers import find
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench
from loom_bench.recorded.named import known


def truth(
    *,
    sessions: Sessions,
    capacity: str = "16000,32000",
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: Workers = 2,
    limit: FromZero = 0,
    hostile: bool = False,
    json: Json = False,
    details: Path | None = None,
) -> int:
    """Replay sessions and judge every request that follows a cut.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    limit
        At most this many sessions, the largest first; 0 is all.
    hostile
        Plant lines in the results of tools that pretend to be the window's own.
    details
        A file that gets one JSON line for each fault, session, strategy and capacity.
    """
    try:
        capacities = sizes("--capacity", capacity)
        names = known(strategy or (OURS, OTHER), tell=on_stderr)
        paths = sorted(find(sessions), key=lambda path: (-path.stat().st_size, path))
        if not paths or not names:
            raise ValueError("--sessions or --strategy: nothing can run, so nothing was shown")
        pairs = tuple((name, size) for size in capacities for name in names)
        jobs = [TruthJob(path, pairs, hostile) for path in paths[: limit or None]]
        replays = list(all_judged(jobs, workers, on_stderr))
    except (ValueError, BadBench, BadSession) as error:
        return refuse(error)
    if details is not None:
        details.write_text("\n".join([*fault_lines(replays), ""]), "utf-8")
    report = truth_report(replays, names, capacities)
    end(report, [] if json else truth_tables(report))
    missed = missed_lines(report)
    for line in missed:
        on_stderr(f"missed {line}")
    return int(bool(missed))
