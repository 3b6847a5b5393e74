"""Figures of rows: shares of sums, a score, and the rank of each strategy.

The score of a strategy is the mean of its scored columns, each 0 to 1, those without a case left
out. Ranks go by the score, then by what it costs; behind all others stand strategies that failed,
or that have any of a column that bars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from loom_bench.judge import MetricColumn
from loom_bench.report.rows import BenchRow

Key = TypeVar("Key", bound=Hashable)
COST = "cost"  # the column that parts strategies of the same score


class StrategyFigures(Struct, frozen=True):
    """The figures of some rows by the names of columns; None where there was no case.

    `barred` says for what it ranks behind all others: columns that bar, and their sums.
    """

    figures: dict[str, float | None]
    score: float | None
    rows: int
    failed: int
    barred: tuple[str, ...] = ()


def added(rows: Iterable[BenchRow]) -> Counter[str]:
    """The sums of rows."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.sums)
    return total


def figures_of(rows: Sequence[BenchRow], columns: Sequence[MetricColumn]) -> StrategyFigures:
    """The figures of some rows."""
    sums = added(rows)
    figures = {column.name: figure(sums, column) for column in columns}
    scored = [
        min(max(value, 0.0), 1.0)  # a share, whatever a judge counts
        for column in columns
        if column.scored and (value := figures[column.name]) is not None
    ]
    score = sum(scored) / len(scored) if scored else None
    failed = sum(bool(row.failed) for row in rows)
    barred = tuple(
        f"{column.name} {sums[column.part]:,}"
        for column in columns
        if column.bars and figures[column.name]
    )
    return StrategyFigures(figures, score, len(rows), failed, barred)


def figure(sums: Counter[str], column: MetricColumn) -> float | None:
    """One figure; None where nothing was counted."""
    if not column.whole:
        return float(sums[column.part])
    return sums[column.part] / sums[column.whole] if sums[column.whole] else None


def grouped(rows: Iterable[BenchRow], key: Callable[[BenchRow], Key]) -> dict[Key, list[BenchRow]]:
    """Rows by a key, in the order in which keys come first."""
    made: dict[Key, list[BenchRow]] = {}
    for row in rows:
        made.setdefault(key(row), []).append(row)
    return made


def ranked(found: dict[str, StrategyFigures]) -> list[str]:
    """Names of strategies, the best first."""

    def order(name: str) -> tuple[bool, float, float]:
        one = found[name]
        score = one.score if one.score is not None else -1
        return (bool(one.barred or one.failed), -score, one.figures.get(COST) or 0)

    return sorted(found, key=order)
