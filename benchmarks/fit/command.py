"""`python -m benchmarks fit`: the constants of retention, from labelled sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from benchmarks.fit.bench import Bench
from benchmarks.fit.constants import FILE, written
from benchmarks.fit.replay import Candidate, recorded
from benchmarks.fit.report import report_on, tables, verdict
from benchmarks.fit.search import Fit, cross_validated, most_replays
from benchmarks.measured import CAPACITIES
from benchmarks.options import FromOne, FromZero, Sessions, Share, refuse, sizes
from benchmarks.show import Bar, end
from loom.bench.recorded.labels import labelled
from loom.compress.worth.fitted import fitted
from loom.errors import LoomError
from loom.policy import Policy
from loom.policy import chosen as checked
from loom.replay.importers.unreadable import BadSession

# What a cut comes down to, in shares of the capacity: from the documents' low water to just below
# the first mark.
MARKS = (0.60, 0.63, 0.66, 0.69)
LEAST = 2  # sessions: one for each half


def fit(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    rounds: FromZero = 12,
    seed: int = 1,
    workers: FromOne = 2,
    low_water: Share | None = None,
    ageing: Literal["log", "steps"] = "log",
    write: bool = False,
    file: Path = FILE,
    json: bool = False,
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
    workers
        Processes.
    low_water
        The water mark to fit at; without one, the policy's. It is never written.
    ageing
        How the score falls with age; in steps, λ alone is fitted.
    write
        Write the new constants when the test says that they are better by more than noise.
    file
        Where to.
    json
        No tables, only the JSON line.
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
    levels = sorted({*MARKS, policy.low_water})
    total = len(capacities) * (len(levels) * len(paths) + most_replays(paths, rounds))
    with Bar("fitting", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        bar.describe(f"{len(paths)} sessions, water marks")
        marked = {
            str(level): replace(start, policy=replace(policy, low_water=level)) for level in levels
        }
        bench.run((trial, paths) for trial in marked.values())
        found = cross_validated(bench, paths, start, rounds, seed, bar.describe)
        marks = {name: bench.rows(trial, paths) for name, trial in marked.items()}
        chosen = bench.rows(found.chosen, paths)
    wrote = write and kept(found, file)
    report = report_on(found, marks, chosen, capacities, wrote)
    shown = ([], "") if json else (tables(report, capacities), verdict(found, wrote))
    end(report, *shown)
    return 0


def kept(found: Fit, file: Path) -> bool:
    """Write what was chosen when the test accepts it; returns whether it did."""
    if found.accepted:
        file.write_bytes(written(found.chosen.fitted))
    return found.accepted
