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
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from loom_bench.judge import HIGH, MetricColumn
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

Floats = np.ndarray
Key = tuple[str, int]  # scenario and half of the words, seed
Pairs = dict[Key, tuple[BenchRow, BenchRow]]  # the rows of a session in the two runs


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
    """Every strategy, window and column that both runs have, in the order of the second: the score,
    and the columns that both take from the same sums."""
    known = {(one.name, one.part, one.whole) for one in first.columns}
    columns = [one for one in second.columns if (one.name, one.part, one.whole) in known]
    asked = [(SCORE, [one for one in columns if one.scored]), *((one, [one]) for one in columns)]
    return [
        made
        for place, both in _paired(first, second).items()
        for pairs in [_alike(both)]
        for column, parts in asked
        for made in _difference(place, column, parts, pairs)
    ]


def changed(first: BenchReport, second: BenchReport) -> int:
    """How many sessions of the same scenario and seed have other messages in the two runs."""
    paired = _paired(first, second).values()
    return len({key for pairs in paired for key in pairs.keys() - _alike(pairs).keys()})


def _sessions(report: BenchReport) -> dict[tuple[str, int], dict[Key, BenchRow]]:
    """Rows by strategy and window, and there by session."""
    made: dict[tuple[str, int], dict[Key, BenchRow]] = {}
    for row in report.rows:
        job = row.job
        at = made.setdefault((job.strategy, job.window), {})
        at[f"{job.scenario} {job.half}", job.seed] = row
    return made


def _paired(first: BenchReport, second: BenchReport) -> dict[tuple[str, int], Pairs]:
    """The sessions that both runs have, by strategy and window."""
    before = _sessions(first)
    return {
        place: {key: (before[place][key], row) for key, row in rows.items() if key in before[place]}
        for place, rows in _sessions(second).items()
        if place in before
    }


def _alike(pairs: Pairs) -> Pairs:
    """Those with the same messages."""
    return {key: (old, new) for key, (old, new) in pairs.items() if old.session == new.session}


def _difference(
    place: tuple[str, int], column: MetricColumn, parts: Sequence[MetricColumn], pairs: Pairs
) -> Iterator[PairedDifference]:
    """The difference of one figure; nothing where no session of both has it."""
    wholes = [one.whole for one in parts]
    held = {
        key: rows
        for key, rows in pairs.items()
        if any(not whole or row.sums.get(whole, 0) for row in rows for whole in wholes)
    }
    if not held:
        return
    sizes = [*Counter(scenario for scenario, _ in held).values()]
    drawn = _drawn(tuple(scenario for scenario, _ in held))
    old, new = (_figures(rows, parts, drawn) for rows in zip(*held.values(), strict=True))
    if np.isnan(old[0]) or np.isnan(new[0]):  # a figure over all that one of them does not have
        return
    many = len(sizes) >= CLUSTERS
    # What is drawn independently: scenarios where there are enough, else sessions.
    low, high = _interval(new - old, len(sizes) if many else len(held) - len(sizes) + 1)
    enough = len(held) >= LEAST and (many or min(sizes) >= SEEDS)
    told = CLOCK if column.unit in CLOCKS else _verdict(low, high, enough, column.better)
    figures = float(old[0]), float(new[0]), float(new[0] - old[0]), low, high
    yield PairedDifference(*place, column.name, column.unit, len(held), *figures, told)


@lru_cache(8)
def _drawn(scenarios: tuple[str, ...]) -> Floats:
    """How often each session is drawn, by their scenarios: a row of ones, then one a sample."""
    chance = np.random.default_rng(SEED)
    kinds = [*dict.fromkeys(scenarios)]
    times = np.ones((SAMPLES, len(kinds)), dtype=int)
    if len(kinds) >= CLUSTERS:
        times = chance.multinomial(len(kinds), np.full(len(kinds), 1 / len(kinds)), SAMPLES)
    drawn = np.ones((SAMPLES + 1, len(scenarios)), dtype=int)
    for number, kind in enumerate(kinds):
        of = [at for at, one in enumerate(scenarios) if one == kind]
        shares = np.full(len(of), 1 / len(of))
        drawn[1:, of] = chance.multinomial(times[:, number] * len(of), shares)
    return drawn


def _figures(rows: Sequence[BenchRow], columns: Sequence[MetricColumn], drawn: Floats) -> Floats:
    """The mean of columns for each draw of rows; a column without a case in it is left out."""

    def summed(name: str) -> Floats:
        sums: Floats = drawn @ np.array([float(row.sums.get(name, 0)) for row in rows])
        return sums

    def shared(part: Floats, whole: Floats) -> Floats:
        made: Floats = np.divide(part, whole, out=np.full(len(drawn), np.nan), where=whole != 0)
        return made

    made = [
        shared(summed(one.part), summed(one.whole)) if one.whole else summed(one.part)
        for one in columns
    ]
    return shared(np.nansum(made, axis=0), (~np.isnan(made)).sum(axis=0))


def _interval(differences: Floats, units: int) -> tuple[float, float]:
    """The bounds of 95 % of the differences of draws, about the first, which is that of all; wider
    the fewer `units` were drawn."""
    whole = differences[0]
    rest = (100 - SHARE) / 2
    low, high = np.nanpercentile(differences, (rest, 100 - rest))
    wider = _student(units - 1) / NORMAL * (units / (units - 1)) ** 0.5 if units > 1 else 1.0
    return float(whole + wider * (low - whole)), float(whole + wider * (high - whole))


def _student(freedom: int) -> float:
    """The bound of the middle 95 % of Student's distribution, nearly: Fisher's expansion."""
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def _verdict(low: float, high: float, enough: bool, better: str) -> str:
    """What an interval says, where a figure is the better the higher (HIGH), the lower, neither."""
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
    told: list[str] = []
    paired = _paired(first, second)
    for place, rows in _sessions(first).items():
        pairs = paired.get(place, {})
        gone = len(rows) - len(pairs)
        failed = sum(bool(new.failed) and not old.failed for old, new in pairs.values())
        where = f"{place[0]} at {place[1]:,}"
        told += [f"{where}: {gone:,} of {len(rows):,} runs are missing"] if gone else []
        told += [f"{where}: {failed:,} runs fail that did not"] if failed else []
    scored = {SCORE.name, *(one.name for one in second.columns if one.scored)}
    return told + [
        f"{one.strategy} at {one.window:,}: {one.column} fell, over too few sessions"
        for one in compared(first, second)
        if one.verdict == FEW and one.column in scored and one.difference < 0
    ]
