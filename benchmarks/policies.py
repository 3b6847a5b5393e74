"""The policies side by side: what each keeps of what later calls needed, and what it costs.

Every labelled session is replayed under each preset, with the score ageing by steps (as documented)
and on a logarithmic scale. A cost unit is a million tokens at the plain price, as in `cache`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from benchmarks.cache.bill import units
from benchmarks.fit.bench import Bench
from benchmarks.fit.objective import Row, added, mean_request, share
from benchmarks.fit.replay import Candidate, recorded
from benchmarks.measured import CAPACITIES
from benchmarks.options import FromOne, FromZero, Sessions, refuse, sizes
from benchmarks.show import Bar, end
from loom.bench.recorded.labels import labelled
from loom.bench.tables import table
from loom.compress.worth.fitted import fitted
from loom.policy import PRESETS, Policy
from loom.replay.cost import Bill
from loom.replay.importers.unreadable import BadSession

AGEINGS: tuple[str, ...] = get_args(get_type_hints(Policy)["ageing"])
ROUNDED = 4


def policies(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    workers: FromOne = 2,
    limit: FromZero = 0,
    json: bool = False,
) -> int:
    """Replay labelled sessions under every policy, with both ways a score ages.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    workers
        Processes.
    limit
        At most this many sessions, the largest first; 0 is all.
    json
        No table, only the JSON line.
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
    trials = {
        f"{name}, {ageing}": Candidate(fitted(), replace(policy, ageing=ageing))
        for name, policy in PRESETS.items()
        for ageing in AGEINGS
    }
    total = len(paths) * len(capacities) * len(trials)
    with Bar("policies", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        bench.run((trial, paths) for trial in trials.values())
        report = {name: figures(bench.rows(t, paths), capacities) for name, t in trials.items()}
    rows = [
        [name, size, *(str(found[of]) for of in ("resident", "mean_request", "cuts", "units")),
         " ".join(f"{level} {times}" for level, times in found["levels"].items())]
        for name, sizes_found in report.items()
        for size, found in sizes_found.items()
    ]  # fmt: skip
    heads = ["policy", "capacity", "resident", "mean request", "cuts", "units", "levels"]
    end({"sessions": len(paths), **report}, [] if json else [table("Policies", heads, rows)])
    return int(any(found["failed"] for each in report.values() for found in each.values()))


def figures(rows: Sequence[Row], capacities: Sequence[int]) -> dict[str, dict[str, Any]]:
    """By capacity: needs and the share resident, tokens of a request, cuts and their cost."""
    return {
        str(capacity): {
            "needs": sums.needs,
            "resident": round(share(sums), ROUNDED),
            "mean_request": round(mean_request(sums)),
            "cuts": sums.cuts,
            "levels": dict(Counter(sums.levels).most_common()),
            "units": round(units(Bill(sent=sums.sent, reused=sums.reused)), ROUNDED),
            "failed": sums.failed,
        }
        for capacity, sums in zip(capacities, added(rows), strict=True)
    }
