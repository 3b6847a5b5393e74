"""Two runs beside each other: where the second is better, where worse, where nobody can tell.

Both saw the same sessions, so each session is compared with itself: the difference of a figure is
its mean over the pairs of runs of one scenario and seed, with the interval in which 95 % of the
means lie that a resampling of these pairs gives. An interval that holds 0 tells no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from loom.bench.judge import HIGH, MetricColumn
from loom.bench.report.figures import figure, figures_of
from loom.bench.report.rows import BenchReport, BenchRow

BETTER, WORSE, SAME, FEW, OTHER = "better", "worse", "no difference", "too few", "differs"
SCORE = MetricColumn("score", "", about="mean of the scored columns")
SAMPLES = 4_000  # of a resampling
SEED = 1  # of its chance, so that the same two runs are told alike every time
LEAST = 3  # pairs: fewer give no interval
SHARE = 95.0
CLOCKS = ("us", "ms")  # units of columns that another machine, or another hour, shows otherwise

Key = tuple[str, int]  # scenario, seed


class PairedDifference(Struct, frozen=True):
    """One figure of one strategy at one window, in two runs.

    `before` and `after` are its means over `pairs` sessions, `difference` is after less before, and
    `low` and `high` bound it. `verdict` is BETTER, WORSE, SAME, FEW, or OTHER for a figure that is
    neither good nor bad.
    """

    strategy: str
    window: int
    column: str
    unit: str
    pairs: int
    before: float
    after: float
    difference: float
    low: float
    high: float
    verdict: str

    @property
    def steady(self) -> bool:
        """False for what is read off a clock."""
        return self.unit not in CLOCKS


def compared(first: BenchReport, second: BenchReport) -> list[PairedDifference]:
    """Every strategy, window and column that both runs have, in the order of the second."""
    before = _sessions(first)
    made: list[PairedDifference] = []
    columns = _columns(first, second)
    for (strategy, window), rows in _sessions(second).items():
        others = before.get((strategy, window), {})
        same = [key for key in rows if key in others]
        for column in columns:
            made += _difference(strategy, window, column, others, rows, same, columns)
    return made


def _columns(first: BenchReport, second: BenchReport) -> list[MetricColumn]:
    """The score, and the columns that both have and take from the same sums."""
    known = {(one.name, one.part, one.whole) for one in first.columns}
    return [SCORE, *(one for one in second.columns if (one.name, one.part, one.whole) in known)]


def _sessions(report: BenchReport) -> dict[tuple[str, int], dict[Key, BenchRow]]:
    """Rows by strategy and window, and there by session."""
    made: dict[tuple[str, int], dict[Key, BenchRow]] = {}
    for row in report.rows:
        job = row.job
        at = made.setdefault((job.strategy, job.window), {})
        at[f"{job.scenario} {job.half}", job.seed] = row
    return made


def _difference(
    strategy: str,
    window: int,
    column: MetricColumn,
    first: Mapping[Key, BenchRow],
    second: Mapping[Key, BenchRow],
    keys: Sequence[Key],
    columns: Sequence[MetricColumn],
) -> Iterator[PairedDifference]:
    """The difference of one figure; nothing where no session of both has it."""
    found = [
        (_value(first[key], column, columns), _value(second[key], column, columns)) for key in keys
    ]
    pairs = [(old, new) for old, new in found if old is not None and new is not None]
    if not pairs:
        return
    old, new = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    low, high = interval(new - old)
    yield PairedDifference(
        strategy,
        window,
        column.name,
        column.unit,
        len(pairs),
        float(old.mean()),
        float(new.mean()),
        float((new - old).mean()),
        low,
        high,
        verdict(low, high, len(pairs), column.better),
    )


def interval(differences: np.ndarray) -> tuple[float, float]:
    """The bounds between which 95 % of the means of resampled differences lie."""
    chance = np.random.default_rng(SEED)
    drawn = chance.integers(0, len(differences), (SAMPLES, len(differences)))
    rest = (100 - SHARE) / 2
    low, high = np.percentile(differences[drawn].mean(axis=1), (rest, 100 - rest))
    return float(low), float(high)


def verdict(low: float, high: float, pairs: int, better: str) -> str:
    """What an interval says, where a figure is the better the higher (HIGH), the lower, neither."""
    if low == high == 0:
        return SAME
    if pairs < LEAST:
        return FEW
    if low <= 0 <= high:
        return SAME
    if not better:
        return OTHER
    return BETTER if (low > 0) == (better == HIGH) else WORSE


def _value(row: BenchRow, column: MetricColumn, columns: Sequence[MetricColumn]) -> float | None:
    if column is SCORE:
        return figures_of([row], [one for one in columns if one is not SCORE]).score
    return figure(Counter(row.sums), column)
