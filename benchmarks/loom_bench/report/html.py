"""A report as one page of tables: ranks, scores by scenario, who beats Loom, faults by example.

It has no script and fetches nothing; whatever strategies and judges say is shown as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from loom.reduce.lines import plural
from loom.report.html_page import GENERATOR
from loom.text import escape_invisible
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import (
    FigureTable,
    barred,
    by_window,
    examples,
    margins,
    ordered,
    scenario_table,
    window_table,
)

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


def bench_page(report: BenchReport) -> bytes:
    """The page of a report, in UTF-8."""
    return (HEAD + "\n".join(_body(report)) + "\n</body>\n</html>\n").encode("utf-8", "replace")


def _body(report: BenchReport) -> Iterator[str]:
    plan, windows = report.plan, by_window(report)
    firsts = [f"{next(iter(at.found))} ranks first at {at.window:,}" for at in windows]
    yield f"<h1>{_text('; '.join(firsts) or 'Nothing was run')}</h1>"
    yield "<p>" + _text(
        f"Loom {report.version}. {plural(len(report.rows), 'run')}:"
        f" {', '.join(plan.scenarios)}; words: {plan.half.replace('_', ' ')};"
        f" {plural(len(plan.seeds), 'seed')}. Scores are the mean of the scored columns, 0 to 1."
    )
    yield from _list([*(text for at in windows for text in barred(at)), *report.broken])
    for at in windows:
        yield from _table(window_table(at))
        yield from _list(margins(at))
    for at in windows:
        yield from _table(scenario_table(at))
    yield "<h2>Columns</h2>"
    yield from _list([f"{one.name}: {one.about}" for one in ordered(report.columns)])
    yield "<h2>Faults</h2>"
    yield from _list([*examples(report)])


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
    return escape(escape_invisible(text))
