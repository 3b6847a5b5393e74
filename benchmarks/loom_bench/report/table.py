"""A report as tables and sentences, over the sessions that all strategies of a window ran through.

A run that was ended early has strategies that got further than others. Their figures would be of
other sessions, so only what all have is looked at.

Beside the tables stands in sentences where another strategy does better than Loom by a clear
margin: a few points of a share, or a tenth of anything else, over all scenarios of a window. Who
runs this to choose has to see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.cli.text_tables import RankedColumn
from loom_bench.judge import HIGH, MetricColumn
from loom_bench.report.rows import (
    BenchReport,
    BenchRow,
    StrategyFigures,
    figures_of,
    grouped,
    ranked,
)

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
OURS = "loom"
POINTS = 0.02  # of a share: a clear margin
PART = 0.1  # of anything else
EXAMPLES = 2  # faults that one judge tells of a strategy in one scenario at one window


class FigureTable(Struct, frozen=True):
    """A table of texts. `head` stands over the names of its rows; a row maps columns to texts.

    A column has a rank, 0 for the one that gives way last where there is little room.
    """

    title: str
    head: str
    columns: tuple[RankedColumn, ...]
    rows: tuple[tuple[str, dict[str, str]], ...]


class WindowFigures(Struct, frozen=True):
    """What is compared at one window: of how many `sessions`, of how many that were `planned`.

    `found` are the figures of each strategy, the best first, `scores` by scenario and strategy.
    """

    window: int
    columns: tuple[MetricColumn, ...]
    found: dict[str, StrategyFigures]
    scores: dict[str, dict[str, float | None]]
    sessions: int
    planned: int


def by_window(report: BenchReport) -> list[WindowFigures]:
    """The figures at each window, over the sessions that all strategies have which the fullest
    session has."""
    columns = tuple(ordered(report.columns))
    made = []
    for window, rows in grouped(report.rows, lambda row: row.job.window).items():
        ran = grouped(rows, lambda row: (row.job.scenario, row.job.seed)).values()
        names = [{row.job.strategy for row in of} for of in ran]
        wanted = max(names, key=len)
        whole = [of for of, have in zip(ran, names, strict=True) if have == wanted]
        kept = [row for of in whole for row in of]
        found = _by_strategy(kept, columns)
        scores = {
            scenario: {name: one.score for name, one in _by_strategy(of, columns).items()}
            for scenario, of in grouped(kept, lambda row: row.job.scenario).items()
        }
        planned = len(report.plan.scenarios) * len(report.plan.seeds)
        best = {name: found[name] for name in ranked(found)}
        made.append(WindowFigures(window, columns, best, scores, len(whole), planned))
    return made


def _by_strategy(
    rows: Sequence[BenchRow], columns: Sequence[MetricColumn]
) -> dict[str, StrategyFigures]:
    by_name = grouped(rows, lambda row: row.job.strategy)
    return {name: figures_of(of, columns) for name, of in by_name.items()}


def ordered(columns: Sequence[MetricColumn]) -> list[MetricColumn]:
    """Columns as a table has them: scored ones, those of BEHIND, and what other judges add."""
    places = {name: at for at, name in enumerate(BEHIND)}
    return sorted(columns, key=lambda one: -1 if one.scored else places.get(one.name, len(places)))


def window_table(at: WindowFigures) -> FigureTable:
    """Ranks, scores, figures, the best of each column marked."""
    best, without = {*_marks(at)}, caseless(at)
    columns = [one for one in at.columns if one.name not in without]
    rows = []
    for rank, (name, one) in enumerate(at.found.items(), 1):
        cells = {SCORE: f"{one.failed} failed" if one.failed else shown_score(one.score)}
        for column in columns:
            mark = BEST if (name, column.name) in best else " "
            cells[column.name] = shown(one.figures[column.name], column.unit) + mark
        rows.append((f"{rank:>2} {name}", cells))

    def staying(one: MetricColumn) -> tuple[bool, int]:
        """Longest stay the scored ones, then those of LAST."""
        return not one.scored, LAST.index(one.name) if one.name in LAST else len(LAST)

    stays = [SCORE, *(one.name for one in sorted(columns, key=staying))]
    names = (SCORE, *(one.name for one in columns))
    heads = tuple(RankedColumn(name, stays.index(name), name) for name in names)
    title = f"window {at.window:,}"
    if at.sessions < at.planned:
        title += f", partial: {at.sessions:,} of {at.planned:,} sessions"
    return FigureTable(title, " # strategy", heads, tuple(rows))


def caseless(at: WindowFigures) -> list[str]:
    """The columns that have a figure of no strategy; no table shows them."""
    empty = [{name for name, of in one.figures.items() if of is None} for one in at.found.values()]
    return [one.name for one in at.columns if all(one.name in names for names in empty)]


def scenario_table(at: WindowFigures) -> FigureTable:
    """The score of each strategy in each scenario."""
    heads = tuple(RankedColumn(name, rank, name) for rank, name in enumerate(at.found))
    rows = tuple(
        (scenario, {name: shown_score(score) for name, score in of.items()})
        for scenario, of in at.scores.items()
    )
    return FigureTable(f"score by scenario, window {at.window:,}", "scenario", heads, rows)


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


def _marks(at: WindowFigures) -> Iterator[tuple[str, str]]:
    """Strategies and the columns in which they are the best; none of a column where all are the
    same."""
    highest = max((one.score for one in at.found.values() if one.score is not None), default=None)
    for column in at.columns:
        figures = {name: one.figures[column.name] for name, one in at.found.items()}
        values = {figures[name] for name, one in at.found.items() if not one.failed} - {None}
        fit = {
            name: value
            for name, value in figures.items()
            if value is not None and _sound(at.found[name], highest, column)
        }
        if column.better and column.name not in UNMARKED and len(values) > 1 and fit:
            best = max(fit.values()) if column.better == HIGH else min(fit.values())
            yield from ((name, column.name) for name, value in fit.items() if value == best)


def _sound(one: StrategyFigures, score: float | None, column: MetricColumn) -> bool:
    """Whether a figure can be a merit: of who ran to the end and is hardly ever refused; where it
    is no scored one, of who has at least half of a score as well."""
    refused = one.figures.get(REFUSED) or 0
    if one.failed or one.barred or (refused > MOST_REFUSED and column.name != REFUSED):
        return False
    return column.scored or score is None or (one.score or 0) >= LEAST_SCORE * score


def margins(at: WindowFigures) -> list[str]:
    """A sentence for each strategy that beats Loom in a column; how far its score is from Loom's
    stands first."""
    ours = at.found.get(OURS)
    said: list[str] = []
    if ours is None:
        return said
    for name, one in at.found.items():
        better = [
            text
            for column in at.columns
            if _sound(one, ours.score, column)
            and (text := _better(column, one.figures[column.name], ours.figures[column.name]))
        ]
        beside = "no score"
        if one.score is not None and ours.score is not None:
            more = round(one.score, 3) - round(ours.score, 3)
            side = f"{abs(more):.3f} {'above' if more > 0 else 'below'} {OURS}"
            beside = f"score {one.score:.3f}, {side if more else f'as {OURS}'}"
        if refused := one.figures.get(REFUSED):
            beside += f"; refused {shown(refused, '%')}"
        said += [f"{name} ({beside}) beats {OURS}: {', '.join(better)}"] if better else []
    return said


def _better(column: MetricColumn, theirs: float | None, ours: float | None) -> str:
    """How much better a figure is than Loom's; "" where it is not, or not clearly."""
    if theirs is None or ours is None or not column.better or column.name in UNMARKED:
        return ""
    more, word = (theirs - ours, "more") if column.better == HIGH else (ours - theirs, "less")
    if column.unit == "%":
        return f"{column.name} {round(100 * more)} points {word}" if more >= POINTS else ""
    if more < PART * abs(ours) or more <= 0:
        return ""
    return f"{column.name} {theirs / ours:.2g} of {OURS}'s" if ours else f"{column.name} {word}"


def barred(at: WindowFigures) -> list[str]:
    """A sentence for each strategy that ranks behind the others for what it did."""
    return [
        f"{name} at {at.window:,} ranks last, barred: {', '.join(one.barred)}"
        for name, one in at.found.items()
        if one.barred
    ]


def examples(report: BenchReport) -> Iterator[str]:
    """The first few faults of each judge in each strategy, window and scenario, and failures."""
    told: Counter[tuple[str, int, str, str]] = Counter()
    for row in report.rows:
        job = row.job
        failed = [("failed", f"failed: {row.failed}")] if row.failed else []
        for judge, text in (*failed, *((one.judge, str(one)) for one in row.faults)):
            key = (job.strategy, job.window, job.scenario, judge)
            told[key] += 1
            if told[key] <= EXAMPLES:
                run = f"{job.strategy} at {job.window:,} in {job.scenario}, seed {job.seed}"
                yield f"{run}, {text}"
