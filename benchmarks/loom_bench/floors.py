"""Floors: what a strategy has to reach, asserted of runs, and told with faults where it does not.

report = floors_of(newest, scenarios=["needle"], windows=[8_192])
report.floor(kept=0.9, refused=0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from loom_bench.errors import BadBench
from loom_bench.judge import LOW, Judge, MetricColumn, name_of
from loom_bench.judges import JUDGES
from loom_bench.report.rows import (
    BenchJob,
    BenchPlan,
    BenchReport,
    BenchRow,
    assembled,
    figures_of,
    grouped,
)
from loom_bench.report.table import SCORE, shown, shown_score
from loom_bench.running import columns_by, lawful_session, row_from
from loom_bench.scenarios import SCENARIOS, Scenario
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT, PUBLIC, PressureSession
from loom_bench.strategies import STRATEGIES
from loom_bench.strategy import Strategy

WINDOW = 8_192
SCORE_COLUMN = MetricColumn(SCORE, "")
FAULTS = 3  # that are told of what is below a floor


class FlooredReport:
    """The runs of one strategy, to be held against floors. `owners`: column → name of its judge."""

    def __init__(self, report: BenchReport, owners: Mapping[str, str]) -> None:
        self.report = report
        self._owners = owners

    def floor(self, **floors: float) -> None:
        """Hold columns by name, `score` too, against numbers: in every scenario at every window.

        A column that is good when low has to be at most its number, any other at least; shares
        are 0 to 1. Raises AssertionError with what is below, and BadBench for a name of no column,
        for one that no scenario has a case of, and where a judge raised.
        """
        if self.report.broken:
            raise BadBench("; ".join(self.report.broken))
        columns = {one.name: one for one in self.report.columns}
        for name in floors:
            if name not in columns and name != SCORE:
                there = ", ".join([SCORE, *columns])
                raise BadBench(f"floor {name}: there are the columns {there}")
        whole = figures_of(self.report.rows, self.report.columns)
        bare = [name for name in floors if name != SCORE and whole.figures[name] is None]
        if bare and not any(row.failed for row in self.report.rows):
            raise BadBench(f"floor {bare[0]}: none of these scenarios has a case of it")
        below = [
            line
            for (scenario, window), rows in self._cells().items()
            for line in _below(scenario, window, rows, floors, columns, self.report.columns)
        ]
        failed = [row for row in self.report.rows if row.failed]
        if below or failed:
            raise AssertionError("\n".join(_told(below, failed, self.report.rows, self._owners)))

    def _cells(self) -> dict[tuple[str, int], list[BenchRow]]:
        return grouped(self.report.rows, lambda row: (row.job.scenario, row.job.window))


def floors_of(
    strategy: Strategy | str,
    *,
    scenarios: Sequence[str | Scenario] = (),
    windows: Sequence[int] = (WINDOW,),
    seeds: Sequence[int] = (1,),
    judges: Sequence[str | Judge] = (),
    held_out: bool = False,
) -> FlooredReport:
    """Run one strategy, in this process. Scenarios and judges are all built-in ones without any.

    Strategies, scenarios and judges are given by name or as they are. Raises BadBench for a name
    of nothing. What the strategy raises fails `floor`.
    """
    named, opened = _of(STRATEGIES.get, strategy)
    half = HELD_OUT if held_out else PUBLIC
    written = [_of(SCENARIOS.get, one) for one in scenarios or SCENARIOS.built()]
    held = dict(_of(JUDGES.get, one) for one in judges or JUDGES.usual())
    names = tuple(held)
    columns = columns_by(held)
    rows = []
    for scenario, write in written:
        for seed in seeds:
            session = _session(scenario, write, seed, half)
            for window in windows:
                job = BenchJob(scenario, seed, half, named, window, names)
                rows.append(row_from(job, session, opened, [*held.values()]))
    plan = BenchPlan(
        tuple(name for name, _ in written), (named,), names, tuple(windows), tuple(seeds), half
    )
    owners = {column.name: name for name, of in columns.items() for column in of}
    return FlooredReport(assembled(plan, rows, columns), owners)


def _of(get: Callable[[str], Any], one: Any) -> tuple[str, Any]:
    """The name of a part, and the part itself."""
    if isinstance(one, str):
        return one, get(one)
    return name_of(one), one


def _session(name: str, write: Scenario, seed: int, half: str) -> PressureSession:
    script = SessionScript(name, seed, half)
    write(script)
    return lawful_session(script.session())


def _below(
    scenario: str,
    window: int,
    rows: Sequence[BenchRow],
    floors: dict[str, float],
    columns: dict[str, MetricColumn],
    given: Sequence[MetricColumn],
) -> Iterator[tuple[str, ...]]:
    """A line of the table for each floor that is not reached; a column without a case here is."""
    found = figures_of(rows, given)
    for name, floor in floors.items():
        column = columns.get(name, SCORE_COLUMN)
        value = found.score if name == SCORE else found.figures[name]
        low = column.better == LOW
        if value is None or (value <= floor if low else value >= floor):
            continue
        wanted = f"{'at most' if low else 'at least'} {_said(column, floor)}"
        yield scenario, f"{window:,}", name, _said(column, value), wanted


def _said(column: MetricColumn, value: float) -> str:
    return shown_score(value) if column.name == SCORE else shown(value, column.unit)


def _told(
    below: Sequence[tuple[str, ...]],
    failed: Sequence[BenchRow],
    rows: Sequence[BenchRow],
    owners: Mapping[str, str],
) -> Iterator[str]:
    """The table, then what failed, then faults that the judges of its columns told there."""
    if below:
        table = [("scenario", "window", "column", "is", "has to be"), *below]
        sizes = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
        for row in table:
            cells = (f"{cell:<{size}}" for cell, size in zip(row, sizes, strict=True))
            yield "  ".join(cells).rstrip()
    for ended in failed[:FAULTS]:
        yield f"failed: {ended.job.scenario}, seed {ended.job.seed}: {ended.failed}"
    faults: dict[str, None] = {}  # the same fault may be behind two columns
    for scenario, window, name, *_ in below:
        told = _faults(rows, (scenario, window), owners.get(name, ""))
        faults |= dict.fromkeys(told[:FAULTS])
    yield from faults


def _faults(rows: Sequence[BenchRow], cell: tuple[str, str], judge: str) -> list[str]:
    """What a judge told of a scenario at a window; of the score, what any of them told."""
    return [
        f"{run.job.scenario}, seed {run.job.seed}, {fault}"
        for run in rows
        if (run.job.scenario, f"{run.job.window:,}") == cell
        for fault in run.faults
        if judge in ("", fault.judge)
    ]
