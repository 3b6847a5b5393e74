"""`loom bench run`: a plan is run, told as it goes, printed and written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, print_json, print_line
from loom.cli.scratch import scratch_folder
from loom.disk import plain_descriptor, replace_file
from loom.errors import BadInput
from loom.fleet.processes import usable_cpus
from loom.report.html_page import is_report
from loom_bench.asked import plan_of
from loom_bench.commands.coming import ended, taken
from loom_bench.commands.tables import report
from loom_bench.report.html import bench_page
from loom_bench.report.rows import BenchPlan, BenchReport, BenchRow, StrategyFigures
from loom_bench.report.table import by_window, margins
from loom_bench.running import report_of, rows_of

HEAD = 2_000  # bytes of a file in which it says what it is
WRITTEN = b'"plan"'  # in the head of a run that was written down

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
    also: Many = None,
    out: Path | None = None,
    html: Path | None = None,
    explain: bool = False,
    faults: bool = False,
    json: AsJson = False,
) -> int:
    """Run strategies through scenarios and tell how they compare.

    Exit code 0: every run ended. 1: a strategy, a scenario or a judge raised. An interrupt ends it,
    and what has come so far is told.

    Parameters
    ----------
    scenarios
        Names, or FILE.py:NAME; without any, all that are built in. `loom bench list` has them.
    strategy
        A name, or FILE.py:NAME; again for more. Without, Loom at two policies, five ways of
        harnesses and a plain ladder.
    window
        Windows in tokens, separated by commas; 8192,32000 without.
    seeds
        How many (3), or which (1-5 or 2,7); 3 without.
    workers
        Processes, 0 for one a processor.
    held_out
        Word the scenarios with the other half of their words, which nobody developed with.
    judge
        A name, or FILE.py:NAME; again for more. Without, all that are built in but truth.
    also
        A judge beside these; again for more.
    out
        Write every run to this file, for `loom bench compare`.
    html
        Make a page of it, to open in a browser.
    explain
        Say what each column means.
    faults
        Tell some faults of each strategy in each scenario, by the judges that found them.
    """
    if workers < 0:
        raise BadInput(f"--workers {workers}: give 1 or more, or 0 for one a processor")
    given = (scenarios or (), strategy or (), judge or (), window or "", seeds or "")
    plan = plan_of(*given, held_out, also or ())
    written = [
        (place.absolute(), made)
        for place, made in ((out, BenchReport.encoded), (html, bench_page))
        if place is not None
    ]
    for place, _ in written:
        _check_place(place)
    made, stopped = _run(plan, workers or usable_cpus())
    some = bool(made.rows or made.broken)  # what lies there is worth more than nothing
    for place, encoded in written if some else ():
        replace_file(place, encoded(made))
    if json:
        print_json(_told(made))
    elif some:
        report(made, explain=explain, faults=faults)
        for place, _ in written:
            print_line(f"wrote {place}")
    if stopped is not None:
        return ended(stopped, made.finished, made.planned)
    return FOUND if made.broken or any(row.failed for row in made.rows) else FINE


def _check_place(out: Path) -> None:
    """BadInput where something lies at `out` that no `loom bench` wrote."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder: name a file")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out}: there is no folder {out.parent}: make it first")
    if not os.path.lexists(out):
        return
    with os.fdopen(plain_descriptor(out), "rb") as file:
        head = file.read(HEAD)
    if head and not is_report(head) and WRITTEN not in head:
        raise BadInput(f"{out} is no report of Loom: name another file")


def _run(plan: BenchPlan, workers: int) -> tuple[BenchReport, BaseException | None]:
    """The report of what was run, and what ended it before its end."""
    coming = rows_of(plan, workers, apart=True)  # what makes no sense is refused here
    with scratch_folder("loom-bench-"):
        rows, stopped = taken(coming, len(plan), _name)
    places = {job: at for at, job in enumerate(plan.jobs())}
    rows.sort(key=lambda row: places[row.job])  # as planned, however many processes there were
    return report_of(plan, rows), stopped


def _name(row: BenchRow) -> str:
    job = row.job
    return f"{job.scenario}, seed {job.seed}: {job.strategy} at {job.window:,}"


def _told(made: BenchReport) -> dict[str, Any]:
    """What `--json` prints: figures by window, scores by scenario, where others beat Loom."""
    windows = {str(at.window): at for at in by_window(made)}
    return {
        "version": made.version,
        "plan": made.plan,
        "columns": made.columns,
        "windows": {
            window: [{"strategy": name, **_figures(one)} for name, one in at.found.items()]
            for window, at in windows.items()
        },
        "sessions": {
            window: {"compared": at.sessions, "planned": at.planned}
            for window, at in windows.items()
        },
        "scenarios": {window: at.scores for window, at in windows.items()},
        "beaten": {window: margins(at) for window, at in windows.items()},
        "failed": [row for row in made.rows if row.failed],
        "broken": made.broken,
        "runs": len(made.rows),
        **({"interrupted": True} if made.interrupted else {}),
        "planned": made.planned,
        "finished": made.finished,
    }


def _figures(one: StrategyFigures) -> dict[str, Any]:
    return {"score": one.score, "figures": one.figures, "runs": one.rows, "failed": one.failed}
