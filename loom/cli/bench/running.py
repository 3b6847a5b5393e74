"""`loom bench run`: a plan run with a bar, its report told and written down."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from loom.bench.asked import plan_of
from loom.bench.plan import BenchJob, BenchPlan
from loom.bench.report.html import bench_page
from loom.bench.report.margins import margins
from loom.bench.report.rows import BenchReport, BenchRow
from loom.bench.report.table import by_window, scores
from loom.bench.running import report_of, rows_of
from loom.cli.bench.places import check_place, write
from loom.cli.bench.tables import report
from loom.cli.exits import FINE, FOUND, INTERRUPTED, BadUsage
from loom.cli.progress import bar
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, clip, complain, console, emit, line, lively
from loom.fleet.processes import cpus
from loom.text import visible

Many = Annotated[list[str] | None, Parameter(negative=())]


def ran(
    scenarios: Annotated[list[str] | None, Parameter(name="SCENARIO")] = None,
    /,
    *,
    strategy: Many = None,
    window: str | None = None,
    seeds: str | None = None,
    workers: int = 1,
    held_out: bool = False,
    judge: Many = None,
    out: Path | None = None,
    html: Path | None = None,
    explain: bool = False,
    json: AsJson = False,
) -> int:
    """Run strategies through scenarios and tell how they compare.

    Exit code 0: every run ended. 1: a strategy failed. An interrupt ends it, and what has come so
    far is told.

    Parameters
    ----------
    scenarios
        Names, or FILE.py:NAME; without any, all that are built in. `loom bench list` has them.
    strategy
        A name, or FILE.py:NAME; again for more. Without, Loom at each policy and five ways of
        harnesses.
    window
        Windows in tokens, separated by commas; 8192,32000 without.
    seeds
        How many (3), or which (1-5 or 2,7); 3 without.
    workers
        Processes, 0 for one a processor.
    held_out
        Word the scenarios with the other half of their words, which nobody developed with.
    judge
        A name, or FILE.py:NAME; again for more. Without, all that are built in.
    out
        Write every run to this file, for `loom bench compare`.
    html
        Make a page of it, to open in a browser.
    explain
        Say what each column means.
    """
    if workers < 0:
        raise BadUsage(f"--workers {workers}: give 1 or more, or 0 for one a processor")
    plan = plan_of(
        scenarios or (), strategy or (), judge or (), window or "", seeds or "", held_out
    )
    places = [place for place in (out, html) if place is not None]
    for place in places:
        check_place(place)
    made, stopped = _run(plan, workers or cpus())
    if out is not None:
        write(out, made.encoded())
    if html is not None:
        write(html, bench_page(made))
    if json:
        emit(told(made))
    elif made.rows:
        report(made, explain=explain)
        for place in places:
            line(f"wrote {place}")
    if stopped:
        complain(f"interrupted after {len(made.rows):,} of {len(plan):,} runs")
        return INTERRUPTED
    return FOUND if any(row.failed for row in made.rows) else FINE


def _run(plan: BenchPlan, workers: int) -> tuple[BenchReport, bool]:
    """The report of what was run, and whether an interrupt ended it."""
    rows: list[BenchRow] = []
    stopped = False
    try:
        with (
            scratch("loom-bench-"),
            _bar(len(plan)) as step,
            closing(rows_of(plan, workers)) as made,
        ):
            for row in made:
                rows.append(row)
                step(row.job)
    except KeyboardInterrupt:
        stopped = True
    places = {job: at for at, job in enumerate(plan.jobs())}
    rows.sort(key=lambda row: places[row.job])  # as planned, however many processes there were
    return report_of(plan, iter(rows)), stopped


def told(made: BenchReport) -> dict[str, Any]:
    """What `--json` prints: figures by window, scores by scenario, where others beat Loom."""
    windows, beaten = by_window(made), margins(made)
    return {
        "version": made.version,
        "plan": made.plan,
        "columns": made.columns,
        "windows": {
            str(window): [{"strategy": name, **_figures(one)} for name, one in found.items()]
            for window, found in windows.items()
        },
        "scenarios": {str(window): scores(made, window) for window in windows},
        "beaten": {str(window): said for window, said in beaten.items()},
        "failed": [row for row in made.rows if row.failed],
        "runs": len(made.rows),
    }


def _figures(one: Any) -> dict[str, Any]:
    return {"score": one.score, "figures": one.figures, "runs": one.rows, "failed": one.failed}


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    """A bar over the runs of a plan; off a terminal nothing."""
    screen = console(sys.stderr)
    if not lively(screen):
        yield lambda job: None
        return
    with bar(screen) as progress:
        task = progress.add_task("", total=total)

        def step(job: BenchJob) -> None:
            said = clip(visible(f"{job.scenario} {job.strategy} {job.window:,}"), 40)
            progress.update(task, advance=1, description=said)

        yield step
