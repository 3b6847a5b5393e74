"""A report as tables, over the sessions that all strategies of a window ran through.

A run that was ended early has strategies that got further than others. Their figures would be of
other sessions, so only what all have is looked at.

They are data: a column has a rank, 0 for the one that gives way last where there is little room.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from loom.cli.columns import RankedColumn
from loom_bench.judge import HIGH, MetricColumn
from loom_bench.report.rows import (
    BenchReport,
    BenchRow,
    StrategyFigures,
    figures_of,
    grouped,
    ranked,
)

Session = tuple[str, int]  # scenario, seed


class SharedSessions(Struct, frozen=True):
    """The rows of one window that are compared, how many sessions they are of, and of how many the
    plan is."""

    rows: tuple[BenchRow, ...]
    sessions: int
    planned: int

    @property
    def partial(self) -> bool:
        """True where sessions of the plan are missing."""
        return self.sessions < self.planned

    @property
    def said(self) -> str:
        """How much of the plan it is, where it is not all; else ""."""
        said = f"partial: {self.sessions:,} of {self.planned:,} sessions"
        return said if self.partial else ""


def shared_by_window(report: BenchReport) -> dict[int, SharedSessions]:
    """Window → what is compared there."""
    planned = len(report.plan.scenarios) * len(report.plan.seeds)
    return {
        window: _shared(rows, planned)
        for window, rows in grouped(report.rows, lambda row: row.job.window).items()
    }


def _shared(rows: Sequence[BenchRow], planned: int) -> SharedSessions:
    """The sessions that all strategies have which the fullest session has."""
    ran: dict[Session, set[str]] = {}
    for row in rows:
        ran.setdefault(_session(row), set()).add(row.job.strategy)
    wanted = max(ran.values(), key=len)
    whole = {session for session, names in ran.items() if wanted <= names}
    kept = [row for row in rows if _session(row) in whole and row.job.strategy in wanted]
    return SharedSessions(tuple(kept), len(whole), planned)


def _session(row: BenchRow) -> Session:
    return row.job.scenario, row.job.seed


SCORE = "score"
BEST = "*"  # beside the best figure of a column
NONE = "-"
# What stands behind the scored columns, in this order; those of other judges come after these.
BEHIND = ("refused", "tokens", "cached", "cost", "cpu", "calls")
# Never marked and no merit: a strategy from which nothing can be asked makes no calls.
UNMARKED = ("calls",)
REFUSED = "refused"  # the column of requests that no provider takes
MOST_REFUSED = 0.05  # whoever has more of them refused is the best of nothing
LEAST_SCORE = 0.5  # of the highest score: below it, being cheap is no merit
# Which columns stay where there is little room: the score, the scored ones, then these.
LAST = ("refused", "cost", "tokens", "cached", "calls", "cpu")


class FigureTable(Struct, frozen=True):
    """A table of texts. `head` stands over the names of its rows; a row maps columns to texts."""

    title: str
    head: str
    columns: tuple[RankedColumn, ...]
    rows: tuple[tuple[str, dict[str, str]], ...]


def by_window(report: BenchReport) -> dict[int, dict[str, StrategyFigures]]:
    """Window → strategy → its figures over the sessions that all have, the best first."""
    made = {}
    for window, shared in shared_by_window(report).items():
        by_name = grouped(shared.rows, lambda row: row.job.strategy)
        found = {name: figures_of(of, report.columns) for name, of in by_name.items()}
        made[window] = {name: found[name] for name in ranked(found)}
    return made


def scores(report: BenchReport, window: int) -> dict[str, dict[str, float | None]]:
    """Scenario → strategy → score at a window, over its seeds."""
    rows = shared_by_window(report)[window].rows
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
    shared = shared_by_window(report)
    for window, found in by_window(report).items():
        best = marks(found, columns)
        rows = tuple(
            (f"{rank:>2} {name}", _cells(one, columns, best[name]))
            for rank, (name, one) in enumerate(found.items(), 1)
        )
        stays = _staying(columns, found)
        names = (SCORE, *(one.name for one in columns))
        heads = tuple(RankedColumn(name, stays.index(name), name) for name in names)
        title = ", ".join(filter(None, (f"window {window:,}", shared[window].said)))
        yield FigureTable(title, " # strategy", heads, rows)


def scenario_tables(report: BenchReport) -> Iterator[FigureTable]:
    """A table for each window: the score of each strategy in each scenario."""
    for window, found in by_window(report).items():
        heads = tuple(RankedColumn(name, rank, name) for rank, name in enumerate(found))
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
    one: StrategyFigures, columns: Sequence[MetricColumn], best: Collection[str]
) -> dict[str, str]:
    failed = f"{one.failed} failed" if one.failed else ""
    texts = {SCORE: failed or shown_score(one.score)}
    for column in columns:
        mark = BEST if column.name in best else " "
        texts[column.name] = shown(one.figures[column.name], column.unit) + mark
    return texts


def marks(
    found: Mapping[str, StrategyFigures], columns: Sequence[MetricColumn]
) -> dict[str, tuple[str, ...]]:
    """Strategy → columns in which it is the best; none of a column where all are the same."""
    best = {column.name: _best(found, column) for column in columns}
    return {
        name: tuple(
            column.name
            for column in columns
            if best[column.name] is not None
            and one.figures[column.name] == best[column.name]
            and sound(one, _highest(found), column)
        )
        for name, one in found.items()
    }


def sound(one: StrategyFigures, score: float | None, column: MetricColumn) -> bool:
    """Whether a figure can be a merit: of who ran to the end and is hardly ever refused; where it
    is no scored one, of who has at least half of a score as well."""
    refused = one.figures.get(REFUSED) or 0
    if one.failed or one.barred or (refused > MOST_REFUSED and column.name != REFUSED):
        return False
    return column.scored or score is None or (one.score or 0) >= LEAST_SCORE * score


def _best(found: Mapping[str, StrategyFigures], column: MetricColumn) -> float | None:
    """The best value of a column; None where there is none, or all are the same."""
    score = _highest(found)
    values = {one.figures[column.name] for one in found.values() if not one.failed} - {None}
    if not column.better or column.name in UNMARKED or len(values) < 2:
        return None
    fit = [one.figures[column.name] for one in found.values() if sound(one, score, column)]
    given = [value for value in fit if value is not None]
    if not given:
        return None
    return max(given) if column.better == HIGH else min(given)


def _highest(found: Mapping[str, StrategyFigures]) -> float | None:
    return max((one.score for one in found.values() if one.score is not None), default=None)


def _staying(columns: Sequence[MetricColumn], found: Mapping[str, StrategyFigures]) -> list[str]:
    """The names of columns in the order in which they stay; those without a figure give way
    first."""
    filled = [
        one for one in columns if any(of.figures[one.name] is not None for of in found.values())
    ]
    there = [one.name for one in filled]
    scored = [one.name for one in filled if one.scored]
    known = [name for name in LAST if name in there]
    return [*dict.fromkeys((SCORE, *scored, *known, *there, *(one.name for one in columns)))]


def barred(report: BenchReport) -> Iterator[str]:
    """A sentence for each strategy that ranks behind the others for what it did."""
    for window, found in by_window(report).items():
        for name, one in found.items():
            if one.barred:
                yield f"{name} at {window:,} ranks last, barred: {', '.join(one.barred)}"
