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
from loom_bench.session import HELD_OUT, PUBLIC
from loom_bench.strategies import STRATEGIES
from loom_bench.strategy import Strategy

WINDOW = 8_192
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
        report = self.report
        if report.broken:
            raise BadBench("; ".join(report.broken))
        columns = {SCORE: MetricColumn(SCORE, ""), **{one.name: one for one in report.columns}}
        whole = figures_of(report.rows, report.columns).figures
        failed = [row for row in report.rows if row.failed]
        for name in floors:
            if name not in columns:
                raise BadBench(f"floor {name}: there are the columns {', '.join(columns)}")
            if name != SCORE and whole[name] is None and not failed:
                raise BadBench(f"floor {name}: none of these scenarios has a case of it")
        below = [("scenario", "window", "column", "is", "has to be")]
        told: dict[str, None] = {}  # the same fault may be behind two columns
        places = grouped(report.rows, lambda row: (row.job.scenario, row.job.window))
        for (scenario, window), rows in places.items():
            found = figures_of(rows, report.columns)
            for name, floor in floors.items():
                value = found.score if name == SCORE else found.figures[name]
                low = columns[name].better == LOW
                if value is None or (value <= floor if low else value >= floor):
                    continue  # a column without a case here is reached
                wanted = f"{'at most' if low else 'at least'} {_said(columns[name], floor)}"
                is_ = _said(columns[name], value)
                below.append((scenario, f"{window:,}", name, is_, wanted))
                told |= dict.fromkeys(_faults(rows, self._owners.get(name, ""))[:FAULTS])
        lines = [f"failed: {_run(row)}: {row.failed}" for row in failed[:FAULTS]]
        if len(below) > 1:
            lines = [*_aligned(below), *lines]
        if lines:
            raise AssertionError("\n".join([*lines, *told]))


def _said(column: MetricColumn, value: float) -> str:
    return shown_score(value) if column.name == SCORE else shown(value, column.unit)


def _run(row: BenchRow) -> str:
    return f"{row.job.scenario}, seed {row.job.seed}"


def _faults(rows: Sequence[BenchRow], judge: str) -> list[str]:
    """What a judge told of some runs; for the score, what any of them told."""
    told = ((row, fault) for row in rows for fault in row.faults if judge in ("", fault.judge))
    return [f"{_run(row)}, {fault}" for row, fault in told]


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    sizes = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:<{size}}" for cell, size in zip(row, sizes, strict=True))
        yield "  ".join(cells).rstrip()


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

    Parts are given by name (BadBench if unknown) or as they are. A strategy's error fails `floor`.
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
            script = SessionScript(scenario, seed, half)
            write(script)
            session = lawful_session(script.session())
            for window in windows:
                job = BenchJob(scenario, seed, half, named, window, names)
                rows.append(row_from(job, session, opened, [*held.values()]))
    scenario_names = tuple(name for name, _ in written)
    plan = BenchPlan(scenario_names, (named,), names, tuple(windows), tuple(seeds), half)
    owners = {column.name: name for name, of in columns.items() for column in of}
    return FlooredReport(assembled(plan, rows, columns), owners)


def _of(get: Callable[[str], Any], one: Any) -> tuple[str, Any]:
    """The name of a part, and the part itself."""
    return (one, get(one)) if isinstance(one, str) else (name_of(one), one)
