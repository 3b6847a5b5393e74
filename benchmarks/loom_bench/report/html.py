"""A report as one page: ranks, scores by scenario, cost against score, and faults by example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.reduce.lines import counted
from loom.report.page import PageParts, asset, framed
from loom_bench.judge import MetricColumn
from loom_bench.report.figures import StrategyFigures
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import barred, by_window, marks, ordered, scores, shared_by_window

SHARED = ("base.js", "loaded.js", "svg.js", "theme.js")  # scripts of the report of a window
EXAMPLES = 2  # faults that one judge tells of a strategy in one scenario at one window


class FaultExample(Struct, frozen=True):
    """A fault in words, and the run it is of."""

    strategy: str
    window: int
    scenario: str
    seed: int
    text: str


class RankedFigures(Struct, frozen=True):
    """One strategy at one window; `failed` of its runs ended early, in columns `best` it is the
    best."""

    strategy: str
    score: float | None
    figures: dict[str, float | None]
    failed: int
    best: tuple[str, ...]


class BenchWindow(Struct, frozen=True):
    """A window: its strategies, the best first, (scenario, scores by strategy), and a sentence for
    each that beats Loom in something."""

    window: int
    ranks: tuple[RankedFigures, ...]
    scenarios: tuple[tuple[str, dict[str, float | None]], ...]
    beaten: tuple[str, ...]


class BenchPageData(Struct, frozen=True):
    """All that the page shows."""

    version: str
    source: str
    title: str
    story: str
    columns: tuple[MetricColumn, ...]
    windows: tuple[BenchWindow, ...]
    faults: tuple[FaultExample, ...]


def bench_page(report: BenchReport) -> bytes:
    """The page of a report, in UTF-8."""
    own = {"package": "loom_bench.report"}
    parts = PageParts(
        title="Loom bench",
        skip='<a class="skip" href="#ranks">Skip to the ranks</a>',
        main=asset("bench.html", **own),
        style="\n".join((asset("page.css", "parts.css"), asset("bench.css", **own))),
        script="\n".join((asset(*SHARED), asset("bench.js", **own))),
    )
    return framed(parts, page_data(report))


def page_data(report: BenchReport) -> BenchPageData:
    """What the page of a report shows."""
    windows = by_window(report)
    beaten = margins(report)
    plan = report.plan
    return BenchPageData(
        report.version,
        f"{', '.join(plan.scenarios)} · words: {plan.half.replace('_', ' ')}",
        _title(windows),
        f"{counted(len(report.rows), 'run')}: {counted(len(plan.scenarios), 'scenario')},"
        f" {counted(len(plan.seeds), 'seed')}, {counted(len(windows), 'window')}. Scores are the"
        f" mean of the scored columns, from 0 to 1.{_told(report)}",
        tuple(ordered(report.columns)),
        tuple(
            BenchWindow(
                window,
                tuple(_ranks(found, report.columns)),
                tuple(scores(report, window).items()),
                tuple(beaten[window]),
            )
            for window, found in windows.items()
        ),
        tuple(examples(report)),
    )


def _title(windows: dict[int, dict[str, StrategyFigures]]) -> str:
    firsts = {window: next(iter(found)) for window, found in windows.items() if found}
    if not firsts:
        return "Nothing was run"
    if len(set(firsts.values())) == 1:
        return f"{next(iter(firsts.values()))} ranks first"
    return "; ".join(f"{name} ranks first at {window:,}" for window, name in firsts.items())


def _ranks(
    found: dict[str, StrategyFigures], columns: Sequence[MetricColumn]
) -> Iterator[RankedFigures]:
    best = marks(found, columns)
    for name, one in found.items():
        yield RankedFigures(name, one.score, one.figures, one.failed, best[name])


def _told(report: BenchReport) -> str:
    """What has to be known beside the figures: what is missing, and what raised."""
    shared = shared_by_window(report).items()
    parts = [f"Window {window:,}, {one.said}." for window, one in shared if one.partial]
    return "".join(f" {text}" for text in (*parts, *barred(report), *report.broken))


def examples(report: BenchReport) -> Iterator[FaultExample]:
    """The first few faults of each judge in each strategy, window and scenario, and failures."""
    told: Counter[tuple[str, int, str, str]] = Counter()
    for row in report.rows:
        job = row.job
        failed = [("failed", f"failed: {row.failed}")] if row.failed else []
        for judge, text in (*failed, *((one.judge, str(one)) for one in row.faults)):
            key = (job.strategy, job.window, job.scenario, judge)
            told[key] += 1
            if told[key] <= EXAMPLES:
                yield FaultExample(job.strategy, job.window, job.scenario, job.seed, text)
