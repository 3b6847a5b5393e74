"""Two runs beside each other: where the second is better, where worse, where nobody can tell.

Both saw the same sessions, so a strategy is compared with itself over the sessions that both runs
have. A figure is that of the tables: sums over these sessions, divided. Sessions are then drawn
from them, as many as there are and some of them again, and both figures are made of the same draw:
between two bounds lie 95 % of the differences. Bounds that hold 0 between them tell no difference.

Seeds of one scenario are alike, so scenarios are drawn, and seeds within each. Of fewer scenarios
than CLUSTERS the seeds alone are drawn, and what is told holds for these scenarios. Bounds are
widened by Student's distribution, as those of a few draws are too narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from loom_bench.judge import HIGH, MetricColumn
from loom_bench.named import placeless
from loom_bench.report.rows import BenchReport, BenchRow

BETTER, WORSE, SAME, FEW, OTHER = "better", "worse", "no difference", "too few", "differs"
CLOCK = "clock"
SCORE = MetricColumn("score", "", about="mean of the scored columns")
SAMPLES = 4_000  # of a resampling
SEED = 1  # of its chance, so that the same two runs are told alike every time
CLUSTERS = 6  # scenarios that are drawn themselves, at least
LEAST = 6  # sessions: fewer give no bounds that mean anything
SEEDS = 3  # of each scenario at least, where there are fewer scenarios than CLUSTERS
NORMAL = 1.959964  # of a normal distribution, the bound of the middle 95 %
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
    """Rows by strategy and window, and there by session.

    Files may lie elsewhere in another run, so a part is known without its folders, if by that name
    there is one alone.
    """
    made: dict[tuple[str, int], dict[Key, BenchRow]] = {}
    strategies = _known({row.job.strategy for row in report.rows})
    scenarios = _known({row.job.scenario for row in report.rows})
    for row in report.rows:
        job = row.job
        at = made.setdefault((strategies[job.strategy], job.window), {})
        at[f"{scenarios[job.scenario]} {job.half}", job.seed] = row
    return made


def _known(names: Collection[str]) -> dict[str, str]:
    """What parts are known by, by their names."""
    often = Counter(map(placeless, names))
    return {name: short if often[short := placeless(name)] == 1 else name for name in names}


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
    sizes = _sizes(held)
    drawn = _drawn(tuple(scenario for scenario, _ in held))
    old, new = (_figures([side[key] for key in held], parts, drawn) for side in (first, second))
    if np.isnan(old[0]) or np.isnan(new[0]):  # a figure over all that one of them does not have
        return
    low, high = interval(new - old, _units(sizes))
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
        CLOCK if column.unit in CLOCKS else verdict(low, high, _enough(sizes), column.better),
    )


def _case(row: BenchRow, columns: Sequence[MetricColumn]) -> bool:
    return any(not one.whole or row.sums.get(one.whole, 0) for one in columns)


def _sizes(keys: Sequence[Key]) -> list[int]:
    """How many sessions of each scenario these are."""
    return [*Counter(scenario for scenario, _ in keys).values()]


def _units(sizes: Sequence[int]) -> int:
    """What is drawn independently: scenarios where there are enough, else sessions."""
    return len(sizes) if len(sizes) >= CLUSTERS else sum(sizes) - len(sizes) + 1


def _enough(sizes: Sequence[int]) -> bool:
    """Whether so many sessions of each scenario give bounds that mean anything."""
    return sum(sizes) >= LEAST and (len(sizes) >= CLUSTERS or min(sizes) >= SEEDS)


@lru_cache(8)
def _drawn(scenarios: tuple[str, ...]) -> np.ndarray:
    """How often each session is drawn, by their scenarios: a row of ones, then one a sample."""
    chance = np.random.default_rng(SEED)
    places: dict[str, list[int]] = {}
    for at, scenario in enumerate(scenarios):
        places.setdefault(scenario, []).append(at)
    count = len(places)
    times = np.ones((SAMPLES, count), dtype=int)
    if count >= CLUSTERS:
        times = chance.multinomial(count, np.full(count, 1 / count), SAMPLES)
    drawn = np.ones((SAMPLES + 1, len(scenarios)), dtype=int)
    for number, of in enumerate(places.values()):
        shares = np.full(len(of), 1 / len(of))
        drawn[1:, of] = chance.multinomial(times[:, number] * len(of), shares)
    return drawn


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


def interval(differences: np.ndarray, units: int) -> tuple[float, float]:
    """The bounds of 95 % of the differences of draws, about the first, which is that of all; wider
    the fewer `units` were drawn."""
    whole = differences[0]
    there = differences[~np.isnan(differences)]
    rest = (100 - SHARE) / 2
    low, high = np.percentile(there, (rest, 100 - rest))
    wider = student(units - 1) / NORMAL * (units / (units - 1)) ** 0.5 if units > 1 else 1.0
    return float(whole + wider * (low - whole)), float(whole + wider * (high - whole))


def student(freedom: int) -> float:
    """The bound of the middle 95 % of Student's distribution, nearly: Fisher's expansion."""
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def verdict(low: float, high: float, enough: bool, better: str) -> str:
    """What an interval says, where a figure is the better the higher (HIGH), the lower, neither."""
    if low == high == 0:
        return SAME
    if not enough:
        return FEW
    if low <= 0 <= high:
        return SAME
    if not better:
        return OTHER
    return BETTER if (low > 0) == (better == HIGH) else WORSE


def losses(first: BenchReport, second: BenchReport) -> list[str]:
    """A sentence for all that the second run has lost, whatever its figures say.

    Runs that are missing, that fail where they did not, and scored figures that fell over sessions
    that are too few for a verdict.
    """
    return [*_missing(first, second), *_fallen(first, second)]


def _missing(first: BenchReport, second: BenchReport) -> Iterator[str]:
    later = _sessions(second)
    for (strategy, window), rows in _sessions(first).items():
        others = later.get((strategy, window), {})
        gone = sum(key not in others for key in rows)
        failed = sum(
            bool(others[key].failed) and not row.failed
            for key, row in rows.items()
            if key in others
        )
        if gone:
            yield f"{strategy} at {window:,}: {gone:,} of {len(rows):,} runs are missing"
        if failed:
            yield f"{strategy} at {window:,}: {failed:,} runs fail that did not"


def _fallen(first: BenchReport, second: BenchReport) -> Iterator[str]:
    scored = {SCORE.name, *(one.name for one in second.columns if one.scored)}
    for one in compared(first, second):
        if one.verdict == FEW and one.column in scored and one.difference < 0:
            yield f"{one.strategy} at {one.window:,}: {one.column} fell, over too few sessions"
