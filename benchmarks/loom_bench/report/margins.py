"""Where another strategy does better than Loom by a clear margin, in a sentence each.

A clear margin is a few points of a share, or a tenth of anything else. It is asked of the figures
over all scenarios of a window, of every strategy alike: who runs this to choose has to see it. How
far its score is from Loom's stands first. Being cheap is told of no strategy that is refused often,
or whose score is below half of Loom's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loom_bench.judge import HIGH, MetricColumn
from loom_bench.report.rows import BenchReport, StrategyFigures
from loom_bench.report.table import REFUSED, UNMARKED, by_window, ordered, shown, sound

OURS = "loom"
POINTS = 0.02  # of a share
PART = 0.1  # of anything else
BELOW = ("below", "above")


def margins(report: BenchReport, ours: str = OURS) -> dict[int, list[str]]:
    """Window → a sentence for each strategy that beats `ours` in a column; none without `ours`."""
    columns = ordered(report.columns)
    return {
        window: list(_sentences(found, columns, ours)) if ours in found else []
        for window, found in by_window(report).items()
    }


def _sentences(
    found: Mapping[str, StrategyFigures], columns: Sequence[MetricColumn], ours: str
) -> Iterator[str]:
    for name, one in found.items():
        if name == ours or one.failed:
            continue
        mine = found[ours]
        said = [
            text
            for column in columns
            if sound(one, mine.score, column)
            and (text := _better(column, one.figures[column.name], mine.figures[column.name]))
        ]
        if said:
            refused = one.figures.get(REFUSED)
            beside = _beside(one.score, mine.score, ours)
            beside += f"; refused {shown(refused, '%')}" if refused else ""
            yield f"{name} ({beside}) beats {ours}: {', '.join(said)}"


def _beside(theirs: float | None, mine: float | None, ours: str) -> str:
    """How a score lies to Loom's."""
    if theirs is None or mine is None:
        return "no score"
    difference = round(theirs, 3) - round(mine, 3)
    if not difference:
        return f"score {theirs:.3f}, as {ours}"
    return f"score {theirs:.3f}, {abs(difference):.3f} {BELOW[difference > 0]} {ours}"


def _better(column: MetricColumn, theirs: float | None, ours: float | None) -> str:
    """How much better a figure is than Loom's; "" where it is not, or not clearly."""
    if theirs is None or ours is None or not column.better or column.name in UNMARKED:
        return ""
    more = theirs - ours if column.better == HIGH else ours - theirs
    word = "more" if column.better == HIGH else "less"
    if column.unit == "%":
        points = round(100 * more)
        return f"{column.name} {points} points {word}" if more >= POINTS else ""
    if more < PART * abs(ours) or more <= 0:
        return ""
    return f"{column.name} {theirs / ours:.2g} of {OURS}'s" if ours else f"{column.name} {word}"
