"""What is run, the rows that come of it, how a report is read and written; figures of rows.

The score of a strategy is the mean of its scored columns, each 0 to 1, those without a case left
out. Ranks go by the score, then by what it costs; behind all others stand strategies that failed,
or that have any of a column that bars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, ValidationError, json

from loom.version import VERSION
from loom_bench.errors import BadBench
from loom_bench.judge import DrivenFault, MetricColumn
from loom_bench.session import PUBLIC

WINDOWS = (8_192, 32_000)
SEEDS = (1, 2, 3)


class BenchJob(Struct, frozen=True):
    """One session through one strategy at one window (tokens), held by judges."""

    scenario: str
    seed: int
    half: str
    strategy: str
    window: int
    judges: tuple[str, ...]


class BenchPlan(Struct, frozen=True):
    """Names of scenarios, strategies and judges; windows in tokens; seeds; the half of words."""

    scenarios: tuple[str, ...]
    strategies: tuple[str, ...]
    judges: tuple[str, ...]
    windows: tuple[int, ...] = WINDOWS
    seeds: tuple[int, ...] = SEEDS
    half: str = PUBLIC

    def jobs(self) -> Iterator[BenchJob]:
        """Every run; those of one session stand together, so that it is made once a worker."""
        runs = product(self.scenarios, self.seeds, self.windows, self.strategies)
        for scenario, seed, window, strategy in runs:
            yield BenchJob(scenario, seed, self.half, strategy, window, self.judges)

    def __len__(self) -> int:
        """How many runs these are."""
        return len([*self.jobs()])


class BenchRow(Struct, frozen=True):
    """What came of one run: the sums of its judges by name, some faults, what ended it early.

    `session` is a digest of the session's messages. `broken` are judges that raised, by name, and
    what they raised; `unwritten` is what the scenario raised, so that nothing could be run.
    """

    job: BenchJob
    sums: dict[str, int]
    faults: tuple[DrivenFault, ...] = ()
    failed: str = ""
    session: str = ""
    broken: dict[str, str] = {}
    unwritten: str = ""


class BenchReport(Struct, frozen=True):
    """A run. `columns` are the figures that its judges give.

    `broken` has a sentence for each scenario and each judge that raised. The sessions of such a
    scenario are in no row, the columns of such a judge are left out. One that was `interrupted` has
    `finished` fewer runs than were `planned`.
    """

    version: str
    plan: BenchPlan
    columns: tuple[MetricColumn, ...]
    rows: tuple[BenchRow, ...]
    broken: tuple[str, ...] = ()
    interrupted: bool = False
    planned: int = 0
    finished: int = 0

    def encoded(self) -> bytes:
        """The JSON that `read` reads."""
        return json.format(json.encode(self), indent=1)

    @classmethod
    def read(cls, path: Path) -> BenchReport:
        """Read one that was written. Raises BadBench for anything else."""
        if not path.is_file():  # a pipe would be waited for
            raise BadBench(f"{path} is no report of `loom bench run`: there is no such file")
        try:
            return json.decode(path.read_bytes(), type=cls)
        except (OSError, ValidationError, ValueError) as error:
            raise BadBench(f"{path} is no report of `loom bench run`: {error}") from error


def assembled(
    plan: BenchPlan, rows: Iterable[BenchRow], columns: Mapping[str, Sequence[MetricColumn]]
) -> BenchReport:
    """The report of rows; `columns` by the names of judges."""
    given = tuple(rows)
    raised: dict[str, str] = {}  # judge → the first that it raised
    broken: dict[str, None] = {}
    for row in given:
        where = f"{row.job.scenario}, seed {row.job.seed}"
        if row.unwritten:
            broken[f"scenario {where}: {row.unwritten}"] = None
        for name, why in row.broken.items():
            said = f"{where}, {row.job.strategy} at {row.job.window:,}, {why}"
            first = raised.setdefault(name, f"judge {name}, its columns are left out: {said}")
            broken[first] = None
    return BenchReport(
        VERSION,
        plan,
        tuple(column for name, of in columns.items() if name not in raised for column in of),
        tuple(row for row in given if not row.unwritten),
        tuple(broken),
        len(given) < len(plan),
        len(plan),
        len(given),
    )


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


def figures_of(rows: Sequence[BenchRow], columns: Sequence[MetricColumn]) -> StrategyFigures:
    """The figures of some rows."""
    sums: Counter[str] = Counter()
    for row in rows:
        sums.update(row.sums)
    figures: dict[str, float | None] = {}
    scored, barred = [], []
    for column in columns:
        whole = sums[column.whole] if column.whole else 1
        value = figures[column.name] = sums[column.part] / whole if whole else None
        if column.scored and value is not None:
            scored.append(min(max(value, 0.0), 1.0))  # a share, whatever a judge counts
        if column.bars and value:
            barred.append(f"{column.name} {sums[column.part]:,}")
    score = sum(scored) / len(scored) if scored else None
    failed = sum(bool(row.failed) for row in rows)
    return StrategyFigures(figures, score, len(rows), failed, tuple(barred))


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
        score = -1 if one.score is None else one.score
        return bool(one.barred or one.failed), -score, one.figures.get(COST) or 0

    return sorted(found, key=order)
