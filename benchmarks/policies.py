"""`policies`: what each policy keeps of what later calls needed, and what it costs."""

from __future__ import annotations

from benchmarks.measures.fit.policies import figures, policies_table, trials
from benchmarks.options import CAPACITIES, FromZero, Json, Sessions, Workers, refuse, sizes
from benchmarks.show import Bar, end
from loom.replay.importers.unreadable import BadSession
from loom_bench.fit.bench import Bench
from loom_bench.fit.replay import recorded
from loom_bench.recorded.labels import labelled


def policies(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    workers: Workers = 2,
    limit: FromZero = 0,
    json: Json = False,
) -> int:
    """Replay labelled sessions under every policy, with both ways a score ages.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    limit
        At most this many sessions, the largest first; 0 is all.
    """
    try:
        capacities = sizes("--capacity", capacity)
        paths = [path for path in labelled(sessions, limit) if recorded(path)[1]]
    except ValueError as error:
        return refuse(error)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if not paths:
        return refuse("--sessions: none has labels that count")
    tried = trials()
    total = len(paths) * len(capacities) * len(tried)
    with Bar("policies", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        bench.run((trial, paths) for trial in tried.values())
        report = {name: figures(bench.rows(t, paths), capacities) for name, t in tried.items()}
    end({"sessions": len(paths), **report}, [] if json else [policies_table(report)])
    return int(any(found["failed"] for each in report.values() for found in each.values()))
