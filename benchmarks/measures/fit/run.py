"""A whole fit: water marks measured, constants fitted on each half and tested on the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.measures.fit.report import report_on
from loom.policy import Policy
from loom_bench.fit.bench import Bench
from loom_bench.fit.replay import Candidate
from loom_bench.fit.search import Fit, cross_validated, most_replays

# What a cut comes down to, in shares of the capacity: from the documents' low water to just below
# the first mark.
MARKS = (0.60, 0.63, 0.66, 0.69)


def levels(policy: Policy) -> list[float]:
    """The water marks that are measured, the policy's own among them."""
    return sorted({*MARKS, policy.low_water})


def replays_of(paths: Sequence[Path], policy: Policy, rounds: int) -> int:
    """How many replays a fit takes at each capacity, at most."""
    return len(levels(policy)) * len(paths) + most_replays(paths, rounds)


def fitting(
    bench: Bench,
    paths: Sequence[Path],
    start: Candidate,
    rounds: int,
    seed: int,
    describe: Callable[[str], None],
) -> tuple[Fit, dict[str, Any]]:
    """Fit on labelled sessions from a start; the fit, and its report with nothing written yet."""
    describe(f"{len(paths)} sessions, water marks")
    marked = {
        str(level): replace(start, policy=replace(start.policy, low_water=level))
        for level in levels(start.policy)
    }
    bench.run((trial, paths) for trial in marked.values())
    found = cross_validated(bench, paths, start, rounds, seed, describe)
    marks = {name: bench.rows(trial, paths) for name, trial in marked.items()}
    chosen = bench.rows(found.chosen, paths)
    return found, report_on(found, marks, chosen, bench.capacities, False)
