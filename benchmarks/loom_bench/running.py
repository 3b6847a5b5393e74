"""Runs a plan: in this process, or over several."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

from msgspec import json

from loom_bench.drive import MODEL, driven
from loom_bench.errors import RAISES, BadBench, said_of
from loom_bench.judge import Judge, MetricColumn, columns_of
from loom_bench.judges import JUDGES
from loom_bench.laws import broken
from loom_bench.pool import spread
from loom_bench.report import BenchReport, BenchRow
from loom_bench.report.rows import BenchJob, BenchPlan, assembled
from loom_bench.scenarios import SCENARIOS, session_of
from loom_bench.session import PressureSession
from loom_bench.strategies import STRATEGIES
from loom_bench.strategy import Strategy

DIGEST = 16  # hexadecimal digits that tell sessions apart


def run(plan: BenchPlan, workers: int = 1) -> BenchReport:
    """Run a plan. Raises BadBench for a name of nothing, before anything is run."""
    return report_of(plan, rows_of(plan, workers))


def report_of(plan: BenchPlan, rows: Iterable[BenchRow]) -> BenchReport:
    """The report of rows that come."""
    return assembled(plan, rows, columns_by({name: JUDGES.get(name) for name in plan.judges}))


def columns_by(judges: Mapping[str, Judge]) -> dict[str, tuple[MetricColumn, ...]]:
    """The columns of judges by their names. Raises BadBench for one of two judges."""
    made = {name: columns_of(name, judge) for name, judge in judges.items()}
    owner: dict[str, str] = {}
    for name, columns in made.items():
        for column in columns:
            if owner.setdefault(column.name, name) != name:
                raise BadBench(f"judge {name}: judge {owner[column.name]} has a {column.name} too")
    return made


def rows_of(
    plan: BenchPlan, workers: int = 1, *, apart: bool = False
) -> Generator[BenchRow, None, None]:
    """The rows of a plan as they come. Raises BadBench for a name of nothing, at once.

    With more than one worker, or `apart`, strategies run in processes of their own: one that ends
    its process has failed.
    """
    for names, parts in ((plan.scenarios, SCENARIOS), (plan.strategies, STRATEGIES)):
        for name in names:
            if not callable(parts.get(name)):
                raise BadBench(f"{parts.kind} {name}: it is a {parts.kind} only if it is called")
    columns_by({name: JUDGES.get(name) for name in plan.judges})
    return spread(row_of, plan.jobs(), workers, _lost if apart or workers > 1 else None)


def _lost(job: BenchJob) -> BenchRow:
    """The row of a job that ended its process."""
    return BenchRow(job, {}, failed="its process was ended: by itself, or for want of memory")


def row_of(job: BenchJob) -> BenchRow:
    """One run. A scenario that raises makes a row that says so."""
    session, digest = _session(job.scenario, job.seed, job.half)
    if isinstance(session, str):
        return BenchRow(job, {}, unwritten=session)
    judges = [JUDGES.get(name) for name in job.judges]
    return row_from(job, session, STRATEGIES.get(job.strategy), judges, digest)


def row_from(
    job: BenchJob,
    session: PressureSession,
    strategy: Strategy,
    judges: Sequence[Judge],
    digest: str = "",
) -> BenchRow:
    """The row of a job, of parts that are there; judges in the order of the job's names."""
    found = driven(session, strategy, job.window, judges, job.judges)
    faults = tuple(found.faults)
    return BenchRow(job, dict(found.sums), faults, found.failed, digest, found.broken)


def lawful_session(session: PressureSession) -> PressureSession:
    """The session, if a provider would take all of it at once. Raises BadBench otherwise: no
    strategy is to blame for that."""
    why = broken("openai", {"model": MODEL, "messages": [*session.messages]})
    if why:
        raise BadBench(f"no provider takes its messages: {why[0]}")
    return session


@lru_cache(2)
def _session(scenario: str, seed: int, half: str) -> tuple[PressureSession | str, str]:
    """A session and a digest of its messages; what the scenario raised instead of one."""
    try:
        made = lawful_session(session_of(scenario, seed, half))
        return made, sha256(json.encode(made.messages)).hexdigest()[:DIGEST]
    except RAISES as error:  # it is somebody else's: whatever it raises is told
        return said_of(error), ""
