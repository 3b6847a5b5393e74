"""`loom bench run`: a plan is run, told as it goes, printed and written."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from loom.cli.exits import FINE, FOUND, INTERRUPTED, BadUsage
from loom.cli.progress import bar
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, clip, complain, console, emit, line, lively
from loom.disk import plain_descriptor, put_file
from loom.fleet.processes import cpus
from loom.report.page import is_report
from loom.text import visible
from loom_bench.asked import plan_of
from loom_bench.commands.tables import report
from loom_bench.pool import Tell
from loom_bench.report.html import bench_page
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchJob, BenchPlan, BenchReport, BenchRow
from loom_bench.report.table import by_window, scores, shared_by_window
from loom_bench.running import report_of, rows_of

HEAD = 2_000  # bytes of a file in which it says what it is
WRITTEN = b'"plan"'  # in the head of a run that was written down


def check_place(out: Path) -> None:
    """BadUsage where something lies at `out` that no `loom bench` wrote."""
    if out.is_dir():
        raise BadUsage(f"{out} is a folder: name a file")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out}: there is no folder {out.parent}: make it first")
    if not os.path.lexists(out):
        return
    with os.fdopen(plain_descriptor(out), "rb") as file:
        head = file.read(HEAD)
    if head and not is_report(head) and WRITTEN not in head:
        raise BadUsage(f"{out} is no report of Loom: name another file")


PART = 0.05  # of a run, after which a line is told
PAUSE = 10.0  # seconds between two lines at least
LONG = 60.0  # seconds after which a line is told however little was done

Step = Callable[[BenchJob], None]


class PipedProgress:
    """Tells lines: runs done, of how many, the time so far, and what is left if runs take as long
    as those before. `clock` gives seconds."""

    def __init__(self, total: int, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._tell = tell
        self._clock = clock
        self._began = self._last = clock()
        self._done = self._told = 0

    def step(self, job: BenchJob) -> None:
        """One more run is done."""
        self._done += 1
        now = self._clock()
        quiet = now - self._last
        enough = self._done - self._told >= PART * self._total or quiet >= LONG
        if quiet < PAUSE or not enough or self._done == self._total:
            return
        took = now - self._began
        left = took / self._done * (self._total - self._done)
        self._tell(
            f"{self._done:,} of {self._total:,} runs in {lasting(took)}, about"
            f" {lasting(left)} to go: {job.scenario}, seed {job.seed}"
        )
        self._last, self._told = now, self._done


def lasting(seconds: float) -> str:
    """A time for people: `40 s`, `12 min`."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def progressing(total: int) -> Iterator[Step]:
    """What is called after each of so many runs."""
    screen = console(sys.stderr)
    if not lively(screen):
        yield PipedProgress(total, complain).step
        return
    with bar(screen) as progress:
        task = progress.add_task("", total=total)

        def step(job: BenchJob) -> None:
            said = clip(visible(f"{job.scenario} {job.strategy} {job.window:,}"), 40)
            progress.update(task, advance=1, description=said)

        yield step


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
        raise BadUsage(f"--workers {workers}: give 1 or more, or 0 for one a processor")
    plan = plan_of(
        scenarios or (),
        strategy or (),
        judge or (),
        window or "",
        seeds or "",
        held_out,
        also or (),
    )
    out, html = (place and place.absolute() for place in (out, html))
    places = [place for place in (out, html) if place is not None]
    for place in places:
        check_place(place)
    made, stopped = _run(plan, workers or cpus())
    if out is not None and (made.rows or made.broken):  # what lies there is worth more than nothing
        put_file(out, made.encoded())
    if html is not None and (made.rows or made.broken):
        put_file(html, bench_page(made))
    if json:
        emit(told(made))
    elif made.rows or made.broken:
        report(made, explain=explain, faults=faults)
        for place in places:
            line(f"wrote {place}")
    if stopped is not None:
        complain(f"interrupted after {len(made.rows):,} of {len(plan):,} runs")
        ended = stopped.code if isinstance(stopped, SystemExit) else INTERRUPTED
        return ended if isinstance(ended, int) and ended else INTERRUPTED
    return FOUND if made.broken or any(row.failed for row in made.rows) else FINE


def _run(plan: BenchPlan, workers: int) -> tuple[BenchReport, BaseException | None]:
    """The report of what was run, and what ended it before its end: an interrupt, a signal."""
    rows: list[BenchRow] = []
    stopped: BaseException | None = None
    coming = rows_of(plan, workers, apart=True)  # what makes no sense is refused here
    try:
        with _scratch(), progressing(len(plan)) as step, closing(coming):
            for row in coming:
                rows.append(row)
                step(row.job)
    except (KeyboardInterrupt, SystemExit) as error:
        stopped = error
    places = {job: at for at, job in enumerate(plan.jobs())}
    rows.sort(key=lambda row: places[row.job])  # as planned, however many processes there were
    return report_of(plan, rows), stopped


@contextmanager
def _scratch() -> Iterator[None]:
    """Temporary files of strategies lie in one folder, which is removed after them."""
    with scratch("loom-bench-") as folder:
        before, tempfile.tempdir = tempfile.tempdir, str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = before


def told(made: BenchReport) -> dict[str, Any]:
    """What `--json` prints: figures by window, scores by scenario, where others beat Loom."""
    windows, beaten = by_window(made), margins(made)
    shared = shared_by_window(made)
    return {
        "version": made.version,
        "plan": made.plan,
        "columns": made.columns,
        "windows": {
            str(window): [{"strategy": name, **_figures(one)} for name, one in found.items()]
            for window, found in windows.items()
        },
        "sessions": {
            str(window): {"compared": one.sessions, "planned": one.planned}
            for window, one in shared.items()
        },
        "scenarios": {str(window): scores(made, window) for window in windows},
        "beaten": {str(window): said for window, said in beaten.items()},
        "failed": [row for row in made.rows if row.failed],
        "broken": made.broken,
        "runs": len(made.rows),
    }


def _figures(one: Any) -> dict[str, Any]:
    return {"score": one.score, "figures": one.figures, "runs": one.rows, "failed": one.failed}
