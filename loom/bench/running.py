"""Runs a plan: in this process, or over several."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import lru_cache

from loom.bench.drive import driven
from loom.bench.errors import BadBench
from loom.bench.judges import JUDGES
from loom.bench.plan import BenchJob, BenchPlan
from loom.bench.pool import spread
from loom.bench.report import BenchReport, BenchRow
from loom.bench.scenarios import SCENARIOS, session_of
from loom.bench.session import PressureSession
from loom.bench.strategies import STRATEGIES
from loom.version import VERSION


def run(plan: BenchPlan, workers: int = 1) -> BenchReport:
    """Run a plan. Raises BadBench for a name of nothing, before anything is run."""
    return report_of(plan, rows_of(plan, workers))


def report_of(plan: BenchPlan, rows: Iterator[BenchRow]) -> BenchReport:
    """The report of rows that come."""
    columns = tuple(one for name in plan.judges for one in JUDGES.get(name).columns)
    return BenchReport(VERSION, plan, columns, tuple(rows))


def rows_of(plan: BenchPlan, workers: int = 1) -> Generator[BenchRow, None, None]:
    """The rows of a plan as they come. Raises BadBench for a name of nothing, at once."""
    for names, parts in (
        (plan.scenarios, SCENARIOS),
        (plan.strategies, STRATEGIES),
        (plan.judges, JUDGES),
    ):
        for name in names:
            parts.get(name)
    return spread(row_of, plan.jobs(), workers)


def row_of(job: BenchJob) -> BenchRow:
    """One run."""
    session = _session(job.scenario, job.seed, job.half)
    judges = [JUDGES.get(name) for name in job.judges]
    found = driven(session, STRATEGIES.get(job.strategy), job.window, judges)
    return BenchRow(job, dict(found.sums), tuple(found.faults), found.failed)


@lru_cache(2)
def _session(scenario: str, seed: int, half: str) -> PressureSession:
    try:
        return session_of(scenario, seed, half)
    except BadBench:
        raise
    except Exception as error:  # it is somebody else's: whatever it raises is told
        told = f"scenario {scenario}, seed {seed}: {type(error).__name__}: {error}"
        raise BadBench(told) from error
