"""Two runs beside each other: where the second is better, where worse, where nobody can tell.

Both saw the same sessions, so a strategy is compared with itself over the sessions that both runs
have. A figure is that of the tables: sums over these sessions, divided. Sessions are then drawn
from them, as many as there are and some of them again, and both figures are made of the same draw:
between two bounds lie 95 % of the differences. Bounds that hold 0 between them tell no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from loom.bench.judge import HIGH, MetricColumn
from loom.bench.report.rows import BenchReport, BenchRow

BETTER, WORSE, SAME, FEW, OTHER = "better", "worse", "no difference", "too few", "differs"
CLOCK = "clock"
SCORE = MetricColumn("score", "", about="mean of the scored columns")
SAMPLES = 4_000  # of a resampling
SEED = 1  # of its chance, so that the same two runs are told alike every time
LEAST = 5  # sessions: fewer give no bounds that mean anything
SHARE = 95.0
CLOCKS = ("us", "ms")  # units of columns that another machine, or another hour, shows otherwise

Key = tuple[str, int]  # scenario and half of the words, seed
Rows = Mapping[Key, BenchRow]


class PairedDifference(Struct, frozen=True):
    """One figure of one strategy at one window, in two runs.

    `before` and `after` are the figure over the `pairs` sessions of both, `difference` is after
    less before, and `low` and `high` bound it. `verdict` is BETTER, WORSE, SAME, FEW, OTHER for a
    figure that is neither good nor bad, or CLOCK for what is read off a clock.
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


def compared(first: BenchReport, second: BenchReport) -> list[PairedDifference]:
    """Every strategy, window and column that both runs have, in the order of the second."""
    before = _sessions(first)
    made: list[PairedDifference] = []
    columns = _columns(first, second)
    for (strategy, window), rows in _sessions(second).items():
        others = before.get((strategy, window), {})
        keys = [key for key in rows if key in others and _same(others[key], rows[key])]
        for column in columns:
            made += _difference(strategy, window, column, others, rows, keys, columns)
    return made


def changed(first: BenchReport, second: BenchReport) -> int:
    """How many sessions of the same scenario and seed have other messages in the two runs."""
    before = _sessions(first)
    found = {
        key
        for place, rows in _sessions(second).items()
        for key, row in rows.items()
        if (other := before.get(place, {}).get(key)) is not None and not _same(other, row)
    }
    return len(found)


def _same(first: BenchRow, second: BenchRow) -> bool:
    """Whether two rows are of the same messages."""
    return first.session == second.session


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
    first: Rows,
    second: Rows,
    keys: Sequence[Key],
    columns: Sequence[MetricColumn],
) -> Iterator[PairedDifference]:
    """The difference of one figure; nothing where no session of both has it."""
    parts = [one for one in columns if one.scored] if column is SCORE else [column]
    held = [key for key in keys if any(_case(side[key], parts) for side in (first, second))]
    if not held:
        return
    drawn = _drawn(len(held))
    old, new = (_figures([side[key] for key in held], parts, drawn) for side in (first, second))
    if np.isnan(old[0]) or np.isnan(new[0]):  # a figure over all that one of them does not have
        return
    low, high = interval((new - old)[1:])
    yield PairedDifference(
        strategy,
        window,
        column.name,
        column.unit,
        len(held),
        float(old[0]),
        float(new[0]),
        float(new[0] - old[0]),
        low,
        high,
        CLOCK if column.unit in CLOCKS else verdict(low, high, len(held), column.better),
    )


def _case(row: BenchRow, columns: Sequence[MetricColumn]) -> bool:
    return any(not one.whole or row.sums.get(one.whole, 0) for one in columns)


@lru_cache(8)
def _drawn(count: int) -> np.ndarray:
    """How often each of so many sessions is drawn: a row of ones, then one for each sample."""
    chance = np.random.default_rng(SEED)
    samples = chance.multinomial(count, np.full(count, 1 / count), SAMPLES)
    return np.vstack([np.ones((1, count), dtype=int), samples])


def _figures(
    rows: Sequence[BenchRow], columns: Sequence[MetricColumn], drawn: np.ndarray
) -> np.ndarray:
    """The mean of columns for each draw of rows; a column without a case in it is left out."""
    made = []
    for column in columns:
        part = drawn @ np.array([float(row.sums.get(column.part, 0)) for row in rows])
        if column.whole:
            whole = drawn @ np.array([float(row.sums.get(column.whole, 0)) for row in rows])
            part = np.divide(part, whole, out=np.full(len(drawn), np.nan), where=whole != 0)
        made.append(part)
    table = np.array(made)
    there = (~np.isnan(table)).sum(axis=0)
    total = np.nansum(table, axis=0)
    mean: np.ndarray = np.divide(total, there, out=np.full(len(drawn), np.nan), where=there != 0)
    return mean


def interval(differences: np.ndarray) -> tuple[float, float]:
    """The bounds between which 95 % of the differences of draws lie."""
    there = differences[~np.isnan(differences)]
    rest = (100 - SHARE) / 2
    low, high = np.percentile(there, (rest, 100 - rest)) if len(there) else (0.0, 0.0)
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
