"""A report as one page of tables: ranks, scores by scenario, who beats Loom, faults by example.

It has no script and fetches nothing; whatever strategies and judges say is shown as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct

from loom.reduce.lines import counted
from loom.report.page import GENERATOR
from loom.text import visible
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import (
    FigureTable,
    barred,
    by_window,
    ordered,
    scenario_tables,
    window_tables,
)

EXAMPLES = 2  # faults that one judge tells of a strategy in one scenario at one window
STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem}"
    ".wide{overflow-x:auto}table{border-collapse:collapse}li{overflow-wrap:anywhere}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid #8886;text-align:right;white-space:pre}"
    "tr>:first-child{text-align:left}"
)
HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    f'<meta name="generator" content="{GENERATOR}">\n'
    '<meta http-equiv="Content-Security-Policy"'
    " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    f"<title>Loom bench</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
)


class FaultExample(Struct, frozen=True):
    """A fault in words, and the run it is of."""

    strategy: str
    window: int
    scenario: str
    seed: int
    text: str

    def __str__(self) -> str:
        who = f"{self.strategy} at {self.window:,} in {self.scenario}, seed {self.seed}"
        return f"{who}, {self.text}"


def bench_page(report: BenchReport) -> bytes:
    """The page of a report, in UTF-8."""
    return (HEAD + "\n".join(_body(report)) + "\n</body>\n</html>\n").encode("utf-8", "replace")


def _body(report: BenchReport) -> Iterator[str]:
    plan = report.plan
    yield f"<h1>{_text(_title(report))}</h1>"
    yield "<p>" + _text(
        f"Loom {report.version}. {counted(len(report.rows), 'run')}:"
        f" {', '.join(plan.scenarios)}; words: {plan.half.replace('_', ' ')};"
        f" {counted(len(plan.seeds), 'seed')}. Scores are the mean of the scored columns, 0 to 1."
    )
    yield from _list([*barred(report), *report.broken])
    for table, said in zip(window_tables(report), margins(report).values(), strict=True):
        yield from _table(table)
        yield from _list(said)
    for table in scenario_tables(report):
        yield from _table(table)
    yield "<h2>Columns</h2>"
    yield from _list([f"{one.name}: {one.about}" for one in ordered(report.columns)])
    yield "<h2>Faults</h2>"
    yield from _list([str(one) for one in examples(report)])


def _table(table: FigureTable) -> Iterator[str]:
    names = [one.name for one in table.columns]
    yield f'<h2>{_text(table.title)}</h2>\n<div class="wide"><table>'
    yield _row("th", [table.head, *names])
    for name, cells in table.rows:
        yield _row("td", [name, *(cells.get(column, "") for column in names)])
    yield "</table></div>"


def _row(cell: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{_text(text)}</{cell}>" for text in texts) + "</tr>"


def _list(said: Sequence[str]) -> Iterator[str]:
    if said:
        yield "<ul>" + "".join(f"<li>{_text(text)}</li>" for text in said) + "</ul>"


def _text(text: str) -> str:
    return escape(visible(text))


def _title(report: BenchReport) -> str:
    firsts = {window: next(iter(found)) for window, found in by_window(report).items() if found}
    if not firsts:
        return "Nothing was run"
    return "; ".join(f"{name} ranks first at {window:,}" for window, name in firsts.items())


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
