"""`python -m benchmarks fit`: the constants of retention, from labelled sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from benchmarks.measures.fit.report import kept, tables, verdict
from benchmarks.measures.fit.run import fitting, replays_of
from benchmarks.options import (
    CAPACITIES,
    FromZero,
    Json,
    Sessions,
    Share,
    Workers,
    refuse,
    sizes,
)
from benchmarks.show import Bar, end
from loom.compress.worth.fitted import fitted
from loom.errors import LoomError
from loom.policy import Policy
from loom.policy import chosen as checked
from loom.replay.importers.unreadable import BadSession
from loom_bench.fit.bench import Bench
from loom_bench.fit.constants import FILE
from loom_bench.fit.replay import Candidate, recorded
from loom_bench.recorded.labels import labelled

LEAST = 2  # sessions: one for each half


def fit(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    rounds: FromZero = 12,
    seed: int = 1,
    workers: Workers = 2,
    low_water: Share | None = None,
    ageing: Literal["log", "steps"] = "log",
    write: bool = False,
    file: Path = FILE,
    json: Json = False,
) -> int:
    """Fit the constants of retention on one half of the sessions, test them on the other.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    rounds
        Rounds of the search; 0 only measures.
    seed
        The same seed over the same sessions gives the same constants.
    low_water
        The water mark to fit at; without one, the policy's. It is never written.
    ageing
        How the score falls with age; in steps, λ alone is fitted.
    write
        Write the new constants when the test says that they are better by more than noise.
    file
        Where to.
    """
    try:
        capacities = sizes("--capacity", capacity)
        paths = [path for path in labelled(sessions) if recorded(path)[1]]
    except ValueError as error:
        return refuse(error)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if len(paths) < LEAST:
        return refuse(f"--sessions: {len(paths)} with labels that count, {LEAST} are needed")
    policy = Policy(ageing=ageing)
    policy = policy if low_water is None else replace(policy, low_water=low_water)
    try:
        checked(policy)
    except LoomError as error:
        return refuse(f"--low-water: {error}")
    start = Candidate(fitted(), policy)
    total = replays_of(paths, policy, rounds) * len(capacities)
    with Bar("fitting", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        found, report = fitting(bench, paths, start, rounds, seed, bar.describe)
    report["written"] = write and kept(found, file)
    shown = ([], "") if json else (tables(report, capacities), verdict(found, report["written"]))
    end(report, *shown)
    return 0
