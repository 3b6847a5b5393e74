"""Truth: what requests say after a cut, held against what happened in recorded sessions."""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from benchmarks.measured import OTHER, OURS
from benchmarks.options import FromOne, FromZero, Sessions, refuse, sizes
from benchmarks.show import end, on_stderr
from loom.bench.errors import BadBench
from loom.bench.recorded.named import known
from loom.bench.truth.replay import JudgedReplay, TruthJob, all_judged
from loom.bench.truth.report import BOUNDS, missed_bounds, truth_report, truth_tables
from loom.replay.importers import find
from loom.replay.importers.unreadable import BadSession


def truth(
    *,
    sessions: Sessions,
    capacity: str = "16000,32000",
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: FromOne = 2,
    limit: FromZero = 0,
    hostile: bool = False,
    json: bool = False,
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
    workers
        Processes.
    limit
        At most this many sessions, the largest first; 0 is all.
    hostile
        Plant lines in the results of tools that pretend to be the window's own.
    json
        No table, only the JSON line.
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
    missed = [
        f"at {int(size):,}: {name} is {found[OURS][name]}, its bound {BOUNDS[name]}"
        for size, found in report.items()
        if OURS in found
        for name in missed_bounds(found[OURS])
    ]
    for line in missed:
        on_stderr(f"missed {line}")
    return int(bool(missed))


def fault_lines(replays: Iterable[JudgedReplay]) -> Iterator[str]:
    """A JSON line for each fault of each replay, with the number of cuts it stood after."""
    for one in replays:
        head = {"session": one.session, "strategy": one.strategy, "capacity": one.capacity}
        for (kind, text), cuts in one.faults.most_common():
            yield jsons.dumps({**head, "kind": kind, "cuts": cuts, "text": text})
