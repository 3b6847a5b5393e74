"""The tables of a report: one a window, and one of scores by scenario.

They are data: a column has a rank, 0 for the one that gives way last where there is little room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from loom.bench.judge import HIGH, MetricColumn
from loom.bench.report.figures import StrategyFigures, figures_of, grouped, ranked
from loom.bench.report.rows import BenchReport

SCORE = "score"
BEST = "*"  # beside the best figure of a column
NONE = "-"
# What stands behind the scored columns, in this order; those of other judges come after these.
BEHIND = ("refused", "tokens", "cached", "cost", "cpu", "calls")
# Never marked and no merit: a strategy from which nothing can be asked makes no calls.
UNMARKED = ("calls",)
# Which columns stay where there is little room: these, the scored ones, then these.
FIRST, LAST = (SCORE, "refused", "cost"), ("tokens", "cached", "calls", "cpu")


class FigureColumn(Struct, frozen=True):
    """A column: its name, and its rank among those that are to stay."""

    name: str
    rank: int


class FigureTable(Struct, frozen=True):
    """A table of texts. `head` stands over the names of its rows; a row maps columns to texts."""

    title: str
    head: str
    columns: tuple[FigureColumn, ...]
    rows: tuple[tuple[str, dict[str, str]], ...]


def by_window(report: BenchReport) -> dict[int, dict[str, StrategyFigures]]:
    """Window → strategy → its figures over every scenario and seed, the best strategy first."""
    made = {}
    for window, rows in grouped(report.rows, lambda row: row.job.window).items():
        by_name = grouped(rows, lambda row: row.job.strategy)
        found = {name: figures_of(of, report.columns) for name, of in by_name.items()}
        made[window] = {name: found[name] for name in ranked(found)}
    return made


def scores(report: BenchReport, window: int) -> dict[str, dict[str, float | None]]:
    """Scenario → strategy → score at a window, over its seeds."""
    rows = [row for row in report.rows if row.job.window == window]
    return {
        scenario: {
            name: figures_of(each, report.columns).score
            for name, each in grouped(of, lambda row: row.job.strategy).items()
        }
        for scenario, of in grouped(rows, lambda row: row.job.scenario).items()
    }


def ordered(columns: Sequence[MetricColumn]) -> list[MetricColumn]:
    """Columns as a table has them: scored ones, those of BEHIND, and what other judges add."""
    scored = [one for one in columns if one.scored]
    known = {one.name: one for one in columns if not one.scored}
    behind = [known[name] for name in BEHIND if name in known]
    return [*scored, *behind, *(one for name, one in known.items() if name not in BEHIND)]


def window_tables(report: BenchReport) -> Iterator[FigureTable]:
    """A table for each window: ranks, scores, figures, the best of each column marked."""
    columns = ordered(report.columns)
    for window, found in by_window(report).items():
        best = {column.name: _best(found, column) for column in columns}
        rows = tuple(
            (f"{rank:>2} {name}", _cells(one, columns, best))
            for rank, (name, one) in enumerate(found.items(), 1)
        )
        heads = tuple(FigureColumn(name, _rank(name, columns)) for name in _names(columns))
        yield FigureTable(f"window {window:,}", " # strategy", heads, rows)


def scenario_tables(report: BenchReport) -> Iterator[FigureTable]:
    """A table for each window: the score of each strategy in each scenario."""
    for window, found in by_window(report).items():
        heads = tuple(FigureColumn(name, rank) for rank, name in enumerate(found))
        rows = tuple(
            (scenario, {name: shown_score(score) for name, score in of.items()})
            for scenario, of in scores(report, window).items()
        )
        yield FigureTable(f"score by scenario, window {window:,}", "scenario", heads, rows)


def shown(value: float | None, unit: str) -> str:
    """A figure as it is read: shares in percent, others whole, small ones with two digits."""
    if value is None:
        return NONE
    if unit == "%":
        return f"{value:.1%}"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def shown_score(score: float | None) -> str:
    """A score, 0 to 1."""
    return NONE if score is None else f"{score:.3f}"


def _cells(
    one: StrategyFigures, columns: Sequence[MetricColumn], best: Mapping[str, float | None]
) -> dict[str, str]:
    failed = f"{one.failed} failed" if one.failed else ""
    texts = {SCORE: failed or shown_score(one.score)}
    for column in columns:
        value = one.figures[column.name]
        mark = BEST if value is not None and value == best[column.name] else " "
        texts[column.name] = shown(value, column.unit) + mark
    return texts


def _best(found: Mapping[str, StrategyFigures], column: MetricColumn) -> float | None:
    """The best value of a column; None where there is none, or all are the same."""
    values = {one.figures[column.name] for one in found.values() if not one.failed} - {None}
    if not column.better or column.name in UNMARKED or len(values) < 2:
        return None
    given = [value for value in values if value is not None]
    return max(given) if column.better == HIGH else min(given)


def _names(columns: Sequence[MetricColumn]) -> list[str]:
    return [SCORE, *(one.name for one in columns)]


def _rank(name: str, columns: Sequence[MetricColumn]) -> int:
    scored = [one.name for one in columns if one.scored]
    others = [one.name for one in columns if one.name not in (*FIRST, *LAST, *scored)]
    return [*FIRST, *scored, *LAST, *others].index(name)
